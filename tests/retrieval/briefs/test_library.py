"""What citations lead to on a day, as the caller reads it."""

from datetime import date

import pytest

from retrieval.access.caller import ANONYMOUS, Caller
from retrieval.access.row_security import as_caller
from retrieval.briefs.citing import Cited
from retrieval.briefs.library import Library
from retrieval.models import Section
from tests.builders import a_case_file, a_document, a_domain, a_section
from tests.retrieval.briefs.cases import an_opinion, decisions  # noqa: F401
from tests.retrieval.corpus.past_law import BACK, FIRST, TITLE, regulations, text_of  # noqa: F401

pytestmark = pytest.mark.django_db
ANN = Caller(("user:1001",))


def stand(locator, day=None, **fields):
    return Library(ANONYMOUS, day).stand(Cited(locator, 0, 0, locator, locator, **fields))


@pytest.mark.parametrize(
    ("locator", "day", "status", "leads_to"),
    [
        ("/us/const/amendment/IV", None, "resolved", "/us/const/amendment/IV"),
        ("/us/const/amendment/IV/clause/9", None, "partial", "/us/const/amendment/IV"),
        ("/us/const/article/II/section/9", None, "unknown", "/us/const/article/II/section/4"),
        ("/us/const/article/I/section/8/clause/19", None, "unknown", "/us/const/article/I/section/8/clause/18"),
        ("/us/const/article/I/section/10/clause/9", None, "unknown", "/us/const/article/I/section/10/clause/3"),
        ("/us/const/article/I/section/12", None, "unknown", "/us/const/article/I/section/10/clause/1"),
        ("/us/const/amendment/XIV/section/7", None, "unknown", "/us/const/amendment/XIV/section/5"),
        ("/us/const/amendment/XIV/section/5/clause/2", None, "partial", "/us/const/amendment/XIV/section/5"),
        ("/us/const/amendment/XVIII/section/1", None, "superseded", "/us/const/amendment/XVIII/section/1"),
        (
            "/us/const/amendment/XVIII/section/1",
            date(1925, 1, 1),
            "resolved",
            "/us/const/amendment/XVIII/section/1",
        ),
        ("/us/const/amendment/XIX", date(1900, 1, 1), "not_yet_in_force", "/us/const/amendment/XIX"),
        ("/us/usc/t99/s1", None, "unknown", None),
    ],
)
def test_provisions_stand_as_they_did_on_the_day(locator, day, status, leads_to):
    found = stand(locator, day)
    assert found.status == status
    assert (found.section and found.section.locator) == leads_to
    assert found.known is (leads_to is not None)


@pytest.mark.parametrize(
    ("missing", "near"), [("s9999", None), ("s1999", None), ("s1159", "s1158"), ("s9999/a/1", None)]
)
def test_only_what_is_near_by_number_is_told_in_place_of_what_is_missing(missing, near):
    document = a_document(a_domain(locator_prefix="/us/usc"), locator="/us/usc/t99")
    title = a_section(document, locator="/us/usc/t99", level="title", is_result=False, is_leaf=False)
    for name in ("s1101", "s1158"):
        a_section(document, "No alien may.", locator=f"/us/usc/t99/{name}", parent=title)
    found = stand(f"/us/usc/t99/{missing}")
    assert found.status == "unknown" and found.known
    assert (found.section and found.section.locator) == (near and f"/us/usc/t99/{near}")


@pytest.mark.parametrize(
    ("locator", "day", "status"),
    [
        ("/us/scotus/163/537", None, "overruled"),
        ("/us/scotus/163/537", date(1950, 1, 1), "resolved"),
        ("/us/scotus/384/436", date(1950, 1, 1), "not_yet_in_force"),
        ("/us/scotus/384/444", None, "unknown"),
        ("/us/scotus/448/56", None, "overruled"),  # itself not here, but what overruled it is known
        ("/us/scotus/448/56", date(1990, 1, 1), "unknown"),
    ],
)
def test_decisions_are_overruled_from_a_day_on(decisions, locator, day, status):  # noqa: F811
    assert stand(locator, day).status == status


def test_a_decision_from_which_later_law_departed_may_be_cited():
    document = a_document(a_domain(locator_prefix="/us/scotus"), locator="/us/scotus/403/602")
    a_section(document, "Held. Yes.", locator=document.locator, level="case", heading="Lemon v. Kurtzman")
    found = stand("/us/scotus/403/602")
    assert (found.status, found.standing) == ("resolved", "departed")
    assert stand("/us/scotus/403/602", date(2000, 1, 1)).standing == "in_force"


def test_a_page_within_a_decision_leads_to_it(decisions):  # noqa: F811
    assert stand("/us/scotus/384/444", page=True).section.heading == "Miranda v. Arizona"


def test_a_text_that_a_later_one_took_the_place_of_is_read_on_its_day():
    document = a_document(a_domain(locator_prefix="/manual"))
    place, cut = "/manual/d/1", date(2020, 1, 1)
    a_section(document, "An officer may act.", locator=place, valid_from=date(2010, 1, 1), valid_to=cut)
    a_section(document, "An officer shall act.", locator=place, valid_from=cut)
    library = Library(ANONYMOUS, date(2015, 1, 1))
    found = library.stand(Cited("", 0, 0, "", place))
    assert [source.text for source in library.sources(found)] == ["An officer may act."]
    assert [source.text for source in library.versions(found)] == ["An officer shall act."]
    assert stand(place).section.text == "An officer shall act."
    assert stand(place, date(2005, 1, 1)).status == "unknown"


