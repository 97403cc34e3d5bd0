"""Fits the entailment model that `retrieval.proof` reads claims with, in torch: only in the process of
`manage.py train_entailment`. It begins with the weights of a sentence ranker, which has learned to read two texts
together: from the embedder's own, which has not, 3,000 claims taught it nothing.

What a claim alone gives away (wrong ones name other things than right ones do) it is not to learn: a bag of words that
sees no passage judges each first, and only what is left is learned (product of experts; Clark et al. 2019, He et al.
2019).
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from evaluation import fine_tuning
from evaluation.fine_tuning import Recipe, in_order
from evaluation.proof.pairs import CLAIMS, Pair, elsewhere, for_weights, of_passages
from evaluation.proof.perturbations import perturbed
from retrieval.errors import ArfError
from retrieval.proof.alignment import clauses, weights
from retrieval.proof.model import VERDICTS
from retrieval.proof.verify import evidence

RECIPE = Recipe(layers=3, outputs=len(VERDICTS), max_tokens=176, rate=1e-4)
BATCH, EPOCHS = 32, 3
SMOOTHING = 0.05  # of labels
CHANGED = 60  # sentences of the passages of each kind of change, and as many as they are
FOLDS = 5


@dataclass(frozen=True, slots=True)
class Example:
    """`label` is of `VERDICTS`, `given_away` the log probability of each by the claim's words alone."""

    claim: str
    passage: str
    label: int
    given_away: tuple[float, ...]


def learned() -> list[Pair]:
    """Claims that we wrote beside their passages and beside others, and sentences of the passages, themselves and
    changed in one place.
    """
    written = [pair for pair in of_passages(CLAIMS) if not for_weights(pair)]
    return [*written, *elsewhere(written), *changed(written)]


def changed(written: Iterable[Pair]) -> Iterator[Pair]:
    own = {pair.group: pair.sources[0] for pair in written}
    for one in perturbed(own.values(), each=CHANGED, seed=0):
        yield Pair(one.claim, "en", "contradicted", one.kind, one.source.locator, (one.source,), True)
        yield Pair(one.original, "en", "supported", "", one.source.locator, (one.source,), True)


def examples(pairs: Sequence[Pair], *, show: Callable = iter) -> list[Example]:
    """In random order; none of a claim that shares no word with its passage."""
    given_away = by_words_alone(pairs)
    found = []
    for pair, alone in zip(show(pairs), given_away, strict=True):
        every = tuple(clause for n, source in enumerate(pair.sources) for clause in clauses(source, n))
        seen = evidence(pair.claim, pair.sources, every, weights(every), pair.language)
        if seen:
            found.append(Example(pair.claim, seen.passage, VERDICTS.index(pair.label), tuple(alone.tolist())))
    return [found[n] for n in np.random.default_rng(fine_tuning.SEED).permutation(len(found))]


def by_words_alone(pairs: Sequence[Pair]) -> np.ndarray:
    """(pairs, verdicts) log probabilities by a logistic over words and pairs of words that learned from other
    provisions.
    """
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.linear_model import LogisticRegression
    from sklearn.model_selection import GroupKFold
    from sklearn.pipeline import make_pipeline

    claims = np.array([pair.claim for pair in pairs], dtype=object)
    labels = np.array([VERDICTS.index(pair.label) for pair in pairs])
    found = np.zeros((len(pairs), len(VERDICTS)))
    for rest, part in GroupKFold(FOLDS).split(claims, labels, [pair.group for pair in pairs]):
        words = TfidfVectorizer(ngram_range=(1, 2), min_df=2, sublinear_tf=True)
        judge = make_pipeline(words, LogisticRegression(C=2, max_iter=500)).fit(claims[rest], labels[rest])
        found[part] = judge.predict_log_proba(claims[part])
    return found


def fit(
    folder: Path,
    begin_with: Path,
    learned: Sequence[Example],
    *,
    threads: int,
    say: Callable[[str], None] = lambda line: None,
) -> "Fitting":
    """Goes on from its checkpoint. Raises ArfError for a folder that holds another training, without examples, or where
    `begin_with` is no run of `manage.py train_sentence_ranker` or of this one that has ended.
    """
    return Fitting(folder, begin_with, learned, threads).to_the_end(say)


class Fitting(fine_tuning.Fitting):
    def __init__(self, folder: Path, begin_with: Path, learned: Sequence[Example], threads: int):
        if not learned:
            raise ArfError("There are no claims to learn from.")
        lengths = [len(one.claim) + len(one.passage) for one in learned]
        order = [batch for epoch in range(EPOCHS) for batch in in_order(lengths, BATCH, epoch=epoch)]
        super().__init__(folder, RECIPE, learned, order, threads, begin_with=begin_with)

    def loss(self, which: np.ndarray) -> Any:
        import torch

        some = [self.examples[n] for n in which]
        logits = self.logits([(one.claim, one.passage) for one in some])
        given_away = torch.tensor([one.given_away for one in some])
        labels = torch.tensor([one.label for one in some])
        return torch.nn.functional.cross_entropy(logits + given_away, labels, label_smoothing=SMOOTHING)
