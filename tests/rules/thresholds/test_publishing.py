"""Versions of a domain's thresholds: what the next one keeps, and when it is in force."""

import pytest
from django.core.exceptions import ValidationError

from retrieval.models import Domain
from retrieval.request import SearchRequest
from retrieval.search.service import search
from rules.models import DomainThreshold
from rules.thresholds.publishing import check_calibration, next_version, publish

pytestmark = pytest.mark.django_db
OLD = 0


@pytest.fixture
def domain():
    return Domain.objects.get(slug="us_constitution")


def row_of(domain: Domain, **fields) -> DomainThreshold:
    """The thresholds in force, after these fields of theirs were changed where they stand."""
    domain.thresholds.filter(active=True).update(**fields)
    return domain.thresholds.get(active=True)


def ask(text: str) -> dict:
    return search(SearchRequest(text=text))


def test_a_minimum_chosen_anew_is_of_this_scale_and_one_that_stays_keeps_its_own(domain):
    before = row_of(domain, answer_scale=OLD)
    assert not publish(next_version(before, reason="a test", blend=0.5)).is_on_scale
    same = next_version(before, reason="a test", answer_minimum=before.answer_minimum)
    assert publish(same).is_on_scale


def test_a_higher_minimum_abstains_at_once_and_keeps_its_history(domain):
    assert not ask("who decides that a war begins")["abstained"]
    row = domain.thresholds.get(active=True)
    publish(DomainThreshold(domain=domain, answer_minimum=1.0, calibration=row.calibration, reason="a test"))
    assert ask("who decides that a war begins")["abstained"]
    assert domain.thresholds.filter(active=True).count() == 1
    assert domain.thresholds.count() == 2


def test_what_must_not_lie_below_a_raised_threshold_rises_with_it(domain):
    before = row_of(domain, minimum=0.1, verify=0.2, accept=0.6, confident=0.8)
    assert next_version(before, reason="a test", accept=0.9).confident == 0.9
    assert next_version(before, reason="a test", verify=0.05).minimum == 0.05


@pytest.mark.parametrize("weights", [{}, {"intercept": -1, "dense": 2.5}])
def test_a_calibration_is_empty_or_has_an_intercept_and_a_score(weights):
    check_calibration(weights)


@pytest.mark.parametrize(
    "weights",
    [
        [],
        {"intercept": 1},
        {"dense": 1},
        {"intercept": 1, "dense": 1, "charm": 1},
        {"intercept": 1, "dense": True},
        {"intercept": 1, "dense": float("nan")},
    ],
)
def test_a_calibration_that_could_not_be_computed_with_is_refused(weights):
    with pytest.raises(ValidationError):
        check_calibration(weights)
