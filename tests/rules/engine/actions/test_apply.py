"""The actions of fired rules, one after the other."""

import pytest

from retrieval.access.caller import Caller
from rules.engine.actions.account import telling
from rules.engine.actions.apply import ApplyRuleActions
from tests.rule_searches import FIFTH, FIRST, QUESTION, THIRD, ask, locators, section
from tests.rules.engine.compiled_rules import a_ranking, a_rule


@pytest.mark.django_db
def test_no_language_model_undoes_a_rule(rule, unsure):
    asks = Caller(("key:1",), frozenset({"pipelines"}))
    rule({"kind": "pin", "position": 2}, targets=section(THIRD))
    rule("exclude", targets=section(FIFTH))
    answer = ask(QUESTION, asks, pipeline="verified")
    assert locators(answer)[1] == THIRD and FIFTH not in locators(answer)
    assert len(unsure.asked) == 3


@pytest.mark.django_db
def test_exclude_beats_pin_beats_boost(rule):
    rule("pin", targets=section(FIRST, THIRD))
    rule({"kind": "boost", "factor": 100}, targets=section(FIFTH))
    rule("exclude", targets=section(FIRST), priority=900)
    found = locators(ask(QUESTION, k=50))
    assert found[:2] == [THIRD, FIFTH] and FIRST not in found


class First:
    def __call__(self, ranking):
        return telling(ranking, done=["first"])


class Second:
    def __call__(self, ranking):
        return telling(ranking, done=[*ranking.curated["done"], "second"])


def test_actions_run_in_their_order_and_each_has_its_line_in_the_trace():
    ranking = ApplyRuleActions(First(), Second())(a_ranking(7, fired=(a_rule(1, "note"),)))
    assert ranking.curated == {"done": ["first", "second"]} and ranking.note == "rule 1"
    assert [report.name for report in ranking.reports] == ["First", "Second"]


def test_where_no_rule_fired_nothing_runs():
    ranking = ApplyRuleActions(First())(a_ranking(7))
    assert ranking.curated == {} and ranking.reports == () and ranking.details["skipped"]
