"""Simulated challengers have the quality asked for; the rule of promotion keeps its rates."""

import numpy as np
import pytest

from evaluation.learning.promotion import Paired
from evaluation.learning.simulation import World, changed, deploy_rate, shift_for, typical


def test_a_simulated_challenger_has_the_quality_asked_for():
    values = np.array([pair.champion for pair in typical()])
    shift = shift_for(-0.02, values, World(), np.random.default_rng(1))
    many = np.random.default_rng(2).choice(values, 200_000)
    assert changed(many, shift, World(), np.random.default_rng(3)).mean() - many.mean() == pytest.approx(
        -0.02, abs=0.002
    )


def test_a_quality_out_of_reach_is_refused():
    with pytest.raises(ValueError, match="no retrain"):
        deploy_rate([Paired("t", 1.0, 1.0)] * 100, 0.05)


@pytest.mark.parametrize("effect", [-0.02, -0.05])
def test_worse_models_are_deployed_at_most_once_in_twenty(effect):
    assert deploy_rate(typical(), effect, retrains=100, seed=11) <= 0.05


def test_better_models_are_deployed_four_times_in_five():
    assert deploy_rate(typical(), 0.05, retrains=40, seed=11) >= 0.80
