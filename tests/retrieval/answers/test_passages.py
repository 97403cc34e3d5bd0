"""What is read of the provisions that were found."""

import pytest

from retrieval.access.caller import Caller
from retrieval.access.row_security import as_caller
from retrieval.answers.passages import OPENING, WINDOW, around, passages_of, pins, window, worth_reading
from retrieval.answers.selection import Passage
from retrieval.answers.units import Window, units
from retrieval.models import Anchor, Domain, Section
from retrieval.parsing.designators import CODE, anchors_of
from tests.builders import a_case_file, a_document, a_section


def result(locator: str, domain: str = "us_constitution", rank: int = 1) -> dict:
    return {"locator": locator, "domain": domain, "rank": rank, "probability": 0.5, "passage": [0, 10]}


@pytest.mark.django_db
def test_a_provision_is_read_with_its_words():
    (one,) = passages_of([result("/us/const/amendment/IV")], Caller(), None)
    assert one.text.startswith("The right of the people") and one.found == (0, 10)
    assert one.windows == (Window(0, len(one.text)),)


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
    assert one.text == text and [text[each.start : each.end] for each in one.windows] == [read]


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
    found = [{"probability": each} for each in (0.8, 0.2, None, 0.9)]
    assert worth_reading(found) == [found[0], found[2]]
    assert worth_reading(found[1::2]) == found[1::2] and worth_reading([]) == []


LONG = "\n".join(f"({n}) The keeper of lamp {n} shall trim it." for n in range(1, 1_000))


@pytest.mark.django_db
@pytest.mark.parametrize(("locator", "parts"), [("/us/usc/t99/s1", 2), ("/us/scotus/900/1", 1)])
def test_of_long_law_its_beginning_is_read_too_but_not_of_a_decision(locator, parts):
    (one,) = read_of(LONG, 20_000, locator)
    assert len(one.windows) == parts and one.windows[-1].start <= 20_000 < one.windows[-1].end
    if parts == 2:
        start, end, _leads = one.windows[0]
        assert start == 0 and LONG[end] == "\n" and OPENING <= end < OPENING + 100


@pytest.mark.django_db
@pytest.mark.parametrize("place", [0, 3_200])
def test_what_begins_near_what_was_found_is_read_once(place):
    (one,) = read_of(LONG, place)
    assert len(one.windows) == 1 and one.windows[0].start == 0 and one.windows[0].end < 2 * WINDOW


KINDS = "\n".join(f"({n}) is of kind {n} of the lamps that no keeper may carry past the mole;" for n in range(1, 400))
LISTED = f"(a) In general\nLamps of these kinds shall be sealed:\n{KINDS}\n(b) Fees\nThe fee is a shilling."


@pytest.mark.django_db
def test_an_item_far_down_a_list_is_read_with_what_leads_to_it():
    (one,) = read_of(LISTED, LISTED.index("(300)"))
    items = [each for each in units(one.text, one.windows) if LISTED.startswith("(300)", each.start)]
    assert [LISTED[start:end] for start, end in items[0].stems] == ["Lamps of these kinds shall be sealed:"]
    (last,) = read_of(LISTED, LISTED.index("The fee"), "/us/usc/t99/s2")
    assert [each.stems for each in units(last.text, last.windows) if LISTED.startswith("The fee", each.start)] == [()]


@pytest.mark.django_db
def test_what_stands_before_the_first_number_leads_to_all():
    kinds = "\n".join(f"({n}) The term “lamp {n}” means a lamp of the kind {n}." for n in range(1, 400))
    text = f"In this chapter—\n{kinds}"
    (one,) = read_of(text, text.index("(200)"))
    far = [each for each in units(one.text, one.windows) if each.start > 5_000]
    assert far and all([text[start:end] for start, end in each.stems] == ["In this chapter—"] for each in far)


class Pointing:
    """Names that point to one sentence."""

    def __init__(self, opening: str):
        self.opening = opening

    def openings(self, places):
        return {place.rank: [self.opening] for place in places}


@pytest.mark.django_db
def test_without_numbered_places_nothing_of_a_list_is_taken_from_another_place():
    tenant = "The Tenant shall:\na. pay the rent;\nb. mend the roof.\n"
    text = tenant + "The parties have met.\n" * 400 + "The Landlord shall:\na. heat the house;\nb. pay the taxes.\n" * 9
    (one,) = read_of(text, text.index("The Landlord"), anchored=False)
    assert len(one.windows) == 2
    far = [each for each in units(one.text, one.windows) if each.start > 5_000]
    assert {text[start:end] for each in far for start, end in each.stems} == {"The Landlord shall:"}


@pytest.mark.django_db
def test_what_names_point_to_is_read_however_far_it_is():
    (one,) = read_of(LISTED, 0, meaning=Pointing("THE   fee is a shilling"))
    assert len(one.windows) == 2
    far = LISTED[one.windows[1].start : one.windows[1].end]
    assert "The fee is a shilling." in far and len(far) < 1_000
    (other,) = read_of(LISTED, 0, "/us/usc/t99/s2", Pointing("The fee is a crown"))
    assert len(other.windows) == 1


@pytest.mark.parametrize("opening", ["…", "fee is a shilling and more", "ees\nThe fee is a shilling"])
def test_what_no_sentence_begins_with_points_nowhere(opening):
    assert [*around(LISTED, [opening])] == []


def test_a_short_sentence_is_found_where_it_ends_alone():
    text = "(a) Rules.\n(b) The fee is a shilling for boats.\nThe fee is a shilling.\nIt is paid in May by all keepers."
    assert [*around(text, ["The fee is a shilling."])] and [*around(text, ["It is paid"])] == []


def test_a_place_in_a_line_that_is_too_long_is_not_read():
    line = "The keeper shall trim the lamp, " * 400
    assert [*around(f"{line}\nThe fee is a shilling.", ["The fee is a shilling"])]
    assert [*around(f"{line} The fee is a shilling. {line}", ["The fee is a shilling"])] == []


def read_of(
    text: str, place: int, locator: str = "/us/usc/t99/s1", meaning=None, *, anchored: bool = True
) -> list[Passage]:
    document = a_document(Domain.objects.get(slug="us_code"), locator=locator)
    section = a_section(document, text, locator=locator)
    if anchored:
        placed(section)
    return passages_of([result(locator, "us_code") | {"passage": [place, place + 40]}], Caller(), None, meaning)


def placed(section: Section) -> None:
    for each in anchors_of(section.text, section.locator, CODE):
        Anchor.objects.create(
            section=section, locator=each.locator, level="level", number=each.number, start=each.start, end=each.end
        )  # fmt: skip


def test_a_long_text_is_read_by_whole_lines_around_what_was_found():
    text = "\n".join(f"line {n} " + "x" * 40 for n in range(1_000))
    start, end = window(text, 20_000, 20_100)
    assert start <= 20_000 < 20_100 <= end and end - start <= 2 * WINDOW
    assert text[start - 1] == "\n" and text[end] == "\n"
    assert window("short", 0, 2) == (0, 5)
    assert window(text, len(text) - 10, len(text))[1] == len(text)
