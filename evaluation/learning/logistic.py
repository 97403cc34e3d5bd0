"""Fits the logistics that `rules.logistic` serves, and tells how well they do on what they have not seen."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from retrieval.errors import ArfError

FOLDS = 5


@dataclass(frozen=True)
class Fitted:
    """The weights in the form that serving reads, and how well they tell right examples held out from wrong ones."""

    row: dict
    auc: float
    brier: float
    right_below: float  # share of the right ones below the minimum
    wrong_below: float


def fit(
    rows: np.ndarray,
    right: np.ndarray,
    names: Sequence[str],
    *,
    few: float,
    unsure: float = 0.0,
    strength: float = 1.0,
    groups: Sequence[str] | None = None,
) -> Fitted:
    """The minimum leaves `few` of the right examples below it, as a share, and what is sure `unsure` of them. A group
    is either learned from or held out. Raises ArfError for too few examples of either kind.
    """
    from sklearn.linear_model import LogisticRegression
    from sklearn.metrics import roc_auc_score
    from sklearn.model_selection import cross_val_predict
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    model = make_pipeline(StandardScaler(), LogisticRegression(C=strength, max_iter=1_000))
    held_out = cross_val_predict(model, rows, right, cv=folds_of(right, groups), method="predict_proba")[:, 1]
    minimum, sure = np.quantile(held_out[right], [few, max(few, unsure)])
    scaler, logistic = (step for _, step in model.fit(rows, right).steps)
    weights = logistic.coef_[0] / scaler.scale_
    row = {
        "minimum": round(float(minimum), 4),
        "sure": round(float(sure), 4),
        "intercept": round(float(logistic.intercept_[0] - weights @ scaler.mean_), 5),
        "weights": {name: round(float(weight), 5) for name, weight in zip(names, weights, strict=True)},
    }
    return Fitted(
        row=row,
        auc=float(roc_auc_score(right, held_out)),
        brier=float(np.mean((held_out - right) ** 2)),
        right_below=float(np.mean(held_out[right] < minimum)),
        wrong_below=float(np.mean(held_out[~right] < minimum)),
    )


def folds_of(right: np.ndarray, groups: Sequence[str] | None) -> list[tuple[np.ndarray, np.ndarray]]:
    """Of each fold the examples that are learned from, of both kinds, and those held out. Raises ArfError."""
    from sklearn.model_selection import GroupKFold, StratifiedKFold

    splitter = GroupKFold(FOLDS) if groups else StratifiedKFold(FOLDS)
    enough = len({*groups}) if groups else min(right.sum(), (~right).sum())
    folds = list(splitter.split(right, right, groups)) if enough >= FOLDS else []
    if not folds or any(len(np.unique(right[learned])) < 2 for learned, _ in folds):
        raise ArfError("There are too few examples of both kinds to learn from some and hold out others.")
    return folds
