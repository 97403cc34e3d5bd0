"""Each day has the table of contents of its edition: its provisions, their headings, their order and what is above."""

import json
from datetime import date
from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval.access.caller import ANONYMOUS
from retrieval.api.sections import place_account
from retrieval.corpus.changes import versions_of
from retrieval.corpus.subtrees import within
from retrieval.ingestion.ordering import merged
from retrieval.models import Domain, JobRun, Section
from tests.database import rolled_back
from tests.retrieval.ingestion.conftest import ingested

# -- Pure

NAMES = "abcdefgh"
editions = st.lists(st.sets(st.sampled_from(NAMES), min_size=1), min_size=1, max_size=4)


def places(names: str) -> list[tuple[str, ...]]:
    """Chapters of two sections each: a, with a1 and a2."""
    return [place for name in sorted(names) for place in ((name,), (name, f"{name}1"), (name, f"{name}2"))]


@given(editions)
def test_an_edition_keeps_its_order_and_what_was_before_where_that_agrees(some):
    known = []
    for one in map(places, some):
        former, known = known, [*merged(known, one)]
        assert [place for place in known if place in one] == one
        agree = [place for place in former if place in one] == [place for place in one if place in former]
        assert not agree or [place for place in known if place in former] == former
        assert {*known} == {*former, *one} and len(known) == len({*known})


def test_what_left_stays_behind_what_it_stood_behind():
    known = [("a",), ("a", "1"), ("a", "2"), ("b",), ("c",), ("c", "1")]
    assert [*merged(known, [("a",), ("a", "2"), ("a", "3"), ("c",), ("d",)])] == [
        ("a",), ("a", "1"), ("a", "2"), ("a", "3"), ("b",), ("c",), ("c", "1"), ("d",),
    ]  # fmt: skip


def test_what_moved_stands_in_both_places():
    assert [*merged([("a",), ("a", "1"), ("b",)], [("a",), ("b",), ("b", "1")])] == [
        ("a",), ("a", "1"), ("b",), ("b", "1"),
    ]  # fmt: skip


# -- Three editions of one title

TITLE = "/us/usc/t4"
EDITIONS = {  # chapter, number, heading
    # fmt: off
    date(2016, 1, 1): [
        (1, 1, "Flag"), (1, 2, "Stars"), (1, 3, "Use"), (2, 4, "Seal"), (2, 5, "Keeper"), (2, 6, "Fees"),
    ],
    date(2017, 1, 1): [(1, 1, "Flag"), (1, 3, "Use"), (2, 4, "Great seal"), (2, 6, "Fees"), (3, 5, "Keeper")],
    date(2018, 1, 1): [(1, 0, "Title"), (1, 1, "Flag"), (1, 3, "Use"), (3, 5, "Keeper"), (3, 7, "States")],
    # fmt: on
}
DAYS = [*EDITIONS, date(2017, 12, 31)]


@pytest.fixture(scope="module")
def title(django_db_setup, django_db_blocker, tmp_path_factory):
    """Published once for the tests of this file, and never committed."""
    path = tmp_path_factory.mktemp("editions") / "t4.jsonl"
    with django_db_blocker.unblock(), rolled_back():
        for day, sections in EDITIONS.items():
            chapter = {"locator": f"{TITLE}/ch1", "path": f"{TITLE}/ch1", "heading": f"Chapter of {day.year}"}
            listed = (
                {"locator": f"{TITLE}/s{n}", "path": f"{TITLE}/ch{chapter}", "heading": name, "text": f"Words of {n}."}
                for chapter, n, name in sections
            )
            path.write_text("".join(json.dumps(row) + "\n" for row in (chapter, *listed)))
            run = ingested(Domain.objects.get(slug="us_code"), path, edition=day.isoformat(), force=True)
            assert run.status == JobRun.Status.DONE, run.error
        yield


def edition_of(day: date) -> list[tuple[int, int, str]]:
    return EDITIONS[max(begins for begins in EDITIONS if begins <= day)]


@pytest.mark.parametrize("day", DAYS)
@pytest.mark.django_db
def test_a_day_has_the_sections_of_its_edition_in_their_order_and_places(title, day):
    rows = Section.objects.readable(ANONYMOUS, day).filter(document__locator=TITLE).in_order()
    told = [(row.parent_locator, row.locator, row.heading) for row in rows if row.level == "section"]
    law = edition_of(day)
    assert told == [(f"{TITLE}/ch{chapter}", f"{TITLE}/s{n}", name) for chapter, n, name in law]
    chapters = [row for row in rows if row.level == "chapter"]
    assert [row.locator for row in chapters] == [*dict.fromkeys(f"{TITLE}/ch{chapter}" for chapter, *_ in law)]
    for row in chapters:
        inside = [n for chapter, n, _ in law if row.locator == f"{TITLE}/ch{chapter}"]
        [part] = within([row.locator], ANONYMOUS, day).parts
        first, end = part.positions
        found = rows.filter(level="section", position__gte=first, position__lt=end or 9_999)
        assert [*found.values_list("number", flat=True)] == [str(n) for n in inside]


@pytest.mark.django_db
def test_a_section_of_an_earlier_day_has_its_neighbours_its_heading_and_what_is_above(title):
    then, now = (partial(place_account, caller=ANONYMOUS, as_of=day)(f"{TITLE}/s5") for day in (DAYS[0], DAYS[2]))
    assert [then[side]["locator"] for side in ("previous", "parent", "next")] == [
        f"{TITLE}/s4", f"{TITLE}/ch2", f"{TITLE}/s6",
    ]  # fmt: skip
    assert [now[side]["locator"] for side in ("previous", "parent", "next")] == [
        f"{TITLE}/s3", f"{TITLE}/ch3", f"{TITLE}/s7",
    ]  # fmt: skip
    assert then["text"] == now["text"]
    assert place_account(f"{TITLE}/s4", ANONYMOUS, DAYS[0])["title"] == "Seal"
    assert place_account(f"{TITLE}/ch1", ANONYMOUS, DAYS[0])["title"] == "Chapter of 2016"


@pytest.mark.django_db
def test_only_what_has_other_words_or_stands_elsewhere_has_a_version_of_its_own(title):
    counts = {n: len(versions_of(ANONYMOUS, f"{TITLE}/s{n}")) for n in range(8)}
    assert counts == {0: 1, 1: 1, 2: 1, 3: 1, 4: 2, 5: 2, 6: 1, 7: 1}
    seal, great_seal = versions_of(ANONYMOUS, f"{TITLE}/s4")
    assert (seal.heading, seal.valid_to) == ("Seal", great_seal.valid_from) == ("Seal", DAYS[1])
