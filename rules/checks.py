"""System checks of what curators decided: whether it fits what this version serves, and whether it can be read."""

from collections.abc import Sequence

from django.core.checks import CheckMessage, Tags, Warning, register

from retrieval.checks import migrated
from retrieval.engines.translation import key_of
from retrieval.stages.reranker.features import USUAL_MINIMUM
from rules.models import DomainThreshold, GlossaryTerm


@register(Tags.database)
def answer_minimums(app_configs, databases: Sequence[str] | None = None, **kwargs) -> list[CheckMessage]:
    if not migrated(databases):
        return []
    in_force = DomainThreshold.objects.filter(active=True).select_related("domain")
    return [
        Warning(
            f"The answer minimum of {row.domain.slug}, {row.answer_minimum:g}, was chosen on another scale "
            f"than the reranker's; {USUAL_MINIMUM} holds instead.",
            hint=f"Run `{row.tuning}`.",
            id="arf.W009",
        )
        for row in in_force
        if not row.is_on_scale
    ]


@register(Tags.database)
def terms_of_the_glossary(app_configs, databases: Sequence[str] | None = None, **kwargs) -> list[CheckMessage]:
    if not migrated(databases):
        return []
    wordless = [term for term in GlossaryTerm.objects.filter(enabled=True) if not key_of(term.spanish)]
    return [
        Warning(
            f"The glossary term “{term}” has no letter or digit in Spanish; it is left out.",
            hint="Correct or switch it off, under Glossary in the admin.",
            id="arf.W012",
        )
        for term in wordless
    ]
