"""A reranker for tests, and thresholds that say what it decides."""

import numpy as np

from retrieval.stages.reranker.artifact import Dense, Layer, Reranker
from retrieval.stages.reranker.features import FEATURES, JudgedNeighbours
from rules.models import DomainThreshold
from rules.thresholds.publishing import next_version, publish

SURE = dict.fromkeys(("", "us_constitution"), [0.0, 0.0, 0.0, 0.0, 40.0])  # always says that there is an answer
NOBODY = JudgedNeighbours(np.zeros((0, 3), np.float32), (), {})


def some_reranker() -> Reranker:
    """One that knows nothing, but is of different minds about different candidates: it reads cosines alone."""
    chance = np.random.default_rng(1)
    n = len(FEATURES)
    read = np.zeros((n, 4))
    read[np.isin(FEATURES, ["dense_score", "alias_near_score"])] = chance.normal(size=(2, 4))
    layers = (
        Layer(read, np.zeros(4)),
        Layer(chance.normal(size=(4, 1)), np.zeros(1)),
    )
    ends = (np.full(n, -9.0), np.full(n, 9.0), np.full(n, 0.3), np.full(n, 0.1))
    judged = JudgedNeighbours(
        np.eye(3, 384, dtype=np.float32),
        ({"/a": 3}, {"/b": 1}, {}),
        {"/a": 2},
        unanswerable=np.eye(1, 384, 3, dtype=np.float32),
    )
    return Reranker(*ends, Dense(layers), np.array([[0.0, 1.0], [0.1, 0.9]]), SURE, judged)


def publish_limits(**changed: float) -> DomainThreshold:
    row = DomainThreshold.objects.get(domain__slug="us_constitution", active=True)
    return publish(next_version(row, reason="a test", **changed))
