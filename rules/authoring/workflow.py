"""The steps of a rule: draft, proposed, published, retired. Every step is a line in its history."""

import json
from collections.abc import Sequence
from hashlib import sha256

from django.conf import settings
from django.contrib.auth import get_user_model
from django.contrib.auth.base_user import AbstractBaseUser
from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from retrieval.access.caller import Caller
from retrieval.access.row_security import as_system
from retrieval.models import Domain
from retrieval.models.access import caller_for
from rules.authoring.rule_checks import RuleRefused, check
from rules.linting import linter
from rules.models import Rule

MOST_NAMED = 3  # findings, or people, in one message
PERMITS = "django.contrib.auth.backends.ModelBackend"
# What a version of a rule is, besides its name.
CONTENT = (
    "domains", "criteria", "targets", "actions", "priority", "valid_from", "valid_to", "rationale", "tags",
)  # fmt: skip
Status = Rule.Status


def save_draft(rule: Rule, *, by, reason: str = "") -> Rule:
    """Saves what was edited. It is a draft again, unless nothing differs from what is in force."""
    as_draft(rule)
    rule.owner = rule.owner or by
    return kept(rule, by, reason)


def as_draft(rule: Rule) -> None:
    """Sets the status that an edited rule has; does not save it."""
    is_live = rule.live is not None and not rule.has_unpublished_changes
    rule.status = Status.PUBLISHED if is_live else Status.DRAFT
    rule.proposed_by = None


def publishable() -> tuple[str, ...]:
    """The statuses from which a rule may be published, as the settings have it."""
    if settings.ARF_RULES_SECOND_PERSON:
        return (Status.PROPOSED,)
    return (Status.DRAFT, Status.PROPOSED, Status.RETIRED)


def waits_for_another(rule: Rule, by) -> bool:
    """Whether this person proposed the rule, which somebody else must approve."""
    second = settings.ARF_RULES_SECOND_PERSON and rule.status == Status.PROPOSED
    return second and by.pk == rule.proposed_by_id


def publishers(rule: Rule) -> list[AbstractBaseUser]:
    """Others than the one who proposed it who may publish rules, by name."""
    staff = get_user_model().objects.with_perm("rules.publish_rule", backend=PERMITS).filter(is_staff=True)
    return list(staff.exclude(pk=rule.proposed_by_id).order_by("username"))


def approvers(rule: Rule) -> list[AbstractBaseUser]:
    """Those of them who may see all of its domains, as the page of the rule asks for."""
    with as_system():  # whoever asks need not see what others were granted
        return [person for person in publishers(rule) if sees(person, rule)]


def sees(person: AbstractBaseUser, rule: Rule) -> bool:
    visible = Domain.objects.visible_to(caller_for(person)).filter(slug__in=rule.domains)
    return {*rule.domains} == {*visible.values_list("slug", flat=True)}


def first_names(people: Sequence[AbstractBaseUser]) -> list[str]:
    return [person.get_username() for person in people[:MOST_NAMED]]


@transaction.atomic
def propose(rule: Rule, *, by, caller: Caller) -> Rule:
    """Puts a draft, as it is given here, before somebody who may approve it. Raises RuleRefused."""
    rule = as_shown(rule, locked(rule, Status.DRAFT, Status.RETIRED))
    check(rule, caller)
    check_beside_others(rule, caller)
    rule.status, rule.proposed_by = Status.PROPOSED, by
    return kept(rule, by, _("proposed"))


@transaction.atomic
def publish(rule: Rule, *, by, caller: Caller) -> Rule:
    """Puts the rule, as it is given here, in force. Raises RuleRefused, also where it was changed since; where the
    settings say so, whoever proposed it cannot approve it.
    """
    rule = as_shown(rule, locked(rule, *publishable()))
    if settings.ARF_RULES_SECOND_PERSON and (by is None or by.pk == rule.proposed_by_id):
        raise RuleRefused(_("Another person than the one who proposed it must approve it."))
    check(rule, caller)
    check_beside_others(rule, caller)
    rule.status, rule.live, rule.version = Status.PUBLISHED, rule.content, rule.version + 1
    rule.published_by, rule.published_at = by, timezone.now()
    return kept(rule, by, _("published as version %d") % rule.version)


@transaction.atomic
def send_back(rule: Rule, *, by) -> Rule:
    """Makes a draft of what was proposed."""
    rule = locked(rule, Status.PROPOSED)
    rule.status, rule.proposed_by = Status.DRAFT, None
    return kept(rule, by, _("sent back"))


@transaction.atomic
def retire(rule: Rule, *, by, reason: str = "") -> Rule:
    """Takes the rule out of force; it stays to be read, copied and published again."""
    rule = Rule.objects.select_for_update().get(pk=rule.pk)
    if rule.live is None:
        raise RuleRefused(_("It is not in force."))
    rule.status, rule.live, rule.proposed_by = Status.RETIRED, None, None
    return kept(rule, by, reason or _("retired"))


def copy(rule: Rule, *, by) -> Rule:
    """A draft that says the same under another name."""
    twin = Rule(name=free_name(rule.name, rule.domains), owner=by, **{name: getattr(rule, name) for name in CONTENT})
    return save_draft(twin, by=by, reason=_("copied from rule %d") % rule.pk)


def free_name(name: str, domains: Sequence[str]) -> str:
    """The name, numbered where a rule of the same domains has it."""
    same = Rule.objects.filter(name__startswith=name[:100], domains=list(domains))
    taken = set(same.values_list("name", flat=True))
    numbered = (f"{name[:100]} ({n})" for n in range(2, len(taken) + 3))
    return next(candidate for candidate in (name, *numbered) if candidate not in taken)


def retire_expired() -> int:
    """Retires rules whose last day is over, which searches leave out by themselves; gives how many. May run twice."""
    over = list(Rule.objects.over(timezone.localdate()))
    for rule in over:
        retire(rule, by=None, reason=_("its last day is over"))
    return len(over)


def locked(rule: Rule, *allowed: str) -> Rule:
    """The row as it stands now. Raises RuleRefused where its status is none of these."""
    rule = Rule.objects.select_for_update().get(pk=rule.pk)
    if rule.status not in allowed:
        raise RuleRefused(_("Its status is “%s”: this is not possible now.") % rule.get_status_display())
    return rule


def digest_of(rule: Rule) -> str:
    """Of its content: who approves a rule approves what was shown, not what it has become since."""
    return sha256(json.dumps(rule.content, sort_keys=True).encode()).hexdigest()


def as_shown(shown: Rule, rule: Rule) -> Rule:
    """The second. Raises RuleRefused where it says anything else than the first."""
    if digest_of(shown) != digest_of(rule):
        raise RuleRefused(_("It was changed after this page was shown: look at it again."))
    return rule


def check_beside_others(rule: Rule, caller: Caller) -> None:
    """Raises RuleRefused where it contradicts one in force, or closes a circle of rewrites."""
    refusing = [found for found in linter.findings_about(rule, caller) if found.refuses]
    if refusing:
        raise RuleRefused(" ".join(map(linter.sentence, refusing[:MOST_NAMED])))


def warnings(rule: Rule, caller: Caller) -> list[str]:
    """What a curator should know of the rule as it stands, kept already or not, before proposing it."""
    try:
        check(rule, caller)
    except RuleRefused as problem:
        return [problem.message]
    return linter.warnings(rule, caller)


def kept(rule: Rule, by, reason: str) -> Rule:
    rule._history_user, rule._change_reason = by, reason[:100]
    rule.save()
    return rule
