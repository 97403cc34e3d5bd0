"""What a cross-encoder learns from and is measured on: judged topics with the texts of their first candidates, and
pairs of question and text with hard negatives. The same judgments and law give the same.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from evaluation.cross_encoder.fitting import Pair
from evaluation.learning.pools import LearningPool, from_library, pool_of
from evaluation.measuring.runs import Runner
from evaluation.topics.leaks import leaks
from evaluation.topics.library import topics_of
from evaluation.topics.topic import Topic
from retrieval.access.caller import ANONYMOUS
from retrieval.models import Domain
from retrieval.stages.cross_encoder import passages

DEEPEST = 50  # candidates of a topic whose texts are kept: no depth beyond is measured
MOST_RELEVANT = 3  # of a topic: some have a dozen clauses of one section
HARD = 20  # negatives are drawn from the first so many that are not relevant
NEGATIVES = 3  # of an answerable topic
OF_UNANSWERABLE = 1  # of another: what looks most like an answer to it is none
SEED = 0


@dataclass(frozen=True, slots=True)
class Asked:
    """A topic's pool; the question as it is searched, in English, and its first candidates' texts, best first."""

    pool: LearningPool
    question: str
    texts: tuple[str, ...]


def tuned() -> list[Topic]:
    """What a cross-encoder is measured on: what has an answer in the tune split of public domains."""
    public = set(Domain.objects.visible_to(ANONYMOUS).values_list("slug", flat=True))
    return [topic for topic in topics_of(split="tune") if topic.relevant and topic.domain in public]


def learned() -> list[Topic]:
    """The train split as the reranker learns from it, without what the tune or test split asks in nearly the same words
    or as a paraphrase.
    """
    library = from_library()
    others = [*tuned(), *library.tested]
    near = {leak.learned for leak in leaks([t.query for t in library.learned], [t.query for t in others])}
    groups = {topic.group for topic in others if topic.group}
    return [t for t in library.learned if t.query not in near and t.group not in groups]


def asked(topics: Iterable[Topic], *, show: Callable = iter) -> list[Asked]:
    """Topics with their pools; those that a citation settles, or that nothing is found for, are nobody's to read."""
    found = []
    for topic, ranking, _ms in Runner("pool").topics(topics, show=show):
        if not ranking.final and ranking.candidates:
            texts = passages(ranking.query, ranking.candidates[:DEEPEST])
            found.append(Asked(pool_of(topic, ranking), ranking.query.text, tuple(texts)))
    return found


def pairs_of(topics: Sequence[Asked]) -> list[Pair]:
    """The relevant candidates of each topic, and others that the pipeline ranks high: the same pairs each time."""
    chance = np.random.default_rng(SEED)
    return [pair for one in topics for pair in chosen(one, chance)]


def chosen(one: Asked, chance: np.random.Generator) -> list[Pair]:
    labels = one.pool.labels[: len(one.texts)]
    relevant = np.flatnonzero(labels)[:MOST_RELEVANT]
    hard = np.flatnonzero(labels == 0)[:HARD]
    count = min(NEGATIVES if one.pool.topic.answerable else OF_UNANSWERABLE, len(hard))
    drawn = chance.choice(hard, count, replace=False)
    return [Pair(one.question, one.texts[n], bool(labels[n])) for n in (*relevant, *drawn)]
