"""Section numbers: cased by their level, listed, ranged, and with subdivisions that want brackets."""

import pytest

from retrieval.citations.citation import Source
from retrieval.citations.finding import find_citations
from retrieval.citations.numbers import (
    CFR_LEVELS,
    USC_LEVELS,
    cased_section,
    numbers,
    recased,
    subdivisions,
    with_spoken,
)


def listed(text, marks=""):
    return [(one.number, *one.subs) for one in numbers(Source.of(text), 0, len(text), marks=marks)]


def spoken(text, end, *, loose=False):
    source = Source.of(text)
    found, last = with_spoken(source, numbers(source, 0, end, marks=""), end, loose=loose)
    return found[0].subs, text[:last]


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


def test_letters_of_a_section_are_cased_as_its_title_writes_them():
    assert [cased_section(title, "280g") for title in (26, 8)] == ["280G", "280g"]
    assert cased_section(18, "2339A") == "2339A"


def test_marks_of_one_section_announce_the_first_of_a_list():
    assert listed("1182(a) and 1227", "§") == [("1182", "a")]
    assert listed("1182(a) and 1227", "§§") == [("1182", "a"), ("1227",)]


def test_a_range_has_what_lies_between_without_text():
    text = "1101-1103"
    found = numbers(Source.of(text), 0, len(text), marks="§§")
    assert [(one.number, text[one.start : one.end]) for one in found] == [
        ("1101", "1101"),
        ("1102", ""),
        ("1103", "1103"),
    ]
    assert listed("1101 to 1537", "§§") == [("1101",), ("1537",)]


@pytest.mark.parametrize(
    ("written", "first", "last"),
    [
        ("1158(a)(1)-(2)(B)", "1158 a 1", "1158 a 2 B"),
        ("1158(a)(1)-(b)(2)", "1158 a 1", "1158 b 2"),
        ("1158(c)(1)(A) and (d)(2)", "1158 c 1 A", "1158 d 2"),
        ("1158(a)(2)(B) and (C)(i)", "1158 a 2 B", "1158 a 2 C i"),
        ("1101(a)(15)(H)(i)(b) and (ii)", "1101 a 15 H i b", "1101 a 15 H ii"),
        ("214.2(a)(1)(i) and (b)", "214.2 a 1 i", "214.2 b"),
        ("1158(h) and (i)", "1158 h", "1158 i"),
        ("1182(a)(6) and (9)", "1182 a 6", "1182 a 9"),
    ],
)
def test_the_second_of_two_subdivisions_stands_where_one_of_its_kind_does(written, first, last):
    assert [" ".join(one) for one in listed(written, "§§")] == [first, last]


def test_subdivisions_are_read_one_by_one():
    assert subdivisions("(a)(2)(B)") == ("a", "2", "B")


def test_subdivisions_without_brackets():
    assert spoken("214.2 h 1", 5, loose=True) == (("h", "1"), "214.2 h 1")
    assert spoken("245 k 180 days", 3) == (("k",), "245 k")
    assert spoken("1325 a felony", 4) == ((), "1325")
    assert spoken("924(c)1", 6) == (("c", "1"), "924(c)1")


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("8 CFR 208.16-.18 apply", ["/us/cfr/t8/s208.16", "/us/cfr/t8/s208.18"]),
        ("45 CFR 164.502 and .504 apply", ["/us/cfr/t45/s164.502", "/us/cfr/t45/s164.504"]),
        ("45 CFR 164.502 and .5 mg", ["/us/cfr/t45/s164.502"]),
        ("8 CFR 208.16, .50 percent", ["/us/cfr/t8/s208.16"]),
        ("8 USC 1158 and .25 acres", ["/us/usc/t8/s1158"]),
        ("8 USC 1101(a)(15)F visas", ["/us/usc/t8/s1101/a/15/F"]),
        ("26 USC 501(c)s are charities", ["/us/usc/t26/s501/c"]),
        ("8 CFR 214.2(f)f-1", ["/us/cfr/t8/s214.2/f"]),
        ("8 USC 1158(a)is", ["/us/usc/t8/s1158/a"]),
        ("42 USC 1983 & 1985 for abuse", ["/us/usc/t42/s1983", "/us/usc/t42/s1985"]),
        ("42 USC 1983 and 1996 changes", ["/us/usc/t42/s1983"]),
        ("42 USC 1983 and 1991 amendments", ["/us/usc/t42/s1983"]),
        ("42 U.S.C. § 1983 & § 1985 apply", ["/us/usc/t42/s1983", "/us/usc/t42/s1985"]),
        ("8 U.S.C. § 1158 and § 5 of the Act", ["/us/usc/t8/s1158"]),
        ("8 U.S.C. § 1158 and § 12 above", ["/us/usc/t8/s1158"]),
        ("8 U.S.C. § 1158, and § 3 supra", ["/us/usc/t8/s1158"]),
        ("8 U.S.C. § 1158(a) and § 1182(a)(6), infra, apply", ["/us/usc/t8/s1158/a"]),
        ("8 USC 1158 and § 1182 (above) apply", ["/us/usc/t8/s1158"]),
        ("8 U.S.C. § 1158 and § 240.", ["/us/usc/t8/s1158"]),
        ("42 U.S.C. § 1983 y § 1985 ante el tribunal", ["/us/usc/t42/s1983", "/us/usc/t42/s1985"]),
        ("8 C.F.R. § 208.13 and § 1208.13 apply", ["/us/cfr/t8/s208.13", "/us/cfr/t8/s1208.13"]),
        ("passed in 42 USC 1981 and 1991 respectively", ["/us/usc/t42/s1981"]),
        ("In 42 USC 1981 and 1990 the court", ["/us/usc/t42/s1981"]),
        ("28 USC 2001 and 2004 rules", ["/us/usc/t28/s2001"]),
        ("42 USC 1983 & 1988 apply", ["/us/usc/t42/s1983", "/us/usc/t42/s1988"]),
        ("42 USC 1981 and 1983 claims", ["/us/usc/t42/s1981", "/us/usc/t42/s1983"]),
        (
            "42 USC 1981, 1983 and 1988 apply",
            ["/us/usc/t42/s1981", "/us/usc/t42/s1983", "/us/usc/t42/s1988"],
        ),
        ("8 U.S.C. § 1158(a)y (b)", ["/us/usc/t8/s1158/a", "/us/usc/t8/s1158/b"]),
        ("8 U.S.C. § 1158(a)o el", ["/us/usc/t8/s1158/a"]),
        ("18 U.S.C. § 924(c)i think", ["/us/usc/t18/s924/c"]),
        ("8 USC 1101(a)(15)U applies", ["/us/usc/t8/s1101/a/15/U"]),
        ("8 usc 1101(a)(15)u visa", ["/us/usc/t8/s1101/a/15/U"]),
        ("boost 8 USC 1158 to 150% of it", ["/us/usc/t8/s1158"]),
        ("8 USC 1158 al 150 por ciento", ["/us/usc/t8/s1158"]),
        ("8 CFR 208.16, .25 of the total", ["/us/cfr/t8/s208.16"]),
        ("8 C.F.R. § 208.16, and .25 of it", ["/us/cfr/t8/s208.16"]),
        ("8 CFR sections 208.16, .18 apply", ["/us/cfr/t8/s208.16", "/us/cfr/t8/s208.18"]),
        ("8 C.F.R. § 208.16, .18", ["/us/cfr/t8/s208.16", "/us/cfr/t8/s208.18"]),
    ],
)
def test_what_is_left_out_of_a_number_and_what_only_looks_like_one(text, found):
    assert [citation.locator for citation in find_citations(text)] == found
