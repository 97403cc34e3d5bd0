"""Rules in the API and on the pages: ids of published ones, a few written out, and never words of a caller's."""

import json

import pytest

from rules.models import Rule
from tests.rule_searches import FIRST, QUESTION, THIRD, section

pytestmark = pytest.mark.django_db
SEARCH = "/api/v1/search"
IN_ARTICLE_II = {"targets": section("/us/const/article/II"), "actions": [{"kind": "restrict"}]}


def post(client, **body) -> tuple[int, dict]:
    response = client.post(SEARCH, json.dumps({"q": QUESTION, **body}), content_type="application/json")
    return response.status_code, response.json()


def get(client, **fields) -> tuple[int, dict]:
    response = client.get(SEARCH, {"q": QUESTION, **fields})
    return response.status_code, response.json()


def places(answer: dict) -> list[str]:
    return [result["locator"] for result in answer["results"]]


def test_an_address_takes_ids_of_published_rules(client, rule):
    rule("pin", targets=section(THIRD))
    first = rule("pin", targets=section(FIRST))
    status, answer = get(client, rules=first.pk)
    assert status == 200 and places(answer)[0] == FIRST
    assert [fired["id"] for fired in answer["rules"]["fired"]] == [first.pk]


def test_an_address_takes_nothing_but_ids(client, rule, ann):
    draft = Rule.objects.create(name="d", criteria=[{"kind": "always"}], actions=[{"kind": "abstain"}])
    assert get(client, rules=draft.pk)[0] == 404
    assert get(client, rules=987_654)[0] == 404
    assert get(client, rules=json.dumps(IN_ARTICLE_II))[0] == 400


def test_a_rule_of_a_domain_that_the_caller_may_not_see_does_not_exist(client):
    content = {"name": "d", "criteria": [{"kind": "always"}], "actions": [{"kind": "abstain"}]}
    hidden = Rule(**content, domains=["client_cases"])
    hidden.live = hidden.content
    hidden.save()
    assert get(client, rules=hidden.pk) == (
        404,
        {"error": {"code": "not_found", "message": f"There is no published rule {hidden.pk}."}},
    )


def test_a_body_takes_rules_written_out(client):
    status, answer = post(client, rules=[IN_ARTICLE_II])
    assert status == 200 and all(p.startswith("/us/const/article/II/") for p in places(answer))
    assert answer["rules"]["fired"] == [
        {"id": -1, "name": "rule 1 of this call", "version": 0, "actions": ["restrict"]}
    ]


@pytest.mark.parametrize(
    "written",
    [
        {},
        {"actions": []},
        {"actions": [{"kind": "note", "text": "Call 555"}]},
        {"actions": [{"kind": "redirect", "locator": FIRST}]},
        {"actions": [{"kind": "redirect", "locator": "//elsewhere.example"}]},
        {"actions": [{"kind": "abstain"}]},
        {"actions": [{"kind": "synonym", "text": "x"}]},
        {"actions": [{"kind": "alias"}], "targets": section(FIRST)},
        {"actions": [{"kind": "pin"}]},
        {"actions": [{"kind": "pin", "position": 0}], "targets": section(FIRST)},
        {"actions": [{"kind": "pin"}, {"kind": "exclude"}], "targets": section(FIRST)},
        {"actions": [{"kind": "boost", "factor": 1e9}], "targets": section(FIRST)},
        {"actions": [{"kind": "pin", "colour": "red"}], "targets": section(FIRST)},
        {"actions": [{"kind": "pin"}], "targets": section("/us/const/amendment/XCIX")},
        {"actions": [{"kind": "pin"}], "targets": [{"kind": "document", "value": "/us/const", "pages": "0"}]},
        {"actions": [{"kind": "pin"}], "targets": [{"kind": "filename", "value": "nothing.pdf"}]},
        {"actions": [{"kind": "pin"}], "targets": section(FIRST), "criteria": []},
        {
            "actions": [{"kind": "pin"}],
            "targets": section(FIRST),
            "criteria": [{"kind": "regex", "value": "(a"}],
        },
        {
            "actions": [{"kind": "pin"}],
            "targets": section(FIRST),
            "criteria": [{"kind": "router", "value": "x"}],
        },
        {"actions": [{"kind": "pin"}], "targets": section(FIRST), "domains": ["client_cases"]},
        {"actions": [{"kind": "pin"}], "targets": section(FIRST), "domains": "us_constitution"},
        {"actions": [{"kind": "pin"}], "targets": section(FIRST), "domains": ["\0"]},
        {
            "actions": [{"kind": "pin"}],
            "targets": section(FIRST),
            "criteria": [{"kind": "domain", "value": "\ud800"}],
        },
        {"actions": [{"kind": "pin"}], "targets": section(FIRST), "name": "Attorney Jones recommends"},
        {"actions": "pin", "targets": section(FIRST)},
        {"actions": [{"kind": "restrict"}], "targets": "heading"},
        {"actions": [{"kind": "restrict"}], "targets": [{"kind": "metadata", "key": "a", "value": 10**400}]},
        {"actions": [{"kind": "pin"}], "targets": section(FIRST), "priority": "high"},
    ],
)
def test_a_rule_written_out_is_held_to_what_stored_ones_are(client, written):
    status, answer = post(client, rules=[written])
    assert (status, answer["error"]["code"]) == (400, "bad_rule")


