"""Thresholds of domains, a version a row."""

from django.conf import settings
from django.core.exceptions import ValidationError
from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from retrieval.models import Domain
from retrieval.stages.reranker.features import ANSWER_SCALE

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
