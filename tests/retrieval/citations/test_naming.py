"""What a text calls what it cites."""

import pytest

from retrieval.citations.naming import LONGEST, called


@pytest.mark.parametrize(
    ("text", "cited", "name"),
    [
        ("under section 1182 of this title (relating to inadmissible aliens), or", "1182", "inadmissible aliens"),
        ("sections 371 and 372(a) of title 18 (relating to conspiracies) and", "371", "conspiracies"),
        ("the Clean Air Act (42 U.S.C. 7401 et seq.) applies", "42 U.S.C. 7401", "Clean Air Act"),
        ("by the Age Discrimination in Employment Act of 1967 (29 U.S.C. 621", "29 U.S.C. 621",
         "Age Discrimination in Employment Act of 1967"),
        ("title VII of the Civil Rights Act of 1964 (42 U.S.C. 2000e)", "42 U.S.C. 2000e",
         "title VII of the Civil Rights Act of 1964"),
        ("The Federal Food, Drug, and Cosmetic Act (21 U.S.C. 301)", "21 U.S.C. 301",
         "Federal Food, Drug, and Cosmetic Act"),
        ("as section 552 of title 5 says", "552", ""),
        ("the President of the United States (3 U.S.C. 1)", "3 U.S.C. 1", ""),
        ("this Act (8 U.S.C. 1101)", "8 U.S.C. 1101", ""),
        ("section 3 of this title. Another thing (relating to dogs)", "3", ""),
    ],
)  # fmt: skip
def test_a_cited_place_has_the_name_that_the_text_gives_it(text, cited, name):
    start = text.index(cited)
    assert called(text, start, start + len(cited)) == name


def test_a_sentence_in_brackets_is_no_name():
    text = f"section 1 of this title (relating to {'very ' * LONGEST})"
    assert called(text, 8, 9) == ""
