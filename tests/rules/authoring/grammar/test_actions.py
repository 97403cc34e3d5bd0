"""What a rule does, as a sentence says it."""

import pytest

from rules.authoring.grammar.actions import read_action
from rules.authoring.grammar.names import Sentence, with_names, with_provisions
from tests.rule_sentences import KNOWN


def read(text: str) -> tuple:
    return read_action([], with_provisions(with_names(Sentence.of(text), KNOWN)))


@pytest.mark.parametrize(
    ("sentence", "action"),
    [
        ("never show 8 USC 1158", {"kind": "exclude"}),
        ("show 8 USC 1158 second", {"kind": "pin", "position": 2}),
        ("rank 8 USC 1158 higher by 3", {"kind": "boost", "factor": 3.0}),
        ("slightly boost 8 USC 1158 over other results", {"kind": "boost", "factor": 1.5}),
        ("give 8 USC 1158 a strong boost", {"kind": "boost", "factor": 4.0}),
        ("boost 8 USC 1158 x3", {"kind": "boost", "factor": 3.0}),
        ("8 USC 1158 goes third", {"kind": "pin", "position": 3}),
        ("keep inside 8 USC 1158", {"kind": "restrict"}),
        ("baja 8 USC 1158", {"kind": "bury", "factor": 2.0}),
        ("redirect to 8 USC 1158", {"kind": "redirect", "locator": "/us/usc/t8/s1158"}),
    ],
)
def test_a_verb_becomes_an_action(sentence, action):
    _criteria, _targets, actions, asked = read(sentence)
    assert (actions, asked) == ([action], [])


@pytest.mark.parametrize(
    ("sentence", "words"),
    [
        ("boost 8 USC 1158 to 150%", "to 150%"),
        ("raise 8 USC 1158 up to 150 percent", "to 150 percent"),
        ("boost to 150% 8 USC 1158", "to 150%"),
        ("lower 8 USC 1158 to 50%", "to 50%"),
        ("raise 8 USC 1158 to 150% priority", "to 150%"),
        ("sube 8 USC 1158 a 150%", "a 150%"),
        ("sube 8 USC 1158 a un 150%", "a un 150%"),
        ("sube 8 USC 1158 al 150 por ciento", "al 150 por ciento"),
    ],
)
def test_a_percentage_to_which_a_score_is_brought_is_asked_about(sentence, words):
    _criteria, _targets, actions, asked = read(sentence)
    assert (actions, [(one.subject, one.words) for one in asked]) == ([], [("action", words)])


@pytest.mark.parametrize("sentence", ["give 8 USC 1158 a 50% boost", "boost 8 USC 1158 50%"])
def test_a_percentage_by_which_a_score_is_raised_needs_no_preposition(sentence):
    assert read(sentence)[2:] == ([{"kind": "boost", "factor": 1.5}], [])


def test_a_rewrite_fires_upon_the_words_that_it_replaces():
    criteria, _targets, actions, _asked = read("replace alien with noncitizen")
    assert criteria == [{"kind": "keywords", "value": ["alien"], "stemmed": False}]
    assert actions == [{"kind": "rewrite", "text": "noncitizen", "phrase": "alien"}]


def test_an_unknown_verb_is_asked_about():
    assert [question.subject for question in read("translate 8 USC 1158")[3]] == ["action"]


def test_synonyms_in_both_directions_and_in_one():
    criteria, _targets, actions, asked = read("synonyms: cop, police officer")
    assert (criteria[0]["value"], [one["text"] for one in actions], asked) == (
        ["cop", "police officer"], ["cop", "police officer"], [],
    )  # fmt: skip
    criteria, _targets, actions, _asked = read("cop and constable mean officer")
    assert (criteria[0]["value"], [one["text"] for one in actions]) == (["cop", "constable"], ["officer"])


def test_who_declines_may_say_why():
    _criteria, _targets, actions, asked = read('decline and reply "See a lawyer."')
    assert (actions, asked) == ([{"kind": "abstain"}, {"kind": "note", "text": "See a lawyer."}], [])
