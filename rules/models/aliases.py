"""Curated names of provisions and their vectors."""

import time
from collections.abc import Iterable

from django.core.exceptions import ValidationError
from django.db import connection, models
from django.utils.translation import gettext_lazy as _
from simple_history.models import HistoricalRecords

from retrieval.answers.passages import MOST_BELOW
from retrieval.answers.units import beginning_with
from retrieval.models import Domain
from retrieval.text.normalization import normalize
from rules.models.words import LANGUAGES, says_nothing


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
    sentence = models.CharField(
        max_length=200,
        blank=True,
        help_text=_(
            "How the sentence of the provision begins that answers whoever asks this: its first words. Answers rather "
            "quote it than another of that provision. Empty: they choose among all."
        ),
    )
    history = HistoricalRecords()

    objects = AliasQuerySet.as_manager()

    class Meta:
        verbose_name_plural = _("aliases")
        ordering = ["text", "locator"]
        constraints = [
            models.UniqueConstraint(fields=["domain", "text", "locator", "language"], name="alias_once")
        ]
        indexes = [models.Index(fields=["domain", "locator"], name="alias_by_locator")]

    def __str__(self) -> str:
        return f"{self.text} → {self.locator}"

    def clean(self) -> None:
        self.text = " ".join(self.text.split())
        if not normalize(self.text):
            raise ValidationError({"text": _("An alias needs at least one letter or digit.")})
        if says_nothing(self.text, self.language):
            raise ValidationError({"text": _("An alias needs a word that is not in nearly every question.")})
        if not self.domain_id:
            return
        alike = Alias.objects.filter(domain=self.domain, locator=self.locator, language=self.language, enabled=True)
        if self.enabled and (other := alike.filter(text__iexact=self.text).exclude(text=self.text).first()):
            raise ValidationError({"text": _("This is there already: %s") % other})
        current = self.domain.sections.live().filter(valid_to=None)
        provision = current.filter(locator=self.locator).first()
        if provision is None:
            raise ValidationError({"locator": _("No provision of this domain has this locator.")})
        if self.sentence and not self._points_as_before():
            parts = current.below(self.locator).exclude(text="").in_order().values_list("text", flat=True)
            self.sentence = self._sentence_in([provision.text] if provision.is_leaf else parts[:MOST_BELOW])

    def _points_as_before(self) -> bool:
        """Law that was amended meanwhile keeps nobody from changing something else of the name."""
        return Alias.objects.filter(pk=self.pk, locator=self.locator, sentence=self.sentence).exists()

    def _sentence_in(self, texts: Iterable[str]) -> str:
        """As the provision begins it, as far as it tells it from others. Raises ValidationError."""
        if self.domain.is_private:
            raise ValidationError({"sentence": _("Only names of public law point to a sentence.")})
        found = set().union(*(beginning_with(self.sentence, text) for text in texts))
        if not found:
            raise ValidationError(
                {"sentence": _("No sentence of this provision begins like this: copy its first words.")}
            )
        if len(found) > 1:
            raise ValidationError({"sentence": _("Several sentences begin like this: copy more of its words.")})
        return found.pop()[: self._meta.get_field("sentence").max_length]


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


class NamedProvision(models.Model):
    """A provision that has names. Its mark is another whenever one of them, or a vector of one, has come, gone or
    changed. Triggers write it.
    """

    domain = models.ForeignKey(Domain, on_delete=models.CASCADE, related_name="+")
    locator = models.CharField(max_length=300)
    mark = models.BigIntegerField(help_text=_("Never given twice."))

    class Meta:
        constraints = [models.UniqueConstraint(fields=["domain", "locator"], name="named_provision_once")]

    def __str__(self) -> str:
        return self.locator

    @staticmethod
    def begin_marks_anew() -> None:
        """After a restore: marks that were given since the backup was made were given to other names. They go on at
        the time in microseconds, past any ever given.
        """
        with connection.cursor() as cursor:
            cursor.execute("SELECT setval('rules_mark', %s)", [time.time_ns() // 1000])
