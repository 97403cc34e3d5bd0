"""Findings about stored rules: of one rule before it is published, and of all rules in force every night."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from importlib import import_module
from types import ModuleType

from django.conf import settings
from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from retrieval.access.caller import Caller
from retrieval.access.row_security import as_system
from retrieval.corpus.filters import in_selection
from retrieval.models import Chunk, Domain, Section
from retrieval.targets import Selection
from rules.linting import usage
from rules.linting.conflicts import FOUND_ELSEWHERE, KINDS, Finding, conflicts, unused
from rules.models import Rule, RuleFinding

YOUNGEST = 2**63 - 1  # the number of a rule that has none yet
MOST_WARNED = 10  # messages when a rule is saved


@dataclass(frozen=True)
class StoredCorpus:
    """What is current of what the caller may read; without a caller, of everything."""

    caller: Caller | None

    @cached_property
    def jurisdictions(self) -> Mapping[str, str]:
        """By slug, as searches have it."""
        prefixes = self.domains.values_list("slug", "locator_prefix")
        return {slug: prefix.strip("/").partition("/")[0] for slug, prefix in prefixes}

    @property
    def domains(self):
        return Domain.objects.all() if self.caller is None else Domain.objects.visible_to(self.caller)

    def chunks(self, selection: Selection, domains: tuple[str, ...]) -> frozenset[int]:
        searched = self.domains.filter(slug__in=domains) if domains else self.domains
        sections = Section.objects.live().valid_on(None)
        readable = sections if self.caller is None else sections.visible_to(self.caller)
        chosen = Chunk.objects.filter(
            in_selection(selection), section__in=readable.filter(domain__in=searched)
        )
        return frozenset(chosen.order_by().values_list("pk", flat=True))


def findings_about(rule: Rule, caller: Caller) -> list[Finding]:
    """What would be wrong if the rule were published as it stands, beside those in force that the caller may see. One
    that is not kept yet is the youngest of all.
    """
    others = Rule.objects.published().visible_to(caller).exclude(pk=rule.pk)
    looked_at = replace(rule.draft, number=rule.pk or YOUNGEST)
    rules = [*(other.compiled for other in others), looked_at]
    return conflicts(rules, StoredCorpus(caller), timezone.localdate(), about=looked_at.number)


def warnings(rule: Rule, caller: Caller) -> list[str]:
    """What every linter that the settings name says of a rule that was saved."""
    return [message for linter in linters() for message in linter.warnings_at_save(rule, caller)]


def everything_found() -> list[Finding]:
    """By every linter, now."""
    return [found for linter in linters() for found in linter.all_findings()]


def linters() -> list[ModuleType]:
    """This module, and those of the apps that know more: `warnings_at_save(rule, caller)`, `all_findings()`."""
    return [import_module(name) for name in settings.ARF_RULE_LINTERS]


def warnings_at_save(rule: Rule, caller: Caller) -> list[str]:
    """The first of what is wrong; what takes a question about two subjects is left to the list of every night."""
    alone = [found for found in findings_about(rule, caller) if not found.joined]
    return [sentence(found) for found in alone[:MOST_WARNED]]


def sentence(found: Finding) -> str:
    """What is wrong, with the question that shows it."""
    if not found.question:
        return found.message
    return f"{found.message} " + _("For example when somebody asks “%s”.") % found.question


def all_findings() -> list[Finding]:
    """Of every rule in force, whoever may see it."""
    with as_system():
        rules = [rule.compiled for rule in Rule.objects.published()]
        today = timezone.localdate()
        idle = unused(usage.counted_wholly(rules), usage.known(), today)
        return [*conflicts(rules, StoredCorpus(None), today), *idle]


def check_all() -> int:
    """Puts what is wrong now in place of what was found before; gives how many findings. May run twice."""
    return put(all_findings(), KINDS.keys() - FOUND_ELSEWHERE)


def put(found: Sequence[Finding], kinds: Collection[str]) -> int:
    """Findings of these kinds in place of those there were; gives how many."""
    with transaction.atomic():
        RuleFinding.objects.filter(kind__in=kinds).delete()
        RuleFinding.objects.bulk_create(RuleFinding(**asdict(one)) for one in found)
    return len(found)
