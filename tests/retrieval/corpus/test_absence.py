"""Why a place that is here has no text on a day."""

from datetime import date

import pytest

from retrieval.access.caller import ANONYMOUS, Caller
from retrieval.access.row_security import as_caller
from retrieval.corpus.absence import absence_at, may_be_told
from retrieval.models import Domain, Section
from retrieval.search.service import reading
from tests.builders import a_document, a_section, grant
from tests.retrieval.corpus.past_law import FIRST, TITLE, regulations  # noqa: F401

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("regulations")]
OLD, THEN = date(2004, 1, 1), date(2012, 1, 1)


@pytest.mark.parametrize(
    ("place", "asked", "kind", "day"),
    [
        (f"{TITLE}/s1.48", OLD, "unknown", FIRST),
        (f"{TITLE}/s1.48/a", OLD, "unknown", FIRST),
        (f"{TITLE}/s1.109", OLD, "unknown", FIRST),
        (f"{TITLE}/s1.109", THEN, "no_longer_in_force", date(2006, 7, 1)),
        (f"{TITLE}/s1.109/b", THEN, "no_longer_in_force", date(2006, 7, 1)),
        (f"{TITLE}/s1.110", FIRST, "not_yet_in_force", date(2006, 7, 1)),
        (f"{TITLE}/s1.265", date(2026, 1, 1), "no_longer_in_force", date(2010, 7, 1)),
        (TITLE, OLD, "unknown", FIRST),
        ("/us/const/amendment/XVIII", date(1919, 1, 15), "not_yet_in_force", date(1919, 1, 16)),
        ("/us/const/amendment/XVIII", date(1950, 1, 1), "no_longer_in_force", date(1933, 12, 5)),
        ("/us/const", date(1700, 1, 1), "not_yet_in_force", date(1789, 3, 4)),
    ],
)
def test_what_has_no_text_on_a_day_had_ended_or_was_to_come_or_is_not_known(place, asked, kind, day):
    absence = absence_at(place, Section.objects.live().visible_to(ANONYMOUS), asked)
    assert (absence.kind, absence.day) == (kind, day)
    assert may_be_told(place, reading(ANONYMOUS))


def test_of_a_place_of_which_no_text_ever_was_here_nothing_is_told(django_assert_num_queries):
    query = reading(ANONYMOUS)
    with django_assert_num_queries(1):
        assert not may_be_told(f"{TITLE}/s9.9", query)


@pytest.mark.parametrize(
    ("place", "asked"),
    [
        (f"{TITLE}/s1.48", THEN),
        (f"{TITLE}/s1.48/zz", THEN),
        (f"{TITLE}/s9.9", OLD),
        (f"{TITLE}/s1.47", date(2020, 1, 1)),
        (TITLE, THEN),
        ("/us/const/amendment/XXIX", OLD),
    ],
)
def test_what_has_a_text_that_day_or_never_had_one_is_not_told(place, asked):
    assert absence_at(place, Section.objects.live().visible_to(ANONYMOUS), asked) is None


def test_of_a_part_that_came_in_later_nobody_knows_what_was_law_before(regulations):  # noqa: F811
    came = date(2016, 7, 1)
    named = {"locator": f"{TITLE}/pt2", "level": "part", "is_result": False, "is_leaf": False, "valid_from": came}
    part = a_section(regulations, **named)
    a_section(regulations, "Marks.", locator=f"{TITLE}/s2.1", parent_locator=part.locator, valid_from=came)
    known = Section.objects.live()
    assert absence_at(f"{TITLE}/s2.1", known, THEN).kind == "unknown"
    older = {"locator": f"{TITLE}/s2.2", "parent_locator": part.locator, "valid_from": date(2000, 1, 1)}
    a_section(regulations, "Since 2000.", **older)
    assert absence_at(f"{TITLE}/s2.1", known, THEN).kind == "unknown"
    assert absence_at(f"{TITLE}/s2.2", known, date(1999, 1, 1)).day == date(2000, 1, 1)


def test_what_somebody_may_not_read_is_told_to_others_alone():
    ann, ben = Caller(("user:1001",)), Caller(("user:1002",))
    document = a_document(Domain.objects.get(slug="client_cases"), title="Lease")
    section = a_section(document, "The rent is due.", valid_from=FIRST, valid_to=THEN)
    grant(document, ann)
    for caller, is_told in ((ann, True), (ben, False), (ANONYMOUS, False)):
        with as_caller(caller):
            assert bool(absence_at(section.locator, Section.objects.live().visible_to(caller), THEN)) is is_told
