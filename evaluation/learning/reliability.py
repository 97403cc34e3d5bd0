"""Calibrates probabilities on held-out topics, and measures how far they can be relied on."""

from collections.abc import Sequence

import numpy as np

from evaluation.learning.folds import DEPTH, FOLDS, Division, grouped
from evaluation.learning.pools import LearningPool
from retrieval.stages.reranker.features import EVIDENCE, FEATURES, NEAR, evidence

UNSURE = 0.03  # of the answerable topics


def knots_of(probabilities: np.ndarray, labels: np.ndarray) -> np.ndarray:
    """(2, m) knots of the isotonic regression of labels on probabilities."""
    from sklearn.isotonic import IsotonicRegression

    fitted = IsotonicRegression(y_min=0.0, y_max=1.0, out_of_bounds="clip").fit(probabilities, labels)
    return np.array([fitted.X_thresholds_, fitted.y_thresholds_], dtype=np.float64)


def isotonic(pools: Sequence[LearningPool], held_out: Sequence[np.ndarray]) -> np.ndarray:
    """Knots fitted on probabilities of topics that the model had not seen."""
    raw = np.concatenate([p[:DEPTH] for p in held_out])
    return knots_of(raw, np.concatenate([pool.labels[:DEPTH] for pool in pools]))


def cross_knots(everything: Division) -> np.ndarray | None:
    """Knots for the cross-encoder's own probability, which no judgment has been fitted to; None without one."""
    plain = everything.learned[:, FEATURES.index("cross_encoder")].astype(float)
    read = plain > 0
    return knots_of(plain[read], everything.labels[read]) if read.any() else None


def cross_calibrated(pools: Sequence[LearningPool], held_out: Sequence[np.ndarray]) -> list[np.ndarray]:
    """Each topic's probabilities by a calibration fitted on the topics of the other folds: an honest figure."""
    calibrated: list[np.ndarray] = [np.zeros(0)] * len(pools)
    for inside, outside in grouped(pools, FOLDS):
        knots = isotonic([pools[n] for n in inside], [held_out[n] for n in inside])
        for n in outside:
            calibrated[n] = np.interp(held_out[n], *knots)
    return calibrated


def fitted_answer(pools: Sequence[LearningPool], held_out: Sequence[np.ndarray]) -> np.ndarray:
    """(5,) the logistic that tells answerable questions from others by `evidence`, from probabilities of topics that
    the model had not seen; without unanswerable topics it always says yes. Moved so that the answerable topics it is
    least sure of, a share of UNSURE, lie below .5: a minimum then means the same from one model to the next.
    """
    from sklearn.linear_model import LogisticRegression
    from sklearn.preprocessing import StandardScaler

    rows = np.array([evidence(p, pool.rows[:, NEAR]) for pool, p in zip(pools, held_out, strict=True)])
    answerable = [pool.topic.answerable for pool in pools]
    if all(answerable):
        return np.array([0.0] * len(EVIDENCE) + [40.0])
    scaler = StandardScaler().fit(rows)
    model = LogisticRegression(max_iter=1_000).fit(scaler.transform(rows), answerable)
    weights = model.coef_[0] / scaler.scale_
    unsure = np.quantile((rows @ weights)[np.array(answerable)], UNSURE)
    return np.append(weights, -unsure)


def reliability(pools: Sequence[LearningPool], probabilities: Sequence[np.ndarray], bins: int = 10) -> list[dict]:
    """For each tenth of predicted probability: how many, the mean predicted, the share relevant."""
    p = np.concatenate(list(probabilities))
    labels = np.concatenate([pool.labels for pool in pools])
    which = np.minimum((p * bins).astype(int), bins - 1)
    return [
        {
            "n": int(inside.sum()),
            "predicted": float(p[inside].mean()),
            "relevant": float(labels[inside].mean()),
        }
        for inside in (which == n for n in range(bins))
        if inside.any()
    ]


def expected_calibration_error(pools: Sequence[LearningPool], probabilities: Sequence[np.ndarray]) -> float:
    """Mean distance of predicted from observed, weighted by bin size (Naeini, Cooper and Hauskrecht, AAAI 2015)."""
    bins = reliability(pools, probabilities)
    total = sum(each["n"] for each in bins)
    return round(sum(each["n"] * abs(each["predicted"] - each["relevant"]) for each in bins) / total, 4)
