"""Spanish legal terms with the English ones that the law uses."""

from django.db import models
from django.utils.translation import gettext_lazy as _
from simple_history.models import HistoricalRecords


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
