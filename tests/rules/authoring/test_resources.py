"""Aliases, glossary terms and rules as files, in and out."""

import csv
import io
import json
import time

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from rules.authoring import workflow
from rules.authoring.resources import PlainJSON, RuleResource, SafeCSV
from rules.models import Alias, GlossaryTerm, Rule
from tests.hostile import FORMULAS, OBJECTS, TABLES
from tests.rule_searches import ALWAYS
from tests.rules.alias_pages import ALIASES, confirm, upload
from tests.rules.rule_pages import FORM, LIST

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("unjudged")]


def test_a_file_of_aliases_is_shown_before_it_is_taken_in(client, curator, constitution):
    text = "domain,text,locator,language,enabled,note\nus_constitution,sabbath clause,/us/const/amendment/I,en,1,\n"
    preview = upload(client, ALIASES, text)
    assert b"sabbath clause" in preview.content
    assert not Alias.objects.filter(text="sabbath clause").exists()
    confirm(client, ALIASES, preview)
    history = Alias.objects.get(text="sabbath clause").history.get()
    assert (history.history_user, history.history_change_reason) == (curator, "import of new.csv")


def test_a_row_that_names_no_provision_is_refused_with_its_number(client, curator):
    text = (
        "domain,text,locator,language,enabled\n"
        "us_constitution,good,/us/const/amendment/I,en,1\n"
        "us_constitution,bad,/us/const/amendment/XCIX,en,1\n"
    )
    preview = upload(client, ALIASES, text)
    (invalid,) = preview.context["result"].invalid_rows
    assert invalid.number == 2
    assert b"No provision of this domain has this locator." in preview.content
    assert not Alias.objects.filter(text__in=["good", "bad"]).exists()


def test_a_domain_one_may_not_see_is_unknown_to_an_import(client, curator):
    preview = upload(client, ALIASES, "domain,text,locator,language\nclient_cases,x,/client_cases/1/1,en\n")
    assert "There is no domain “client_cases”." in preview.content.decode()


def test_rows_of_json_have_the_same_fields_in_any_order(client, curator, constitution):
    one = {"domain": "us_constitution", "text": "wombat clause", "locator": "/us/const/amendment/I", "language": "en"}
    two = dict(reversed(one.items())) | {"text": "quokka clause"}
    lacking = {name: value for name, value in two.items() if name != "language"}
    told = upload(client, ALIASES, json.dumps([one, lacking]), name="new.json").content.decode()
    assert "Row 2 differs from the first in the field “language”" in told
    confirm(client, ALIASES, upload(client, ALIASES, json.dumps([one, two]), name="new.json"))
    assert Alias.objects.get(text="quokka clause").locator == "/us/const/amendment/I"


def test_importing_what_is_there_changes_nothing(client, curator, constitution):
    exported = client.post(f"{ALIASES}export/?q=jeopardy", export_form("1")).content.decode()
    assert 0 < len(json.loads(exported)) < 100
    before = Alias.history.count()
    confirm(client, ALIASES, upload(client, ALIASES, exported, name="all.json"))
    assert Alias.history.count() == before


def export_form(number: str) -> dict:
    fields = ("domain", "text", "locator", "language", "enabled", "note")
    return {"format": number, "resource": "0"} | {f"aliasresource_{field}": "on" for field in fields}


@pytest.mark.parametrize("format", [SafeCSV, PlainJSON])
def test_what_is_exported_can_be_imported_as_drafts(quartering, format):
    text = format().export_data(RuleResource().export())
    content = Rule.objects.get(pk=quartering.pk).content
    Rule.objects.all().delete()
    dataset = format().create_dataset(text)
    trial = RuleResource().import_data(dataset, dry_run=True)
    assert trial.totals["new"] == 1 and not Rule.objects.exists()
    RuleResource().import_data(dataset, raise_errors=True)
    made = Rule.objects.get()
    assert made.content == content and made.status == "draft"


