"""How probable it is that any of several bodies of law answers: a logistic fitted by `manage.py train_any_answer`.

Each body declines by its own calibration, and of several one nearly always is unsure enough to answer something.
"""

import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np

from retrieval.ranking import Query
from retrieval.stages.reranker.reranker import serving

FILE = Path(__file__).parent / "any_answer.json"
FEATURES = (
    "evidence",  # the greatest log odds that a body answers
    "likeness",  # how much nearer the question is to judged ones that law here answers than to those that none does
)


@dataclass(frozen=True)
class AnyAnswer:
    """The fitted logistic. Below `minimum` nothing is shown of what public bodies of law found."""

    weights: np.ndarray  # (len(FEATURES),)
    intercept: float
    minimum: float

    def of(self, values: np.ndarray) -> float:
        """The probability, 0-1, that one of the bodies answers."""
        return float(1.0 / (1.0 + np.exp(-(values @ self.weights + self.intercept))))


@cache
def in_force() -> AnyAnswer:
    row = json.loads(FILE.read_text(encoding="utf-8"))
    weights = np.array([row["weights"][name] for name in FEATURES])
    return AnyAnswer(weights, row["intercept"], row["minimum"])


def features(query: Query, evidence: float) -> np.ndarray | None:
    """(len(FEATURES),) of a question that a reranker served; None where that knows no questions to compare it with."""
    reranker, _ = serving(query)
    likeness = reranker.judged.likeness(query.vector)
    return None if likeness is None else np.array([evidence, likeness])
