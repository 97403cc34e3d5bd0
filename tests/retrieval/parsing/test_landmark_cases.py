"""The decisions that ship: complete, each once, and the same as the measuring data where these know them."""

import json
import lzma
from datetime import date

import pytest
from django.conf import settings

from retrieval.citations.citation import cite
from retrieval.corpus import history
from retrieval.models import Section
from retrieval.parsing.cases import case_of
from retrieval.text.later_law import departed_from

FILE = settings.BASE_DIR / "retrieval/corpora/supreme_court_cases.jsonl"
ROWS = [json.loads(line) for line in FILE.read_text(encoding="utf-8").splitlines()]
FIELDS = {
    "locator", "name", "short_names", "citation", "decided", "facts", "question", "holding", "provisions",
}  # fmt: skip
SHARED = ("name", "citation", "decided")
MISSPELT = {"/us/scotus/462/213": "IIllinois v. Gates"}  # in the measuring data


def test_every_decision_is_complete_and_there_once():
    assert len({row["locator"] for row in ROWS}) == len(ROWS) >= 400
    for row in ROWS:
        assert row.keys() == FIELDS and row["name"], row["locator"]
        assert row["citation"] == cite(row["locator"])
        assert 25 <= len(row["facts"].split()) <= 110 and 15 <= len(row["holding"].split()) <= 100, row["locator"]
        assert row["question"].endswith("?")


def test_they_stand_in_the_order_of_days_on_which_the_court_sat():
    days = [date.fromisoformat(row["decided"]) for row in ROWS]
    assert days == sorted(days)
    assert days[0] >= date(1791, 1, 1) and not [day for day in days if day.weekday() == 6]


@pytest.mark.django_db
def test_the_provisions_of_the_constitution_that_they_construe_exist():
    construed = {locator for row in ROWS for locator in row["provisions"] if locator.startswith("/us/const/")}
    assert construed <= set(Section.objects.live().values_list("locator", flat=True))


@pytest.mark.measuring_data
def test_the_provisions_of_the_code_that_they_construe_exist(code_of_2016):
    construed = {locator for row in ROWS for locator in row["provisions"] if locator.startswith("/us/usc/")}
    assert construed <= code_of_2016.keys()


@pytest.mark.measuring_data
def test_what_the_measuring_data_know_of_them_is_the_same(measuring_data):
    with lzma.open(measuring_data / "scotus/cases-before-2003.jsonl.xz", "rt", encoding="utf-8") as lines:
        known = {row["locator"]: row for row in map(json.loads, lines)}
    for row in ROWS:
        if same := known.get(row["locator"]):
            name = MISSPELT.get(row["locator"], row["name"])
            assert {**row, "name": name}.items() >= {field: same[field] for field in SHARED}.items()


def test_overruled_decisions_name_decisions_and_the_day_of_the_later():
    days = {row["locator"]: row["decided"] for row in ROWS}
    for change in history.changes():
        if change.effect == "overruled" and change.by in days:
            assert change.day.isoformat() == days[change.by]
            assert days.get(change.provision, "0") < days[change.by]


def test_decisions_whose_holding_tells_of_later_law_are_marked():
    departed = {row["locator"] for row in ROWS if departed_from(row["holding"])}
    assert len(departed) > 25
    assert departed <= {change.provision for change in history.changes() if change.effect in history.OVERTAKEN}
    days = {row["locator"]: row["decided"] for row in ROWS}
    for change in history.changes():
        if change.effect == history.DEPARTED:
            assert days[change.provision] < change.day.isoformat() == days.get(change.by, change.day.isoformat())


def test_each_row_is_read_as_a_document():
    for document in map(case_of, ROWS):
        assert document.root.text.startswith("Facts. ") and document.root.names["en"]
