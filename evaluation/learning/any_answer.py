"""Fits the probability that any of several bodies of law answers, on topics that the reranker has not learned from."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import reduce

import numpy as np

from evaluation.measuring.runs import Runner, stated_language
from evaluation.topics.topic import Topic
from retrieval import pipeline
from retrieval.errors import ArfError
from retrieval.pipeline import run_stage, searched
from retrieval.ranking import Ranking
from rules.thresholds.any_answer import FEATURES
from rules.thresholds.each_domain import EachDomain, signs

FEW_DECLINED = 0.025  # of answerable topics: each body declines some more by itself


@dataclass(frozen=True)
class Fitted:
    """The weights in the form that serving reads, and how well they tell answerable topics held out from others."""

    row: dict
    auc: float
    answerable: float  # share of these that are declined
    unanswerable: float


def fit(topics: Iterable[Topic], *, show: Callable = iter) -> Fitted:
    """A topic's group is either learned from or held out. Raises ArfError where nothing can be told of topics."""
    from sklearn.linear_model import LogisticRegression
    from sklearn.metrics import roc_auc_score
    from sklearn.model_selection import GroupKFold, cross_val_predict
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    runner = Runner("once")
    asked = [(topic, told) for topic in show(list(topics)) if (told := signs_of(runner, topic)) is not None]
    if len({topic.answerable for topic, _ in asked}) < 2:
        raise ArfError(
            "Both answerable topics and others are needed, asked of several bodies of law with a reranker."
        )
    rows = np.array([told for _, told in asked])
    answerable = np.array([topic.answerable for topic, _ in asked])
    groups = [topic.group or topic.id for topic, _ in asked]
    model = make_pipeline(StandardScaler(), LogisticRegression(max_iter=1_000))
    ways = {"cv": GroupKFold(5), "groups": groups, "method": "predict_proba"}
    held_out = cross_val_predict(model, rows, answerable, **ways)[:, 1]
    minimum = float(np.quantile(held_out[answerable], FEW_DECLINED))
    scaler, logistic = (step for _, step in model.fit(rows, answerable).steps)
    weights = logistic.coef_[0] / scaler.scale_
    row = {
        "minimum": round(minimum, 4),
        "intercept": round(float(logistic.intercept_[0] - weights @ scaler.mean_), 5),
        "weights": {name: round(float(weight), 5) for name, weight in zip(FEATURES, weights, strict=True)},
    }
    return Fitted(
        row=row,
        auc=float(roc_auc_score(answerable, held_out)),
        answerable=float(np.mean(held_out[answerable] < minimum)),
        unanswerable=float(np.mean(held_out[~answerable] < minimum)),
    )


def signs_of(runner: Runner, topic: Topic) -> np.ndarray | None:
    """What tells of a question put to every body of law. None where that is not asked."""
    ranking = Ranking(runner.query(topic.query, (), stated_language(topic.language)))
    stages = pipeline.get(runner.name).stages
    each = next(stage for stage in stages if isinstance(stage, EachDomain))
    ranking = reduce(lambda so_far, stage: run_stage(stage, so_far), stages[: stages.index(each)], ranking)
    if ranking.final or not searched(ranking) or len(ranking.query.filled) < 2:
        return None
    return signs(ranking.query, each.found(ranking))
