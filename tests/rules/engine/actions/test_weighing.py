"""Rules that raise and lower candidates."""

import pytest

from tests.rule_searches import QUESTION, ask, locators, section

pytestmark = pytest.mark.django_db


def test_bury_lowers_what_would_be_first(rule):
    first = locators(ask(QUESTION))[0]
    rule({"kind": "bury", "factor": 100}, targets=section(first))
    assert locators(ask(QUESTION))[0] != first


def test_a_boost_raises_what_its_targets_reach_and_nothing_else(rule):
    *_, last = before = locators(ask(QUESTION))
    rule({"kind": "boost", "factor": 100}, targets=section(last))
    assert locators(ask(QUESTION)) == [last, *before[:-1]]
