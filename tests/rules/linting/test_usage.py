"""How often rules are used, counted by the day."""

from datetime import date, timedelta

import pytest
from django.utils import timezone

from retrieval.access.caller import ANONYMOUS
from retrieval.models import SearchLog
from rules.linting import usage
from rules.models import Rule, RuleUse, SearchDay

pytestmark = pytest.mark.django_db


@pytest.fixture
def rule() -> Rule:
    return Rule.objects.create(name="one", criteria=[{"kind": "always"}], actions=[{"kind": "abstain"}])


def searched(rule: Rule, channel: str, **fields) -> None:
    SearchLog.objects.create(
        query_hash="h", language="en", channel=channel, took_ms=1, rules_fired=[rule.pk], **fields
    )


def test_what_staff_try_is_not_counted(rule):
    for channel in ("page", "api", "admin", "command"):
        searched(rule, channel)
    usage.count()
    usage.count()
    assert RuleUse.objects.get().fired == 2 and SearchDay.objects.get().searches == 2


def test_every_day_since_the_last_one_is_counted(rule):
    SearchDay.objects.create(day=timezone.localdate() - timedelta(days=2), searches=0)
    assert usage.count() == 3


def test_a_rule_tells_when_it_fired_last(rule):
    RuleUse.objects.create(rule=rule, day=date(2020, 1, 1), fired=4)
    RuleUse.objects.create(rule=rule, day=timezone.localdate(), fired=1)
    known = usage.with_uses(Rule.objects.all(), ANONYMOUS).get()
    assert (known.last_fired, known.fired_lately) == (timezone.localdate(), 1)
