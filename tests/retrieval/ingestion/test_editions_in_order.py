"""The order of editions, law that was withdrawn and comes back, and editions that are put right."""

import json
from datetime import date

import pytest
from django.utils import timezone

from retrieval import jobs
from retrieval.access.caller import Caller
from retrieval.corpus.changes import Span, changes
from retrieval.ingestion import ingest, uploading
from retrieval.models import Domain, JobRun
from tests.retrieval.ingestion.conftest import ingested

pytestmark = pytest.mark.django_db
STAFF = Caller(("user:1",), is_staff=True)
FIRST, SECOND, THIRD = "2016-01-01", "2017-01-01", "2018-01-01"
WORDS = {n: f"Dogs of street {n} are leashed." for n in range(1, 5)}


@pytest.fixture
def code():
    return Domain.objects.get(slug="us_code")


@pytest.fixture
def load(code, tmp_path):
    """Ingests an edition of a title, sections by number: load(FIRST, WORDS)."""

    def edition(day: str, sections: dict[int, str], also: dict[int, dict] | None = None, **params) -> JobRun:
        path = tmp_path / "t4.jsonl"
        rows = (
            {"locator": f"/us/usc/t4/s{n}", "path": "/us/usc/t4/ch1", "text": text} | (also or {}).get(n, {})
            for n, text in sections.items()
        )
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))
        return ingested(code, path, edition=day, **params)

    return edition


def versions(code: Domain, number: int) -> list[tuple[str, str, str]]:
    kept = code.sections.live().filter(locator=f"/us/usc/t4/s{number}").order_by("valid_from", "pk")
    return [(row.text, str(row.valid_from), str(row.valid_to or "")) for row in kept]


def told(code: Domain) -> list[tuple[str, str, str]]:
    found, _ = changes(Caller(), Span(), domains=[code], page=1, size=20)
    return [(made.section.number, made.kind, str(made.day)) for made in found]


def test_an_edition_older_than_the_last_one_is_refused_though_that_changed_nothing(code, load):
    load(FIRST, WORDS)
    load(THIRD, WORDS)
    run = load(SECOND, WORDS | {2: "Dogs roam."})
    assert run.status == JobRun.Status.FAILED
    assert f"the edition of {SECOND}, but that of {THIRD} is loaded" in run.error
    assert versions(code, 2) == [(WORDS[2], FIRST, "")]
    assert load(THIRD, WORDS | {2: "Dogs roam."}).status == JobRun.Status.DONE


@pytest.mark.parametrize(("day", "text"), [(FIRST, WORDS[2]), (THIRD, "Dogs roam.")])
def test_law_that_was_withdrawn_comes_back_as_it_was_and_is_amended_by_its_edition(code, load, day, text):
    load(FIRST, WORDS)
    uploading.withdraw(code.documents.get(), STAFF)
    assert not code.sections.in_force().exists()
    assert load(day, WORDS | {2: text}).status == JobRun.Status.DONE
    assert versions(code, 1) == [(WORDS[1], FIRST, "")]
    assert versions(code, 2) == ([(text, FIRST, "")] if day == FIRST else [(WORDS[2], FIRST, day), (text, day, "")])
    assert code.sections.live().in_force().count() == len(WORDS) + 2
    assert told(code) == ([] if day == FIRST else [("2", "changed", day)])


def test_law_that_was_withdrawn_comes_back_without_a_day_too(code, load):
    load(FIRST, WORDS)
    uploading.withdraw(code.documents.get(), STAFF)
    assert load("", WORDS).status == JobRun.Status.DONE
    assert versions(code, 1) == [(WORDS[1], FIRST, "")] and timezone.localdate() > date.fromisoformat(FIRST)


def test_an_edition_that_lacked_sections_or_had_others_is_put_right_by_the_whole_one_of_its_day(code, load):
    right = WORDS | {1: "Dogs of street 1 roam."}
    load(FIRST, WORDS)
    load(SECOND, {1: right[1], 2: "Dgos of street 2.", 3: WORDS[3], 9: "Cats."}, force=True)
    load(SECOND, right)
    assert versions(code, 1) == [(WORDS[1], FIRST, SECOND), (right[1], SECOND, "")]
    assert [versions(code, n) for n in (2, 3, 4)] == [[(WORDS[n], FIRST, "")] for n in (2, 3, 4)]
    assert versions(code, 9) == [] and told(code) == [("1", "changed", SECOND)]
    load(THIRD, right | {4: "Dogs of street 4 roam."})
    assert versions(code, 4) == [(WORDS[4], FIRST, THIRD), ("Dogs of street 4 roam.", THIRD, "")]


