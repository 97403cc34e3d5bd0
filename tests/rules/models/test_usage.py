"""How often rules were used, as rows."""

from datetime import date

import pytest

from retrieval.access.caller import ANONYMOUS
from rules.models import Rule, RuleUse

pytestmark = pytest.mark.django_db


def test_uses_counted_in_private_domains_are_hidden_although_the_rule_moved():
    rule = Rule.objects.create(name="one")
    RuleUse.objects.create(rule=rule, day=date(2020, 1, 1), domains=["client_cases"], fired=1)
    RuleUse.objects.create(rule=rule, day=date(2020, 1, 2), fired=2)
    assert [use.fired for use in RuleUse.objects.visible_to(ANONYMOUS)] == [2]
