"""Amendments and articles with the sections and clauses around them, their numbers in words, figures and numerals."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval.citations.heads import (
    EN_CARDINALS,
    ES_CARDINALS,
    LARGEST,
    LOOSE_TAIL,
    NUMBER,
    ORDINALS,
    TAIL,
    bare_list,
    heads,
    is_amendment,
    is_english_ordinal,
    is_ordinal,
    is_spanish,
    number_at,
    read,
    with_tail,
)
from retrieval.parsing.designators import in_roman


def numbers(found):
    return [number.value for number in found]


@pytest.mark.parametrize(
    ("text", "kind", "named"),
    [
        ("the fifth and fourteenth amendments", "amendment", [5, 14]),
        ("first through fourth amendments", "amendment", [1, 2, 3, 4]),
        ("amendments v and xiv", "amendment", [5, 14]),
        ("article i", "article", [1]),
        ("la decimocuarta enmienda", "amendment", [14]),
        ("articulo 2", "article", [2]),
    ],
)
def test_what_is_named_is_read_with_all_its_numbers(text, kind, named):
    [head] = heads(text)
    assert (head.kind, numbers(head.numbers)) == (kind, named)


@pytest.mark.parametrize(
    "text", ["four amendments", "amendment 28", "article 8", "amendment first", "article of the amendment 3"]
)
def test_counts_and_what_does_not_exist_are_no_heads(text):
    assert list(heads(text)) == []


def test_misspelt_names_are_read_only_where_nothing_else_is_asked():
    assert list(heads("frist amendment")) == []
    [head] = heads("frist amendment", loose=True)
    assert numbers(head.numbers) == [1]


@pytest.mark.parametrize(
    ("text", "tail", "sections", "clauses"),
    [
        ("article i, section 8, clause 3", TAIL, [8], [3]),
        ("section 1 of the fourteenth amendment", TAIL, [1], []),
        ("the third clause in article ii's first section", TAIL, [1], [3]),
        ("art 1 s 8 c 3", LOOSE_TAIL, [8], [3]),
        ("fourteenth amendment sections 1 and 5", TAIL, [1, 5], []),
    ],
    ids=("article", "amendment", "nth clause", "short", "two sections"),
)
def test_sections_and_clauses_are_read_on_either_side(text, tail, sections, clauses):
    head = next(heads(text, loose=tail is LOOSE_TAIL))
    tailed = with_tail(text, head, tail)
    assert (numbers(tailed.sections), numbers(tailed.clauses)) == (sections, clauses)


def test_ordinals_alone_are_a_list_of_amendments():
    assert numbers(bare_list("5th & 14th").numbers) == [5, 14]
    assert bare_list("5 & 14") is None and bare_list("fifth") is None


def test_amendments_are_known_by_their_shape():
    assert is_amendment("ammendment") and is_amendment("enmiendas") and not is_amendment("government")
    assert is_amendment("amnd", loose=True) and not is_amendment("amnd")
    assert is_spanish("enmienda") and not is_spanish("amendment")
    assert number_at("amendment xiv", 10, 13).value == 14 and number_at("amendment xiv", 0, 3) is None


@pytest.mark.parametrize(
    ("token", "number"),
    [
        ("14", 14), ("14th", 14), ("xiv", 14), ("xivth", 14), ("fourteen", 14), ("fourteenth", 14),
        ("decimocuarta", 14), ("decima cuarta", 14), ("14ª", 14), ("twenty-first", 21), ("veintiuno", 21),
        ("4a.", 4), ("14.a", 14),
        ("fourtenth", 14), ("28", None), ("0", None), ("xxviii", None), ("house", None), ("", None),
    ],
)  # fmt: skip
def test_a_number_is_read_however_it_is_written(token, number):
    assert read(token) == number


@given(st.integers(1, LARGEST))
def test_roman_numerals_are_read_back(number):
    assert read(in_roman(number).lower()) == number


def test_every_word_for_a_number_is_matched_whole():
    for word in ORDINALS | EN_CARDINALS | ES_CARDINALS:
        assert re.fullmatch(NUMBER, word), word
    assert not re.search(NUMBER, "fifties")


def test_ordinals_are_told_from_plain_numbers():
    assert [is_ordinal(token) for token in ("14th", "fifth", "quinta", "14", "xiv", "five")] == [True] * 3 + [
        False
    ] * 3
    assert is_english_ordinal("twenty-first") and not is_english_ordinal("quinta")
