"""Agreement between judges gives the figures of published examples. Pure."""

import random

import pytest
from sklearn.metrics import cohen_kappa_score

from evaluation.judging.agreement import agreement, alpha, disagreements, kappas, weighted_kappa

# K. Krippendorff, "Computing Krippendorff's Alpha-Reliability" (2011), section D: four observers, twelve units,
# values missing; alpha is .743 for nominal, .815 for ordinal and .849 for interval data.
OBSERVERS = (
    (1, 2, 3, 3, 2, 1, 4, 1, 2, None, None, None),
    (1, 2, 3, 3, 2, 2, 4, 1, 2, 5, None, 3),
    (None, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, None),
    (1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, None),
)
UNITS = [[grade for grade in unit if grade is not None] for unit in zip(*OBSERVERS, strict=True)]

# Ratings of 91 couples (Hout, Duncan and Sobel 1987; Agresti 1990), the example of `Kappa` in the R package vcd:
# with equally spaced weights .2374.
COUPLES = ((7, 7, 2, 3), (2, 8, 3, 7), (1, 5, 4, 9), (2, 8, 9, 14))
RATED = [(i, j) for i, row in enumerate(COUPLES) for j, count in enumerate(row) for _ in range(count)]


def test_ordinal_alpha_is_that_of_krippendorffs_example():
    assert alpha(UNITS).value == pytest.approx(0.815, abs=0.0005)


def test_units_with_one_grade_say_nothing():
    told = alpha(UNITS)
    assert told.units == 11  # the twelfth was judged once
    assert told == alpha([unit for unit in UNITS if len(unit) > 1])


def test_the_interval_of_alpha_holds_it_and_is_repeatable():
    told = alpha(UNITS)
    assert told.low < told.value < told.high <= 1
    assert told == alpha(UNITS)


def test_alpha_is_one_for_full_agreement_and_undefined_without_variation():
    assert alpha([(0, 0), (3, 3), (1, 1, 1)]).value == 1
    assert alpha([(2, 2), (2, 2)]).value is None
    assert alpha([]).value is None


def test_linear_kappa_is_that_of_the_published_example():
    assert len(RATED) == 91
    assert weighted_kappa(RATED, weights="linear") == pytest.approx(0.2374, abs=0.00005)


@pytest.mark.parametrize("weights", ["linear", "quadratic"])
def test_kappa_is_that_of_an_independent_implementation(weights):
    chance = random.Random(3)
    pairs = [
        (grade := chance.randint(0, 3), min(3, max(0, grade + chance.randint(-1, 2)))) for _ in range(60)
    ]
    for rated in (RATED, pairs):
        theirs = cohen_kappa_score(*zip(*rated, strict=True), weights=weights, labels=[0, 1, 2, 3])
        assert weighted_kappa(rated, weights=weights) == pytest.approx(theirs)


def test_kappa_is_undefined_where_chance_always_agrees():
    assert weighted_kappa([]) is None
    assert weighted_kappa([(2, 2), (2, 2)]) is None


GIVEN = {
    ("t1", "/a"): {"ann": 3, "bob": 3},
    ("t1", "/b"): {"ann": 0, "bob": 3, "cat": 0},
    ("t2", "/a"): {"ann": 1, "bob": 2},
    ("t2", "/b"): {"ann": 1},
}


def test_every_two_judges_are_compared_over_what_both_judged():
    assert [(kappa.first, kappa.second, kappa.pairs) for kappa in kappas(GIVEN)] == [
        ("ann", "bob", 3), ("ann", "cat", 1), ("bob", "cat", 1),
    ]  # fmt: skip


def test_the_widest_disagreements_come_first():
    assert [(each.judged, each.spread) for each in disagreements(GIVEN)] == [
        (("t1", "/b"), 3), (("t2", "/a"), 1),
    ]  # fmt: skip
    assert len(disagreements(GIVEN, least=2)) == 1


def test_the_account_counts_what_was_judged_twice():
    told = agreement(GIVEN)
    assert (told.judged, told.double, told.alpha.units) == (4, 3, 3)
