"""Which provisions of a topic are judged: what the pooled pipelines find first, and what was judged before."""

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from django.contrib.auth.models import AbstractUser

from evaluation.judging.visibility import readable_sections
from evaluation.measuring.runner import Runner, stated_language
from evaluation.models import Judgment, Topic
from retrieval.access.caller import Caller
from retrieval.engines import loaded
from retrieval.ranking import Candidate, Ranking

POOLED = ("default", "dense", "lexical")  # pipelines whose first candidates are judged
DEPTH = 20  # of each pipeline
FIRST = 10  # what a first page shows; judged@10 counts these


@dataclass(frozen=True, slots=True)
class Pair:
    """What is judged next. `why` is for accounts and tests, never for the judge."""

    topic: Topic
    locator: str
    why: str


@dataclass(frozen=True, slots=True)
class JudgingPool:
    """Locators to judge for one topic, best first as pipelines found them, with the chunk each was found by."""

    locators: tuple[str, ...]
    first: frozenset[str]  # the default pipeline's first page
    chunks: Mapping[str, int]
    translated: str | None = None

    def shuffled(self, topic: Topic, user: AbstractUser) -> list[str]:
        """The judge's own order of this topic, the same at every visit."""
        order = random.Random(f"{topic.name} {user.pk}")
        return order.sample(sorted(self.locators), len(self.locators))


def pool(topic: Topic, caller: Caller) -> JudgingPool:
    """The first twenty of each pooled pipeline as this judge may see them, and what was judged before."""
    domains = (topic.domain.slug,)
    _scopes, in_force = Runner(caller=caller).in_force(domains)
    state = tuple(sorted((in_force | {"lexical": loaded.lexical_index().position}).items()))
    found = _found(topic.query, domains, stated_language(topic.language), caller, state)
    judged = topic.judgments.exclude(kind=Judgment.Kind.CLICK).values_list("locator", flat=True)
    wanted = dict.fromkeys([*found.locators, *judged.order_by("locator")])
    readable = readable_sections(topic, wanted, caller)
    return JudgingPool(
        tuple(locator for locator in wanted if locator in readable),
        found.first & readable.keys(),
        found.chunks,
        found.translated,
    )


@lru_cache(maxsize=256)
def _found(
    text: str,
    domains: tuple[str, ...],
    language: str | None,
    caller: Caller,
    state: tuple[tuple[str, int], ...],
) -> JudgingPool:
    """What the pooled pipelines find in this state of the corpus: computed once for a topic that is being judged."""
    rankings = [Runner(name, caller=caller).ranking(text, domains, language) for name in POOLED]
    candidates = [candidate for ranking in rankings for candidate in ranked(ranking)[:DEPTH]]
    chunks: dict[str, int] = {}
    for candidate in candidates:
        if candidate.chunk_id:
            chunks.setdefault(candidate.locator, candidate.chunk_id)
    return JudgingPool(
        locators=tuple(dict.fromkeys(candidate.locator for candidate in candidates)),
        first=frozenset(candidate.locator for candidate in ranked(rankings[0])[:FIRST]),
        chunks=chunks,
        translated=rankings[0].query.translated,
    )


def ranked(ranking: Ranking) -> Sequence[Candidate]:
    """The candidates, best first; of a search that abstained, those it would not show."""
    declined = (gone.candidate for gone in ranking.dropped)
    return ranking.candidates or sorted(declined, key=lambda c: (-c.score, c.section_id))
