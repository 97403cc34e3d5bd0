"""Citations that leave out the title mean that of the text they stand in."""

import pytest

from retrieval.parsing.references import in_regulation, in_statute


@pytest.mark.parametrize(
    ("text", "places"),
    [
        ("See § 1.136(a)(1) of this part.", "s1.136/a/1"),
        ("under §§ 1.16, 1.17(p) and 274a.12 or", "s1.16 s1.17/p s274a.12"),
        ("§§ 1.05-20 through 1.05–25.", "s1.05-20 s1.05-25"),
        ("§ 1.16 or § 1.17, and", "s1.16 s1.17"),
        ("(§§ 200.412–200.415), § 274a.12-274a.14", "s200.412 s200.415 s274a.12 s274a.14"),
        ("as parts 3 and 4a of this chapter say", "pt3 pt4a"),
        ("33 CFR § 1.05, 5 U.S.C. § 552.1, section 1.2, part 3 of the Act, $ 1.50", ""),
    ],
)
def test_regulations_cite_sections_and_parts(text, places):
    found = list(in_regulation(text, "/us/cfr/t37"))
    assert " ".join(ref.locator.removeprefix("/us/cfr/t37/") for ref in found) == places
    assert all(text[ref.start : ref.end] == ref.text for ref in found)


@pytest.mark.parametrize(
    ("text", "places"),
    [
        ("in section 1101(a)(15)(H) of this title", "s1101/a/15/H"),
        ("Sections 1182(a)(2), 1227 and 2000e–5(b) of this title", "s1182/a/2 s1227 s2000e-5/b"),
        ("section 1153(b) or section 1154 of this title", "s1153/b s1154"),
        ("section 1101(a)(15)(T) or (U) and 509A of this title", "s1101/a/15/T s509A"),
        ("section 1 of title 42, section 101 of the Act, subsection (a) of this section", ""),
    ],
)
def test_statutes_cite_sections_of_their_title(text, places):
    found = list(in_statute(text, "/us/usc/t8"))
    assert " ".join(ref.locator.removeprefix("/us/usc/t8/") for ref in found) == places
    assert all(text[ref.start : ref.end] == ref.text for ref in found)
