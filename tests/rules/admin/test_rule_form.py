"""Clauses written out in words."""

import re

import pytest

from retrieval.access.caller import ANONYMOUS
from rules.admin.rule_form import RuleForm, boxes_of, clauses_text, read_action, read_criterion, read_target
from rules.models import Rule
from tests.builders import a_chunk, a_document, a_domain, a_section
from tests.retrieval.pages.looking import Page
from tests.rule_searches import THIRD, section
from tests.rules.rule_pages import ADD, FORM, LIST

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("unjudged")]


def test_history_tells_what_changed_in_words(client, quartering):
    form = FORM | {"targets-1-kind": "metadata", "targets-1-key": "year", "targets-1-comparison": "at_least"}
    client.post(f"{LIST}{quartering.pk}/change/", form | {"targets-1-value": "2020"})
    page = client.get(f"{LIST}{quartering.pk}/history/").content.decode()
    assert "documents whose metadata say year at least 2020" in page and "None" not in page
    assert "Draft" in page and "{&#x27;kind&#x27;" not in page


def test_every_kind_of_target_is_told_in_words(client, curators):
    rows = [{"kind": "metadata", "key": "year", "comparison": "at_least", "value": 2020}]
    rows += [{"kind": "chunk", "value": [3, 5]}, {"kind": "document", "value": "/a", "pages": [1, 2]}]
    assert clauses_text("targets", rows) == (
        "documents whose metadata say year at least 2020; passages by number 3, 5; document /a, pages 1, 2"
    )


@pytest.mark.parametrize(
    ("read", "clause", "separator"),
    [
        (read_criterion, {"kind": "keywords", "value": ["rent", "bail"], "stemmed": True}, "; "),
        (read_criterion, {"kind": "always"}, "; "),
        (read_target, {"kind": "chunk", "value": [3, 5]}, ", "),
        (read_target, {"kind": "pages", "pages": "3-5, 8"}, ", "),
        (read_target, {"kind": "metadata", "key": "year", "comparison": "at_least", "value": 2020}, ", "),
        (read_action, {"kind": "pin", "position": 2}, ", "),
        (read_action, {"kind": "boost", "factor": 1.5}, ", "),
        (read_action, {"kind": "redirect", "locator": "/us/const/amendment/I"}, ", "),
        (read_action, {"kind": "rewrite", "text": "tenant", "phrase": "renter"}, ", "),
    ],
)
def test_a_clause_is_read_back_from_its_boxes(read, clause, separator):
    empty = dict.fromkeys(("value", "stemmed", "key", "comparison", "pages", "text", "phrase", "amount"), "")
    assert read(empty | boxes_of(clause, separator), ANONYMOUS) == clause


def test_what_is_no_number_is_refused():
    with pytest.raises(ValueError, match="is no number"):
        read_action({"kind": "pin", "text": "", "phrase": "", "amount": "first"}, ANONYMOUS)


def test_rows_of_the_form_become_a_draft(quartering, curators):
    assert quartering.criteria == [{"kind": "keywords", "value": ["soldiers", "quartering"], "stemmed": True}]
    assert quartering.targets == section(THIRD) and quartering.actions == [{"kind": "pin", "position": 1}]
    assert (quartering.status, quartering.owner, quartering.live) == ("draft", curators[0], None)
    assert quartering.history.get().history_user == curators[0]


def test_tags_that_are_empty_are_left_out(client, quartering):
    client.post(f"{LIST}{quartering.pk}/change/", FORM | {"tags": "a,, b ,"})
    assert Rule.objects.get(pk=quartering.pk).tags == ["a", "b"]


