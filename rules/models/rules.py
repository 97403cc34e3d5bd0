"""Rules, what is wrong with them and how often they are used."""

from collections.abc import Collection, Sequence
from dataclasses import replace
from datetime import date
from typing import Any

from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.core.exceptions import ValidationError
from django.db import models
from django.db.models.fields.json import KeyTextTransform
from django.db.models.lookups import LessThan
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy
from simple_history.models import HistoricalRecords

from retrieval.access.caller import Caller
from retrieval.models import Domain
from rules.engine.clauses import CompiledRule, read
from rules.linting.conflicts import KINDS


def person(**options) -> models.ForeignKey:
    return models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+", **options
    )


class WhereVisible(models.QuerySet):
    def visible_to(self, caller: Caller) -> "WhereVisible":
        """What acts in domains that the caller may see, all of them: a rule may name what is in a private one."""
        visible = list(Domain.objects.visible_to(caller).values_list("slug", flat=True))
        return self.filter(domains__contained_by=visible)


class RuleQuerySet(WhereVisible):
    def published(self) -> "RuleQuerySet":
        """Those in force, a draft over them or not; their days are looked at when a question is asked."""
        return self.filter(live__isnull=False)

    def of_these(self, domains: Sequence[str]) -> "RuleQuerySet":
        """Of these domains and no others, in any order."""
        return self.filter(domains__contains=list(domains), domains__contained_by=list(domains))

    def over(self, day: date) -> "RuleQuerySet":
        """Published rules whose last day lies before this one; as text, since JSON's null is less than any text."""
        last = KeyTextTransform("valid_to", "live")
        return self.published().filter(LessThan(last, day.isoformat()))


class Rule(models.Model):
    """A curator's decision: when a question is like this, do that with those parts of the corpus.

    When, upon what and what are kept as three lists of JSON objects, not as child rows: one row of history is then
    a whole rule, which can be compared, put back, copied, sent to the API and imported as it is. They are read
    strictly by `rules.engine.clauses`, and edited in the admin as rows of a form.

    The row is what curators edit; `live`, written by `rules.authoring.workflow` alone, is what searches apply: the
    rule as it was when it was approved. So a published rule stays in force unchanged while its next version is a
    draft.
    """

    class Status(models.TextChoices):
        DRAFT = "draft", _("Draft")
        PROPOSED = "proposed", _("Proposed")
        PUBLISHED = "published", _("Published")
        RETIRED = "retired", pgettext_lazy("rule", "Retired")

    name = models.CharField(max_length=120, help_text=_("What it is for, in a few words."))
    domains = ArrayField(
        models.SlugField(max_length=50),
        default=list,
        blank=True,
        help_text=_("Where it acts; none means wherever people search."),
    )
    criteria = models.JSONField(default=list, help_text=_("When it fires: all of these must hold."))
    targets = models.JSONField(
        default=list, blank=True, help_text=_("What it acts upon: any of these parts of the corpus.")
    )
    actions = models.JSONField(default=list, help_text=_("What it does."))
    priority = models.PositiveSmallIntegerField(
        default=100, help_text=_("Of several rules that fire, the lower number goes first; then the older.")
    )
    valid_from = models.DateField(null=True, blank=True, help_text=_("The first day on which it acts."))
    valid_to = models.DateField(null=True, blank=True, help_text=_("The last day on which it acts."))
    rationale = models.TextField(blank=True, help_text=_("Why it is needed; what went wrong without it."))
    tags = ArrayField(models.CharField(max_length=60), default=list, blank=True, help_text=_("To find it by."))
    owner = person(blank=True, help_text=_("Whom to ask about it."))
    status = models.CharField(max_length=10, choices=Status, default=Status.DRAFT, editable=False)
    live = models.JSONField(null=True, editable=False, help_text=_("What searches apply; empty: nothing."))
    version = models.PositiveIntegerField(
        default=0, editable=False, help_text=_("How often it was published.")
    )
    proposed_by = person(editable=False)
    published_by = person(editable=False)
    published_at = models.DateTimeField(null=True, editable=False)
    history = HistoricalRecords()

    objects = RuleQuerySet.as_manager()

    class Meta:
        ordering = ["priority", "pk"]
        permissions = [("publish_rule", "Can approve, publish and retire rules")]
        # Of its domains alone: else who may not see a rule learns its name, which nobody else may give then.
        constraints = [models.UniqueConstraint(fields=["name", "domains"], name="one_rule_a_name_and_domains")]

    def __str__(self) -> str:
        return self.name

    def clean(self) -> None:
        """Raises ValidationError for what no search could apply."""
        if not self.name.isprintable():
            raise ValidationError({"name": _("It holds a character that cannot be shown.")})
        read(self.criteria, self.targets, self.actions)
        if self.valid_from and self.valid_to and self.valid_to < self.valid_from:
            raise ValidationError({"valid_to": _("It lies before the first day.")})
        known = set(Domain.objects.values_list("slug", flat=True))
        if unknown := [slug for slug in self.domains if slug not in known]:
            raise ValidationError({"domains": _("There is no domain “%s”.") % unknown[0]})

    def validate_constraints(self, exclude: Collection[str] | None = None) -> None:
        """Also in another order its domains are the same."""
        super().validate_constraints(exclude)
        if Rule.objects.of_these(self.domains).filter(name=self.name).exclude(pk=self.pk).exists():
            raise ValidationError({"name": _("Another rule of the same domains has this name.")})

    @property
    def content(self) -> dict[str, Any]:
        """What a search depends on, JSON-able."""
        return {
            "name": self.name,
            "domains": list(self.domains),
            "criteria": self.criteria,
            "targets": self.targets,
            "actions": self.actions,
            "priority": self.priority,
            "valid_from": self.valid_from and self.valid_from.isoformat(),
            "valid_to": self.valid_to and self.valid_to.isoformat(),
        }

    @property
    def has_unpublished_changes(self) -> bool:
        return self.live is not None and self.live != self.content

    @property
    def compiled(self) -> CompiledRule:
        """The rule in force."""
        return compiled(self.live, number=self.pk, version=self.version)

    @property
    def draft(self) -> CompiledRule:
        """The rule as it would be if it were published as it stands."""
        return compiled(self.content, number=self.pk or 0, version=self.version + 1)


