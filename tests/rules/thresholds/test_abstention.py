"""An answer minimum holds where it is of one scale with the reranker whose answers it is compared with."""

from dataclasses import replace

import numpy as np
import pytest

from evaluation.learning import registry
from evaluation.learning.training import Trained
from retrieval.models import Domain
from retrieval.request import SearchRequest
from retrieval.search.service import search
from retrieval.stages.reranker.artifact import pack
from retrieval.stages.reranker.features import EVIDENCE, USUAL_MINIMUM
from rules.models import DomainThreshold
from tests.rerankers import some_reranker

pytestmark = pytest.mark.django_db

OLD = 0


@pytest.fixture
def domain():
    return Domain.objects.get(slug="us_constitution")


def row_of(domain: Domain, **fields) -> DomainThreshold:
    """The thresholds in force, after these fields of theirs were changed where they stand."""
    domain.thresholds.filter(active=True).update(**fields)
    return domain.thresholds.get(active=True)


def deploy(answer: float) -> None:
    """A reranker that gives every question this place on the scale."""
    odds = np.log(answer / (1 - answer))
    reranker = replace(some_reranker(), answer=np.array([0.0] * len(EVIDENCE) + [odds]))
    registry.deploy(registry.save(Trained(pack(reranker, seed=0), {"family": "a test"})))


def asked() -> tuple[bool, str]:
    """Whether it was declined, and what the stage says."""
    answer = search(SearchRequest("who may search my house"), fresh=True)
    return answer["abstained"], next(s["note"] for s in answer["stages"] if s["name"] == "Abstain")


@pytest.mark.parametrize(("answer", "declined"), [(0.45, True), (0.55, False)])
def test_a_minimum_of_another_scale_does_not_hold_and_the_trace_says_so(domain, answer, declined):
    deploy(answer)
    row = row_of(domain, answer_minimum=0.9 if not declined else 0.065, answer_scale=OLD)
    found, note = asked()
    assert found is declined
    assert f"{row}: its answer minimum was chosen on another scale, {USUAL_MINIMUM} holds" in note


def test_a_minimum_of_this_scale_holds(domain):
    deploy(0.55)
    row_of(domain, answer_minimum=0.6)
    assert asked() == (True, "probability of an answer 0.550, below 0.600")
    row_of(domain, answer_minimum=0.5)
    assert asked() == (False, "")


def test_zero_never_abstains_on_any_scale(domain):
    deploy(0.01)
    row_of(domain, answer_minimum=0, answer_scale=OLD)
    assert asked() == (False, "")


def test_without_a_reranker_the_domains_own_calibration_is_what_it_was_chosen_on(domain):
    row_of(domain, answer_minimum=0.01, answer_scale=OLD)
    assert asked() == (False, "")
