"""A topic's candidates before any learned order, gathered by running the pipeline up to the reranker."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from evaluation.measuring.measures import credited, measure_each
from evaluation.measuring.runner import Runner
from evaluation.topics.topic import Topic
from retrieval.errors import ArfError
from retrieval.indexes.terms import texts_of
from retrieval.ranking import UNSET, Candidate, Ranking
from retrieval.stages.reranker.artifact import Scored
from retrieval.stages.reranker.features import of_text
from retrieval.stages.reranker.reranker import asked

FEWEST = 50  # answerable topics: with fewer there is nothing to learn


@dataclass(frozen=True)
class LearningPool:
    """A topic's candidates before any learned order. `rows`: the features that are the same whoever judged what;
    `blend`: the share that its domain gives the learned probability.
    """

    topic: Topic
    vector: np.ndarray | None
    candidates: tuple[Candidate, ...]
    rows: np.ndarray
    final: bool
    blend: float = UNSET.blend

    @cached_property
    def labels(self) -> np.ndarray:
        """1 where a candidate is relevant: it is, lies under, or closely holds a judged provision."""
        relevant = self.topic.relevant
        return np.array([credited(locator, relevant) is not None for locator in self.locators], dtype=int)

    @property
    def locators(self) -> list[str]:
        return [candidate.locator for candidate in self.candidates]


def pools_of(topics: Iterable[Topic], *, name: str = "pool", show: Callable = iter) -> list[LearningPool]:
    """Runs the pipeline up to the reranker over topics of any domains."""
    return [pool_of(topic, ranking) for topic, ranking, _ms in Runner(name).topics(topics, show=show)]


def pool_of(topic: Topic, ranking: Ranking) -> LearningPool:
    query, candidates = ranking.query, ranking.candidates[:100]
    return LearningPool(
        topic=topic,
        vector=query.vector,
        candidates=candidates,
        rows=of_text(asked(query), candidates, texts_of(query, candidates)),
        final=ranking.final,
        blend=query.thresholds.get(query.domains[0].id, UNSET).blend,
    )


def learnable(pools: Sequence[LearningPool]) -> list[LearningPool]:
    """What there is to learn from. Raises ArfError for too few topics."""
    usable = [pool for pool in pools if not pool.final and pool.candidates]
    answerable = [pool for pool in usable if pool.topic.answerable]
    if len(answerable) < FEWEST:
        raise ArfError(f"{len(answerable)} answerable topics are too few to learn from: {FEWEST} are needed.")
    return usable


def ndcg_of(orders: Sequence[Sequence[str]], pools: Sequence[LearningPool]) -> np.ndarray:
    """nDCG@10 of the answerable topics, in the order of the pools."""
    answerable = [
        (order, pool.topic.relevant)
        for order, pool in zip(orders, pools, strict=True)
        if pool.topic.answerable
    ]
    return np.array([values["nDCG@10"] for values in measure_each(answerable, ["nDCG@10"])])


def ranked(pool: LearningPool, scored: Scored) -> list[str]:
    """Locators in the order that serving would show."""
    order = scored.order(np.array([c.score for c in pool.candidates]), pool.blend)
    ids = np.array([c.section_id for c in pool.candidates])
    return [pool.locators[n] for n in np.lexsort((ids, -order))]


def unjudged(raw: np.ndarray) -> Scored:
    """Of a question that nobody judged, before any calibration."""
    return Scored(raw, raw, np.zeros_like(raw))
