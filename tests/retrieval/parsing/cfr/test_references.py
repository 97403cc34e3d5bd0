"""Citations that leave out the title mean the regulation's own."""

import pytest

from retrieval.parsing.cfr.references import references


@pytest.mark.parametrize(
    ("text", "places"),
    [
        ("See § 1.136(a)(1) of this part.", "s1.136/a/1"),
        ("under §§ 1.16, 1.17(p) and 274a.12 or", "s1.16 s1.17/p s274a.12"),
        ("§§ 1.05-20 through 1.05–25.", "s1.05-20 s1.05-25"),
        ("§ 1.16 or § 1.17, and", "s1.16 s1.17"),
        ("as parts 3 and 4a of this chapter say", "pt3 pt4a"),
        ("33 CFR § 1.05, 5 U.S.C. § 552.1, section 1.2, part 3 of the Act, $ 1.50", ""),
    ],
)
def test_sections_and_parts_are_found(text, places):
    found = list(references(text, "/us/cfr/t37"))
    assert " ".join(ref.locator.removeprefix("/us/cfr/t37/") for ref in found) == places
    assert all(text[ref.start : ref.end] == ref.text for ref in found)
