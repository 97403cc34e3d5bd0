"""Which provisions are new, changed and repealed in some time."""

import re
from datetime import date
from functools import partial

import pytest
from django.db import connection

from retrieval.access.caller import ANONYMOUS, Caller
from retrieval.access.row_security import as_caller, as_system
from retrieval.corpus.changes import KINDS, Span, began, begins, changes, ended, keep, versions_of
from retrieval.models import Domain, Section
from tests.builders import a_case_file, a_document, a_domain, a_section

pytestmark = pytest.mark.django_db
FIRST, SECOND, THIRD = date(2020, 1, 1), date(2021, 1, 1), date(2022, 1, 1)


@pytest.fixture
def code():
    """Loaded in 2020; in 2021 one section is new and one changed, in 2022 one is repealed."""
    document = a_document(a_domain())

    def section(name: str, text: str, **days) -> None:
        a_section(document, text, locator=f"{document.locator}/{name}", **days)

    section("same", "Same.", valid_from=FIRST)
    section("changed", "Before.", valid_from=FIRST, valid_to=SECOND)
    section("changed", "After.", valid_from=SECOND)
    section("gone", "Gone.", valid_from=FIRST, valid_to=THIRD)
    section("new", "New.", valid_from=SECOND)
    keep(document.pk)
    return document


def told(document, *, since=None, until=None, kinds=KINDS, page=1, size=10) -> list[tuple]:
    found, _more = changes(
        ANONYMOUS, Span(since, until), domains=[document.domain], kinds=kinds, page=page, size=size
    )
    names = [made.section.locator.removeprefix(f"{document.locator}/") for made in found]
    return [(name, made.kind, made.day.year) for name, made in zip(names, found, strict=True)]


def test_changes_are_told_newest_first_and_what_was_loaded_at_first_is_none(code):
    assert told(code) == [("gone", "repealed", 2022), ("changed", "changed", 2021), ("new", "new", 2021)]


def test_of_changes_of_a_section_on_one_day_the_last_is_told_first(code):
    texts = ("First.", "Second.", "Third.")
    code.sections.filter(text="Same.").update(valid_to=THIRD)
    for text in texts:
        ends = None if text == "Third." else THIRD
        a_section(code, text, locator=f"{code.locator}/same", valid_from=THIRD, valid_to=ends)
    code.sections.filter(locator=f"{code.locator}/same").update(position=1)
    keep(code.pk)
    found, _more = changes(ANONYMOUS, Span(since=THIRD), domains=[code.domain], kinds=("changed",), page=1, size=10)
    assert [made.section.text for made in found] == [*texts[::-1]]


def test_they_are_of_the_days_asked_for(code):
    assert told(code, since=SECOND, until=SECOND) == [("changed", "changed", 2021), ("new", "new", 2021)]
    assert told(code, since=date(2021, 1, 2)) == [("gone", "repealed", 2022)]
    assert told(code, until=date(2020, 12, 31)) == []


@pytest.mark.parametrize("kind", ["new", "changed", "repealed"])
def test_they_are_of_the_kinds_asked_for(code, kind):
    assert {each[1] for each in told(code, kinds=(kind,))} == {kind}


def test_pages_follow_each_other(code):
    pages = [told(code, page=page, size=1) for page in (1, 2, 3, 4)]
    assert [name for page in pages for name, *_ in page] == ["gone", "changed", "new"]
    _, more = changes(ANONYMOUS, Span(), domains=[code.domain], page=1, size=2)
    assert more
    _, more = changes(ANONYMOUS, Span(), domains=[code.domain], page=1, size=3)
    assert not more


def test_what_later_law_did_to_a_text_that_stayed_is_told_with_it():
    constitution = [Domain.objects.get(slug="us_constitution")]
    asked = partial(changes, ANONYMOUS, domains=constitution, page=1, size=100)
    found, more = asked(Span(), kinds=("repealed",))
    told = [(made.section.locator, made.day.year, made.by.by) for made in found]
    assert not more and told == [
        ("/us/const/amendment/XVIII", 1933, "/us/const/amendment/XXI/section/1"),
        ("/us/const/article/IV/section/2/clause/3", 1865, "/us/const/amendment/XIII/section/1"),
        ("/us/const/article/II/section/1/clause/3", 1804, "/us/const/amendment/XII"),
    ]
    every, _ = asked(Span(since=date(1933, 1, 1), until=date(1933, 12, 31)))
    days = [made.day for made in every]
    assert days == sorted(days, reverse=True)
    assert {"new", "changed", "repealed"} == {made.kind for made in every}


