"""Other words for a question, and words besides its own."""

import pytest

from rules.engine.actions.rewriting import put_by
from rules.models import compiled
from tests.rule_searches import ALWAYS, THIRD, ask, legs_of, locators

pytestmark = pytest.mark.django_db


def test_a_rewrite_is_searched_instead_and_told(rule):
    rule({"kind": "rewrite", "phrase": "flibbertigibbet", "text": "quartering of soldiers"})
    answer = ask("Tell me of the Flibbertigibbet")
    assert answer["rules"]["rewritten"] == "Tell me of the quartering of soldiers"
    assert locators(answer)[0] == THIRD


def test_rewrites_make_no_question_longer_than_one_may_be():
    """Ten that each put a hundred words for one would make a text that no memory holds."""
    text = "tax " * 60
    growing = compiled(
        {"name": "n", "domains": [], "criteria": ALWAYS, "targets": [], "priority": 1, "valid_from": None}
        | {"valid_to": None, "actions": [{"kind": "rewrite", "phrase": "tax", "text": text}] * 10},
        number=1,
        version=1,
    )
    assert put_by([growing] * 10, "a tax") == f"a {text.strip()}"


def test_a_synonym_is_looked_for_besides(rule):
    rule({"kind": "synonym", "text": "quartered soldier"}, criteria=[{"kind": "keywords", "value": "billet"}])
    legs = legs_of("billet")
    assert "lexical" in legs[THIRD]
