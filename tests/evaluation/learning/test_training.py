"""Training is repeatable, and better than fusion on topics that the model never saw."""

import numpy as np
import pytest

from evaluation.learning.families import PREFERRED
from evaluation.learning.training import (
    choose,
    expected_calibration_error,
    knots_of,
    probabilities,
    rankings,
    reliability,
)
from tests.trained import train


def test_the_preferred_family_stays_within_one_standard_error():
    chance = np.random.default_rng(0)
    best = chance.uniform(size=400)
    families = dict.fromkeys(["logistic regression", "MLP (64, 32)"], best) | {PREFERRED: best - 0.01}
    assert choose(families) == PREFERRED
    assert choose(families | {PREFERRED: best - 0.2}) != PREFERRED
    assert choose(families | {"gradient boosting": best + 0.1}) == "gradient boosting"


@pytest.mark.slow
def test_training_is_repeatable_and_better_than_fusion_on_topics_it_never_saw(pools, trained):
    assert train(pools).artifact == trained.artifact
    account = trained.manifest
    assert account["families"][account["family"]]["nDCG@10"] > account["before"]
    assert account["ece"] <= 0.05
    assert set(account["families"]) >= {"logistic regression", PREFERRED, "gradient boosting"}


@pytest.mark.slow
def test_probabilities_are_calibrated_and_rankings_whole(pools, trained):
    for pool, ranking, p in zip(
        pools, rankings(trained.artifact, pools), probabilities(trained.artifact, pools), strict=True
    ):
        assert sorted(ranking) == sorted(pool.locators)
        assert ((p >= 0) & (p <= 1)).all()


@pytest.mark.slow
def test_a_question_asked_again_has_what_people_judged_relevant_first(pools, trained):
    judged = [pool for pool in pools if pool.topic.relevant and not pool.final]
    found = [pool.topic.relevant.keys() & set(pool.locators) for pool in judged]
    for pool, relevant, ranking in zip(judged, found, rankings(trained.artifact, judged), strict=True):
        assert set(ranking[: len(relevant)]) == relevant, pool.topic.query


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
