"""What was taken out of a text and put into it."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval.text import redline as module
from retrieval.text.redline import Change, excerpt, has_same_words, redline, stretches

WORDS = st.lists(st.sampled_from(["the", "law", "(a)", "an", "officer", "\n", "shall"]), max_size=30).map(
    " ".join
)


@given(WORDS, WORDS)
def test_both_texts_can_be_read_back(old, new):
    lines = redline(old, new)
    said = "".join(change.text for line in lines for change in line if change.kind != "ins")
    assert said == old.replace("\n", "")
    assert "".join(change.text for line in lines for change in line if change.kind != "del") == new.replace(
        "\n", ""
    )


def test_words_are_told_apart_within_their_line():
    assert redline("(a) An officer may act.\n(b) Same.", "(a) An officer shall act.\n(b) Same.") == [
        (Change("(a) An officer"), Change(" may", "del"), Change(" shall", "ins"), Change(" act.")),
        (Change("(b) Same."),),
    ]


def test_a_line_that_joins_or_goes_is_whole():
    assert redline("One.", "One.\nTwo.") == [(Change("One."),), (Change("Two.", "ins"),)]
    assert redline("One.\nTwo.", "Two.") == [(Change("One.", "del"),), (Change("Two."),)]


def test_long_passages_are_set_whole(monkeypatch):
    monkeypatch.setattr(module, "MOST_PAIRS", 3)
    assert redline("a b c", "a b d") == [(Change("a b c", "del"),), (Change("a b d", "ins"),)]


@pytest.mark.parametrize(("blank", "number"), [(" ", 600), ("\n", 3_000), ("\n", 12_000)])
def test_what_is_said_again_and_again_is_compared_in_no_time(blank, number):
    old, new = (blank.join(f"a{blank}{letter}{n}" for n in range(number)) for letter in "bc")
    start = time.process_time()
    lines = redline(old, new)
    assert time.process_time() - start < 5
    said = "\n".join("".join(change.text for change in line if change.kind != "ins") for line in lines)
    assert set(old.split()) <= set(said.split())


def test_an_excerpt_holds_what_changed_and_a_little_around_it():
    old = "Same.\n" + "word " * 100 + "may act."
    lines = excerpt(redline(old, old.replace("may", "shall")), most=500)
    assert len(lines) == 1
    assert lines[0][0].text.startswith(" … ") and len(lines[0][0].text) < 100
    assert [change.text for change in lines[0] if change.kind] == [" may", " shall"]
    (cut,) = excerpt(redline("", "word " * 100), most=50)
    assert sum(len(change.text) for change in cut) <= 51 and cut[0].text.endswith("…")


def test_what_is_far_from_every_change_stands_apart():
    old = "\n".join(f"Line {n}." for n in range(8))
    parts = stretches(redline(old, old.replace("Line 3.", "Line three.")))
    assert [(part.is_far, len(part.lines)) for part in parts] == [(True, 2), (False, 3), (True, 3)]
    assert [line for part in parts for line in part.lines] == redline(old, old.replace("Line 3.", "Line three."))
    (same,) = stretches(redline(old, old))
    assert not same.is_far and len(same.lines) == 8


@pytest.mark.parametrize(
    ("old", "new", "same"),
    [
        ("By a small entity -$65.00", "By a small entity | $65.00", True),
        ("Fee....... $65.00\nOther", "Fee | $65.00 Other", True),
        ("By a small entity—$65.00", "By a small entity | $65.00", True),
        ("Fee | $65.00", "Fee | $66.00", False),
        ("re-sign", "resign", False),
        ("-5 degrees", "5 degrees", False),
        ("1990– the office", "1990 the office", False),
        ("5 - 3", "5 3", False),
        ("goods, wares", "goods wares", False),
    ],
)
def test_layout_is_told_from_words(old, new, same):
    assert has_same_words(old, new) == same


def test_a_long_run_of_underscores_before_a_letter_is_looked_through_once():
    """Tried from each of its characters anew, it would take minutes, and the test suite's limit with it."""
    assert has_same_words("_" * 200_000 + "a", "_" * 200_000 + "a")
