"""Fits the provisional probability of a candidate, and the minimum below which a search abstains, on topics."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from sklearn.linear_model import LogisticRegression

from evaluation.measuring.measures import credited
from evaluation.measuring.runner import Runner
from evaluation.topics.topic import Topic
from retrieval.errors import ArfError
from retrieval.ranking import Candidate
from rules.thresholds.stages import JUDGED_BY, answered_by, features, logistic

FEWEST = 100  # topics: fewer say too little of the few per cent that may be declined


@dataclass(frozen=True, slots=True)
class Judged:
    """A topic's first page as scores: for each candidate its features and whether it is relevant."""

    topic: Topic
    features: tuple[dict[str, float], ...]
    relevant: tuple[bool, ...]

    def best(self, weights: dict[str, float]) -> float:
        """The probability that stands for "the answer is here"; 0 where nothing was found."""
        return max((logistic(values, weights) for values in self.features), default=0.0)


@dataclass(frozen=True, slots=True)
class Calibration:
    """Weights and the answer minimum, with what they do on the topics they were fitted on."""

    weights: dict[str, float]
    answer_minimum: float
    topics: int
    declined_answerable: float
    declined_unanswerable: float


def judged_first_pages(topics: Iterable[Topic], name: str, *, show: Callable = iter) -> list[Judged]:
    """Runs a pipeline over topics; those settled by a citation alone need no calibration."""
    return [
        judge(topic, [*ranking.candidates, *ranking.near_misses][:JUDGED_BY])
        for topic, ranking, _ms in Runner(name).topics(topics, show=show)
        if not ranking.final
    ]


def judge(topic: Topic, first: Sequence[Candidate]) -> Judged:
    relevant = tuple(credited(candidate.locator, topic.relevant) is not None for candidate in first)
    return Judged(topic, tuple(features(candidate) for candidate in first), relevant)


def fit(judged: Sequence[Judged], *, most_declined: float, minimum: float | None = None) -> Calibration:
    """A logistic over candidates, and the highest minimum that declines at most this share of answerable topics. Given
    the `minimum` in force, which was tuned with a reranker, the probabilities are moved so that it is that one.
    """
    if len(judged) < FEWEST:
        raise ArfError(f"{len(judged)} topics are too few to calibrate on: {FEWEST} are needed.")
    rows = [
        (values, hit) for page in judged for values, hit in zip(page.features, page.relevant, strict=True)
    ]
    weights = rising(rows)
    best = np.array([page.best(weights) for page in judged])
    answerable = np.array([page.topic.answerable for page in judged])
    weights |= answer_weights(best, answerable)
    if minimum is not None and "answer_intercept" in weights:
        reached = np.quantile(
            [answered_by(p, weights) for p in best[answerable]], most_declined, method="lower"
        )
        weights["answer_intercept"] = round(
            weights["answer_intercept"] + log_odds(minimum) - log_odds(reached), 4
        )
    answers = [answered_by(p, weights) for p in best]
    yes = [p for p, has in zip(answers, answerable, strict=True) if has]
    no = [p for p, has in zip(answers, answerable, strict=True) if not has]
    if minimum is None:
        minimum = round(float(np.quantile(yes, most_declined, method="lower")), 4)
    return Calibration(weights, minimum, len(judged), below(yes, minimum), below(no, minimum))


def rising(rows: Sequence[tuple[dict[str, float], bool]]) -> dict[str, float]:
    """The logistic's weights. A score that beside the others would speak against relevance is left out, so that the
    probability grows with every score.
    """
    names = list(rows[0][0])
    relevant = [hit for _, hit in rows]
    while True:
        model = LogisticRegression(C=10, max_iter=1_000)
        model.fit([[values[name] for name in names] for values, _ in rows], relevant)
        falling = [name for name, w in zip(names, model.coef_[0], strict=True) if w < 0]
        if not falling:
            weights = {name: round(float(w), 4) for name, w in zip(names, model.coef_[0], strict=True)}
            return weights | {"intercept": round(float(model.intercept_[0]), 4)}
        names = [name for name in names if name not in falling]


def answer_weights(best: np.ndarray, answerable: np.ndarray) -> dict[str, float]:
    """From the best candidate's probability to that of an answer; the former itself where all topics have one."""
    if answerable.all():
        return {}
    odds = log_odds(best)[:, None]
    model = LogisticRegression(C=10, max_iter=1_000).fit(odds, answerable)
    found = {"answer_slope": model.coef_[0][0], "answer_intercept": model.intercept_[0]}
    return {name: round(float(value), 4) for name, value in found.items()}


def log_odds(probability: np.ndarray | float) -> np.ndarray | float:
    clipped = np.clip(probability, 1e-9, 1 - 1e-9)
    return np.log(clipped / (1 - clipped))


def below(values: Sequence[float], minimum: float) -> float:
    return float(np.mean([value < minimum for value in values])) if values else 0.0
