"""A question embedded beside the provisions found for it: which of their sentences the curated names near to it point
to, and the log odds that each of some sentences answers it.
"""

import logging
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import NamedTuple

import numpy as np
from django.conf import settings
from django.utils.module_loading import import_string

from retrieval.answers.selection import Place, Shares
from retrieval.answers.units import key_of
from retrieval.engines import loaded
from retrieval.engines.cross_encoders import CrossEncoderUnavailable

logger = logging.getLogger(__name__)

SHARP = 0.05  # a name whose cosine is higher by this counts e times as much
RANKER = "SentenceRanker"  # as `degraded` names it
MOST_POINTED, OFTEN = 3, 0.1  # sentences of a long provision that are looked up, and their share of its names


class Names(NamedTuple):
    """Of a provision: how the sentence begins that each curated name points to, empty where it points to none."""

    sentences: Sequence[str]
    vectors: np.ndarray  # (names, dims) float32, unit length


class EmbeddedQuestion:
    """In the language of the law. Raises NotRun where no embedder serves, and EmbeddingUnavailable."""

    def __init__(self, question: str):
        self.degraded: tuple[str, ...] = ()
        self._question = question
        self._active = loaded.active_embedder()
        self._read: dict[tuple[str, str], Names | None] = {}  # by domain and locator

    @cached_property
    def vector(self) -> np.ndarray:
        return self._active.vector_of(self._question)

    def pointed(self, places: Iterable[Place]) -> Mapping[int, Shares]:
        """By rank, what the names of what is read point to."""
        return {
            rank: {key_of(sentence): share for sentence, share in found.items()}
            for rank, found in self._shares(places).items()
        }

    def openings(self, places: Iterable[Place]) -> Mapping[int, Sequence[str]]:
        """By rank, how the sentences begin that the nearest names of what is read point to."""
        return {
            rank: [each for each in sorted(found, key=found.__getitem__)[-MOST_POINTED:] if found[each] >= OFTEN]
            for rank, found in self._shares(places).items()
        }

    def _shares(self, places: Iterable[Place]) -> dict[int, dict[str, float]]:
        ranks: dict[str, dict[str, int]] = defaultdict(dict)
        for place in places:
            ranks[place.domain].setdefault(place.locator, place.rank)
        found: dict[int, list[Names]] = defaultdict(list)
        for domain, its in ranks.items():
            for locator, names in self._names(domain, list(its)):
                found[its[locator]].append(names)
        return {rank: shares(names, self.vector) for rank, names in found.items()}

    def _names(self, domain: str, locators: Sequence[str]) -> Iterator[tuple[str, Names]]:
        """Of those of these places that have any; read once."""
        if new := [each for each in locators if (domain, each) not in self._read]:
            names_of = import_string(f"{settings.ARF_NAMES}.names_of")
            found = names_of(domain, new, self._active.model_id)
            self._read |= {(domain, each): found.get(each) for each in new}
        return ((each, names) for each in locators if (names := self._read[domain, each]))

    def log_odds(self, texts: Sequence[str]) -> list[float] | None:
        """That each of these English texts answers, but for what is the same for all; None where the sentence ranker
        does not run, which `degraded` tells then, and the log. Nothing of the texts is kept.
        """
        try:
            return loaded.sentence_ranker().logits(self._question, texts).tolist()
        except CrossEncoderUnavailable:
            logger.exception("Sentences are chosen without the sentence ranker.")
            self.degraded = (RANKER,)
            return None


def shares(names: Iterable[Names], vector: np.ndarray) -> dict[str, float]:
    """By sentence, the share of the names that point to it, of all: softmax of their cosines."""
    weights: dict[str, float] = defaultdict(float)
    for sentences, vectors in names:
        for sentence, weight in zip(sentences, np.exp(vectors @ vector / SHARP).tolist(), strict=True):
            weights[sentence] += weight
    total = sum(weights.values())
    return {sentence: weight / total for sentence, weight in weights.items() if sentence}
