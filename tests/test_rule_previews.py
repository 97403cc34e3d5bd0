"""Previews of rules on the page and over the API: for whom they are, what they tell, what they refuse."""

# ruff: noqa: F401, F811 (fixtures)
import json

import pytest
from django.contrib.auth.models import Group, User
from django.urls import reverse

from arf_site.groups import load_groups
from evaluation import rule_preview
from evaluation.models import RulePreview
from retrieval import jobs
from retrieval.models import Domain, JobRun
from retrieval.models.access import caller_for
from retrieval.ranking import ANONYMOUS, Caller
from rules import workflow
from rules.models import Rule
from tests.builders import a_case_file
from tests.test_api_access import key_with
from tests.test_api_parameters import assert_refused
from tests.test_rule_impact import FIRST, FOURTH, LOGGED, WARRANT, draft, logged, topics
from tests.test_rules import ALWAYS, ann, ben, rule, section

pytestmark = pytest.mark.django_db
API = "/api/v1/rules/preview"


@pytest.fixture
def staff(db) -> dict[str, str]:
    return key_with("search", "staff")[1]


def post(client, body: dict, headers: dict | None = None):
    return client.post(API, json.dumps(body), content_type="application/json", **(headers or {}))


# -- The API


def test_a_staff_key_previews_a_stored_draft(client, staff, topics, logged):
    made = draft("exclude", targets=section(FOURTH))
    told = post(client, {"rule": made.pk}, staff)
    assert told.status_code == 200, told.content
    account = told.json()
    assert (account["rule"], account["status"], account["retires"]) == (made.pk, "done", False)
    assert account["logged"] == {"looked_at": 6, "touched": 3, "changed": 3}
    assert account["ndcg_at_10"]["difference"] < 0 and account["hidden"][0]["locator"] == FOURTH
    change = next(change for change in account["changes"] if change["query"] == LOGGED[0])
    assert FOURTH in str(change["before"]["results"]) and FOURTH not in str(change["after"]["results"])
    assert client.get(account["url"], **staff).json() == account


def test_a_rule_written_out_is_previewed_as_the_stored_one(client, staff, topics, logged):
    made = draft({"kind": "pin"}, targets=section(FIRST))
    written = {"criteria": made.criteria, "targets": made.targets, "actions": made.actions}
    stored, told = (post(client, {"rule": named}, staff).json() for named in (made.pk, written))
    assert told["rule"] is None and told["changes"]
    for name in ("logged", "judged", "changes", "hidden", "ndcg_at_10", "lacks"):
        assert told[name] == stored[name]
    assert Rule.objects.count() == 1


def test_retiring_is_previewed_of_what_is_in_force(client, staff, topics, logged, rule):
    kept = rule("exclude", targets=section(FOURTH), criteria=WARRANT)
    told = post(client, {"rule": kept.pk, "retire": True}, staff).json()
    assert told["retires"] and told["ndcg_at_10"]["difference"] > 0


@pytest.mark.parametrize("scopes", [None, ("search",), ("search", "pipelines", "documents")])
def test_other_keys_are_refused(client, topics, scopes):
    made = draft({"kind": "pin"}, targets=section(FIRST))
    headers = key_with(*scopes)[1] if scopes else None
    assert_refused(post(client, {"rule": made.pk}, headers), 403, "forbidden")
    assert_refused(client.get(f"{API}/1", **(headers or {})), 403, "forbidden")


def test_an_unknown_rule_and_one_of_a_hidden_domain_are_answered_alike(client, staff, topics):
    hidden = draft({"kind": "note", "text": "x"}, domains=["client_cases"])
    answers = [post(client, {"rule": number}, staff) for number in (hidden.pk, hidden.pk + 1000)]
    for number, answer in zip((hidden.pk, hidden.pk + 1000), answers, strict=True):
        assert_refused(answer, 404, "not_found")
        assert answer.json()["error"]["message"] == f"There is no rule {number}."


@pytest.mark.parametrize(
    ("body", "status", "code"),
    [
        ({}, 400, "bad_parameter"),
        ({"rule": "x"}, 400, "bad_parameter"),
        ({"rule": 1, "k": 5}, 400, "unknown_parameter"),
        ({"rule": {"criteria": ALWAYS}}, 400, "bad_rule"),
        ({"rule": {"criteria": ALWAYS, "actions": [{"kind": "explode"}]}}, 400, "bad_rule"),
        ({"rule": {"status": "published"}}, 400, "bad_rule"),
        ({"rule": {"criteria": ALWAYS, "actions": ["x"], "priority": "first"}}, 400, "bad_rule"),
        (
            {
                "rule": {
                    "criteria": ALWAYS,
                    "actions": [{"kind": "note", "text": "x"}],
                    "domains": ["client_cases"],
                }
            },
            400,
            "bad_rule",
        ),
        (
            {"rule": {"criteria": ALWAYS, "actions": [{"kind": "note", "text": "x"}]}, "retire": True},
            400,
            "bad_parameter",
        ),
    ],
)
def test_what_cannot_be_previewed_is_refused(client, staff, body, status, code):
    assert_refused(post(client, body, staff), status, code)


def test_a_stored_rule_that_cannot_be_published_is_refused(client, staff, topics):
    made = draft({"kind": "pin"}, targets=section("/us/const/amendment/XXX"))
    assert_refused(post(client, {"rule": made.pk}, staff), 409, "rule_refused")
    assert_refused(post(client, {"rule": made.pk, "retire": True}, staff), 409, "rule_refused")


