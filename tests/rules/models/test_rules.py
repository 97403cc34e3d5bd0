"""Rules as rows: drafts, what is in force, and who sees them."""

from datetime import date

import pytest
from django.core.exceptions import ValidationError

from retrieval.access.caller import ANONYMOUS
from rules.models import Rule

pytestmark = pytest.mark.django_db


def kept(name: str = "one", **fields) -> Rule:
    rule = Rule(name=name, criteria=[{"kind": "always"}], actions=[{"kind": "abstain"}], **fields)
    rule.live = rule.content
    rule.save()
    return rule


def test_an_edit_of_a_rule_in_force_is_an_unpublished_change():
    rule = kept()
    assert not rule.has_unpublished_changes
    rule.priority = 5
    assert rule.has_unpublished_changes and (rule.draft.priority, rule.compiled.priority) == (5, 100)


def test_rules_whose_last_day_is_past_are_over():
    kept("past", valid_to=date(2020, 1, 1))
    kept("today", valid_to=date(2020, 1, 2))
    kept("always")
    assert [rule.name for rule in Rule.objects.over(date(2020, 1, 2))] == ["past"]


def test_a_rule_of_a_private_domain_is_hidden_from_strangers():
    kept(domains=["us_constitution", "client_cases"])
    assert not Rule.objects.visible_to(ANONYMOUS).exists()


@pytest.mark.parametrize(
    ("fields", "named"),
    [
        ({"name": "a\nb"}, "name"),
        ({"valid_from": date(2020, 1, 2), "valid_to": date(2020, 1, 1)}, "valid_to"),
        ({"domains": ["nowhere"]}, "domains"),
    ],
)
def test_what_no_search_could_apply_is_refused(fields, named):
    rule = Rule(
        **{"name": "one", "criteria": [{"kind": "always"}], "actions": [{"kind": "abstain"}]} | fields
    )
    with pytest.raises(ValidationError) as problem:
        rule.clean()
    assert named in problem.value.message_dict