def test_an_overruled_decision_is_told():
    document = a_document(a_domain(slug="cases", locator_prefix="/us/scotus"))
    plessy = a_section(document, "Held.", locator="/us/scotus/163/537", level="case")
    found, _ = changes(ANONYMOUS, Span(), kinds=("overruled",), page=1, size=9)
    assert [(made.section, made.day, made.by.by) for made in found] == [
        (plessy, date(1954, 5, 17), "/us/scotus/347/483")
    ]


def plan_of(query) -> str:
    """As PostgreSQL would read a large table."""
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL enable_seqscan = off")
        cursor.execute("SET LOCAL enable_bitmapscan = off")
    return query.explain()


@pytest.mark.parametrize("listed", [partial(began, kinds=KINDS), ended])
def test_a_page_reads_the_newest_changes_in_their_order_and_no_other_provision(code, listed):
    plan = plan_of(listed(Section.objects.live().visible_to(ANONYMOUS).results(), Span())[:10])
    assert "section_began" in plan or "section_ended" in plan
    sorts = [line for line in plan.splitlines() if re.search(r"\bSort\b(?! (?:Key|Method))", line)]
    assert all("Incremental Sort" in line for line in sorts), plan


def test_a_change_knows_what_was_there_before(code):
    found, _ = changes(ANONYMOUS, Span(), domains=[code.domain], kinds=("changed",), page=1, size=9)
    assert (found[0].before.text, found[0].section.text) == ("Before.", "After.")


def test_what_comes_back_after_a_time_is_new_and_was_repealed_before(code):
    a_section(code, "Back.", locator=f"{code.locator}/gone", valid_from=date(2023, 1, 1))
    keep(code.pk)
    assert told(code, since=THIRD) == [("gone", "new", 2023), ("gone", "repealed", 2022)]


@pytest.mark.parametrize("status", ["repealed", "reserved", "transferred"])
def test_what_only_says_that_nothing_is_there_repeals_and_what_takes_its_place_is_new(code, status):
    Section.objects.filter(text="After.").update(valid_to=THIRD)
    there = {"locator": f"{code.locator}/changed", "status": status}
    stub = a_section(code, "", **there, valid_from=THIRD)
    keep(code.pk)
    assert told(code, since=THIRD, kinds=("repealed",)) == [("changed", "repealed", 2022), ("gone", "repealed", 2022)]
    assert told(code, since=THIRD, kinds=("changed", "new")) == []
    Section.objects.filter(pk=stub.pk).update(valid_to=date(2023, 1, 1))
    a_section(code, "Another.", locator=there["locator"], valid_from=date(2023, 1, 1))
    keep(code.pk)
    assert told(code, since=date(2023, 1, 1)) == [("changed", "new", 2023)]


def test_a_number_that_was_only_kept_free_is_neither_new_nor_repealed(code):
    a_section(code, "", locator=f"{code.locator}/free", status="reserved", valid_from=SECOND, valid_to=THIRD)
    keep(code.pk)
    assert not [each for each in told(code) if each[0] == "free"]


def test_what_is_only_put_elsewhere_is_no_change(code):
    Section.objects.filter(text="Same.").update(valid_to=THIRD)
    a_section(code, "Same.", locator=f"{code.locator}/same", parent_locator="/elsewhere", valid_from=THIRD)
    keep(code.pk)
    assert not [each for each in told(code) if each[0] == "same"]


def test_what_is_withdrawn_is_not_repealed(code):
    code.sections.filter(valid_to=None).update(valid_to=date(2024, 1, 1))
    keep(code.pk)
    assert told(code, since=date(2023, 1, 1)) == []


def test_what_joins_a_document_without_days_is_new():
    document = a_document(a_domain())
    a_section(document, "Old.")
    a_section(document, "New.", locator=f"{document.locator}/new", valid_from=SECOND)
    keep(document.pk)
    assert told(document) == [("new", "new", 2021)]


def test_private_changes_are_for_those_who_may_read_them():
    reader = Caller(("user:7",))
    document = a_case_file("Lease", "Old rent.", granted_to=reader)
    private = a_section(document, "New rent.", valid_from=SECOND)
    with as_system():
        keep(document.pk)
    domains = [Domain.objects.get(slug="client_cases")]
    with as_caller(reader):
        found, _ = changes(reader, Span(), domains=domains, page=1, size=9)
    assert [made.section.text for made in found] == ["New rent."]
    for other in (ANONYMOUS, Caller(("user:8",))):
        with as_caller(other):
            assert changes(other, Span(), domains=domains, page=1, size=9) == ([], False)
            assert versions_of(other, private.locator) == []


def test_versions_stand_oldest_first(code):
    versions = versions_of(ANONYMOUS, f"{code.locator}/changed")
    assert [version.text for version in versions] == ["Before.", "After."]


def test_a_version_without_a_first_day_is_named_by_its_last():
    section = a_section(a_document(a_domain()), "Old.", valid_to=SECOND)
    assert begins(section) == date(2020, 12, 31)
