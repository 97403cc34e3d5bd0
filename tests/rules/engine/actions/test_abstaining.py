"""Rules that require the search to abstain."""

import pytest

from tests.rule_searches import QUESTION, THIRD, ask, section

pytestmark = pytest.mark.django_db


def test_abstention_that_a_rule_requires_beats_pins(rule):
    rule("abstain")
    rule("pin", targets=section(THIRD))
    answer = ask(QUESTION)
    assert answer["abstained"] and answer["results"] == []
    assert answer["near_misses"][0]["locator"] == THIRD
