"""Logistics that are fitted to be served."""

import numpy as np
import pytest

from evaluation.learning.logistic import fit
from retrieval.errors import ArfError
from rules.logistic import Logistic


def test_what_is_fitted_tells_right_examples_from_wrong_ones_and_few_right_ones_lie_below_the_minimum():
    chance = np.random.default_rng(1)
    rows = chance.normal(size=(400, 2)) * [3.0, 0.1] + [5.0, -1.0]
    right = rows[:, 0] + chance.normal(size=400) > 5.0
    fitted = fit(rows, right, ("first", "second"), few=0.1)
    assert fitted.auc > 0.9 and fitted.brier < 0.15
    assert fitted.right_below == pytest.approx(0.1, abs=0.01) and fitted.wrong_below > 0.5
    served = Logistic(
        np.array([*fitted.row["weights"].values()]), fitted.row["intercept"], fitted.row["minimum"]
    )
    told = np.array([served.of(row) for row in rows])
    assert np.mean((told > 0.5) == right) > 0.85


def test_a_group_is_either_learned_from_or_held_out():
    """Of five groups each has a number of its own: what is learned from others says nothing of it."""
    groups = [str(n % 5) for n in range(100)]
    rows = np.eye(5)[[int(group) for group in groups]]
    right = np.array([group in "01" for group in groups])
    names = [f"group {n}" for n in range(5)]
    together, apart = (fit(rows, right, names, few=0.1, groups=known) for known in (None, groups))
    assert together.auc == 1.0 and apart.auc < 0.5


@pytest.mark.parametrize(
    ("right", "groups"),
    [
        ([], None),
        ([True] * 20, None),
        ([True] * 4 + [False] * 4, None),
        ([True] * 19 + [False], None),
        ([True] * 20 + [False] * 20, ["alike"] * 40),
        ([True] * 20 + [False] * 20, [*map(str, range(20)), *["alike"] * 20]),
    ],
)
def test_too_few_examples_to_learn_from_and_hold_out_are_refused_in_words(right, groups):
    rows = np.arange(len(right), dtype=float)[:, None]
    with pytest.raises(ArfError, match="too few examples"):
        fit(rows, np.array(right, dtype=bool), ("first",), few=0.1, groups=groups)
