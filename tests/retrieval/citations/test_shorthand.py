"""Shorthand that only a whole query can be."""

import pytest

from retrieval.citations import shorthand


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("14th sec 1", ("amendment", 14, [1], [])),
        ("xiv § 1", ("amendment", 14, [1], [])),
        ("section 5 of the fourteenth", ("amendment", 14, [5], [])),
        ("a1s8c3", ("article", 1, [8], [3])),
        ("arti.s8.c3", ("article", 1, [8], [3])),
        ("amend. 25(4)", ("amendment", 25, [4], [])),
        ("i § 8 cl 3", ("article", 1, [8], [3])),
    ],
)
def test_a_section_is_read_from_few_letters(text, read):
    head = next(shorthand.find(text))
    told = ([n.value for n in head.sections], [n.value for n in head.clauses])
    assert (head.kind, head.numbers[0].value, *told) == read


@pytest.mark.parametrize("text", ["14th sec 9", "section 2 of 4", "amend. 25(5)", "a1b2c3", "2nd § 1"])
def test_a_section_that_does_not_exist_is_none(text):
    assert list(shorthand.find(text)) == []
