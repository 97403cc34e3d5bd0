"""Previews on the page of a rule."""

from django import template

from evaluation.models import RulePreview
from rules.models import Rule

register = template.Library()


@register.simple_tag
def last_preview(rule: Rule) -> RulePreview | None:
    """Of publishing the rule as it stands now."""
    return RulePreview.objects.filter(rule=rule, content=rule.content).first()
