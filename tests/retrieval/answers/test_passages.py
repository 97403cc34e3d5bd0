"""What is read of the provisions that were found."""

import pytest

from retrieval.access.caller import Caller
from retrieval.access.row_security import as_caller
from retrieval.answers.passages import OPENING, WINDOW, passages_of, pins, window, worth_reading
from retrieval.models import Domain, Section
from tests.builders import a_case_file, a_document, a_section


def result(locator: str, domain: str = "us_constitution", rank: int = 1) -> dict:
    return {"locator": locator, "domain": domain, "rank": rank, "probability": 0.5, "passage": [0, 10]}


@pytest.mark.django_db
def test_a_provision_is_read_with_its_words():
    (one,) = passages_of([result("/us/const/amendment/IV")], Caller(), None)
    assert one.text.startswith("The right of the people") and one.offset == 0 and one.found == (0, 10)


@pytest.mark.django_db
def test_of_one_without_words_those_below_are_read_each_once():
    found = passages_of(
        [result("/us/const/amendment/XIV"), result("/us/const/amendment/XIV/section/1")], Caller(), None
    )
    assert [one.locator.rpartition("/")[2] for one in found] == ["1", "2", "3", "4", "5"]


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("Facts. A man burned a flag.\nHeld. The State may not punish him.", "The State may not punish him."),
        ("Facts. A man burned a flag.", "Facts. A man burned a flag."),
    ],
)
def test_of_a_decision_its_holding_is_read(text, read):
    document = a_document(Domain.objects.get(slug="supreme_court_cases"), locator="/us/scotus/491/397")
    a_section(document, text, locator=document.locator, level="case")
    (one,) = passages_of([result(document.locator, "supreme_court_cases")], Caller(), None)
    assert one.text == read == text[one.offset :]


@pytest.mark.django_db
def test_what_a_caller_may_not_read_is_not_read():
    ana = Caller(("key:971",))
    lease = a_case_file("Lease", "The tenant keeps the lighthouse lit.", granted_to=ana)
    with as_caller(ana):
        found = Section.objects.readable(ana).filter(document=lease).first()
        asked = [result(found.locator, found.domain.slug)]
        assert passages_of(asked, ana, None)[0].private
    assert passages_of(asked, Caller(), None) == []


@pytest.mark.django_db
def test_a_place_without_anchors_has_no_pin():
    section = Section.objects.get(locator="/us/const/amendment/IV")
    assert pins([(section.pk, 3)]) == {} and pins([]) == {}


def test_what_is_far_less_probable_than_the_best_is_not_read():
    found = [{"probability": each} for each in (0.8, 0.07, None, 0.9)]
    assert worth_reading(found) == [found[0], found[2]]
    assert worth_reading(found[1::2]) == found[1::2] and worth_reading([]) == []


LONG = "\n".join(f"({n}) The keeper of lamp {n} shall trim it." for n in range(1, 1_000))


@pytest.mark.django_db
@pytest.mark.parametrize(("locator", "parts"), [("/us/usc/t99/s1", 2), ("/us/scotus/900/1", 1)])
def test_of_long_law_its_beginning_is_read_too_but_not_of_a_decision(locator, parts):
    document = a_document(Domain.objects.get(slug="us_code"), locator=locator)
    a_section(document, LONG, locator=locator)
    found = passages_of([result(locator, "us_code") | {"passage": [20_000, 20_040]}], Caller(), None)
    assert len(found) == parts and found[0].offset <= 20_000
    assert [one.text for one in found] == [LONG[one.offset : one.offset + len(one.text)] for one in found]
    if parts == 2:
        assert found[1].text.startswith("(1) The keeper") and LONG[len(found[1].text)] == "\n"
        assert OPENING <= len(found[1].text) < OPENING + 100


@pytest.mark.django_db
@pytest.mark.parametrize("place", [0, 3_200])
def test_what_begins_near_what_was_found_is_read_once(place):
    document = a_document(Domain.objects.get(slug="us_code"), locator="/us/usc/t99/s1")
    a_section(document, LONG, locator=document.locator)
    found = passages_of([result(document.locator, "us_code") | {"passage": [place, place + 40]}], Caller(), None)
    ends = [one.offset + len(one.text) for one in found[1:]]
    assert found[-1].offset == 0 and all(end <= found[0].offset for end in ends)


def test_a_long_text_is_read_by_whole_lines_around_what_was_found():
    text = "\n".join(f"line {n} " + "x" * 40 for n in range(1_000))
    start, end = window(text, 20_000, 20_100)
    assert start <= 20_000 < 20_100 <= end and end - start <= 2 * WINDOW
    assert text[start - 1] == "\n" and text[end] == "\n"
    assert window("short", 0, 2) == (0, 5)
