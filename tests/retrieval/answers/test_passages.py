"""What is read of the provisions that were found."""

import pytest

from retrieval.access.caller import Caller
from retrieval.access.row_security import as_caller
from retrieval.answers.passages import WINDOW, passages_of, pins, window
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


def test_a_long_text_is_read_by_whole_lines_around_what_was_found():
    text = "\n".join(f"line {n} " + "x" * 40 for n in range(1_000))
    start, end = window(text, 20_000, 20_100)
    assert start <= 20_000 < 20_100 <= end and end - start <= 2 * WINDOW
    assert text[start - 1] == "\n" and text[end] == "\n"
    assert window("short", 0, 2) == (0, 5)
