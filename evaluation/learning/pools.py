"""A topic's candidates before any learned order, gathered by running the pipeline up to the reranker; and the rows to
learn from, fold by fold: a topic's row is never made from its own judgments.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from evaluation.measuring.measures import credited, measure_each
from evaluation.measuring.runner import Runner
from evaluation.topics.topic import SEARCHED, Topic
from retrieval.errors import ArfError
from retrieval.indexes.terms import texts_of
from retrieval.ranking import UNSET, Candidate, Ranking
from retrieval.stages.reranker.artifact import Scored
from retrieval.stages.reranker.features import FEATURES, JudgedNeighbours, Question, of_judgments, of_text
from retrieval.stages.reranker.reranker import asked

FEWEST = 50  # answerable topics: with fewer there is nothing to learn
DEPTH = 60  # candidates of a topic that are learned from: what is ranked lower is hardly ever relevant
FOLDS = 5
ENCODING_FOLDS = 10


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


# -- Folds


@dataclass(frozen=True, slots=True)
class Division:
    """Rows and labels to learn from, and the rows of the topics held out (`sizes` of them a topic)."""

    learned: np.ndarray
    labels: np.ndarray
    unseen: np.ndarray
    sizes: np.ndarray

    @property
    def unseen_by_topic(self) -> list[np.ndarray]:
        return np.split(self.unseen, np.cumsum(self.sizes)[:-1])


def division(usable: Sequence[LearningPool], number: int) -> Division:
    """A fold of the cross-validation, whose rows saw only its inside; the last, FOLDS, learns from all."""
    inside, outside = folds_of(usable)[number]
    learned, held_out = [usable[n] for n in inside], [usable[n] for n in outside]
    voters = neighbours(learned)
    unseen = [row_of(pool, voters) for pool in held_out]
    return Division(
        learned=np.vstack([rows[:DEPTH] for rows in encoded(learned)]),
        labels=np.concatenate([pool.labels[:DEPTH] for pool in learned]),
        unseen=np.vstack(unseen) if unseen else np.zeros((0, len(FEATURES)), dtype=np.float32),
        sizes=np.array([len(rows) for rows in unseen], dtype=int),
    )


def folds_of(usable: Sequence[LearningPool]) -> list[tuple[np.ndarray, np.ndarray]]:
    everything = np.arange(len(usable)), np.zeros(0, dtype=int)
    return [*grouped(usable, FOLDS), everything]


def grouped(pools: Sequence[LearningPool], folds: int) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """(inside, outside) indices; paraphrases of one question are on the same side."""
    from sklearn.model_selection import GroupKFold

    return GroupKFold(folds).split(pools, groups=[pool.topic.group or pool.topic.id for pool in pools])


def encoded(pools: Sequence[LearningPool]) -> list[np.ndarray]:
    """The rows to learn from. Votes and priors of each topic come from topics of other folds, as at serving they
    come from other people's questions. (Leaving out the topic alone would give its own answers the lower prior,
    and the model would learn that from it.)
    """
    rows: list[np.ndarray] = [np.zeros(0)] * len(pools)
    for inside, outside in grouped(pools, ENCODING_FOLDS):
        voters = neighbours([pools[n] for n in inside])
        for n in outside:
            rows[n] = row_of(pools[n], voters)
    return rows


def row_of(pool: LearningPool, voters: JudgedNeighbours) -> np.ndarray:
    return np.hstack([pool.rows, of_judgments(pool.vector, pool.locators, voters)])


def neighbours(pools: Sequence[LearningPool]) -> JudgedNeighbours:
    """The judged topics as voters, and how often each provision was relevant."""
    voting = [pool for pool in pools if pool.vector is not None and pool.topic.relevant]
    prior = Counter(locator for pool in voting for locator in pool.topic.relevant)
    return JudgedNeighbours(
        vectors=np.array([pool.vector for pool in voting], dtype=np.float32)
        .astype(np.float16)
        .astype(np.float32),
        relevant=tuple(dict(pool.topic.relevant) for pool in voting),
        prior=dict(prior),
        questions=tuple(question_of(pool.topic) for pool in voting),
    )


def question_of(topic: Topic) -> Question:
    return Question(topic.domain, topic.language, "" if topic.source == SEARCHED else topic.query)


def in_order_of_pools(usable: Sequence[LearningPool], by_fold: Sequence[np.ndarray]) -> list[np.ndarray]:
    """Held-out probabilities a pool, from those of each fold in turn, topic after topic."""
    held_out: list[np.ndarray] = [np.zeros(0)] * len(usable)
    for (_inside, outside), given in zip(folds_of(usable), by_fold, strict=False):
        ends = np.cumsum([len(usable[n].candidates) for n in outside])
        for n, probabilities in zip(outside, np.split(given, ends[:-1]), strict=True):
            held_out[n] = probabilities
    return held_out
