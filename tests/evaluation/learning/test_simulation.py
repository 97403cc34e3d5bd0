"""Simulated challengers have the quality asked for; the rule of promotion keeps its rates."""

from io import StringIO

import numpy as np
import pytest
from django.core.management import call_command

from evaluation.learning.promotion import Paired
from evaluation.learning.simulation import World, changed, deploy_rate, shift_for, typical
from evaluation.management.commands import simulate_retraining


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


def test_the_command_tells_the_rates_of_every_rule_for_every_quality(monkeypatch):
    monkeypatch.setattr(simulate_retraining, "EFFECTS", (0.0, 0.05))
    call_command("simulate_retraining", "--typical", retrains=2, stdout=(printed := StringIO()))
    first, names, *rows = printed.getvalue().splitlines()
    assert first.startswith("2 retrains each") and names.split()[2:4] == ["promotion", "better"]
    assert [float(row.split()[0]) for row in rows] == [0.0, 0.05]
    assert rows[-1].split()[-1] == "100.0%", "the higher mean of a model that is much better"
