"""Citations of codes, regulations, manuals and what is cited by volume and page."""

import pytest

from retrieval.citations import statutes
from retrieval.citations.citation import Source


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
