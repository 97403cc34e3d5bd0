"""Dense layers and boosted trees, computed by hand. `evaluation` tests that they equal scikit-learn's."""

import numpy as np
import pytest

from retrieval.stages.reranker.networks import Dense, Layer, Trees

ROWS = np.array([[1.0, -2.0], [-1.0, 3.0]])
NETWORK = Dense(
    (
        Layer(np.eye(2), np.array([0.0, 1.0])),
        Layer(np.array([[2.0], [1.0]]), np.array([0.5])),
    )
)
# One tree that asks whether the first value is at most 0, and one that is a leaf alone.
TREES = Trees(
    feature=np.array([0, 0, 0, 0]),
    threshold=np.array([0.0, 0.0, 0.0, 0.0]),
    left=np.array([1, 1, 2, 3]),
    right=np.array([2, 1, 2, 3]),
    value=np.array([0.0, -1.0, 2.0, 0.25]),
    roots=np.array([0, 3]),
    base=np.array([0.5]),
)


def test_a_layer_passes_on_only_what_is_above_zero():
    assert NETWORK.logits(ROWS).tolist() == [2.5, 4.5]


def test_one_layer_alone_is_linear():
    assert Dense(NETWORK.layers[1:]).logits(ROWS).tolist() == [0.5, 1.5]


def test_every_row_goes_down_every_tree():
    assert TREES.logits(ROWS).tolist() == [2.75, -0.25]


@pytest.mark.parametrize("model", [NETWORK, TREES])
def test_a_model_is_the_same_after_it_was_stored_as_arrays(model):
    again = type(model).of(model.arrays())
    assert again.logits(ROWS).tolist() == model.logits(ROWS).tolist()
