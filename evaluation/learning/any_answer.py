"""Fits the probability that any of several bodies of law answers, on topics that the reranker has not learned from."""

from collections.abc import Callable, Iterable
from functools import reduce

import numpy as np

from evaluation.learning import logistic
from evaluation.measuring.runs import Runner, stated_language
from evaluation.topics.topic import Topic
from retrieval import pipeline
from retrieval.errors import ArfError
from retrieval.pipeline import run_stage, searched
from retrieval.ranking import Ranking
from rules.thresholds.each_domain import FEATURES, EachDomain, signs

FEW_DECLINED = 0.015  # of answerable topics: each body declines some more by itself


def fit(topics: Iterable[Topic], *, show: Callable = iter) -> logistic.Fitted:
    """A topic's group is either learned from or held out. Raises ArfError where nothing can be told of topics."""
    runner = Runner("once")
    asked = [(topic, told) for topic in show(list(topics)) if (told := signs_of(runner, topic)) is not None]
    if len({topic.answerable for topic, _ in asked}) < 2:
        raise ArfError(
            "Both answerable topics and others are needed, asked of several bodies of law with a reranker."
        )
    rows = np.array([told for _, told in asked])
    answerable = np.array([topic.answerable for topic, _ in asked])
    groups = [topic.group or topic.id for topic, _ in asked]
    return logistic.fit(rows, answerable, FEATURES, few=FEW_DECLINED, groups=groups)


def signs_of(runner: Runner, topic: Topic) -> np.ndarray | None:
    """What tells of a question put to every body of law. None where that is not asked."""
    ranking = Ranking(runner.query(topic.query, (), stated_language(topic.language)))
    stages = pipeline.get(runner.name).stages
    each = next(stage for stage in stages if isinstance(stage, EachDomain))
    ranking = reduce(lambda so_far, stage: run_stage(stage, so_far), stages[: stages.index(each)], ranking)
    if ranking.final or not searched(ranking) or len(ranking.query.filled) < 2:
        return None
    return signs(ranking.query, each.found(ranking))
