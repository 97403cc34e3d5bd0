"""The text that citations are read from, which of overlapping ones stay, and locators as lawyers cite them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval.citations.citation import (
    SHORT_TITLE,
    Found,
    Item,
    Source,
    cite,
    cite_plain,
    longest,
)
from retrieval.citations.finding import find_citations, only_citation


def test_combining_and_invisible_marks_do_not_hide_a_citation():
    text = "la deci\u0301ma\u200b enmienda"
    [citation] = find_citations(text)
    assert citation.locator == "/us/const/amendment/X"
    assert text[citation.start : citation.end] == citation.text


@given(st.text(alphabet=st.sampled_from("aÉn\u0301\u200b İß§ ")))
def test_a_source_knows_the_way_back(text):
    source = Source.of(text)
    assert len(source.folded) == len(source.visible)
    for place, character in enumerate(source.visible):
        start, end = source.span(place, place + 1)
        assert text[start] == character and start < end


def found(start, end):
    return Found(start, end, (Item(start, end, ""),))


def test_of_two_that_overlap_the_longer_stays():
    assert longest([found(0, 4), found(3, 9), found(9, 11)], 11) == [found(3, 9), found(9, 11)]


def test_a_list_is_divided_among_its_items():
    match = Found(2, 20, (Item(6, 8, "/a"), Item(12, 14, "/b")))
    assert [(start, end) for start, end, _ in match.spans()] == [(2, 8), (12, 20)]


@pytest.mark.parametrize(
    ("locator", "written"),
    [
        ("/us/const/preamble", "U.S. Const. pmbl."),
        ("/us/const/article/I/section/8/clause/3", "U.S. Const. art. I, § 8, cl. 3"),
        ("/us/const/article/VI/clause/2", "U.S. Const. art. VI, cl. 2"),
        ("/us/const/amendment/XIV/section/1", "U.S. Const. amend. XIV, § 1"),
        ("/us/usc/t8/s1158/a/2/B", "8 U.S.C. § 1158(a)(2)(B)"),
        ("/us/cfr/t8/s214.2/h/1", "8 C.F.R. § 214.2(h)(1)"),
        ("/us/cfr/t8/pt214", "8 C.F.R. pt. 214"),
        ("/us/uscis-pm/v7/pA/ch1", "7 USCIS-PM A.1"),
        ("/us/scotus/347/483", "347 U.S. 483"),
    ],
)
def test_a_citation_of_a_locator_is_read_back_as_it(locator, written):
    assert cite(locator) == written
    assert only_citation(written).locator == locator


def test_a_whole_title_and_a_place_without_a_form():
    assert cite("/us/usc/t8") == "8 U.S.C."
    assert cite("/us/usc/t2/s665...665e") == "2 U.S.C. §§ 665–665e"
    assert cite("/us/cfr/t8/pt274a/sptB") == "8 C.F.R. pt. 274a, subpt. B"
    assert cite("/us/cfr/t2/pt200/appIV") == "2 C.F.R. pt. 200, app. IV"
    assert cite("/us/scotus/347/483/opinion/dissent~2") == "347 U.S. 483 (dissent)"
    assert cite("/lease/2020/s4") == ""


@pytest.mark.parametrize(
    ("locator", "written"),
    [
        ("/us/usc/t28a", "28 U.S.C. app."),
        ("/us/usc/t28a/courtRules/Civil/rule6/a/1/A", "Fed. R. Civ. P. 6(a)(1)(A)"),
        ("/us/usc/t18a/courtRules/Crim/rule12.1", "Fed. R. Crim. P. 12.1"),
        ("/us/usc/t11a/courtRules/rule9037", "Fed. R. Bankr. P. 9037"),
        ("/us/usc/t5a/pl/92/463/s10/a", "Pub. L. No. 92-463, § 10(a) (5 U.S.C. app.)"),
        ("/us/usc/t5a/reorgPlan/1939/I", "Reorg. Plan No. I of 1939 (5 U.S.C. app.)"),
        ("/us/usc/t5a/reorgPlan/1939/I/s1", "Reorg. Plan No. I of 1939, § 1 (5 U.S.C. app.)"),
    ],
)
def test_places_in_the_appendices_of_the_code_are_cited_by_what_they_are_of(locator, written):
    assert cite(locator) == written


@pytest.mark.parametrize(
    ("place", "written"),
    [
        (("Lease of 2020", "section", "4.2", "Term"), "Lease of 2020, § 4.2"),
        (("Lease of 2020", "rider", "3", ""), "Lease of 2020, rider 3"),
        (("Lease of 2020", "section", "", "Term"), "Lease of 2020, “Term”"),
        (("Lease of 2020", "document", "", "Lease of 2020"), "Lease of 2020"),
        (("A" * 200, "section", "1", ""), "A" * SHORT_TITLE + ", § 1"),
    ],
)
def test_a_place_in_a_document_of_no_reporter(place, written):
    assert cite_plain(*place) == written
