"""When a rule fires, as a sentence says it."""

import pytest

from rules.authoring.grammar.conditions import EXCEPTION, taken_criteria, unread_condition
from rules.authoring.grammar.sentence import Sentence


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