def test_a_long_one_is_a_job_and_is_read_when_it_is_through(client, staff, topics, logged, monkeypatch):
    monkeypatch.setattr(rule_preview, "AT_ONCE", 2)
    written = {"criteria": ALWAYS, "targets": section(FIRST), "actions": [{"kind": "pin"}]}
    begun = post(client, {"rule": written}, staff)
    assert begun.status_code == 202 and begun.json()["status"] == "running"
    list(jobs.run_here(JobRun.objects.get(kind="preview_rule")))
    told = client.get(begun.json()["url"], **staff).json()
    assert told["status"] == "done" and told["progress"] == {"asked": 9, "to_ask": 9}
    other = key_with("search", "staff")[1]
    assert_refused(client.get(begun.json()["url"], **other), 404, "not_found")


def test_the_schema_describes_it(client):
    schema = client.get("/api/v1/schema/", {"format": "json"}).json()
    operation = schema["paths"]["/api/v1/rules/preview"]["post"]
    assert {"200", "202", "403", "404", "409"} <= operation["responses"].keys()
    assert len(operation["requestBody"]["content"]["application/json"]["examples"]) == 3


# -- The page


@pytest.mark.parametrize("name", ["a\x00b", "\ud800", "a\nb"])
def test_a_name_that_cannot_be_shown_is_refused(client, staff, name):
    body = {"rule": {"name": name, "criteria": ALWAYS, "actions": [{"kind": "abstain"}]}}
    told = post(client, body, staff)
    assert (told.status_code, told.json()["error"]["code"]) == (400, "bad_rule")


@pytest.fixture
def enter(client):
    def sign_in(role: str, name: str = "") -> User:
        load_groups()
        user, _ = User.objects.get_or_create(username=name or f"a {role}", defaults={"is_staff": True})
        user.groups.set(Group.objects.filter(name=role))
        client.force_login(user)
        return user

    return sign_in


def begin(client, made: Rule, **said):
    return client.post(reverse("admin_preview_rule", args=[made.pk]), said)


def test_each_group_sees_what_is_for_it(client, enter, topics):
    made = draft({"kind": "pin"}, targets=section(FIRST))
    answered = {}
    for role in ("", "Judge", "Curator", "Administrator"):
        enter(role)
        begun = begin(client, made)
        row = RulePreview.objects.order_by("pk").last()
        page = client.get(reverse("admin_rule_preview", args=[row.pk if row else 1]))
        answered[role] = (begun.status_code, page.status_code)
    assert answered == {
        "": (403, 403),
        "Judge": (403, 403),
        "Curator": (302, 200),
        "Administrator": (302, 200),
    }
    client.logout()
    assert "/login/" in begin(client, made).url
    assert client.get(reverse("admin_preview_rule", args=[made.pk])).status_code == 302


def test_the_page_shows_lists_side_by_side_and_what_is_hidden(client, enter, topics, logged):
    enter("Curator")
    made = draft("exclude", targets=section(FOURTH), name="No Fourth")
    page = client.get(begin(client, made).url).content.decode()
    assert "No Fourth" in page and "Of 6 logged questions it concerns 3; 3 would be" in page
    assert "Judged-relevant text that leaves the first page" in page and "not found" in page
    assert f"<del>{FOURTH}</del>" in page and "<mark>/us/const/" in page
    assert LOGGED[0] in page and "over 2 topics" in page and "private domains" in page
    form = client.get(reverse("admin:rules_rule_change", args=[made.pk])).content.decode()
    assert "Last preview of this version" in form and "Preview of retiring" not in form


def test_the_approver_reads_what_the_proposer_saw(client, enter, topics, logged):
    enter("Curator", "ann")
    at = begin(client, draft({"kind": "pin"}, targets=section(FIRST))).url
    enter("Curator", "bea")
    assert LOGGED[0] in client.get(at).content.decode()


def test_a_rule_of_a_hidden_domain_is_not_previewed_nor_its_preview_shown(client, enter, topics):
    granted = enter("Curator", "ann")
    file = a_case_file("Doe", "The client confessed.", granted_to=caller_for(granted))
    made = draft({"kind": "note", "text": "Doe"}, domains=[file.domain.slug], name="about Doe")
    at = begin(client, made).url
    assert "about Doe" in client.get(at).content.decode()
    enter("Curator", "bea")
    assert begin(client, made).status_code == 404 and client.get(at).status_code == 404


def test_one_that_cannot_be_published_is_told_so_on_its_page(client, enter, topics):
    enter("Curator")
    made = draft({"kind": "pin"}, targets=section("/us/const/amendment/XXX"))
    page = client.post(reverse("admin_preview_rule", args=[made.pk]), follow=True).content.decode()
    assert "Nothing matches the target" in page and not RulePreview.objects.exists()


def test_the_page_of_a_job_shows_how_far_it_is_and_why_it_failed(client, enter, topics, logged, monkeypatch):
    monkeypatch.setattr(rule_preview, "AT_ONCE", 2)
    enter("Curator")
    at = begin(client, draft({"kind": "pin"}, targets=section(FIRST), criteria=ALWAYS)).url
    page = client.get(at).content.decode()
    assert "0 of 9 questions asked again" in page and 'http-equiv="refresh"' in page
    JobRun.objects.update(status=JobRun.Status.FAILED, error="It broke.")
    page = client.get(at).content.decode()
    assert "It broke." in page and 'http-equiv="refresh"' not in page
