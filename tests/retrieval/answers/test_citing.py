"""Places that are quoted, as they are cited."""

import pytest

from retrieval.answers.citing import citation_of, pinned, together

SECTION, CITATION = "/us/usc/t8/s1182", "8 U.S.C. § 1182"


def place(pin: str | None, locator: str = SECTION, citation: str = CITATION) -> dict:
    return {"locator": locator, "citation": citation, "pin": pin and f"{locator}/{pin}", "quote": "x"}


def entry(*places: dict, kind: str = "law", part: int | None = None) -> dict:
    return {"kind": kind, "citations": list(places), "part": part}


@pytest.mark.parametrize(
    ("quoted", "cited"),
    [
        (place("d/13"), "8 U.S.C. § 1182(d)(13)"),
        (place(None), "8 U.S.C. § 1182"),
        (place("a", "/us/cfr/t8/s208.13", "8 C.F.R. § 208.13"), "8 C.F.R. § 208.13(a)"),
        (place("a", "/cases/lease/1", "Lease, § 1"), "Lease, § 1"),
        (place("opinion", "/us/scotus/410/113", "Roe v. Wade, 410 U.S. 113"), "Roe v. Wade, 410 U.S. 113"),
    ],
)
def test_a_quotation_is_cited_by_its_numbered_place(quoted, cited):
    assert pinned(quoted) == cited


def test_quotations_of_one_provision_share_its_citation():
    other = place(None, "/us/usc/t8/s1158", "8 U.S.C. § 1158")
    entries = [
        entry(place("a/3")),
        entry(place("d/13")),
        entry(place("d/13")),
        entry(other),
        entry(place("a")),
        entry(place("a"), part=2),
    ]
    groups = together(entries)
    assert [len(group) for group in groups] == [3, 1, 1, 1]
    assert citation_of(groups[0]) == "8 U.S.C. § 1182(a)(3), (d)(13)"


def test_a_pinpoint_that_goes_on_with_a_comma_has_one():
    article, citation = "/us/const/article/I/section/8", "U.S. Const. art. I, § 8"
    entries = [entry(place(f"clause/{clause}", article, citation)) for clause in (3, 4)]
    assert citation_of(entries) == "U.S. Const. art. I, § 8, cl. 3, cl. 4"


def test_words_before_a_list_are_not_cited_beside_its_item():
    assert citation_of([entry(place("d"), place("d/13"))]) == "8 U.S.C. § 1182(d)(13)"
    assert citation_of([entry(place(None), place("d/13"))]) == "8 U.S.C. § 1182(d)(13)"


def test_what_rests_on_several_provisions_cites_each_in_full():
    other = place("b", "/us/usc/t8/s1158", "8 U.S.C. § 1158")
    written = entry(place("a"), other, kind="generated")
    assert citation_of([written]) == "8 U.S.C. § 1182(a); 8 U.S.C. § 1158(b)"
    assert len(together([written, written | {}])) == 2
