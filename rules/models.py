"""What curators decide: aliases, the glossary, thresholds and rules, with what is found wrong with rules and how often
they are used. Every change of a decision is kept in history.
"""

from dataclasses import replace
from datetime import date
from typing import Any

from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.core.exceptions import ValidationError
from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.db.models import Q
from django.db.models.fields.json import KeyTextTransform
from django.db.models.lookups import LessThan
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy
from simple_history.models import HistoricalRecords

from retrieval.access.caller import Caller
from retrieval.models import Domain
from retrieval.stages.reranker.features import ANSWER_SCALE
from retrieval.text.normalization import normalize
from rules.engine.clauses import CompiledRule, read
from rules.linting.conflicts import KINDS

# What a question may be searched by, each with the names that other systems have for it.
STRATEGIES = {
    "citation": "citation",
    "keyword": "keyword",
    "hybrid": "hybrid",
    "hierarchical": "hierarchical",
    "multi_part": "multi_part",
    "graph": "graph",
    "simple": "hybrid",
    "vector": "hybrid",
    "web": "hybrid",
    "raptor": "hierarchical",
    "multi_query": "multi_part",
    "chain_of_thought": "multi_part",
}
STRATEGY_NAMES = {
    "citation": _("the citation in it"),
    "keyword": _("its words"),
    "hybrid": _("words and meaning together"),
    "hierarchical": _("the outline of the law"),
    "multi_part": _("each of its parts"),
    "graph": _("what cites what"),
}
LANGUAGES = [("en", _("English")), ("es", _("Spanish"))]


class AliasQuerySet(models.QuerySet):
    def in_use(self) -> "AliasQuerySet":
        """Names of one provision by itself, as the legs look for them in a question."""
        return self.filter(enabled=True, place=None)

    def collective(self) -> "AliasQuerySet":
        """Names of several provisions together, in their order."""
        return self.filter(enabled=True, place__isnull=False).order_by("place", "locator")


class Alias(models.Model):
    """A curated name of a provision: “double jeopardy” for the Fifth Amendment."""

    domain = models.ForeignKey(Domain, on_delete=models.PROTECT, related_name="aliases")
    text = models.CharField(
        max_length=200, help_text=_("Matched as a whole phrase, without regard to case, accents or plurals.")
    )
    locator = models.CharField(
        max_length=300, help_text=_("The provision it names, e.g. /us/const/amendment/V. It must exist.")
    )
    language = models.CharField(max_length=5, choices=LANGUAGES, default="en")
    place = models.PositiveSmallIntegerField(
        null=True,
        blank=True,
        help_text=_(
            "Where the name means several provisions together: its place among them, from 1. A question that is only "
            "this name is answered by all of them in order. Empty: a name of this provision by itself."
        ),
    )
    enabled = models.BooleanField(
        default=True, help_text=_("Switch off instead of deleting, to keep its history.")
    )
    note = models.CharField(
        max_length=300, blank=True, help_text=_("Why this name belongs to this provision.")
    )
    history = HistoricalRecords()

    objects = AliasQuerySet.as_manager()

    class Meta:
        verbose_name_plural = _("aliases")
        ordering = ["text", "locator"]
        constraints = [
            models.UniqueConstraint(fields=["domain", "text", "locator", "language"], name="alias_once")
        ]

    def __str__(self) -> str:
        return f"{self.text} → {self.locator}"

    def clean(self) -> None:
        self.text = " ".join(self.text.split())
        if not normalize(self.text):
            raise ValidationError({"text": _("An alias needs at least one letter or digit.")})
        if not self.domain_id:
            return
        if not self.domain.sections.live().filter(locator=self.locator, valid_to=None).exists():
            raise ValidationError({"locator": _("No provision of this domain has this locator.")})


class AliasVector(models.Model):
    """An alias as searches compare it with a question, in meaning and by words, so that a question near to a name
    finds its provision too. Made by `rules.aliases.embedding`; a trigger deletes it when the alias is worded anew.
    """

    alias = models.ForeignKey(Alias, on_delete=models.CASCADE, related_name="vectors")
    model = models.ForeignKey("retrieval.EmbeddingModel", on_delete=models.CASCADE, related_name="+")
    vector = models.BinaryField(help_text=_("float16, unit length; compared in the process, not in SQL."))
    stems = models.TextField(
        help_text=_("Its words in English, stemmed, as the lexical leg of names reads them.")
    )

    class Meta:
        constraints = [models.UniqueConstraint(fields=["alias", "model"], name="one_alias_vector_a_model")]

    def __str__(self) -> str:
        return str(self.alias)


class GlossaryTerm(models.Model):
    """A Spanish legal term with the English one that the law uses; protected in machine translation."""

    spanish = models.CharField(
        max_length=200, unique=True, help_text=_("Matched as a whole phrase; the longest one wins.")
    )
    english = models.CharField(max_length=200, help_text=_("As the texts of the law put it."))
    enabled = models.BooleanField(default=True)
    history = HistoricalRecords()

    class Meta:
        ordering = ["spanish"]

    def __str__(self) -> str:
        return f"{self.spanish} → {self.english}"


