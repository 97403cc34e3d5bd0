"""The families of models that are compared. Each is fitted in pieces of about a second, and served by NumPy."""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from evaluation.learning.pools import Division
from retrieval.stages.reranker.artifact import Dense, Layer, Trees

if TYPE_CHECKING:
    from sklearn.neural_network import MLPClassifier

PREFERRED = "MLP (128, 64, 32)"
EPOCHS = 8  # on the train split, stopping early or going on ranks worse on topics held out
TREES = 100  # boosted, each of 31 leaves: scikit-learn's own default
LAYERS: dict[str, tuple[int, ...]] = {"MLP (64, 32)": (64, 32), PREFERRED: (128, 64, 32)}
FAMILIES = ("logistic regression", *LAYERS, "gradient boosting")
SEED = 0  # the same model for the same rows

Arrays = dict[str, np.ndarray]


class Fitting:
    """A model of one family on one fold's rows, fitted piece by piece: an epoch of a network, or another model whole.

    `arrays` between two pieces are enough to go on with in another process, with the same result.
    """

    def __init__(self, family: str, division: Division, arrays: Mapping[str, np.ndarray] | None = None):
        from sklearn.preprocessing import StandardScaler

        self.family = family
        self.scaler = StandardScaler().fit(division.learned)
        self.rows, self.labels = self.scaler.transform(division.learned), division.labels
        self.order = np.arange(len(self.rows))
        self.epochs = 0
        self.is_network = family in LAYERS
        self.model = unfitted(family)
        if arrays:
            self._resume(arrays)

    def fit(self, may_go_on: Callable[[], bool] = lambda: True) -> bool:
        """Fits at least one piece, and more while it may go on; whether the model is finished."""
        while not self._fit_piece():
            if not may_go_on():
                return False
        return True

    def _fit_piece(self) -> bool:
        """Of a network as one epoch inside `MLPClassifier.fit`, which shuffles the order of the epoch before."""
        if not self.is_network:
            self.model.fit(self.rows, self.labels)
            return True
        self.model.partial_fit(self.rows[self.order], self.labels[self.order], classes=[0, 1])
        self.order = self.order[self.model.random_state.shuffled]
        self.epochs += 1
        return self.epochs == EPOCHS

    def probabilities(self, by_topic: list[np.ndarray]) -> np.ndarray:
        return np.concatenate(
            [self.model.predict_proba(self.scaler.transform(rows))[:, 1] for rows in by_topic]
        )

    @property
    def arrays(self) -> Arrays:
        """An unfinished network: weights, Adam's moments, random state and order of the rows."""
        optimizer, (_name, keys, position, *_) = self.model._optimizer, self.model.random_state.get_state()
        kept = {"order": self.order, "keys": keys, "counts": np.array([self.epochs, position, optimizer.t])}
        for name, tensors in tensors_of(self.model).items():
            kept |= {f"{name} {n}": tensor for n, tensor in enumerate(tensors)}
        return kept

    def _resume(self, arrays: Mapping[str, np.ndarray]) -> None:
        self.model.partial_fit(self.rows[:1], self.labels[:1], classes=[0, 1])  # makes what is overwritten here
        for name, tensors in tensors_of(self.model).items():
            tensors[:] = [arrays[f"{name} {n}"] for n in range(len(tensors))]
        self.epochs, position, self.model._optimizer.t = map(int, arrays["counts"])
        self.model.random_state.set_state(("MT19937", arrays["keys"], position))
        self.order = arrays["order"]


def tensors_of(model: "MLPClassifier") -> dict[str, list[np.ndarray]]:
    """The lists that a step of Adam changes; scikit-learn keeps the moments to itself."""
    optimizer = model._optimizer
    return {"weight": model.coefs_, "bias": model.intercepts_, "mean": optimizer.ms, "variance": optimizer.vs}


class RememberedShuffle(np.random.RandomState):
    """Remembers its last shuffle, from which the next epoch goes on."""

    shuffled: np.ndarray

    def shuffle(self, x: np.ndarray) -> None:
        super().shuffle(x)
        self.shuffled = x.copy()


def unfitted(family: str) -> Any:
    """A model of scikit-learn, imported here since web workers import this module and never train."""
    from sklearn.ensemble import HistGradientBoostingClassifier
    from sklearn.linear_model import LogisticRegression
    from sklearn.neural_network import MLPClassifier

    if family in LAYERS:
        return MLPClassifier(LAYERS[family], alpha=0.1, random_state=RememberedShuffle(SEED))
    if family == "logistic regression":
        return LogisticRegression(C=1.0, max_iter=2_000)
    return HistGradientBoostingClassifier(max_iter=TREES, learning_rate=0.1, random_state=SEED)


def served_form(model: Any) -> Dense | Trees:
    """A fitted model of scikit-learn as NumPy serves it."""
    if hasattr(model, "coefs_"):
        return Dense(tuple(map(layer, model.coefs_, model.intercepts_)))
    if hasattr(model, "coef_"):
        return Dense((layer(model.coef_.T, model.intercept_),))
    return trees(model)


def layer(weights: np.ndarray, bias: np.ndarray) -> Layer:
    return Layer(weights.astype(np.float32), bias.astype(np.float32))


def trees(model: Any) -> Trees:
    """The nodes of every tree of a HistGradientBoostingClassifier, which keeps them to itself, in one array each."""
    nodes = [predictor.nodes for round_ in model._predictors for predictor in round_]
    sizes = [len(tree) for tree in nodes]
    roots = np.cumsum([0, *sizes[:-1]])
    merged, own = np.concatenate(nodes), np.arange(sum(sizes))
    start, leaf = np.repeat(roots, sizes), merged["is_leaf"].astype(bool)
    return Trees(
        feature=merged["feature_idx"].astype(np.int32),
        threshold=merged["num_threshold"],
        left=np.where(leaf, own, start + merged["left"]),
        right=np.where(leaf, own, start + merged["right"]),
        value=np.where(leaf, merged["value"], 0.0),
        roots=roots,
        base=model._baseline_prediction.ravel(),
    )
