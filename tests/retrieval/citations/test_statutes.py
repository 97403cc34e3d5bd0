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
        ("8 USC 1101(a)(15)(H)(i)(b1)", "/us/usc/t8/s1101/a/15/H/i/b1"),
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
    [
        *("99 U.S.C. § 1", "Cal. Code Regs. title 8, section 3203", "INA § 999", "in 1996", "no numbers here"),
        *("3 CFR, 1986 Comp., p. 189", "3 CFR part 1989 Comp., p. 235", "3 C.F.R., 1959–1963 Comp."),
    ],
)
def test_what_is_no_citation_of_them(text):
    assert locators(text) == []


def test_lists_and_ranges():
    assert locators("8 U.S.C. §§ 1182 and 1227") == ["/us/usc/t8/s1182", "/us/usc/t8/s1227"]
    assert locators("18 usc 1341 & 1343") == ["/us/usc/t18/s1341", "/us/usc/t18/s1343"]
    assert locators("35 USC 101/102") == ["/us/usc/t35/s101", "/us/usc/t35/s102"]
    assert locators("§§ 1101-1103 of title 8") == [f"/us/usc/t8/s{n}" for n in (1101, 1102, 1103)]
    assert locators("8 U.S.C. §§ 1101-1537") == ["/us/usc/t8/s1101", "/us/usc/t8/s1537"]


@pytest.mark.parametrize(
    "text", ["8 USC 1158 and 1980 refugees", "8 USC 1158 and 300 people", "8 U.S.C. § 1158 and 1159"]
)
def test_what_follows_a_section_is_not_always_one(text):
    assert locators(text) == ["/us/usc/t8/s1158"]


@pytest.mark.parametrize(
    ("text", "locator"),
    [
        ("18 Ｕ.Ｓ.Ｃ. ＃242", "/us/usc/t18/s242"),
        ("SEC Rule, 17 C.F.R. § 240.10b–5", "/us/cfr/t17/s240.10b-5"),
        ("Treas. Reg. § 1.61-1(a)", "/us/cfr/t26/s1.61-1/a"),
        ("title 45 CFR part 160 sec 160.103", "/us/cfr/t45/s160.103"),
        ("felon in possession 922(g)(1) title 18", "/us/usc/t18/s922/g/1"),
        ("artículo 552 del título 5", "/us/usc/t5/s552"),
        ("inciso a de la sección 1182 del título 8", "/us/usc/t8/s1182/a"),
        ("inciso (a) de 8 CFR 316.2", "/us/cfr/t8/s316.2/a"),
        ("paragraph (1) of subsection (c) of section 1226 of title 8", "/us/usc/t8/s1226/c/1"),
        ("29 USC 203m1", "/us/usc/t29/s203/m/1"),
        ("18 u.s.c. 924(c)1", "/us/usc/t18/s924/c/1"),
        ("what does 8 usc 1101 a 15 f say", "/us/usc/t8/s1101/a/15/F"),
        ("is 8 usc 1325 a felony", "/us/usc/t8/s1325"),
        ("USCIS-PM 6.E.2", "/us/uscis-pm/v6/pE/ch2"),
        ("PM volume 12 part B chapter 3", "/us/uscis-pm/v12/pB/ch3"),
        ("policy manual 7 part B chapter 2", "/us/uscis-pm/v7/pB/ch2"),
        ("sección 1227 inciso a del título 8", "/us/usc/t8/s1227/a"),
        ("section 1182 subsection (a), paragraph 9 of title 8", "/us/usc/t8/s1182/a/9"),
        ("section 1255 i of title 8", "/us/usc/t8/s1255/i"),
        ("8cfr214.2h1", "/us/cfr/t8/s214.2/h/1"),
        ("code of federal regs 45 part 46", "/us/cfr/t45/pt46"),
    ],
)
def test_forms_that_people_write(text, locator):
    assert locators(text) == [locator]


def test_letters_apart_are_subdivisions_where_nothing_else_is_asked():
    assert locators("8 cfr 214.2 h 1", loose=True) == ["/us/cfr/t8/s214.2/h/1"]
    assert locators("8 cfr 214.2 h 1 visa") == ["/us/cfr/t8/s214.2/h/1"]
    assert locators("is 8 usc 1326 a 10 years") == ["/us/usc/t8/s1326"]


@pytest.mark.parametrize(
    ("text", "locator"),
    [
        ("72 usc 5", "/us/usc/t72/s5"),
        ("51 CFR 2.1", "/us/cfr/t51/s2.1"),
        ("policy manual volume 30 part A chapter 1", "/us/uscis-pm/v30/pA/ch1"),
    ],
)
def test_a_title_or_volume_beyond_the_last_is_cited_apart(text, locator):
    assert locators(text, loose=True) == []
    assert [found.items[0].locator for found in statutes.find_beyond(Source.of(text))] == [locator]