class QuestionPhrase(models.Model):
    """Words by which staff say what is done with a question before it is searched, and how it is searched."""

    class Use(models.TextChoices):
        SEARCHED = "searched", _("Always searched")
        NEEDLESS = "needless", _("Needs no search, where it is all of the question")
        NOT_SERVED = "not_served", _("A topic that this site does not serve")
        CRISIS = "crisis", _("A cry for help: hotlines are shown above the results")
        INJECTION = "injection", _("Speaks to a language model: marked in the trace")
        STRATEGY = "strategy", _("Searched by a strategy")

    text = models.CharField(
        max_length=200, help_text=_("Matched as a whole phrase, without regard to case, accents or plurals.")
    )
    language = models.CharField(max_length=5, choices=LANGUAGES, default="en")
    use = models.CharField(max_length=12, choices=Use)
    answer = models.CharField(
        max_length=500,
        blank=True,
        help_text=_("What is told, in this language; empty: the usual words. For a strategy, its name."),
    )
    enabled = models.BooleanField(
        default=True, help_text=_("Switch off instead of deleting, to keep its history.")
    )
    history = HistoricalRecords()

    class Meta:
        ordering = ["use", "text"]
        constraints = [models.UniqueConstraint(fields=["text", "language", "use"], name="phrase_once")]

    def __str__(self) -> str:
        return f"{self.text} → {self.get_use_display()}"

    def clean(self) -> None:
        self.text = " ".join(self.text.split())
        if not normalize(self.text):
            raise ValidationError({"text": _("A phrase needs at least one letter or digit.")})
        if self.use == self.Use.STRATEGY and self.answer not in STRATEGIES:
            raise ValidationError({"answer": _("One of: %s.") % ", ".join(STRATEGIES)})


RISING = [("minimum", "verify"), ("verify", "accept"), ("accept", "confident"), ("mlp_low", "mlp_high")]


def probability(help_text: str, **options: float) -> models.FloatField:
    return models.FloatField(
        validators=[MinValueValidator(0.0), MaxValueValidator(1.0)], help_text=help_text, **options
    )


class DomainThreshold(models.Model):
    """One version of a domain's thresholds. Rows are never changed: an edit makes the next version."""

    domain = models.ForeignKey(Domain, on_delete=models.PROTECT, related_name="thresholds")
    version = models.PositiveIntegerField(editable=False)
    answer_minimum = probability(
        _(
            "Below this the search abstains; 0 never does. A place on the reranker’s scale, no probability: of the "
            "answerable questions that a reranker learned from, three in a hundred lie below 0.5."
        )
    )
    answer_scale = models.PositiveSmallIntegerField(
        default=ANSWER_SCALE,
        editable=False,
        help_text=_("The scale on which the answer minimum was chosen; 0: one of before they were counted."),
    )
    minimum = probability(_("Gates: below this probability a candidate is dropped."), default=0.0)
    verify = probability(_("Gates: from here a candidate is worth verifying."), default=0.2)
    accept = probability(_("Gates: from here a candidate is accepted as it is."), default=0.6)
    confident = probability(_("From here the answer is shown as confident."), default=0.8)
    gap = probability(_("Drops what is less probable than the best by more than this."), default=1.0)
    query_search = probability(
        _("Least similarity of a judged question that is suggested beside an answer."),
        default=0.8,  # of pairs of shipped questions that are so near, nine in ten have the same first answer
    )
    alias_search = probability(
        _("Least similarity of a curated name that brings its provision."), default=0.4
    )
    mlp_low = probability(_("Reranker: at most this is rejected."), default=0.4)
    mlp_high = probability(_("Reranker: at least this is accepted; between is uncertain."), default=0.6)
    blend = probability(_("Share of the reranker's probability in the order."), default=0.6)
    llm_weight = probability(_("How far a language model's verdict moves an uncertain one."), default=0.5)
    calibration = models.JSONField(
        default=dict,
        blank=True,
        help_text=_("Weights of the logistic that turns a candidate's scores into a probability."),
    )
    active = models.BooleanField(default=True)
    reason = models.CharField(
        max_length=300, help_text=_("Why it was changed; on which topics it was chosen.")
    )
    created_at = models.DateTimeField(auto_now_add=True)
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL, editable=False
    )

    class Meta:
        ordering = ["domain", "-version"]
        constraints = [
            models.UniqueConstraint(fields=["domain", "version"], name="threshold_version_once"),
            models.UniqueConstraint(
                fields=["domain"], condition=Q(active=True), name="one_active_threshold_a_domain"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.domain} v{self.version}"

    @property
    def is_on_scale(self) -> bool:
        """Whether the answer minimum means what the rerankers of this version tell. 0 does on every scale."""
        return self.answer_scale == ANSWER_SCALE or self.answer_minimum == 0

    @property
    def tuning(self) -> str:
        """The command that chooses these thresholds anew."""
        return f"manage.py tune_thresholds {self.domain.slug} --publish"

    def clean(self) -> None:
        """Thresholds rise in the order of `RISING`. Raises ValidationError at the first that does not."""
        for lower, higher in RISING:
            low, high = getattr(self, lower), getattr(self, higher)
            if low is not None and high is not None and low > high:
                names = {"low": self._meta.get_field(lower).verbose_name}
                raise ValidationError(
                    {higher: _("It lies below “%(low)s”, which must not be above it.") % names}
                )


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
