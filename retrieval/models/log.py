"""What was asked and how it was answered. Query text is scrubbed and kept a while; of private domains neither it nor
its hash.
"""

import uuid

from django.contrib.postgres.fields import ArrayField
from django.contrib.postgres.indexes import HashIndex
from django.db import models
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from retrieval.models.packed import PackedJSONField

READERS = ("page", "api")  # the channels of readers and clients: staff who try something out ask no real question


class SearchLog(models.Model):
    """The summary of one search; its id is the trace id of the answer."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    created_at = models.DateTimeField(default=timezone.now, db_index=True)
    query_hash = models.CharField(
        max_length=64, null=True, help_text=_("Keyed hash: tells repeats without the text.")
    )
    query_text = models.TextField(
        blank=True,
        help_text=_("Scrubbed of personal identifiers; emptied with age; never for private domains."),
    )
    language = models.CharField(max_length=5)
    domains = ArrayField(models.CharField(max_length=60), default=list)
    within = ArrayField(
        models.CharField(max_length=300),
        default=list,
        blank=True,
        help_text=_("Places that it was restricted to; never for private domains."),
    )
    private = models.BooleanField(default=False, help_text=_("It reached a private domain."))
    pipeline = models.CharField(max_length=60)
    caller = models.TextField(default="public", help_text=_("Access scope of the caller."))
    channel = models.CharField(max_length=10, help_text=_("page, api, command or admin"))
    took_ms = models.FloatField()
    cached = models.BooleanField(default=False)
    cached_from = models.UUIDField(
        null=True, blank=True, help_text=_("The search whose answer was shown again.")
    )
    abstained = models.BooleanField(default=False)
    degraded = ArrayField(models.CharField(max_length=60), default=list, blank=True)
    result_count = models.PositiveIntegerField(default=0)
    top_locators = ArrayField(models.CharField(max_length=300), default=list, blank=True)
    probability = models.FloatField(null=True, blank=True, help_text=_("That the answer was there, 0 to 1."))
    strategy = models.CharField(
        max_length=20, blank=True, help_text=_("By what it is best searched; empty where it was not worked out.")
    )
    corrected = ArrayField(
        models.CharField(max_length=60),
        default=list,
        blank=True,
        help_text=_("What was put right in the question after a search that found too little."),
    )
    versions = models.JSONField(default=dict)
    rules_fired = ArrayField(
        models.BigIntegerField(),
        default=list,
        blank=True,
        help_text=_("Numbers of the curators’ rules that fired."),
    )
    rules_changed = ArrayField(
        models.BigIntegerField(),
        default=list,
        blank=True,
        help_text=_("Of these, those that changed the first page."),
    )

    class Meta:
        verbose_name = _("search")
        verbose_name_plural = _("search log")
        ordering = ["-created_at"]
        indexes = [HashIndex(fields=["query_hash"], name="search_query_hash")]

    def __str__(self) -> str:
        return self.query_text or str(self.pk)[:8]


class Trace(models.Model):
    """The full account of one search: stages, and every candidate kept and dropped. Kept for a month."""

    log = models.OneToOneField(SearchLog, primary_key=True, on_delete=models.CASCADE, related_name="trace")
    created_at = models.DateTimeField(default=timezone.now, db_index=True)
    detail = PackedJSONField()

    def __str__(self) -> str:
        return str(self.pk)


class Feedback(models.Model):
    """What a reader said of one result."""

    class Verdict(models.TextChoices):
        HELPFUL = "helpful", _("Helpful")
        UNHELPFUL = "unhelpful", _("Not helpful")

    log = models.ForeignKey(SearchLog, on_delete=models.CASCADE, related_name="feedback")
    locator = models.CharField(max_length=300, blank=True)
    verdict = models.CharField(max_length=10, choices=Verdict)
    comment = models.CharField(max_length=1000, blank=True)
    caller = models.TextField(default="public")
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        verbose_name_plural = _("feedback")
        constraints = [
            models.UniqueConstraint(
                fields=["log", "locator", "caller"], name="one_verdict_a_caller_and_result"
            )
        ]

    def __str__(self) -> str:
        return f"{self.verdict}: {self.locator}"


class Click(models.Model):
    """A result that a reader opened from a page of results, once for each search. It says nothing of relevance."""

    log = models.ForeignKey(SearchLog, on_delete=models.CASCADE, related_name="clicks")
    locator = models.CharField(max_length=300)
    created_at = models.DateTimeField(auto_now_add=True, db_index=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["log", "locator"], name="one_click_a_result")]

    def __str__(self) -> str:
        return self.locator