def compiled(content: dict[str, Any], *, number: int, version: int) -> CompiledRule:
    """Its targets are those in its domains. Raises ValidationError."""
    domains = tuple(content["domains"])
    clauses = read(content["criteria"], content["targets"], content["actions"])
    return CompiledRule(
        number=number,
        name=content["name"],
        version=version,
        priority=content["priority"],
        domains=domains,
        clauses=replace(clauses, targets=clauses.targets.within(domains)),
        valid_from=content["valid_from"] and date.fromisoformat(content["valid_from"]),
        valid_to=content["valid_to"] and date.fromisoformat(content["valid_to"]),
    )


class RuleFindingQuerySet(models.QuerySet):
    def visible_to(self, caller: Caller) -> "RuleFindingQuerySet":
        """Findings about rules that the caller may see, all of them."""
        return self.filter(
            rules__contained_by=list(Rule.objects.visible_to(caller).values_list("pk", flat=True))
        )


class RuleFinding(models.Model):
    """Something wrong with the rules in force, as last night's check found it; put anew by every check."""

    kind = models.CharField(max_length=20, choices=KINDS.items(), help_text=_("What is wrong."))
    reason = models.CharField(max_length=20, help_text=_("Why, as the code names it."))
    rules = ArrayField(models.BigIntegerField(), help_text=_("The rules concerned, by number."))
    names = ArrayField(models.CharField(max_length=120), help_text=_("Their names then."))
    question = models.TextField(blank=True, help_text=_("A question that shows it."))
    detail = models.TextField(blank=True, help_text=_("The target or the day concerned."))
    joined = models.BooleanField(
        default=False, help_text=_("Only a question that names the subjects of both rules shows it.")
    )
    found_at = models.DateTimeField(auto_now_add=True)

    objects = RuleFindingQuerySet.as_manager()

    class Meta:
        verbose_name = _("finding")
        verbose_name_plural = _("findings about rules")
        ordering = ["kind", "pk"]

    def __str__(self) -> str:
        return f"{self.kind}: {', '.join(self.names)}"


def count(help_text: str) -> models.PositiveIntegerField:
    return models.PositiveIntegerField(default=0, help_text=help_text)


class RuleUse(models.Model):
    """How often a rule was used on a day by readers and clients; counted from the search log and kept longer.

    Searches that reached a private domain count only for a rule that acts in private domains alone.
    """

    rule = models.ForeignKey(Rule, on_delete=models.CASCADE, related_name="uses")
    day = models.DateField()
    domains = ArrayField(
        models.SlugField(max_length=50),
        default=list,
        blank=True,
        help_text=_("Those of a rule that acted in private domains alone; else none."),
    )
    fired = count(_("Searches in which it fired."))
    changed = count(_("Of these, those whose first page it changed."))
    clicks = count(_("Results that readers opened that day from pages of such searches."))
    helpful = count(_("Readers’ thumbs up that day for such searches."))
    unhelpful = count(_("Thumbs down."))

    objects = WhereVisible.as_manager()  # a rule may have moved since

    class Meta:
        verbose_name = _("use of a rule")
        verbose_name_plural = _("uses of rules")
        ordering = ["-day", "rule"]
        constraints = [models.UniqueConstraint(fields=["rule", "day"], name="one_use_a_rule_and_day")]

    def __str__(self) -> str:
        return f"{self.rule_id} on {self.day}"


class SearchDay(models.Model):
    """A day of which the use of rules is counted, and how many searches of public domains alone readers and clients
    made on it.
    """

    day = models.DateField(primary_key=True)
    searches = models.PositiveIntegerField()

    class Meta:
        verbose_name = _("day of searches")
        verbose_name_plural = _("days of searches")
        ordering = ["-day"]

    def __str__(self) -> str:
        return str(self.day)
