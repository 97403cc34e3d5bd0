"""The glossary, and phrases that decide what is done with a question."""

from django.core.exceptions import ValidationError
from django.db import models
from django.utils.translation import gettext_lazy as _
from simple_history.models import HistoricalRecords

from retrieval.engines.translation import key_of
from retrieval.models import Domain
from retrieval.text.analyzer import stems
from retrieval.text.normalization import normalize
from retrieval.text.snippets import function_stems

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


def says_nothing(text: str, language: str) -> bool:
    """Whether it has function words alone: “the” would fire upon any question. In capitals it is a name: “WHO”."""
    if language not in dict(LANGUAGES):
        return False  # which its field refuses
    if text.isupper() and sum(map(str.isalpha, text)) > 1:
        return False
    words = stems(text, language)
    return bool(words) and function_stems(language).issuperset(words)


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

    def clean(self) -> None:
        self.spanish = " ".join(self.spanish.split())
        if not key_of(self.spanish):
            raise ValidationError({"spanish": _("A term needs at least one letter or digit.")})
        others = GlossaryTerm.objects.filter(enabled=True, spanish__iexact=self.spanish).exclude(pk=self.pk)
        if self.enabled and (other := others.first()):
            raise ValidationError({"spanish": _("This is there already: %s") % other})


class QuestionPhrase(models.Model):
    """Words by which staff say what is done with a question before it is searched, and how it is searched."""

    class Use(models.TextChoices):
        SEARCHED = "searched", _("Always searched")
        NEEDLESS = "needless", _("Needs no search, where it is all of the question")
        NOT_SERVED = "not_served", _("A topic that this site does not serve")
        CRISIS = "crisis", _("A cry for help: hotlines are shown above the results")
        INJECTION = "injection", _("Speaks to a language model: marked in the trace")
        STRATEGY = "strategy", _("Named as best searched by")
        DOMAIN = "domain", _("Names a body of law: public ones that it does not name are not searched")

    text = models.CharField(
        max_length=200, help_text=_("Matched as a whole phrase, without regard to case, accents or plurals.")
    )
    language = models.CharField(max_length=5, choices=LANGUAGES, default="en")
    use = models.CharField(max_length=12, choices=Use)
    answer = models.CharField(
        max_length=500,
        blank=True,
        help_text=_(
            "What is told, in this language; empty: the usual words. For a strategy, its name, which traces tell: no "
            "ranking is another for it; for a body of law, its domain, or empty where the phrase names none."
        ),
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
        if self.use != self.Use.NEEDLESS and says_nothing(self.text, self.language):
            raise ValidationError({"text": _("A phrase needs a word that is not in nearly every question.")})
        if self.use == self.Use.STRATEGY and self.answer not in STRATEGIES:
            raise ValidationError({"answer": _("One of: %s.") % ", ".join(STRATEGIES)})
        if self.use == self.Use.DOMAIN and self.answer:
            public = Domain.objects.filter(visibility=Domain.Visibility.PUBLIC).values_list("slug", flat=True)
            if self.answer not in public:
                raise ValidationError({"answer": _("One of: %s.") % ", ".join(public)})
