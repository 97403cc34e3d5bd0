"""The page of a rule leads to the last preview of the rule as it stands now."""

from datetime import timedelta

import pytest
from django.utils import timezone

from evaluation.models import RulePreview
from evaluation.templatetags.rule_previews import last_preview
from rules.models import Rule

pytestmark = pytest.mark.django_db


@pytest.fixture
def rule():
    return Rule.objects.create(name="a rule", actions=[{"kind": "note", "text": "Look."}])


def preview(rule: Rule, content, *, days: int = 0) -> RulePreview:
    moment = timezone.now() - timedelta(days=days)
    return RulePreview.objects.create(
        rule=rule, number=rule.pk, content=content, principal="user:1", rules_version=1, created_at=moment
    )


def test_the_last_of_several_is_given(rule):
    preview(rule, rule.content, days=2)
    last = preview(rule, rule.content)
    preview(rule, rule.content, days=1)
    assert last_preview(rule) == last


def test_previews_of_another_wording_or_of_retiring_do_not_count(rule):
    preview(rule, None)
    preview(rule, rule.content | {"actions": []})
    assert last_preview(rule) is None
