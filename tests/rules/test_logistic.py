"""The logistic that files of weights are served by."""

import json

import numpy as np
import pytest

from rules.logistic import Logistic, log_odds, shipped


def test_it_is_a_logistic_of_the_features():
    model = Logistic(np.array([2.0, -1.0]), 0.5, 0.5)
    assert model.of(np.array([1.0, 2.5])) == pytest.approx(0.5)
    assert model.of(np.array([2.0, 2.5])) > 0.8


def test_a_file_is_read_in_the_order_of_the_features(tmp_path):
    file = tmp_path / "weights.json"
    file.write_text(json.dumps({"minimum": 0.3, "intercept": 0.5, "weights": {"b": -1.0, "a": 2.0}}))
    model = shipped(file, ("a", "b"))
    assert model.weights.tolist() == [2.0, -1.0] and (model.intercept, model.minimum) == (0.5, 0.3)


def test_log_odds_are_those_of_a_logistic_and_finite_for_what_is_certain():
    assert Logistic(np.ones(1), 0.0, 0.5).of(np.array([log_odds(0.2)])) == pytest.approx(0.2)
    assert log_odds(0.0) == log_odds(0.001) == pytest.approx(-log_odds(1.0))