def test_an_import_with_a_bad_rule_changes_nothing(client, curators):
    row = {"name": "x", "criteria": [{"kind": "always"}], "targets": [], "actions": [{"kind": "pin"}]}
    file = SimpleUploadedFile("rules.json", json.dumps([row]).encode(), content_type="application/json")
    page = client.post(f"{LIST}import/", {"format": "1", "import_file": file}).content.decode()
    assert "needs something to act upon" in page and not Rule.objects.exists()


def test_a_rule_of_other_domains_may_have_the_name_and_is_not_told_of(client, curators):
    """The hidden one acts in a domain in which this curator reads nothing."""
    hidden = Rule.objects.create(name="Doe", domains=["client_cases"], criteria=ALWAYS, actions=[{"kind": "abstain"}])
    everywhere = {"name": "Doe", "criteria": ALWAYS, "targets": [], "actions": [{"kind": "abstain"}]}
    rows = [everywhere | {"domains": domains} for domains in ([], ["us_constitution"])]
    for _again in range(2):
        confirm(client, LIST, upload(client, LIST, json.dumps(rows), name="new.json"))
    made = Rule.objects.exclude(pk=hidden.pk).order_by("pk")
    assert list(made.values_list("name", "domains")) == [("Doe", []), ("Doe", ["us_constitution"])]
    assert workflow.free_name("Doe", ["us_code"]) == "Doe" and workflow.free_name("Doe", []) == "Doe (2)"
    refused = client.post(f"{LIST}add/", FORM | {"name": "Doe"})
    assert "Rule with this Name and Domains already exists." in refused.content.decode()


def test_exports_escape_formulas_and_imports_take_that_back(client, curator, constitution):
    Alias.objects.create(domain=constitution, text="=SUM(A1)", locator="/us/const/amendment/I", note="+1")
    text = client.post(f"{ALIASES}export/?q=SUM", export_form("0")).content.decode()
    row = next(row for row in csv.DictReader(io.StringIO(text)) if "SUM" in row["text"])
    assert (row["text"], row["note"]) == ("'=SUM(A1)", "'+1")
    back = SafeCSV().create_dataset(text).dict
    assert any(row["text"] == "=SUM(A1)" for row in back)
    as_json = json.loads(client.post(f"{ALIASES}export/?q=SUM", export_form("1")).content)
    assert any(row["text"] == "=SUM(A1)" for row in as_json)


HOSTILE_ROWS = "domain,text,locator,language\n" + "".join(
    f"us_constitution,{text},/us/const/amendment/I,en\n"
    for text in ("w\0t", "x" * 5_000, *(f'"{cell.replace(chr(34), chr(34) * 2)}"' for cell in FORMULAS))
)


@pytest.mark.parametrize("url", [ALIASES, "/admin/rules/glossaryterm/", LIST])
@pytest.mark.parametrize("name", [*TABLES, *OBJECTS])
def test_a_hostile_file_is_answered_with_what_is_wrong_with_it(client, curator, url, name):
    content, started = (TABLES | OBJECTS)[name], time.process_time()
    before = (Alias.history.count(), GlossaryTerm.history.count(), Rule.history.count())
    answer = upload(client, url, content, name="new.csv" if name in TABLES else "new.json")
    assert answer.status_code == 200 and len(answer.content) < 5_000_000
    if result := answer.context.get("result"):
        assert result.has_errors() or result.has_validation_errors() or not result.totals["new"]
    assert (Alias.history.count(), GlossaryTerm.history.count(), Rule.history.count()) == before
    assert time.process_time() - started < 10


def test_formulas_and_characters_that_no_text_holds_are_told_row_by_row(client, curator):
    result = upload(client, ALIASES, HOSTILE_ROWS).context["result"]
    assert {number for number, _ in result.row_errors()} | {row.number for row in result.invalid_rows} >= {1, 2}
    assert not Alias.objects.filter(text__startswith="x" * 100).exists()
