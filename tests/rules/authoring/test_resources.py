"""Aliases, glossary terms and rules as files, in and out."""

import csv
import io
import json
import time

import pytest
from django.core.exceptions import ValidationError
from django.core.files.uploadedfile import SimpleUploadedFile

from rules.authoring import workflow
from rules.authoring.resources import PlainJSON, RuleResource, SafeCSV
from rules.models import Alias, GlossaryTerm, Rule
from tests.builders import a_domain
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
    dataset = format().create_dataset(text.encode())
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
    back = SafeCSV().create_dataset(text.encode()).dict
    assert any(row["text"] == "=SUM(A1)" for row in back)
    as_json = json.loads(client.post(f"{ALIASES}export/?q=SUM", export_form("1")).content)
    assert any(row["text"] == "=SUM(A1)" for row in as_json)


GLOSSARY = "/admin/rules/glossaryterm/"


def problems(page) -> dict[str, list[str]]:
    """Of the only row that was refused, by column."""
    assert "Traceback" not in page.content.decode()
    (invalid,) = page.context["result"].invalid_rows
    return invalid.field_specific_errors


@pytest.mark.parametrize(
    ("said", "enabled"),
    [("yes", True), ("Sí", True), ("X", True), ("VERDADERO", True), ("", True), ("no", False), ("Falso", False)],
)
def test_a_switch_is_read_as_people_and_spreadsheets_write_it(client, curator, said, enabled):
    confirm(client, GLOSSARY, upload(client, GLOSSARY, f"spanish,english,enabled\nwombat,wombat,{said}\n"))
    assert GlossaryTerm.objects.get(spanish="wombat").enabled is enabled


def test_an_empty_switch_leaves_a_row_as_it_is_and_another_word_is_refused(client, curator):
    GlossaryTerm.objects.create(spanish="wombat", english="x", enabled=False)
    confirm(client, GLOSSARY, upload(client, GLOSSARY, "spanish,english,enabled\nwombat,wombat,\n"))
    assert GlossaryTerm.objects.get(spanish="wombat", english="wombat").enabled is False
    told = problems(upload(client, GLOSSARY, "spanish,english,enabled\nwombat,wombat,maybe\n"))
    assert told == {"enabled": ["“maybe” is neither yes nor no."]}


@pytest.mark.parametrize("url", [ALIASES, GLOSSARY, LIST])
@pytest.mark.parametrize("file", ["colour,size\nred,3\n", '[{"colour": "red"}]'])
def test_a_file_that_lacks_a_column_is_told_which_it_needs(client, curator, url, file):
    told = upload(client, url, file, name="new.json" if file.startswith("[") else "new.csv").content.decode()
    needed = {ALIASES: "domain, text, locator, language", GLOSSARY: "spanish", LIST: "name, domains"}[url]
    assert f"The file needs the columns: {needed}." in told
    assert "Traceback" not in told and ".py" not in told


@pytest.mark.parametrize("encoding", ["utf-8-sig", "cp1252", "utf-16"])
@pytest.mark.parametrize("sign", [",", ";", "\t"])
def test_a_table_is_read_as_any_spreadsheet_writes_it(client, curator, encoding, sign):
    file = f"spanish{sign}english\r\ncañón{sign}cannon\r\n".encode(encoding)
    confirm(client, GLOSSARY, upload(client, GLOSSARY, file))
    assert GlossaryTerm.objects.get(spanish="cañón").english == "cannon"


@pytest.mark.parametrize(
    ("name", "file", "why"),
    [
        ("new.json", "[{", "This is not JSON: Expecting property name"),
        ("new.json", "[" * 100_000, "This is not JSON"),
        ("new.json", "[1]", "The file must be one list of objects"),
        ("new.json", "[{}]", "The file must be one list of objects"),
        ("new.json", '{"spanish": "a"}', "The file must be one list of objects"),
        ("new.json", r'[{"spanish": "w\u0000t"}]', "It holds a character that cannot be shown."),
        ("new.json", r'[{"spanish": "w\ud800t"}]', "It holds a character that cannot be shown."),
        ("new.csv", "spanish,english\na,b,c\n", "Line 2 has 3 cells under 2 columns."),
        ("new.csv", 'spanish,english\na,"b\nc,d\n', "is a quote not closed?"),
        ("new.csv", "spanish,english\na,\0\n", "This is no text file."),
    ],
)
def test_a_file_that_cannot_be_read_is_told_why(client, curator, name, file, why):
    told = upload(client, GLOSSARY, file, name=name).content.decode()
    assert why in told and "Traceback" not in told


