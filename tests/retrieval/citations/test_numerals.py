"""Numbers in words, figures and Roman numerals."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval.citations import numerals
from retrieval.citations.numerals import LARGEST, NUMBER, is_english_ordinal, is_ordinal, read, roman


@pytest.mark.parametrize(
    ("token", "number"),
    [
        ("14", 14), ("14th", 14), ("xiv", 14), ("xivth", 14), ("fourteen", 14), ("fourteenth", 14),
        ("decimocuarta", 14), ("decima cuarta", 14), ("14ª", 14), ("twenty-first", 21), ("veintiuno", 21),
        ("fourtenth", 14), ("28", None), ("0", None), ("xxviii", None), ("house", None), ("", None),
    ],
)  # fmt: skip
def test_a_number_is_read_however_it_is_written(token, number):
    assert read(token) == number


@given(st.integers(1, LARGEST))
def test_roman_numerals_are_read_back(number):
    assert read(roman(number).lower()) == number


def test_every_word_for_a_number_is_matched_whole():
    for word in numerals.ORDINALS | numerals.EN_CARDINALS | numerals.ES_CARDINALS:
        assert re.fullmatch(NUMBER, word), word
    assert not re.search(NUMBER, "fifties")


def test_ordinals_are_told_from_plain_numbers():
    assert [is_ordinal(token) for token in ("14th", "fifth", "quinta", "14", "xiv", "five")] == [True] * 3 + [
        False
    ] * 3
    assert is_english_ordinal("twenty-first") and not is_english_ordinal("quinta")
