"""Thresholds in the admin: every edit is a new version."""

import json

import pytest
from django.contrib.admin.models import CHANGE, LogEntry
from django.urls import reverse

from retrieval.models import Domain
from retrieval.ranking import Candidate
from rules.admin.thresholds import ThresholdForm
from rules.models import DomainThreshold
from rules.thresholds.publishing import THRESHOLDS
from rules.thresholds.stages import features
from tests.rules.rule_pages import hidden

pytestmark = pytest.mark.django_db


LIST = "/admin/rules/domainthreshold/"


WEIGHTS = {"intercept": -3} | dict.fromkeys(features(Candidate(section_id=0)), 1.5)


GATES = {"minimum": 0, "verify": 0.2, "accept": 0.6, "confident": 0.8, "gap": 1, "alias_search": 0.4}
GATES |= {"query_search": 0.95, "mlp_low": 0.4, "mlp_high": 0.6, "blend": 0.6, "llm_weight": 0.5}


def publish(client, domain: Domain, **changed):
    fields = {
        "domain": domain.pk,
        "answer_minimum": 0.3,
        "calibration": json.dumps(WEIGHTS),
        "reason": "tuned",
        **GATES,
    }
    return client.post(f"{LIST}add/", fields | changed)


def test_a_new_threshold_takes_the_place_of_the_one_before(client, curator, constitution):
    publish(client, constitution)
    publish(client, constitution, answer_minimum=0.4)
    newest, before = constitution.thresholds.order_by("-version")[:2]
    assert (newest.active, before.active) == (True, False)
    assert (newest.version, newest.answer_minimum) == (before.version + 1, 0.4)
    assert (newest.created_by, newest.reason) == (curator, "tuned")


def test_a_version_that_was_begun_before_another_came_in_force_is_shown_again(client, curator, constitution):
    publish(client, constitution)
    opened = hidden(client.get(f"{LIST}add/", {"copy": constitution.thresholds.get(active=True).pk}))
    publish(client, constitution, answer_minimum=0.4)
    answer = publish(client, constitution, gap=0.5, **opened)
    assert answer.status_code == 200 and "curator saved this on" in answer.content.decode()
    assert constitution.thresholds.get(active=True).answer_minimum == 0.4
    assert publish(client, constitution, gap=0.5, **hidden(answer)).status_code == 302


def test_a_version_begun_from_nothing_keeps_the_calibration_in_force(client, curator, constitution):
    publish(client, constitution)
    publish(client, constitution, calibration="{}")
    assert constitution.thresholds.get(active=True).calibration == WEIGHTS


def test_a_domain_goes_back_to_what_decides_without_thresholds(client, curator, constitution):
    publish(client, constitution, calibration="{}")
    row = constitution.thresholds.get(active=True)
    client.post(LIST, {"action": "put_out_of_force", "_selected_action": [row.pk]})
    assert not constitution.thresholds.filter(active=True).exists() and constitution.thresholds.exists()
    (entry,) = LogEntry.objects.filter(object_id=row.pk, action_flag=CHANGE)
    assert entry.user == curator


def test_an_old_threshold_is_only_read(client, curator, constitution):
    publish(client, constitution)
    row = constitution.thresholds.first()
    client.post(f"{LIST}{row.pk}/change/", {"answer_minimum": 0.9, "reason": "x", "domain": constitution.pk})
    row.refresh_from_db()
    assert row.answer_minimum == 0.3


@pytest.mark.parametrize(
    "changed",
    [
        {"answer_minimum": 1.5},
        {"answer_minimum": 1},
        {"minimum": 1, "verify": 1, "accept": 1, "confident": 1},
        {"minimum": 0.3},
        {"accept": 0.1},
        {"confident": 0.5},
        {"mlp_high": 0.3},
        {"gap": "nan"},
        {"verify": ""},
        {"reason": ""},
        {"calibration": '{"intercept": 1}'},
        {"calibration": json.dumps(WEIGHTS | {"dense": "6"})},
        {"calibration": json.dumps(WEIGHTS | {"unknown": 6})},
        {"calibration": "[1]"},
        {"calibration": "not json"},
    ],
)
def test_a_threshold_that_search_could_not_use_is_refused(client, curator, constitution, changed):
    before = DomainThreshold.objects.count()
    assert publish(client, constitution, **changed).context["adminform"].form.errors
    assert DomainThreshold.objects.count() == before


def test_a_new_version_may_begin_as_a_copy(client, curator, constitution):
    publish(client, constitution)
    row = constitution.thresholds.first()
    form = client.get(f"{LIST}add/", {"copy": row.pk}).context["adminform"].form
    assert form.initial["answer_minimum"] == 0.3


OLD = 0


@pytest.fixture
def domain():
    return Domain.objects.get(slug="us_constitution")


def row_of(domain: Domain, **fields) -> DomainThreshold:
    """The thresholds in force, after these fields of theirs were changed where they stand."""
    domain.thresholds.filter(active=True).update(**fields)
    return domain.thresholds.get(active=True)


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
