"""Calibration maps scores to the share that is relevant."""

import numpy as np
import pytest

from evaluation.learning.reliability import expected_calibration_error, knots_of, reliability


class Labelled:
    """As much of a pool as reliability reads."""

    def __init__(self, *labels: int):
        self.labels = np.array(labels)


def test_knots_rise_from_what_is_rarely_relevant_to_what_always_is():
    knots = knots_of(np.array([0.1, 0.2, 0.8, 0.9]), np.array([0, 1, 0, 1]))
    assert np.interp([0.1, 0.5, 0.9], *knots).tolist() == pytest.approx([0.0, 0.5, 1.0])


def test_the_calibration_error_is_the_mean_distance_weighted_by_bin():
    pools, probabilities = [Labelled(1, 1, 0), Labelled(0)], [np.array([0.95, 0.95, 0.95]), np.array([0.15])]
    assert [each["n"] for each in reliability(pools, probabilities)] == [1, 3]
    expected = 0.75 * (0.95 - 2 / 3) + 0.25 * 0.15
    assert expected_calibration_error(pools, probabilities) == pytest.approx(expected, abs=1e-4)
