"""Makes the rows to learn from, fold by fold: a topic's row is never made from its own judgments."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from evaluation.learning.pools import LearningPool
from evaluation.topics.topic import SEARCHED, Topic
from retrieval.stages.reranker.features import FEATURES, JudgedNeighbours, Question, of_judgments

DEPTH = 60  # candidates of a topic that are learned from: what is ranked lower is hardly ever relevant
FOLDS = 5
ENCODING_FOLDS = 10


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
