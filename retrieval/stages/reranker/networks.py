"""What turns scaled features into logits: dense layers, or boosted trees. NumPy alone; scikit-learn trains them.

Pure.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True, slots=True)
class Layer:
    """One dense layer: weights (inputs, outputs), bias (outputs,)."""

    weights: np.ndarray
    bias: np.ndarray


@dataclass(frozen=True, slots=True)
class Dense:
    """Layers with ReLU between them; one alone is a logistic regression."""

    layers: tuple[Layer, ...]

    KIND = "dense"

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
        return cls(tuple(Layer(arrays[f"weights{n}"], arrays[f"bias{n}"]) for n in range(count)))


@dataclass(frozen=True, slots=True)
class Trees:
    """Boosted regression trees, the nodes of all in one row of arrays. A leaf is its own child, so that all rows
    descend equally often; `roots` (trees,) says where each tree begins.
    """

    feature: np.ndarray
    threshold: np.ndarray
    left: np.ndarray
    right: np.ndarray
    value: np.ndarray
    roots: np.ndarray
    base: np.ndarray  # (1,), the logit before any tree

    KIND = "trees"

    def logits(self, values: np.ndarray) -> np.ndarray:
        """(n, features) -> (n,); every row goes down every tree at once."""
        rows = np.arange(len(values))[:, None]
        at = np.broadcast_to(self.roots, (len(values), len(self.roots)))
        while True:
            goes_left = values[rows, self.feature[at]] <= self.threshold[at]
            below = np.where(goes_left, self.left[at], self.right[at])
            if np.array_equal(below, at):
                return self.base[0] + self.value[at].sum(axis=1)
            at = below

    def arrays(self) -> dict[str, np.ndarray]:
        return {name: getattr(self, name) for name in TREE_ARRAYS}

    @classmethod
    def of(cls, arrays: Mapping[str, np.ndarray]) -> "Trees":
        return cls(*(arrays[name] for name in TREE_ARRAYS))


TREE_ARRAYS = ("feature", "threshold", "left", "right", "value", "roots", "base")
KINDS: dict[str, type[Dense] | type[Trees]] = {kind.KIND: kind for kind in (Dense, Trees)}
