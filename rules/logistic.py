"""A logistic of named features, served by NumPy from the file that `evaluation.learning.logistic` fits."""

import json
import math
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np


@dataclass(frozen=True)
class Logistic:
    """Below `minimum` what it tells of is taken for improbable, and from there up to `sure` for doubtful."""

    weights: np.ndarray  # (features,)
    intercept: float
    minimum: float
    sure: float = 0.0

    def of(self, values: np.ndarray) -> float:
        """The probability, 0-1, of these features."""
        return float(1.0 / (1.0 + np.exp(-(values @ self.weights + self.intercept))))


@cache
def shipped(file: Path, features: tuple[str, ...]) -> Logistic:
    return read(json.loads(file.read_text(encoding="utf-8")), features)


def read(row: dict, features: tuple[str, ...]) -> Logistic:
    """Raises KeyError for the weights of other features."""
    weights = np.array([row["weights"][name] for name in features])
    return Logistic(weights, row["intercept"], row["minimum"], row.get("sure", 0.0))


def log_odds(probability: float) -> float:
    """Of what is taken for neither impossible nor certain: between those of 0.001 and 0.999."""
    clipped = min(max(probability, 1e-3), 1 - 1e-3)
    return math.log(clipped / (1 - clipped))
