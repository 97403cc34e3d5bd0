"""Text as readers hand it on: what can be printed, in plain typography."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval.parsing.files.blocks import UNPRINTABLE, printable, single_spaced


@pytest.mark.parametrize(
    ("found", "text"),
    [
        ("ﬁnal oﬀer", "final offer"),
        ("\uf0b7 first", "• first"),
        ("a\u00a0b\u2003c", "a b c"),
        ("zero\u200bwidth\ufeff", "zerowidth"),
        ("half \ud800 a letter", "half  a letter"),
        ("bell\x07", "bell"),
        ("§ 1º “quoted” ñ", "§ 1º “quoted” ñ"),
        ("so\u00adft", "so\u00adft"),  # dealt with where lines meet
    ],
)
def test_typography_is_made_plain_and_the_rest_kept(found, text):
    assert printable(found) == text


@given(st.text(st.characters()))
def test_any_text_can_be_stored_and_is_made_plain_once(text):
    made = printable(text)
    assert not UNPRINTABLE.search(made) and "\x00" not in made
    assert printable(made) == made


def test_blanks_of_any_kind_are_one_space():
    assert single_spaced(" a\t\tb\n c\u00a0\u00a0d ") == "a b c d"
