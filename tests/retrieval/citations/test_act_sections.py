"""Sections by the numbers of their acts, and those known by a number alone."""

import pytest

from retrieval.citations import act_sections
from retrieval.citations.citation import Source


def locators(text, *, loose=False):
    return [item.locator for match in act_sections.find(Source.of(text), loose=loose) for item in match.items]


def known(text):
    return [item.locator for match in act_sections.known_by_number(Source.of(text)) for item in match.items]


@pytest.mark.parametrize(
    ("text", "locator"),
    [
        ("ADEA 4(a)", "/us/usc/t29/s623/a"),
        ("section 212(a)(6)(C) of the INA", "/us/usc/t8/s1182/a/6/C"),
        ("section 101(a)(15)(H) INA", "/us/usc/t8/s1101/a/15/H"),
        ("ina 240a cancellation", "/us/usc/t8/s1229b"),
        ("I.R.C. § 61(a)", "/us/usc/t26/s61/a"),
        ("IRC 7203", "/us/usc/t26/s7203"),
        ("Title IX § 901", "/us/usc/t20/s1681"),
        ("Securities Act 11", "/us/usc/t15/s77k"),
        ("Clean Water Act 404", "/us/usc/t33/s1344"),
        ("UCMJ artículo 15", "/us/usc/t10/s815"),
        ("sección 804 de la Fair Housing Act", "/us/usc/t42/s3604"),
        ("Imigration and Nationalty Act section 245(a)", "/us/usc/t8/s1255/a"),
        ("Pub. L. No. 88-352, § 703", "/us/usc/t42/s2000e-2"),
        ("me negaron la visa por el 214(b) INA", "/us/usc/t8/s1184/b"),
        ("ADA § 401", "/us/usc/t47/s225"),
        ("section 240 b 5 of the INA", "/us/usc/t8/s1229a/b/5"),
        ("sección 212 inciso a de la Ley de Inmigración y Nacionalidad", "/us/usc/t8/s1182/a"),
        ("FOIA exemption 7(c)", "/us/usc/t5/s552/b/7/C"),
        ("exemption 6 of the Freedom of Information Act", "/us/usc/t5/s552/b/6"),
        ("IIRIRA 505", "/us/usc/t8/s1623"),
        ("section 301(b)(1) of IIRIRA", "/us/usc/t8/s1182/a/9"),
        ("Pub. L. 104-208 section 306", "/us/usc/t8/s1252"),
        ("artículo 384 de la IIRIRA", "/us/usc/t8/s1367"),
        ("AEDPA § 106(b)", "/us/usc/t28/s2244/b"),
        ("AEDPA 2254", "/us/usc/t28/s2254"),
        ("USA PATRIOT Act section 326(a)", "/us/usc/t31/s5318/l"),
        ("Medicare Act § 1862(a)(1)", "/us/usc/t42/s1395y/a/1"),
        ("Pub. L. 107-56 § 215", "/us/usc/t50/s1861"),
    ],
)
def test_a_section_of_an_act_is_where_the_code_holds_it(text, locator):
    assert locators(text) == [locator]


@pytest.mark.parametrize("text", ["section 301 of IIRIRA", "IIRIRA § 303(b)", "AEDPA § 104(c)"])
def test_a_section_that_changed_several_places_or_none_is_none_of_them(text):
    assert locators(text) == []


def test_a_number_right_before_an_acronym_is_a_section_where_nothing_else_is_asked():
    assert locators("7203 irc", loose=True) == ["/us/usc/t26/s7203"]
    assert locators("in room 208 INA", loose=False) == []


def test_a_list_of_sections():
    assert locators("IRC §§ 351 and 368") == ["/us/usc/t26/s351", "/us/usc/t26/s368"]


@pytest.mark.parametrize(
    "text",
    [
        "ina garten recipe 208",
        "room 208 INA hotel",
        "wiring an INA 219 to an arduino",
        "the ADA 20 years later",
        "Civil Rights Act 1964",
        "Copyright Act 1976",
        "INA § 999",
        "Title VII, 42 U.S.C. § 2000e",
        "section 602 of title VI of this Act",
    ],
)
def test_a_number_near_a_name_is_not_always_a_section(text):
    assert locators(text) == []


def test_a_number_alone_that_everybody_means_one_way():
    assert known("section 1983") == ["/us/usc/t42/s1983"]
    assert known("§ 922(g)(1)") == ["/us/usc/t18/s922/g/1"]
    assert known("rule 10b-5") == known("SEC rule 10b5") == ["/us/cfr/t17/s240.10b-5"]


@pytest.mark.parametrize(
    "text", ["section 1984", "section 230 row F", "1983", "section 1983 of this lease", "Indiana's 1981 plan"]
)
def test_another_number_means_nothing_alone(text):
    assert known(text) == []
