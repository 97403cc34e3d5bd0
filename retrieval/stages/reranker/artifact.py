"""A trained reranker and its artifact: an .npz read without pickle, a forward pass in NumPy. scikit-learn trains it."""

import hashlib
import io
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from retrieval.errors import NotRun, gettext_noop
from retrieval.stages.reranker.features import (
    ANSWER_SCALE,
    FEATURES,
    NEAR,
    NO_VECTORS,
    JudgedNeighbours,
    JudgedQuestion,
    evidence,
)


@dataclass(frozen=True, slots=True)
class Layer:
    """One dense layer: weights (inputs, outputs), bias (outputs,)."""

    weights: np.ndarray
    bias: np.ndarray


@dataclass(frozen=True, slots=True)
class Dense:
    """Layers with ReLU between them; one alone is a logistic regression."""

    layers: tuple[Layer, ...]

    def logits(self, values: np.ndarray) -> np.ndarray:
        """(n, features) -> (n,)."""
        for layer in self.layers[:-1]:
            values = np.maximum(values @ layer.weights + layer.bias, 0.0)
        last = self.layers[-1]
        return (values @ last.weights + last.bias).ravel()

    def arrays(self) -> dict[str, np.ndarray]:
        weights = {f"weights{n}": layer.weights for n, layer in enumerate(self.layers)}
        return weights | {f"bias{n}": layer.bias for n, layer in enumerate(self.layers)}

    @classmethod
    def of(cls, arrays: Mapping[str, np.ndarray]) -> "Dense":
        count = sum(name.startswith("weights") for name in arrays)
        return cls(tuple(Layer(without_tiny(arrays[f"weights{n}"]), arrays[f"bias{n}"]) for n in range(count)))


def without_tiny(weights: np.ndarray) -> np.ndarray:
    return np.where(np.abs(weights) < TINY, 0, weights)


TINY = 1e-20  # in size: a weight below it changes nothing, and processors multiply the least of floats a tenth as fast
AGREED = 0.95  # probability, at least, of what people judged relevant to this very question: judges err too


class BadArtifact(NotRun):
    """An artifact that is not what its digest or its features say."""


@dataclass(frozen=True, slots=True)
class Reranker:
    """Clipped to what training saw -> standard scaler -> network -> sigmoid -> isotonic calibration."""

    low: np.ndarray
    high: np.ndarray
    mean: np.ndarray
    scale: np.ndarray
    model: Dense
    knots: np.ndarray  # (2, m): raw probability, calibrated probability; both rising
    answers: Mapping[str, Sequence[float]]  # by domain, "" any other: the logistic over `evidence`, intercept last
    judged: JudgedNeighbours
    # (2, m): knots of a cross-encoder's probability, where one was learned from.
    cross: np.ndarray | None = None

    def raw(self, rows: np.ndarray) -> np.ndarray:
        """(n, features) -> (n,) probabilities before calibration."""
        values = (np.clip(rows, self.low, self.high) - self.mean) / self.scale
        return 1.0 / (1.0 + np.exp(-np.clip(self.model.logits(values), -40.0, 40.0)))

    def calibrated(self, raw: np.ndarray) -> np.ndarray:
        return np.interp(raw, self.knots[0], self.knots[1])

    def scored(self, rows: np.ndarray, grades: np.ndarray, domain: str = "") -> "Scored":
        """`grades` (n,): what people agreed on for this very question, 0 where nothing; `domain`: of all rows."""
        raw = self.raw(rows)
        probabilities = np.maximum(self.calibrated(raw), np.where(grades > 0, AGREED, 0.0))
        return Scored(raw, probabilities, grades, self.answerable(rows, raw, grades, domain))

    def answerable(self, rows: np.ndarray, raw: np.ndarray, grades: np.ndarray, domain: str) -> float:
        """The probability that the pool holds an answer to the question."""
        if grades.any():
            return AGREED
        *weights, intercept = self.answers.get(domain, self.answers[""])
        odds = evidence(raw, rows[:, NEAR]) @ weights + intercept
        return float(1.0 / (1.0 + np.exp(-np.clip(odds, -40.0, 40.0))))