def test_what_has_yet_to_begin_when_law_is_withdrawn_never_does(code, load):
    load(FIRST, WORDS, {4: {"valid_from": "2999-01-01"}})
    assert versions(code, 4) == [(WORDS[4], "2999-01-01", "")]
    uploading.withdraw(code.documents.get(), STAFF)
    assert versions(code, 4) == [] and versions(code, 3) == [(WORDS[3], FIRST, str(timezone.localdate()))]
    assert told(code) == []
    load(FIRST, WORDS, {4: {"valid_from": "2999-01-01"}})
    assert versions(code, 4) == [(WORDS[4], "2999-01-01", "")] and versions(code, 3) == [(WORDS[3], FIRST, "")]


def test_levels_are_not_counted_where_a_source_is_held_to_be_cut_short(code, load):
    load(FIRST, {n: f"Dogs of street {n}." for n in range(1, 11)})
    run = load(SECOND, {n: f"Dogs of street {n}." for n in range(1, 5)})
    assert run.status == JobRun.Status.FAILED
    assert "4 sections where 10 are known; nothing was changed" in run.error


def test_what_ends_before_it_begins_is_refused(code, load):
    run = load("", WORDS, {2: {"valid_from": "2024-01-01", "valid_to": "2023-01-01"}})
    assert run.status == JobRun.Status.FAILED and not code.sections.exists()
    assert "/us/usc/t4/s2 ends on 2023-01-01, before it begins on 2024-01-01" in run.error


def test_a_heading_that_was_lacking_or_is_set_otherwise_makes_no_version_and_one_of_other_words_does(code, load):
    headings = ("", "Flag of the Union", "FLAG OF THE UNION.", "Flag, of the States")
    for day, heading in zip((FIRST, SECOND, THIRD, "2019-01-01"), headings, strict=True):
        load(day, WORDS, {1: {"heading": heading}})
    kept = code.sections.live().filter(locator="/us/usc/t4/s1").order_by("pk")
    assert [(row.heading, str(row.valid_from)) for row in kept] == [(headings[2], FIRST), (headings[3], "2019-01-01")]
    assert told(code) == [("1", "changed", "2019-01-01")]


def test_the_edition_of_what_an_earlier_release_staged_is_not_taken_for_that_of_the_whole(code, load, tmp_path):
    load(FIRST, WORDS)
    for run in jobs.run_here(jobs.create(**ingest.request(code, str(tmp_path / "t4.jsonl"), edition=SECOND))):
        staged = {name: kept for name, kept in run.state.items() if name != "scope"}
        JobRun.objects.filter(pk=run.pk).update(state=staged)
    assert code.documents.get().editions == {"": FIRST}


def test_what_waits_goes_with_what_it_stands_under(code, load):
    known = WORDS | {4: "Dogs of street 4, as 4 U.S.C. 1 says, are leashed."}
    elsewhere = {n: {"path": "/us/usc/t4/ch2"} for n in known}
    load(FIRST, known)
    load(SECOND, known | {4: "Dogs roam."}, elsewhere | {4: elsewhere[4] | {"valid_from": "2999-01-01"}})
    row = code.sections.live().in_force().get(locator="/us/usc/t4/s4")
    assert (row.text, row.parent.locator) == (known[4], "/us/usc/t4/ch2") and row.breadcrumb.endswith("Chapter 2")
    assert [edge.target.locator for edge in row.citations_made.all()] == ["/us/usc/t4/s1"]
    assert versions(code, 4) == [(known[4], FIRST, SECOND), (known[4], SECOND, "")] and told(code) == []
    load(THIRD, known | {4: "Dogs roam."}, elsewhere | {4: elsewhere[4] | {"valid_from": THIRD}})
    assert versions(code, 4)[1:] == [(known[4], SECOND, THIRD), ("Dogs roam.", THIRD, "")]


def test_what_waits_goes_there_without_a_day_too(code, load):
    load("", WORDS)
    elsewhere = {n: {"path": "/us/usc/t4/ch2"} for n in WORDS}
    load("", WORDS | {4: "Dogs roam."}, elsewhere | {4: elsewhere[4] | {"valid_from": "2999-01-01"}})
    row = code.sections.live().in_force().get(locator="/us/usc/t4/s4")
    assert (row.text, row.valid_from, row.parent.locator) == (WORDS[4], None, "/us/usc/t4/ch2")