@pytest.mark.parametrize(
    ("changed", "column", "why"),
    [
        ({"place": "abc"}, "place", "“abc” cannot be read."),
        ({"place": {"a": 1}}, "place", "cannot be read."),
        ({"domain": ["us_constitution"]}, "domain", "There is no domain"),
        ({"language": "xx"}, "language", "is not a valid choice."),
        ({"enabled": []}, "enabled", "“[]” is neither yes nor no."),
    ],
)
def test_a_value_of_another_type_is_told_at_its_column(client, curator, changed, column, why):
    row = {"domain": "us_constitution", "text": "wombat", "locator": "/us/const/amendment/I", "language": "en"}
    told = problems(upload(client, ALIASES, json.dumps([row | changed]), name="new.json"))
    assert list(told) == [column] and why in told[column][0]


@pytest.mark.parametrize(
    ("changed", "column"),
    [
        ({"domains": 5}, "domains"),
        ({"tags": {"a": 1}}, "tags"),
        ({"priority": "abc"}, "priority"),
        ({"valid_to": "soon"}, "valid_to"),
        ({"targets": "[{"}, "targets"),
        ({"criteria": "always"}, "criteria"),
    ],
)
def test_a_value_of_a_rule_that_cannot_be_read_is_told_at_its_column(client, curators, changed, column):
    row = {"name": "x", "criteria": ALWAYS, "actions": [{"kind": "abstain"}]} | changed
    assert list(problems(upload(client, LIST, json.dumps([row]), name="new.json"))) == [column]


def test_an_empty_cell_of_a_rule_is_an_empty_list(client, curators):
    rows = [["name", "domains", "criteria", "targets", "actions", "tags"]]
    rows += [["Quiet", "", '[{"kind": "always"}]', "", '[{"kind": "abstain"}]', "a,,b,"]]
    text = io.StringIO()
    csv.writer(text).writerows(rows)
    confirm(client, LIST, upload(client, LIST, text.getvalue()))
    made = Rule.objects.get(name="Quiet")
    assert (made.targets, made.domains, made.tags) == ([], [], ["a", "b"])


def test_blanks_around_a_name_and_the_order_of_domains_make_no_second_rule(client, curators):
    told = {"criteria": ALWAYS, "targets": [], "actions": [{"kind": "abstain"}]}
    a_domain(slug="leases")
    for name, domains in (("zebra", ["us_constitution", "leases"]), (" zebra ", ["leases", "us_constitution"])):
        rows = [told | {"name": name, "domains": domains}]
        confirm(client, LIST, upload(client, LIST, json.dumps(rows), name="new.json"))
    made = Rule.objects.get()
    assert (made.name, made.domains) == ("zebra", ["leases", "us_constitution"])
    with pytest.raises(ValidationError, match="Another rule of the same domains"):
        Rule(name="zebra", domains=["us_constitution", "leases"], actions=[], criteria=[]).validate_constraints()


def test_rows_of_one_file_that_contradict_each_other_are_refused(client, curator):
    text = "spanish,english\nchancla voladora,late fee\nchancla voladora,other\n"
    preview = upload(client, "/admin/rules/glossaryterm/", text)
    assert b"An earlier row of the file says something else" in preview.content
    assert not GlossaryTerm.objects.filter(spanish="chancla voladora").exists()


HOSTILE_ROWS = "domain,text,locator,language\n" + "".join(
    f"us_constitution,{text},/us/const/amendment/I,en\n"
    for text in ("x" * 5_000, *(f'"{cell.replace(chr(34), chr(34) * 2)}"' for cell in FORMULAS))
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


def test_formulas_and_a_text_that_is_too_long_are_told_row_by_row(client, curator):
    result = upload(client, ALIASES, HOSTILE_ROWS).context["result"]
    assert {number for number, _ in result.row_errors()} | {row.number for row in result.invalid_rows} >= {1}
    assert not Alias.objects.filter(text__startswith="x" * 100).exists()
