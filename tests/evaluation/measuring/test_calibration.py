"""Probabilities that people are shown, beside what was relevant."""

import numpy as np
import pytest

from evaluation.measuring.calibration import FEWEST, calibration, calibration_error, error_of


def some_results(count: int, *, off: float = 0.0) -> list[tuple[float, bool]]:
    """Probabilities of all sizes, each by so much greater than the share that is relevant."""
    chance = np.random.default_rng(1)
    real = chance.uniform(0, 1 - off, count)
    return [(p + off, drawn < p) for p, drawn in zip(real, chance.random(count), strict=True)]


def test_what_is_right_as_often_as_it_says_differs_by_chance_alone():
    found = error_of(some_results(2_000))
    assert found.error == pytest.approx(found.by_chance, abs=0.01) and found.by_chance < 0.03


@pytest.mark.parametrize("off", [0.1, 0.3])
def test_what_says_too_much_is_off_by_as_much(off):
    found = error_of(some_results(2_000, off=off))
    assert found.error == pytest.approx(off, abs=0.03) and found.by_chance < 0.03


def test_bins_have_as_many_results_each_whatever_their_probabilities():
    sure, unsure = np.full(320, 0.01), np.linspace(0.4, 0.6, 80)
    relevant = np.concatenate([np.zeros(320), np.ones(80)])
    assert calibration_error(np.concatenate([sure, unsure]), relevant) == pytest.approx(0.01 * 0.8 + 0.5 * 0.2)


def test_first_results_are_told_apart_from_their_pages_and_few_questions_tell_nothing():
    page = [(0.5, True), *[(0.0, False)] * 11]
    found = calibration([page] * FEWEST + [[]])
    assert (found.questions, found.results) == (FEWEST, 10 * FEWEST)
    assert found.first.error == 0.5 and found.page.error == pytest.approx(0.05)
    assert calibration([page] * (FEWEST - 1)) is None