def test_a_body_takes_at_most_ten_rules_written_out(client):
    assert post(client, rules=[IN_ARTICLE_II] * 10)[0] == 200
    assert post(client, rules=[IN_ARTICLE_II] * 11)[0] == 400


def test_rules_written_out_take_at_most_fifty_targets_together(client):
    many = IN_ARTICLE_II | {"targets": IN_ARTICLE_II["targets"] * 26}
    assert post(client, rules=[many])[0] == 200
    assert "at most 50 targets together" in post(client, rules=[many, many])[1]["error"]["message"]


def test_rules_written_out_take_at_most_three_headings_together(client):
    one = IN_ARTICLE_II | {"targets": [{"kind": "heading", "value": "Executive"}]}
    assert post(client, rules=[one] * 3)[0] == 200
    many = one | {"targets": one["targets"] * 2}
    assert "at most 3 headings together" in post(client, rules=[many, many])[1]["error"]["message"]


@pytest.mark.parametrize("name", ["include_all_rules", "process_rules_separately"])
def test_other_systems_names_for_covering_each_rule_are_taken(client, name):
    rules = [IN_ARTICLE_II, IN_ARTICLE_II | {"targets": section("/us/const/amendment/XXVI")}]
    status, answer = post(client, rules=rules, **{name: True})
    assert status == 200 and answer["rules"]["coverage"] == "each" and answer["rules"]["uncovered"] == []
    assert post(client, rules=rules, coverage="joint", **{name: True})[0] == 400


def test_an_empty_list_of_rules_is_an_explicit_state(client):
    assert post(client, rules=[])[1]["rules"]["policy"] == "global"
    assert post(client, rules=[], no_rule="none")[1]["results"] == []


def test_a_page_shows_the_note_and_what_was_searched_instead(client, rule):
    rule({"kind": "note", "text": "Ask <a lawyer>."}, {"kind": "rewrite", "text": "quartering of soldiers"})
    page = client.get("/search", {"q": QUESTION}).content.decode()
    assert "Ask &lt;a lawyer&gt;." in page and "quartering of soldiers" in page


def test_a_page_goes_where_a_rule_leads(client, rule):
    rule({"kind": "redirect", "locator": THIRD})
    response = client.get("/search", {"q": QUESTION})
    assert (response.status_code, response["Location"]) == (302, f"/law{THIRD}")
    part = client.get("/search", {"q": QUESTION}, headers={"HX-Request": "true"})
    assert part["HX-Redirect"] == f"/law{THIRD}"
