"""An answer minimum holds where it is of one scale with the reranker whose answers it is compared with."""

import io
import json
from dataclasses import replace

import numpy as np
import pytest
from django.db import connection
from django.urls import reverse

from evaluation import registry
from evaluation.training import Trained
from retrieval.features import EVIDENCE, USUAL_MINIMUM
from retrieval.models import Domain
from retrieval.reranking import pack
from retrieval.search import SearchRequest, search
from rules import checks
from rules.admin import ThresholdForm
from rules.models import DomainThreshold
from rules.thresholds import THRESHOLDS, next_version, publish
from tests.test_reranking import some_reranker

pytestmark = pytest.mark.django_db

OLD = 0
DEFAULT = {"app_configs": None, "databases": ["default"]}


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


def test_what_ships_is_of_this_scale_and_what_is_not_is_told_with_its_remedy(domain):
    assert checks.answer_minimums(**DEFAULT) == []
    row_of(domain, answer_minimum=0.065, answer_scale=OLD)
    [told] = checks.answer_minimums(**DEFAULT)
    assert told.id == "arf.W009"
    assert told.msg == (
        "The answer minimum of us_constitution, 0.065, was chosen on another scale than the reranker's; "
        "0.5 holds instead."
    )
    assert told.hint == "Run `manage.py tune_thresholds us_constitution --publish`."


def test_the_check_passes_by_a_database_that_is_not_migrated_yet():
    with connection.cursor() as cursor:
        cursor.execute("ALTER TABLE rules_domainthreshold DROP COLUMN answer_scale")
    assert checks.answer_minimums(**DEFAULT) == []


def test_a_minimum_chosen_anew_is_of_this_scale_and_one_that_stays_keeps_its_own(domain):
    before = row_of(domain, answer_scale=OLD)
    assert not publish(next_version(before, reason="a test", blend=0.5)).is_on_scale
    same = next_version(before, reason="a test", answer_minimum=before.answer_minimum)
    assert publish(same).is_on_scale


@pytest.mark.parametrize(("minimum", "fits"), [(0.3, False), (0.4, True)])
def test_the_form_takes_a_changed_minimum_for_one_of_this_scale(domain, minimum, fits):
    row = row_of(domain, answer_minimum=0.3, answer_scale=OLD)
    said = {name: getattr(row, name) for name in THRESHOLDS} | {"domain": domain.pk, "reason": "a test"}
    form = ThresholdForm(said | {"answer_minimum": minimum, "calibration": json.dumps(row.calibration)})
    assert form.is_valid()
    assert form.save(commit=False).is_on_scale is fits


def test_the_list_says_what_holds_and_what_to_run(domain, admin_client):
    row_of(domain, answer_minimum=0.065, answer_scale=OLD)
    page = admin_client.get(reverse("admin:rules_domainthreshold_changelist")).content.decode()
    assert "0.065, chosen on another scale: 0.5 holds until" in page
    assert "manage.py tune_thresholds us_constitution --publish" in page


def test_a_reranker_of_another_scale_is_refused_as_one_of_other_features_is():
    with np.load(io.BytesIO(pack(some_reranker(), seed=0))) as file:
        arrays = dict(file)
    told = json.loads(arrays["told"].tobytes())
    del told["answer_scale"]
    arrays["told"] = np.frombuffer(json.dumps(told).encode(), dtype=np.uint8)
    np.savez(packed := io.BytesIO(), **arrays)
    model = registry.save(Trained(packed.getvalue(), {"family": "earlier"}))
    assert registry.problem_of(model) == "The reranker tells answers on another scale: run `manage.py retrain`."
