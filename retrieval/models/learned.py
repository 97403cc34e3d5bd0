"""The registry of learned rerankers, and what language models said and cost."""

from django.contrib.postgres.fields import ArrayField
from django.core.exceptions import ValidationError
from django.db import models
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext_lazy as _


class RankerModel(models.Model):
    """One trained reranker. The artifact carries all that serving needs, so a past ranking can be replayed."""

    class Status(models.TextChoices):
        CANDIDATE = "candidate", _("Candidate")
        SHADOW = "shadow", _("Shadow: scores, does not serve")
        ACTIVE = "active", _("Active")
        RETIRED = "retired", _("Retired")

    created_at = models.DateTimeField(default=timezone.now)
    deployed_at = models.DateTimeField(null=True, blank=True)
    family = models.CharField(max_length=60, help_text=_("logistic regression, MLP (128, 64, 32) …"))
    artifact = models.BinaryField(help_text=_("An .npz of arrays, never a pickle."))
    sha256 = models.CharField(max_length=64, unique=True)
    manifest = models.JSONField(
        default=dict, help_text=_("Features, topics, figures of every candidate compared.")
    )
    any_answer = models.JSONField(
        null=True,
        editable=False,
        help_text=_(
            "What tells, beside this model, whether any of the loaded bodies of law answers; empty for what ships."
        ),
    )
    bodies = models.JSONField(
        null=True,
        editable=False,
        help_text=_(
            "What tells, beside this model, which of the loaded bodies of law answers; empty for what ships."
        ),
    )
    status = models.CharField(max_length=10, choices=Status, default=Status.CANDIDATE)

    class Meta:
        ordering = ["-created_at"]
        constraints = [
            models.UniqueConstraint(
                fields=["status"], condition=Q(status="active"), name="one_active_ranker"
            ),
            models.UniqueConstraint(
                fields=["status"], condition=Q(status="shadow"), name="one_shadow_ranker"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.family} {self.sha256[:8]}"


class ShadowRanking(models.Model):
    """What the reranker in shadow would have shown first in one search, beside what served. Kept as long as traces;
    of private domains only how far the two agree.
    """

    log = models.OneToOneField(
        "retrieval.SearchLog", primary_key=True, on_delete=models.CASCADE, related_name="shadow"
    )
    created_at = models.DateTimeField(default=timezone.now, db_index=True)
    model = models.ForeignKey(RankerModel, on_delete=models.CASCADE, related_name="shadow_rankings")
    query_hash = models.CharField(max_length=64, blank=True)
    overlap = models.FloatField(help_text=_("Share of the first ten that both show."))
    same_first = models.BooleanField()
    served = ArrayField(models.CharField(max_length=300), default=list, blank=True)
    instead = ArrayField(models.CharField(max_length=300), default=list, blank=True)

    def __str__(self) -> str:
        return f"{self.overlap:.0%} of {self.model}"


class LLMPolicy(models.Model):
    """Whether and how much a language model may be asked: the daily budget and the prices it is counted by."""

    enabled = models.BooleanField(default=True, help_text=_("Off: no search ever calls a language model."))
    daily_budget = models.DecimalField(
        max_digits=10, decimal_places=4, default=1, help_text=_("US dollars a day (UTC), over all searches.")
    )
    price_in = models.DecimalField(
        max_digits=10, decimal_places=4, default=0, help_text=_("US dollars for a million prompt tokens.")
    )
    price_out = models.DecimalField(
        max_digits=10, decimal_places=4, default=0, help_text=_("US dollars for a million completion tokens.")
    )

    class Meta:
        verbose_name = _("LLM policy")
        verbose_name_plural = _("LLM policy")

    def __str__(self) -> str:
        return f"{self.daily_budget} USD a day"

    def clean(self) -> None:
        wrong = [name for name in ("daily_budget", "price_in", "price_out") if (getattr(self, name) or 0) < 0]
        if wrong:
            raise ValidationError(dict.fromkeys(wrong, _("This must not be negative.")))


class LLMVerdict(models.Model):
    """What a model with a prompt said of one section version for one query; asked once, then remembered."""

    query_hash = models.CharField(max_length=64)
    section_id = models.BigIntegerField(help_text=_("The version judged."))
    model = models.CharField(max_length=120)
    prompt_version = models.CharField(max_length=64)
    score = models.PositiveSmallIntegerField(help_text=_("Relevance 0 to 9."))
    reason = models.CharField(max_length=500, blank=True)
    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        verbose_name = _("LLM verdict")
        constraints = [
            models.UniqueConstraint(
                fields=["query_hash", "section_id", "model", "prompt_version"], name="one_verdict_a_question"
            )
        ]

    def __str__(self) -> str:
        return f"{self.score} by {self.model}"


class LLMRefusal(models.Model):
    """What an endpoint refused in a request, and is not asked for again; `manage.py check_llm` forgets and learns it
    anew.
    """

    endpoint = models.CharField(max_length=64, help_text=_("SHA-256 of its address and model."))
    option = models.CharField(max_length=40)
    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        verbose_name = _("LLM refusal")
        constraints = [models.UniqueConstraint(fields=["endpoint", "option"], name="one_refusal_an_option")]

    def __str__(self) -> str:
        return self.option


class LLMCall(models.Model):
    """One call with the provider's own token counts: what the budget and the cost figures are made of."""

    created_at = models.DateTimeField(default=timezone.now, db_index=True)
    purpose = models.CharField(max_length=40)
    model = models.CharField(max_length=120)
    outcome = models.CharField(max_length=30, help_text=_("answered, timeout, refused, malformed, error …"))
    tokens_in = models.PositiveIntegerField(default=0)
    tokens_out = models.PositiveIntegerField(default=0)
    cost = models.DecimalField(max_digits=12, decimal_places=8, default=0, help_text=_("US dollars."))
    ms = models.FloatField(default=0)
    log = models.UUIDField(null=True, blank=True, help_text=_("The search it served."))

    class Meta:
        verbose_name = _("LLM call")

    def __str__(self) -> str:
        return f"{self.purpose} {self.outcome}"
