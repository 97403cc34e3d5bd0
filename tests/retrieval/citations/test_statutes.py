"""Citations of codes, regulations, manuals and what is cited by volume and page."""

import pytest

from retrieval.citations import statutes
from retrieval.citations.citation import Source
from retrieval.citations.statutes import CFR_LEVELS, CODE_SECTION, USC_LEVELS, recased
from tests.conftest import MEASURING_DATA


def locators(text, *, loose=False):
    return [item.locator for match in statutes.find(Source.of(text), loose=loose) for item in match.items]


@pytest.mark.parametrize(
    ("text", "locator"),
    [
        ("8 U.S.C. § 1158(a)(2)(B)", "/us/usc/t8/s1158/a/2/B"),
        ("title 8, section 1182", "/us/usc/t8/s1182"),
        ("section 1983 of title 42", "/us/usc/t42/s1983"),
        ("8 CFR 214.2(h)(1)", "/us/cfr/t8/s214.2/h/1"),
        ("8 CFR part 214", "/us/cfr/t8/pt214"),
        ("INA § 208(a)", "/us/usc/t8/s1158/a"),
        ("26 U.S.C. § 280g", "/us/usc/t26/s280G"),
        ("USCIS Policy Manual, Volume 7, Part A, Chapter 1", "/us/uscis-pm/v7/pA/ch1"),
        ("26 I. & N. Dec. 884", "/us/in-dec/26/884"),
        ("Pub. L. No. 104-208", "/us/pl/104/208"),
        ("85 Fed. Reg. 46,788", "/us/fr/85/46788"),
        ("110 Stat. 3009", "/us/stat/110/3009"),
    ],
)
def test_each_source_has_its_locator(text, locator):
    assert locators(text) == [locator]


@pytest.mark.parametrize(
    "text",
    ["99 U.S.C. § 1", "Cal. Code Regs. title 8, section 3203", "INA § 999", "in 1996", "no numbers here"],
)
def test_what_is_no_citation_of_them(text):
    assert locators(text) == []


def test_lists_and_the_ends_of_ranges():
    assert locators("8 U.S.C. §§ 1182 and 1227") == ["/us/usc/t8/s1182", "/us/usc/t8/s1227"]
    assert locators("8 U.S.C. §§ 1181-1188") == ["/us/usc/t8/s1181", "/us/usc/t8/s1188"]


def test_letters_apart_are_subdivisions_where_nothing_else_is_asked():
    assert locators("8 cfr 214.2 h 1", loose=True) == ["/us/cfr/t8/s214.2/h/1"]
    assert locators("8 cfr 214.2 h 1") == ["/us/cfr/t8/s214.2"]


TITLE_8 = MEASURING_DATA / "uscode/uslm/usc08.xml"


@pytest.mark.parametrize(
    ("act", "code"), [("208", "1158"), ("212", "1182"), ("240A", "1229b"), ("101", "1101"), ("349", "1481")]
)
def test_well_known_sections_are_where_lawyers_look(act, code):
    assert CODE_SECTION[act] == code


@pytest.mark.measuring_data
def test_sections_of_the_act_lead_to_sections_of_title_8():
    title = TITLE_8.read_text(encoding="utf-8")
    repealed = {"1161", "1324d", "1432", "1434", "1456", "1482", "1484", "1485", "1486", "1487", "1440-1"}
    absent = {s for s in CODE_SECTION.values() if f'identifier="/us/usc/t8/s{s}"' not in title}
    assert absent <= repealed


@pytest.mark.parametrize(
    ("typed", "levels", "cased"),
    [
        ("a 6 c i", USC_LEVELS, "a 6 C i"),
        ("A 6 C I", USC_LEVELS, "a 6 C i"),
        ("h 1 ii b", CFR_LEVELS, "h 1 ii B"),
        ("a 6 C i", USC_LEVELS, "a 6 C i"),
        ("A 6 c", USC_LEVELS, "A 6 c"),  # both cases: as written
        ("1 2", USC_LEVELS, "1 2"),
    ],
)
def test_letters_of_one_case_are_cased_by_their_level(typed, levels, cased):
    assert recased(tuple(typed.split()), levels) == tuple(cased.split())