def test_the_form_shows_what_it_saved(client, quartering):
    page = client.get(f"{LIST}{quartering.pk}/change/").content.decode()
    assert 'value="soldiers; quartering"' in page and f'value="{THIRD}"' in page
    assert '<option value="keywords" selected>' in page


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"criteria-0-kind": "regex", "criteria-0-value": "(a"}, "No. 1"),
        ({"targets-0-value": "us/const"}, "is no locator"),
        ({"targets-0-kind": "chunk", "targets-0-value": "x"}, "is no number"),
        ({"targets-0-kind": ""}, "needs something to act upon"),
        ({"actions-0-kind": ""}, "Say what it does"),
        ({"actions-0-amount": "0"}, "from 1 to 50"),
        ({"actions-0-kind": "boost", "actions-0-amount": "1,000"}, "is no number"),
        ({"valid_from": "2026-02-01", "valid_to": "2026-01-01"}, "before the first day"),
    ],
)
def test_the_form_tells_what_is_wrong_in_words(client, curators, change, told):
    page = client.post(ADD, FORM | change)
    assert page.status_code == 200 and told in page.content.decode()
    assert not Rule.objects.exists()


@pytest.mark.parametrize("written", ["1,5", "1.5"])
def test_a_factor_is_written_as_people_write_it(client, curators, written):
    assert client.post(ADD, FORM | {"actions-0-kind": "boost", "actions-0-amount": written}).status_code == 302
    assert Rule.objects.get(name="Quartering").actions == [{"kind": "boost", "factor": 1.5}]


def test_a_place_may_be_cited_by_the_title_of_a_document_of_ones_own(client, curators):
    document = a_document(a_domain(name="County Code"), title="Title 4")
    place = a_section(document, number="4-12", text="Dogs.")
    rows = {"criteria-0-kind": "citation", "criteria-0-value": "county code sec. 4-12"}
    rows |= {"targets-0-value": "Title 4, § 4-12"}
    a_chunk(place)
    assert client.post(ADD, FORM | rows).status_code == 302
    rule = Rule.objects.get(name="Quartering")
    assert rule.criteria[0]["value"] == rule.targets[0]["value"] == place.locator


def test_headings_and_pages_of_every_document_are_targets_of_the_form(client, curators):
    rows = {"targets-0-kind": "heading", "targets-0-value": "legislative powers"}
    rows |= {"targets-1-kind": "pages", "targets-1-pages": "1-2", "targets-2-kind": ""}
    assert client.post(ADD, FORM | rows).status_code == 302
    targets = [{"kind": "heading", "value": "legislative powers"}, {"kind": "pages", "pages": "1-2"}]
    assert Rule.objects.get(name="Quartering").targets == targets


def test_a_rule_that_names_what_is_private_names_its_domain(client, curators, secret):
    form = FORM | {"targets-0-value": secret.locator}
    for domains in ([], ["us_constitution"]):
        assert "private in “client_cases”" in client.post(ADD, form | {"domains": domains}).content.decode()
    page = client.get(ADD, {"target": f"document {secret.locator}"}).content.decode()
    assert re.search(r'value="client_cases"[^>]* checked', page)
    assert client.post(ADD, form | {"domains": ["client_cases"]}).status_code == 302
    client.get(LIST)  # reads the message that it was added
    assert "Quartering" in client.get(LIST).content.decode()
    client.force_login(curators[1])
    assert "Quartering" not in client.get(LIST).content.decode()


def test_what_a_box_refers_to_is_on_the_page(client, curators):
    refused = client.post(ADD, FORM | {"criteria-0-kind": "regex", "criteria-0-value": "(a", "name": ""})
    for page in map(Page, (client.get(ADD), refused)):
        ids = {attributes["id"] for _, attributes in page.elements if "id" in attributes}
        referred = [a.get("aria-describedby", "").split() for _, a in page.elements]
        assert {label["for"] for label in page.all("label") if "for" in label} | set(sum(referred, [])) <= ids
    (rows,) = page.all("div", **{"data-rows": "criteria"})
    assert rows["aria-label"] == "Criteria" and "id_criteria_error" in rows["aria-describedby"].split()


def test_boxes_are_as_large_as_what_is_written_in_them():
    fields = RuleForm().fields
    assert fields["rationale"].widget.attrs["rows"] == 3
    assert fields["tags"].widget.input_type == "text"
