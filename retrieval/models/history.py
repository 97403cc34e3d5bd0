"""The questions of people who want theirs kept, which PostgreSQL shows to nobody else. Deleting an account deletes its
rows in the database itself (migration 0045), since whoever deletes it does not see them.
"""

from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.utils import timezone


class QuestionHistory(models.Model):
    """That a person wants to have their questions kept; without this row none is."""

    user = models.OneToOneField(
        settings.AUTH_USER_MODEL,
        primary_key=True,
        on_delete=models.DO_NOTHING,
        db_constraint=False,
        related_name="+",
    )
    since = models.DateTimeField(default=timezone.now)

    class Meta:
        verbose_name_plural = "question histories"

    def __str__(self) -> str:
        return f"user:{self.pk}"


class KeptQuestion(models.Model):
    """One question, and the address at which it is answered again."""

    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.DO_NOTHING, db_constraint=False, related_name="+"
    )
    text = models.TextField()
    searched = ArrayField(models.TextField(), default=list, help_text="The questions in it as they were searched.")
    language = models.CharField(max_length=5)
    address = models.TextField(help_text="Query string of the Ask page, with its filters.")
    asked_at = models.DateTimeField(default=timezone.now, db_index=True)

    class Meta:
        ordering = ["-asked_at", "-pk"]

    def __str__(self) -> str:
        """Without its words: logs and errors may show it."""
        return f"user:{self.user_id}, {self.asked_at:%Y-%m-%d}"
