"""Provisions that rules name as an answer."""

import pytest

from rules.engine.rule_aliases import RuleAliasRetriever
from tests.retrieval.stages.leg_contract import LegContract
from tests.rule_searches import THIRD, legs_of, section

pytestmark = pytest.mark.django_db


class TestRuleAliasRetriever(LegContract):
    leg = RuleAliasRetriever()


def test_an_alias_brings_its_provision(rule):
    rule("alias", targets=section(THIRD), criteria=[{"kind": "keywords", "value": "billet"}])
    legs = legs_of("the billet question")
    assert legs[THIRD]["rule"] == 1
