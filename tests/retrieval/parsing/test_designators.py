"""Designators are nested by what follows them, since text gives no levels."""

import pytest

from retrieval.parsing.designators import (
    CODE,
    PAPER,
    REGULATION,
    anchors_of,
    digits,
    doubled,
    leading,
    letters,
    nested,
    numeral,
)


def text_of(designators: str) -> str:
    return "\n".join(f"{each} words" for each in designators.split())


def paths(designators: str, scheme=REGULATION) -> str:
    text = text_of(designators)
    return " ".join(each.locator.removeprefix("/s/") for each in anchors_of(text, "/s", scheme))


@pytest.mark.parametrize(
    ("designators", "nested_as"),
    [
        ("(a)(1) (i) (A) (B) (ii) (2) (b)", "a a/1 a/1/i a/1/i/A a/1/i/B a/1/ii a/2 b"),
        ("(g) (h) (i) (j)", "g h i j"),
        ("(g) (h) (1) (i) (ii) (2) (i) (1)", "g h h/1 h/1/i h/1/ii h/2 i i/1"),
        ("(h)(1) (i) (j)", "h h/1 i j"),
        ("(u) (v) (1) (w)", "u v v/1 w"),
        ("(a)(1)(iv) (v) (vi) (b)", "a a/1 a/1/iv a/1/v a/1/vi b"),
        ("(a)(1)(i)(A)(1) (2) (B) (2)", "a a/1 a/1/i a/1/i/A a/1/i/A/1 a/1/i/A/2 a/1/i/B a/2"),
        ("(a)-(d) (e) (1)", "a e e/1"),
        ("(y) (z) (aa) (bb) (1)", "y z aa bb bb/1"),
    ],
)
def test_regulations_number_a_1_i_A(designators, nested_as):
    assert paths(designators) == nested_as


@pytest.mark.parametrize(
    ("designators", "nested_as"),
    [
        ("(a) (1) (A) (i) (I) (II) (aa) (bb) (ii) (B) (b)", "a a/1 a/1/A a/1/A/i a/1/A/i/I a/1/A/i/II a/1/A/i/II/aa "
         "a/1/A/i/II/bb a/1/A/ii a/1/B b"),
        ("(1) (2) (A) (3)", "1 2 2/A 3"),
        ("(a) (1) (A) (i) (I) (a) (b) (II) (b)", "a a/1 a/1/A a/1/A/i a/1/A/i/I a/1/A/i/I/a a/1/A/i/I/b a/1/A/i/II b"),
    ],
)  # fmt: skip
def test_the_code_numbers_a_1_A_i(designators, nested_as):
    assert paths(designators, CODE) == nested_as


@pytest.mark.parametrize(
    ("designators", "nested_as"),
    [
        ("(a) (b) (1) (2) (c)", "a b b/1 b/2 c"),
        ("(a)(1) (i) (A) (B) (ii) (2) (b)", "a a/1 a/1/i a/1/i/A a/1/i/B a/1/ii a/2 b"),
        ("(a) (1) (A) (i) (ii) (B) (2) (b)", "a a/1 a/1/A a/1/A/i a/1/A/ii a/1/B a/2 b"),
        ("(1) (a) (i) (ii) (b) (2) (a) (3)", "1 1/a 1/a/i 1/a/ii 1/b 2 2/a 3"),
        ("(A) (1) (a) (b) (2) (a) (B) (1)", "A A/1 A/1/a A/1/b A/2 A/2/a B B/1"),
        ("(i) (a) (b) (ii) (a)", "i i/a i/b ii ii/a"),
        ("(a) (b) (c) (d) (e) (f) (g) (h) (i) (j)", "a b c d e f g h i j"),
        ("(g)", ""),
        ("(a) (b) (d)", ""),
        ("(a) (2) (3)", ""),
        ("(1) (2) (1) (2)", ""),
        ("(a) (1) (a) (b)", ""),
        ("(1) (2) (a) (b) (1984)", ""),
        ("(a) (see) (b) (Gov.) (c)", "a b c"),
        ("(a) (b)-(d) (e) (1)", "a b e e/1"),
    ],
)
def test_papers_number_in_any_order_and_have_places_where_all_numbers_nest(designators, nested_as):
    assert paths(designators, PAPER) == nested_as


def test_terms_that_number_from_one_again_are_told_apart():
    assert paths("(1) (2) (1) (2)") == "1 2 1~2 2~2"


def test_a_place_ends_where_the_next_of_its_level_begins():
    text = text_of("(a) (1) (2) (b)")
    held = {each.locator: text[each.start : each.end] for each in anchors_of(text, "/s", CODE)}
    assert held["/s/a"] == "(a) words\n(1) words\n(2) words"
    assert (held["/s/a/2"], held["/s/b"]) == ("(2) words", "(b) words")


def test_words_in_parentheses_are_no_numbers():
    assert paths("(a) (see) (b)", CODE) == "a b"
    assert nested(leading("(q) of this", 0, 11), CODE)[0][0][1] == "q"


def test_numbers_are_read_as_they_are_written():
    assert [letters(each) for each in ("a", "z", "aa", "ab", "A")] == [1, 26, 27, 0, 0]
    assert [numeral(each) for each in ("iv", "xix", "iiii", "mm")] == [4, 19, 0, 2000]
    assert (doubled("bb"), digits("15"), digits("1a")) == (2, 15, 0)
