"""What curators decide: aliases, the glossary, and each domain's thresholds. Every change is kept in history."""

from django.conf import settings
from django.core.exceptions import ValidationError
from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _
from simple_history.models import HistoricalRecords

from retrieval.models import Domain
from retrieval.textnorm import normalize

LANGUAGES = [("en", _("English")), ("es", _("Spanish"))]
RISING = [("minimum", "verify"), ("verify", "accept"), ("accept", "confident"), ("mlp_low", "mlp_high")]
PROBABILITY = [MinValueValidator(0.0), MaxValueValidator(1.0)]


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
    enabled = models.BooleanField(
        default=True, help_text=_("Switch off instead of deleting, to keep its history.")
    )
    note = models.CharField(
        max_length=300, blank=True, help_text=_("Why this name belongs to this provision.")
    )
    history = HistoricalRecords()

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
    """An alias as the embedder sees it, so that a question near to a name finds its provision too. Made by
    `rules.embedding`; a trigger deletes it when the alias is worded anew.
    """

    alias = models.ForeignKey(Alias, on_delete=models.CASCADE, related_name="vectors")
    model = models.ForeignKey("retrieval.EmbeddingModel", on_delete=models.CASCADE, related_name="+")
    vector = models.BinaryField(help_text=_("float16, unit length; compared in the process, not in SQL."))

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


class DomainThreshold(models.Model):
    """One version of a domain's thresholds. Rows are never changed: an edit makes the next version."""

    domain = models.ForeignKey(Domain, on_delete=models.PROTECT, related_name="thresholds")
    version = models.PositiveIntegerField(editable=False)
    answer_minimum = models.FloatField(
        validators=PROBABILITY,
        help_text=_("Below this probability that the answer is here, the search abstains. 0 never abstains."),
    )
    minimum = models.FloatField(
        default=0.0,
        validators=PROBABILITY,
        help_text=_("Gates: below this probability a candidate is dropped."),
    )
    verify = models.FloatField(
        default=0.2, validators=PROBABILITY, help_text=_("Gates: from here a candidate is worth verifying.")
    )
    accept = models.FloatField(
        default=0.6, validators=PROBABILITY, help_text=_("Gates: from here a candidate is accepted as it is.")
    )
    confident = models.FloatField(
        default=0.8, validators=PROBABILITY, help_text=_("From here the answer is shown as confident.")
    )
    gap = models.FloatField(
        default=1.0,
        validators=PROBABILITY,
        help_text=_("Drops what is less probable than the best by more than this."),
    )
    query_search = models.FloatField(
        default=0.95,
        validators=PROBABILITY,
        help_text=_("Least similarity of a question suggested as answered before."),
    )
    alias_search = models.FloatField(
        default=0.4,
        validators=PROBABILITY,
        help_text=_("Least similarity of a curated name that brings its provision."),
    )
    mlp_low = models.FloatField(
        default=0.4, validators=PROBABILITY, help_text=_("Reranker: at most this is rejected.")
    )
    mlp_high = models.FloatField(
        default=0.6,
        validators=PROBABILITY,
        help_text=_("Reranker: at least this is accepted; between is uncertain."),
    )
    blend = models.FloatField(
        default=0.6, validators=PROBABILITY, help_text=_("Share of the reranker's probability in the order.")
    )
    llm_weight = models.FloatField(
        default=0.5,
        validators=PROBABILITY,
        help_text=_("How far a language model's verdict moves an uncertain one."),
    )
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

    def clean(self) -> None:
        """Thresholds rise in the order of `RISING`. Raises ValidationError at the first that does not."""
        for lower, higher in RISING:
            low, high = getattr(self, lower), getattr(self, higher)
            if low is not None and high is not None and low > high:
                told = {"low": self._meta.get_field(lower).verbose_name}
                raise ValidationError(
                    {higher: _("It lies below “%(low)s”, which must not be above it.") % told}
                )
