"""What the nightly check found."""

import pytest

from retrieval.access.caller import ANONYMOUS
from rules.models import Rule, RuleFinding

pytestmark = pytest.mark.django_db


def test_a_finding_about_a_hidden_rule_is_hidden():
    shown = Rule.objects.create(name="shown")
    hidden = Rule.objects.create(name="hidden", domains=["client_cases"])
    for rules in ([shown], [shown, hidden]):
        RuleFinding.objects.create(
            kind="shadowed", reason="covered", rules=[r.pk for r in rules], names=[r.name for r in rules]
        )
    assert [row.names for row in RuleFinding.objects.visible_to(ANONYMOUS)] == [["shown"]]
