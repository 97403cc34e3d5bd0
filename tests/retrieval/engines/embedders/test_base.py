"""Vectors of unit length, or an error."""

import numpy as np
import pytest

from retrieval.engines.embedders.base import EmbeddingUnavailable, unit


@pytest.mark.parametrize("row", [[0.0, 0.0], [float("nan"), 1.0], [float("inf"), 1.0]])
def test_a_vector_without_direction_is_an_error(row):
    with pytest.raises(EmbeddingUnavailable, match="without direction"):
        unit(np.array([[1.0, 0.0], row]))
