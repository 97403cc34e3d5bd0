"""Probabilities from scores, by weights fitted per domain."""

import pytest

from retrieval.models import Domain
from retrieval.ranking import Candidate
from retrieval.request import SearchRequest
from retrieval.search.service import search
from rules.models import DomainThreshold
from rules.thresholds.calibration import features, logistic

pytestmark = pytest.mark.django_db


@pytest.fixture
def domain():
    return Domain.objects.get(slug="us_constitution")


def ask(text: str, **fields) -> dict:
    return search(SearchRequest(text=text, **fields))


def test_a_domain_without_a_fit_never_abstains_and_the_trace_says_why(domain):
    DomainThreshold.objects.all().delete()
    answer = ask("best pizza dough hydration for a home oven")
    assert not answer["abstained"]
    stage = next(stage for stage in answer["stages"] if stage["name"] == "Calibrate")
    assert (stage["status"], stage["note"]) == ("skipped", "no calibration for these domains")
    assert answer["results"][0]["probability"] is None


def test_probabilities_lie_between_zero_and_one_and_grow_with_every_score():
    weights = Domain.objects.get(slug="us_constitution").thresholds.get(active=True).calibration
    low = logistic(features(Candidate(1, scores={"dense": 0.1})), weights)
    named = {"dense": 0.6, "alias": 3.0, "alias_near": 0.9, "alias_coverage": 1.0}
    high = logistic(features(Candidate(1, scores=named)), weights)
    assert 0 < low < 0.1 < 0.9 < high < 1