@pytest.mark.parametrize(("place", "is_known"), [("a/15/Q/ii", False), ("a/15/Q/iv", True), ("b", True), ("a/2", True)])
def test_a_place_that_may_stand_in_a_line_is_none_whose_absence_is_known(place, is_known):
    document = a_document(a_domain(locator_prefix="/us/usc"), locator="/us/usc/t99")
    text = "(a)(15)(Q) one who (i) meets paragraph (1), (ii) of them"
    section = a_section(document, text, locator="/us/usc/t99/s1101")
    for above, start in (("a", 0), ("a/15", 3), ("a/15/Q", 7)):
        at = f"{section.locator}/{above}"
        section.anchors.create(locator=at, level="paragraph", number=above[-1], start=start, end=len(text))
    found = stand(f"{section.locator}/{place}")
    assert (found.status, found.known) == ("partial", is_known)
    assert found.section == section


@pytest.mark.parametrize(
    ("number", "day", "status", "is_known"),
    [
        ("1.48", date(2004, 1, 1), "unknown", False),
        ("9.9", date(2004, 1, 1), "unknown", False),
        ("9.9", date(2012, 1, 1), "unknown", True),
        ("1.110", date(2005, 8, 1), "not_yet_in_force", True),
        ("1.109", date(2006, 1, 1), "resolved", True),
        ("1.109", date(2012, 1, 1), "superseded", True),
        ("1.109/a", date(2012, 1, 1), "superseded", True),
        ("1.265", None, "superseded", True),
        ("1.47", None, "superseded", True),
        ("1.47/a", None, "superseded", True),
        ("1.47", date(2012, 1, 1), "resolved", True),
        ("1.47/a", date(2012, 1, 1), "partial", False),
    ],
)
def test_law_of_editions_stood_as_these_say_and_before_the_first_nobody_knows(
    regulations,  # noqa: F811
    number,
    day,
    status,
    is_known,
):
    found = stand(f"{TITLE}/s{number}", day)
    assert (found.status, found.known) == (status, is_known)
    assert found.known_from == (FIRST if (status, is_known) == ("unknown", False) else None)


def test_in_place_of_what_is_reserved_its_last_text_is_read(regulations):  # noqa: F811
    library = Library(ANONYMOUS)
    found = library.stand(Cited("", 0, 0, "", f"{TITLE}/s1.47"))
    assert found.section == text_of("1.47", BACK)
    assert [source.text for source in library.sources(found)] == [text_of("1.47").text]


def test_law_that_ended_without_a_successor_is_superseded():
    document = a_document(a_domain(locator_prefix="/manual"))
    a_section(document, "Gone.", locator="/manual/d/1", valid_to=date(2020, 1, 1))
    found = stand("/manual/d/1")
    assert (found.status, found.withdrawn_on) == ("superseded", date(2020, 1, 1))
    a_section(document, "Kept.", locator="/manual/d/2")
    assert stand("/manual/d/1").withdrawn_on is None


def test_a_decision_has_the_words_of_its_opinions_not_ours(decisions):  # noqa: F811
    library = Library(ANONYMOUS)
    mapp = Cited("", 0, 0, "", "/us/scotus/367/643")
    assert library.sources(library.stand(mapp)) == []
    an_opinion(mapp.locator, "The ignoble shortcut to conviction is closed.")
    found = Library(ANONYMOUS)
    assert [s.text for s in found.sources(found.stand(mapp))] == [
        "The ignoble shortcut to conviction is closed."
    ]


def test_a_document_has_its_words_beside_a_place_in_it_that_is_not_here():
    document = a_document(a_domain(locator_prefix="/manual"), locator="/manual/d")
    a_section(document, "An officer may act.", locator="/manual/d/1")
    library = Library(ANONYMOUS)
    whole, absent = (library.stand(Cited("", 0, 0, "", place)) for place in ("/manual/d", "/manual/d/9"))
    assert (whole.status, absent.status) == ("resolved", "unknown") and whole.document == absent.document
    library.read([whole, absent])
    assert [source.text for source in library.sources(whole)] == ["An officer may act."]
    assert library.sources(absent) == []


def test_the_constitution_has_its_spanish_words_too():
    library = Library(ANONYMOUS)
    found = library.sources(library.stand(Cited("", 0, 0, "", "/us/const/amendment/IV")))
    assert [source.language for source in found] == ["en", "es"]


def test_a_place_in_a_section_is_told_apart_from_the_rest():
    section = Section.objects.get(locator="/us/const/amendment/II")
    section.anchors.create(locator=f"{section.locator}/a", level="paragraph", number="a", start=0, end=10)
    library = Library(ANONYMOUS)
    (source,) = library.sources(library.stand(Cited("", 0, 0, "", f"{section.locator}/a")))
    assert (source.text, source.pin) == (section.text, (0, 10))


def test_like_words_are_found_in_the_law():
    found = [source.locator for source in Library(ANONYMOUS).like("a well regulated militia")]
    assert "/us/const/amendment/II" in found


def test_private_words_and_titles_are_those_of_the_caller():
    document = a_case_file("The Okonkwo Lease", "The tenant keeps nineteen llamas.", granted_to=ANN)
    with as_caller(ANN):
        own = Library(ANN)
        assert [titled.locator for titled in own.titled_in("See the Okonkwo lease, § 2.")] == [
            document.locator
        ]
        assert [source.text for source in own.like("nineteen llamas")] == [
            "The tenant keeps nineteen llamas."
        ]
    other = Library(ANONYMOUS)
    assert list(other.titled_in("See the Okonkwo lease.")) == []
    assert all("llamas" not in source.text for source in other.like("nineteen llamas"))
