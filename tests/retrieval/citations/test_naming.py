"""What a text calls what it cites."""

import pytest

from retrieval.citations.naming import LONGEST, called, short_titles


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
        ("section 552 of title 5 (commonly known as the “Freedom of Information Act”)", "section 552 of title 5",
         "Freedom of Information Act"),
        ("This chapter may be cited as the “Natural Gas Act”.", "This chapter", "Natural Gas Act"),
        ("part B of the Individuals with Disabilities Education Act (20 U.S.C. 1411", "20 U.S.C. 1411",
         "part B of the Individuals with Disabilities Education Act"),
        ("titles II and XVI of the Social Security Act (42 U.S.C. 401", "42 U.S.C. 401", "Social Security Act"),
        ("the Work Act, the Community Services Block Grant Act (42 U.S.C. 9901", "42 U.S.C. 9901",
         "Community Services Block Grant Act"),
        ("Notwithstanding the Bank Holding Company Act of 1956 (12 U.S.C. 1841", "12 U.S.C. 1841",
         "Bank Holding Company Act of 1956"),
        ("in the States. Federal Arbitration Act (9 U.S.C. 1", "9 U.S.C. 1", "Federal Arbitration Act"),
        ("the Robert T. Stafford Disaster Relief Act (42 U.S.C. 5121", "42 U.S.C. 5121",
         "Robert T. Stafford Disaster Relief Act"),
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


def test_a_text_that_names_what_it_stands_in():
    text = "This subchapter may be cited as the “Rural Act”. This Act may be cited as the “Other Act”."
    assert list(short_titles(text)) == [(0, 15, "subchapter")]
