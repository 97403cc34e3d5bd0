"""The API of rule previews."""

# ruff: noqa: F401, F811 (fixtures)
import json

import pytest

from evaluation.rule_impact import previews
from retrieval import jobs
from retrieval.models import JobRun
from rules.models import Rule
from tests.evaluation.rule_impact.test_impact import FIRST, FOURTH, LOGGED, WARRANT, draft, logged, topics
from tests.retrieval.api.keys import key_with
from tests.retrieval.api.refusals import assert_refused
from tests.rule_searches import ALWAYS, section

pytestmark = pytest.mark.django_db


API = "/api/v1/rules/preview"


@pytest.fixture
def staff(db) -> dict[str, str]:
    return key_with("search", "staff")[1]


def post(client, body: dict, headers: dict | None = None):
    return client.post(API, json.dumps(body), content_type="application/json", **(headers or {}))


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
    monkeypatch.setattr(previews, "AT_ONCE", 2)
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


@pytest.mark.parametrize("name", ["a\x00b", "\ud800", "a\nb"])
def test_a_name_that_cannot_be_shown_is_refused(client, staff, name):
    body = {"rule": {"name": name, "criteria": ALWAYS, "actions": [{"kind": "abstain"}]}}
    told = post(client, body, staff)
    assert (told.status_code, told.json()["error"]["code"]) == (400, "bad_rule")
