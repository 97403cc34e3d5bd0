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
        ("baja 8 USC 1158", {"kind": "bury", "factor": 2.0}),
        ("redirect to 8 USC 1158", {"kind": "redirect", "locator": "/us/usc/t8/s1158"}),
    ],
)
def test_a_verb_becomes_an_action(sentence, action):
    _criteria, _targets, actions, asked = read(sentence)
    assert (actions, asked) == ([action], [])


def test_a_rewrite_fires_upon_the_words_that_it_replaces():
    criteria, _targets, actions, _asked = read("replace alien with noncitizen")
    assert criteria == [{"kind": "keywords", "value": ["alien"], "stemmed": False}]
    assert actions == [{"kind": "rewrite", "text": "noncitizen", "phrase": "alien"}]


def test_an_unknown_verb_is_asked_about():
    assert [question.subject for question in read("translate 8 USC 1158")[3]] == ["action"]
