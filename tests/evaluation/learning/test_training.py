"""Every family is fitted in pieces with the result of one fit, and served as scikit-learn would."""

import hashlib
import warnings

import numpy as np
import pytest
from sklearn.neural_network import MLPClassifier

from evaluation.learning import training
from evaluation.learning.pools import Division, LearningPool
from evaluation.learning.training import (
    EPOCHS,
    FAMILIES,
    FEWEST_OF_A_BODY,
    LAYERS,
    PREFERRED,
    RATE,
    Fitting,
    choose,
    expected_calibration_error,
    falling,
    fitted_answers,
    knots_of,
    rankings,
    reliability,
    scores,
    served_form,
    shown_calibration,
)
from evaluation.topics.topic import Topic
from retrieval.ranking import Candidate
from retrieval.stages.reranker.artifact import Reranker, Scored, pack, unpack
from retrieval.stages.reranker.features import FEATURES, OF_TEXT, evidence
from tests.rerankers import NOBODY, SURE
from tests.trained import train


def some_division() -> Division:
    chance = np.random.default_rng(1)
    rows = chance.normal(size=(300, len(FEATURES))).astype(np.float32)
    labels = (rows[:, 0] + chance.normal(size=300) > 0).astype(int)
    return Division(rows, labels, rows[:0], np.zeros(0, dtype=int))


DIVISION = some_division()


@pytest.mark.parametrize("family", FAMILIES)
def test_the_forward_pass_equals_scikit_learns(family):
    fitting, rows = Fitting(family, DIVISION), DIVISION.learned
    fitting.fit()
    scaler = fitting.scaler
    ends = (
        end.astype(np.float32) for end in (rows.min(axis=0), rows.max(axis=0), scaler.mean_, scaler.scale_)
    )
    ours = Reranker(*ends, served_form(fitting.model), np.array([[0.0, 1.0], [0.0, 1.0]]), SURE, NOBODY)
    artifact = pack(ours, seed=0)
    served = unpack(artifact, hashlib.sha256(artifact).hexdigest())
    assert served.raw(rows) == pytest.approx(fitting.probabilities([rows]), abs=1e-6)


@pytest.mark.parametrize("family", LAYERS)
def test_a_network_fitted_an_epoch_at_a_time_in_many_processes_is_the_one_fitted_at_once(family):
    arrays, steps = None, 0
    while not (fitting := Fitting(family, DIVISION, arrays=arrays)).fit(lambda: False):
        arrays, steps = fitting.arrays, steps + 1
    whole = Fitting(family, DIVISION)
    whole.fit()
    assert steps == EPOCHS - 1
    rates = [fitted.model._optimizer.learning_rate_init for fitted in (fitting, whole)]
    assert rates == [falling(EPOCHS - 1)] * 2 and falling(EPOCHS - 1) < falling(1) < RATE
    assert all((a == b).all() for a, b in zip(fitting.model.coefs_, whole.model.coefs_, strict=True))


@pytest.mark.parametrize("family", LAYERS)
def test_epochs_are_those_of_scikit_learns_own_fit(family, monkeypatch):
    """But for the rate, which falls from epoch to epoch."""
    monkeypatch.setattr(training, "falling", lambda epoch: RATE)
    ours = Fitting(family, DIVISION)
    ours.fit()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the epochs are few on purpose
        theirs = MLPClassifier(LAYERS[family], alpha=0.1, random_state=0, max_iter=EPOCHS)
        theirs.fit(ours.rows, ours.labels)
    assert all((a == b).all() for a, b in zip(ours.model.coefs_, theirs.coefs_, strict=True))


def test_the_preferred_family_stays_within_one_standard_error():
    chance = np.random.default_rng(0)
    best = chance.uniform(size=400)
    families = dict.fromkeys(["logistic regression", "MLP (64, 32)"], best) | {PREFERRED: best - 0.01}
    assert choose(families) == PREFERRED
    assert choose(families | {PREFERRED: best - 0.2}) != PREFERRED


@pytest.mark.slow
def test_training_is_repeatable_and_better_than_fusion_on_topics_it_never_saw(pools, trained):
    assert train(pools).artifact == trained.artifact
    account = trained.manifest
    assert account["families"][account["family"]]["nDCG@10"] > account["before"]
    assert account["ece"] <= 0.05
    assert set(account["families"]) == set(training.FAMILIES)
    assert set(account["calibration"]) >= {"all", "us_constitution", "us_constitution, en"}
    assert account["calibration"]["all"]["page"]["error"] <= 0.1


@pytest.mark.slow
def test_probabilities_are_calibrated_and_rankings_whole(pools, trained):
    for pool, ranking, scored in zip(
        pools, rankings(trained.artifact, pools), scores(trained.artifact, pools), strict=True
    ):
        assert sorted(ranking) == sorted(pool.locators)
        assert ((scored.probabilities >= 0) & (scored.probabilities <= 1)).all()


@pytest.mark.slow
def test_a_question_asked_again_has_what_people_judged_relevant_first(pools, trained):
    judged = [pool for pool in pools if pool.topic.relevant and not pool.final]
    found = [pool.topic.relevant.keys() & set(pool.locators) for pool in judged]
    for pool, relevant, ranking in zip(judged, found, rankings(trained.artifact, judged), strict=True):
        assert set(ranking[: len(relevant)]) == relevant, pool.topic.query


def test_what_would_be_declined_is_not_among_the_probabilities_that_are_shown():
    pools = [of_two("us_code") for _ in range(50)]
    p, grades = np.array([0.2, 0.9]), np.zeros(2)
    asked = shown_calibration(pools, [Scored(p, p, grades, 0.5)] * 40 + [Scored(p, p, grades, 0.4)] * 10)
    assert asked["us_code"]["questions"] == 40 and asked["us_code, en"] == asked["all"]
    assert asked["all"]["first"]["error"] == 0.9, "the likelier is shown first, and the other is relevant"


def of_two(domain: str) -> LearningPool:
    """The first of two candidates is relevant."""
    topic = Topic("t", "q", domain=domain, relevant={"/a": 3})
    candidates = tuple(Candidate(n, domain_id=1, locator=locator) for n, locator in enumerate(("/a", "/b")))
    return LearningPool(topic, None, candidates, np.zeros((2, len(OF_TEXT)), np.float32), final=False)


def searched(domain: str, *, answerable: bool) -> LearningPool:
    topic = Topic("t", "q", domain=domain, answerable=answerable)
    return LearningPool(topic, None, (), np.zeros((2, len(OF_TEXT)), np.float32), final=False)


def test_each_body_with_enough_topics_declines_by_its_own_scores_and_others_by_those_of_all():
    asked = [("a", True, 0.9), ("a", False, 0.7), ("b", True, 0.5), ("b", False, 0.1), ("c", True, 0.9)]
    many = [each for each in asked for _ in range(FEWEST_OF_A_BODY)]
    pools = [searched(domain, answerable=answerable) for domain, answerable, _ in many]
    found = fitted_answers(pools, [np.array([p, 0.0]) for *_, p in many])
    assert set(found) == {"", "a", "b"}

    def odds(domain: str, p: float) -> float:
        *weights, intercept = found[domain]
        return evidence(np.array([p, 0.0]), np.zeros(2)) @ weights + intercept

    assert odds("a", 0.9) >= 0 > odds("a", 0.7) and odds("b", 0.5) >= 0 > odds("b", 0.1)
    assert odds("", 0.7) > 0


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