@dataclass(frozen=True, slots=True)
class Scored:
    """What a reranker makes of candidates: probabilities before and after calibration, and agreed grades (n,); and the
    probability that one of them answers the question.
    """

    raw: np.ndarray
    probabilities: np.ndarray
    grades: np.ndarray
    answer: float | None = None

    def order(self, scores: np.ndarray, blend: np.ndarray | float) -> np.ndarray:
        """What to order by: the agreed grade, then the blend. A model of questions never judged ranks one that was
        worse than any other: its votes and priors are such as no row in training had.
        """
        return self.grades + blended(scores, self.raw, blend)


def blended(scores: np.ndarray, probabilities: np.ndarray, blend: np.ndarray | float) -> np.ndarray:
    """(1 - blend) x score, min-max within the pool, + blend x probability; between 0 and 1. One blend for all, or one
    each.
    """
    spread = np.ptp(scores)
    semantic = (scores - scores.min()) / spread if spread else np.ones_like(scores)
    return (1.0 - blend) * semantic + blend * probabilities


def grades_of(locators: Sequence[str], agreed: Mapping[str, int]) -> np.ndarray:
    return np.array([agreed.get(locator, 0) for locator in locators], dtype=float)


def pack(reranker: Reranker, *, seed: int) -> bytes:
    """The artifact: arrays and JSON text only, so that reading it runs nothing."""
    arrays = {name: getattr(reranker, name) for name in ("low", "high", "mean", "scale", "knots")}
    arrays |= reranker.model.arrays()
    arrays |= {} if reranker.cross is None else {"cross": reranker.cross}
    judged = reranker.judged
    told = {"features": FEATURES, "seed": seed, "answer_scale": ANSWER_SCALE}
    told |= {"prior": dict(judged.prior), "questions": judged.questions}
    told["answers"] = {domain: list(weights) for domain, weights in reranker.answers.items()}
    told["relevant"] = [dict(relevant) for relevant in judged.relevant]
    arrays |= {name: getattr(judged, name).astype(np.float16) for name in ("vectors", "unanswerable")}
    arrays["told"] = np.frombuffer(json.dumps(told, sort_keys=True).encode(), dtype=np.uint8)
    buffer = io.BytesIO()
    np.savez_compressed(buffer, **arrays)
    return buffer.getvalue()


def unpack(artifact: bytes, sha256: str) -> Reranker:
    """Raises BadArtifact for one that was changed, or that reads or gives other numbers than this code."""
    if hashlib.sha256(artifact).hexdigest() != sha256:
        raise BadArtifact(gettext_noop("The reranker's artifact is not the one that was registered."))
    with np.load(io.BytesIO(artifact), allow_pickle=False) as arrays:
        told = json.loads(arrays["told"].tobytes())
        if tuple(told["features"]) != FEATURES:
            raise BadArtifact(
                gettext_noop("The reranker was trained on other features: run `manage.py retrain`.")
            )
        if told.get("kind", "dense") != "dense":
            raise BadArtifact(
                gettext_noop("The reranker is of a kind that is no longer served: run `manage.py retrain`.")
            )
        if told.get("answer_scale") != ANSWER_SCALE or "answers" not in told:
            raise BadArtifact(
                gettext_noop("The reranker tells answers on another scale: run `manage.py retrain`.")
            )
        model = Dense.of(arrays)
        judged = JudgedNeighbours(
            arrays["vectors"].astype(np.float32),
            tuple(told["relevant"]),
            told["prior"],
            tuple(JudgedQuestion(*question) for question in told["questions"]),
            arrays.get("unanswerable", NO_VECTORS).astype(np.float32),
        )
        ends = (arrays[name] for name in ("low", "high", "mean", "scale"))
        return Reranker(*ends, model, arrays["knots"], told["answers"], judged, arrays.get("cross"))
