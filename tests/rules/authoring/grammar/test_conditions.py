"""When a rule fires, as a sentence says it."""

from datetime import date

import pytest

from rules.authoring.grammar.conditions import (
    EXCEPTION,
    Days,
    days_in,
    names_unread_day,
    taken_criteria,
    unread_condition,
)
from rules.authoring.grammar.names import Sentence


@pytest.mark.parametrize(
    ("sentence", "criteria"),
    [
        ("when someone asks about rent", [{"kind": "keywords", "value": ["rent"], "stemmed": True}]),
        (
            "cuando alguien pregunte por el alquiler",
            [{"kind": "keywords", "value": ["alquiler"], "stemmed": True}],
        ),
        ("for all questions", [{"kind": "always"}]),
        ("if the question starts with what is", [{"kind": "starts_with", "value": "what is"}]),
    ],
)
def test_a_condition_becomes_criteria(sentence, criteria):
    assert taken_criteria(Sentence.of(sentence))[0] == criteria


def test_phrases_joined_by_and_must_all_be_there():
    criteria, _rest = taken_criteria(Sentence.of("if the question mentions rent and deposit"))
    assert [criterion["value"] for criterion in criteria] == [["rent"], ["deposit"]]


def test_conditions_joined_by_or_are_not_read():
    assert unread_condition(Sentence.of("if the question mentions rent or cites 8 USC 1158")) == ""
    assert unread_condition(Sentence.of("if the question mentions rent or mentions bail"))


def test_an_exception_is_recognised():
    assert EXCEPTION.search("hide it unless someone asks")


TODAY = date(2026, 11, 21)


@pytest.mark.parametrize(
    ("text", "first", "last"),
    [
        ("until june", None, date(2027, 6, 30)),
        ("from 1 july to 31 august", date(2027, 7, 1), date(2027, 8, 31)),
        ("este ano", date(2026, 1, 1), date(2026, 12, 31)),
        ("before 2027-03-01", None, date(2027, 2, 28)),
        ("desde el 1 de diciembre", date(2026, 12, 1), None),
    ],
)
def test_days_are_read(text, first, last):
    assert days_in(text, TODAY)[0] == Days(first, last)


def test_a_day_that_does_not_exist_is_left_unread():
    assert days_in("until 31 june", TODAY) == (Days(), []) and names_unread_day("until 31 june")
