"""Domain -> Document -> Section tree, and the citations between sections; `chunks` holds what is searched of them.

A section row is one version of one provision: changed text closes the row and opens another. Nothing is shown
before it is `live`, nor outside its validity, nor to a caller it was not granted to: `Section.objects.readable`.
"""

from datetime import date
from typing import Self

from django.contrib.postgres.fields import ArrayField
from django.contrib.postgres.search import SearchVectorField
from django.core.exceptions import ValidationError
from django.db import models
from django.db.models import Q
from django.db.models.functions import Lower, Reverse
from django.utils import timezone
from django.utils.translation import get_language
from django.utils.translation import gettext_lazy as _

from retrieval.access.caller import Caller
from retrieval.corpus import history
from retrieval.models.access import DocumentGrant
from retrieval.models.texts import AsCited, InNaturalOrder
from retrieval.parsing.cases import LEVEL, is_summary


class DomainQuerySet(models.QuerySet):
    def visible_to(self, caller: Caller) -> "DomainQuerySet":
        """Public domains, and private ones in which the caller owns or was granted a document."""
        if not caller.principals:
            return self.filter(visibility=Domain.Visibility.PUBLIC)
        held = Document.objects.held_by(caller).values("domain")
        return self.filter(Q(visibility=Domain.Visibility.PUBLIC) | Q(id__in=held))


class Domain(models.Model):
    """One body of law, with its own citation style, result level, thresholds and corpus version."""

    class Visibility(models.TextChoices):
        PUBLIC = "public", _("Public")
        PRIVATE = "private", _("Private: only granted documents")

    class ResultLevel(models.TextChoices):
        LOWEST = "lowest", _("Lowest numbered provision")
        SECTION = "section", _("Statutory section")
        HEADED = "headed", _("Smallest headed section")

    class RefreshPlan(models.TextChoices):
        NEVER = "never", _("By hand")
        WEEKLY = "weekly", _("Weekly")
        MONTHLY = "monthly", _("Monthly")

    slug = models.SlugField(unique=True, help_text=_("Name in URLs and API calls; never changed."))
    name = models.CharField(max_length=120)
    name_es = models.CharField(_("name in Spanish"), max_length=120, blank=True)
    description = models.TextField(blank=True)
    description_es = models.TextField(_("description in Spanish"), blank=True)
    languages = ArrayField(
        models.CharField(max_length=5),
        default=list,
        blank=True,
        help_text=_("Languages its texts are written in; that of a document which is published is added."),
    )
    visibility = models.CharField(max_length=10, choices=Visibility, default=Visibility.PRIVATE)
    citation_style = models.CharField(
        max_length=20, default="plain", help_text=_("How its provisions are cited, e.g. constitution.")
    )
    result_level = models.CharField(
        max_length=10,
        choices=ResultLevel,
        default=ResultLevel.HEADED,
        help_text=_("What is ranked, judged and shown; deeper numbers become anchors."),
    )
    locator_prefix = models.CharField(
        max_length=100, help_text=_("What every locator of this domain begins with, e.g. /us/const.")
    )
    source = models.CharField(
        max_length=500,
        blank=True,
        help_text=_(
            "File that “Ingest again” reads, relative to the project, or an address (https://…) that it is fetched "
            "from. Empty: the official address, where there is one."
        ),
    )
    refresh_plan = models.CharField(
        max_length=10,
        choices=RefreshPlan,
        default=RefreshPlan.NEVER,
        help_text=_("When its source is ingested again; “by hand” waits for “Ingest again”."),
    )
    always_searched = models.BooleanField(
        default=False,
        help_text=_("Greetings, thanks and questions about this site are searched too, instead of answered at once."),
    )
    holds_law = models.BooleanField(
        default=True,
        help_text=_("Off for handbooks and other documents that are no law: pages and answers speak of documents."),
    )
    corpus_version = models.PositiveBigIntegerField(
        default=0, editable=False, help_text=_("Counts every change of the published corpus.")
    )
    position = models.PositiveSmallIntegerField(default=0, help_text=_("Order in lists."))

    objects = DomainQuerySet.as_manager()

    class Meta:
        ordering = ["position", "slug"]

    def __str__(self) -> str:
        return self.name

    def clean(self) -> None:
        """The database refuses it too."""
        before = Domain.objects.filter(pk=self.pk).values_list("visibility", "corpus_version").first()
        if before and before[0] != self.visibility and before[1]:
            raise ValidationError({"visibility": _("A domain with documents stays as public or private as it is.")})

    @property
    def local_name(self) -> str:
        return self.name_es if get_language() == "es" and self.name_es else self.name

    @property
    def local_description(self) -> str:
        return self.description_es if get_language() == "es" and self.description_es else self.description

    @property
    def takes_uploads(self) -> bool:
        """Law that is cited in a form of its own comes from its source, everything else from files."""
        return self.citation_style == "plain"

    @property
    def is_private(self) -> bool:
        return self.visibility == self.Visibility.PRIVATE


def held(caller: Caller) -> Q:
    """Of documents: those that the caller owns or was granted."""
    owned = Document.objects.filter(owner__in=caller.principals).order_by().values("pk")
    granted = DocumentGrant.objects.filter(principal__in=caller.principals).values("document")
    return Q(pk__in=owned.union(granted))  # each by its index: an OR of both is held against every document


class DocumentQuerySet(models.QuerySet):
    def visible_to(self, caller: Caller) -> "DocumentQuerySet":
        if not caller.principals:
            return self.filter(private=False)
        return self.filter(Q(private=False) | held(caller))

    def held_by(self, caller: Caller) -> "DocumentQuerySet":
        """The private documents that the caller owns or was granted."""
        return self.filter(held(caller), private=True)


class Document(models.Model):
    """A legal source as published: a constitution, a title of a code, a manual volume, a case file."""

    domain = models.ForeignKey(Domain, on_delete=models.PROTECT, related_name="documents")
    locator = models.CharField(max_length=300, help_text=_("Path of the whole document, e.g. /us/usc/t8."))
    title = models.CharField(max_length=500)
    cited_as = models.GeneratedField(
        expression=AsCited("title"), output_field=models.CharField(max_length=80), db_persist=True
    )
    cited_back = models.GeneratedField(
        expression=Reverse(AsCited("title")), output_field=models.CharField(max_length=80), db_persist=True
    )
    title_given = models.BooleanField(
        default=False, editable=False, help_text=_("People gave the title: a new version of the file keeps it.")
    )
    language = models.CharField(max_length=5, default="en")
    publication = models.CharField(max_length=300, blank=True, help_text=_("Edition or release point."))
    court = models.CharField(
        max_length=60, blank=True, help_text=_("Of a decision, as cited: 9th Cir. Empty: the court of its domain.")
    )
    year = models.PositiveSmallIntegerField(null=True, blank=True, help_text=_("In which it was decided."))
    source_url = models.URLField(max_length=500, blank=True)
    content_hash = models.CharField(max_length=64, editable=False, help_text=_("SHA-256 of the source file."))
    filename = models.CharField(
        max_length=255, blank=True, editable=False, help_text=_("Name of the source file, without folders.")
    )
    pages = models.PositiveIntegerField(
        null=True, blank=True, editable=False, help_text=_("Pages of the file; empty where it has none.")
    )
    scanned_pages = ArrayField(
        models.PositiveIntegerField(),
        default=list,
        blank=True,
        editable=False,
        help_text=_("Pages that are images without text: nothing on them is found."),
    )
    tags = ArrayField(
        models.CharField(max_length=60), default=list, blank=True, help_text=_("For rules, e.g. lease.")
    )
    metadata = models.JSONField(
        default=dict, blank=True, help_text=_('What rules may ask for by name, e.g. {"party": "Acme"}.')
    )
    private = models.BooleanField(default=False, editable=False)
    owner = models.CharField(
        max_length=60,
        blank=True,
        editable=False,
        help_text=_("Who alone replaces, shares and withdraws it: user:ID or key:ID."),
    )
    offered_to = models.CharField(
        max_length=200, blank=True, editable=False, help_text=_("Who becomes the owner on accepting.")
    )
    retrieved_at = models.DateTimeField(default=timezone.now, editable=False)
    staged_description = models.JSONField(
        default=dict, editable=False, help_text=_("What is said of it once its staged text is published.")
    )
    editions = models.JSONField(default=dict, editable=False, help_text=_("Day of the last one loaded, by place."))

    objects = DocumentQuerySet.as_manager()

    class Meta:
        ordering = ["domain", "locator"]
        constraints = [models.UniqueConstraint(fields=["domain", "locator"], name="document_once_a_domain")]
        indexes = [
            models.Index(fields=["owner"], name="document_owner", condition=~Q(owner="")),
            models.Index("domain", InNaturalOrder("locator"), name="document_shelf"),
            models.Index(
                fields=["cited_as"], opclasses=["text_pattern_ops"], name="document_titled", condition=Q(private=False)
            ),
            models.Index(
                fields=["cited_back"], opclasses=["text_pattern_ops"], name="document_ends", condition=Q(private=False)
            ),
        ]

    def __str__(self) -> str:
        return self.title


def within(locator: str) -> Q:
    return Q(locator=locator) | Q(locator__under=f"{locator}/")


class UnownedDocument(Document):
    """A private document as those see it who say whose it is: by its locator."""

    class Meta:
        proxy = True
        verbose_name = _("document without an owner")
        verbose_name_plural = _("documents without an owner")

    def __str__(self) -> str:
        return self.locator


class VersionQuerySet(models.QuerySet):
    """Rows of texts, each of which knows from when to when its text is in force."""

    def live(self) -> Self:
        return self.filter(live=True)

    def in_force(self) -> Self:
        """Of current texts."""
        return self.filter(valid_to__isnull=True)

    def begun_by(self, day: date | None) -> Self:
        return self if day is None else self.filter(Q(valid_from__isnull=True) | Q(valid_from__lte=day))

    def valid_on(self, day: date | None) -> Self:
        """Of texts in force on that day; None means the current ones."""
        if day is None:
            return self.in_force()
        return self.begun_by(day).filter(Q(valid_to__isnull=True) | Q(valid_to__gt=day))


class SectionQuerySet(VersionQuerySet):
    def valid_on(self, day: date | None) -> "SectionQuerySet":
        """Law in force on that day; None means the current texts, those of repealed law among them."""
        sections = super().valid_on(day)
        for ended in history.ended_by(day) if day else ():
            sections = sections.exclude(within(ended))
        return sections

    def visible_to(self, caller: Caller) -> "SectionQuerySet":
        if not caller.principals:
            return self.filter(private=False)
        return self.filter(Q(private=False) | Q(document__in=Document.objects.held_by(caller).values("id")))

    def readable(self, caller: Caller, day: date | None = None) -> "SectionQuerySet":
        """What this caller may read on that day: the one filter before anything is searched or shown."""
        return self.live().valid_on(day).visible_to(caller)

    def below(self, locator: str) -> "SectionQuerySet":
        """The provision and everything under it."""
        return self.filter(within(locator))

    def results(self) -> "SectionQuerySet":
        """Sections at their domain's result level."""
        return self.filter(is_result=True)

    def staged(self) -> "SectionQuerySet":
        """Made by an ingestion that has not published yet."""
        return self.filter(live=False, valid_to__isnull=True, replaced_at__isnull=True)

    def in_order(self) -> "SectionQuerySet":
        return self.order_by("document", "position", "id")


class Section(models.Model):
    """A node of a document's hierarchy in one version; at its domain's result level it is what is ranked."""

    domain = models.ForeignKey(Domain, on_delete=models.PROTECT, related_name="sections")
    document = models.ForeignKey(Document, on_delete=models.CASCADE, related_name="sections")
    parent = models.ForeignKey("self", null=True, blank=True, on_delete=models.SET_NULL, related_name="children")
    level = models.CharField(max_length=30, help_text=_("article, amendment, section, clause, title, part …"))
    number = models.CharField(max_length=60, blank=True, help_text=_("As the law writes it: XIV, 2000e-5."))
    heading = models.TextField(blank=True)
    heading_es = models.TextField(_("heading in Spanish"), blank=True)
    plain_name = models.TextField(blank=True, help_text=_("What a lay person would call it."))
    plain_name_es = models.TextField(_("plain name in Spanish"), blank=True)
    locator = models.CharField(max_length=300)
    parent_locator = models.CharField(max_length=300, blank=True)
    citation = models.CharField(max_length=300, help_text=_("Bluebook form."))
    breadcrumb = models.TextField(blank=True, help_text=_("The headings above, outermost first."))
    text = models.TextField(blank=True, help_text=_("Its own words, without those of its children."))
    position = models.PositiveIntegerField(default=0, help_text=_("Order in the document."))
    depth = models.PositiveSmallIntegerField(default=0)
    is_result = models.BooleanField(default=False, help_text=_("At its domain's result level: ranked and shown."))
    is_leaf = models.BooleanField(default=True, help_text=_("Has no sections below it."))
    live = models.BooleanField(
        default=False, help_text=_("Published; false while its ingestion runs, and once an edit replaced it.")
    )
    private = models.BooleanField(default=False, editable=False)
    valid_from = models.DateField(null=True, blank=True)
    valid_to = models.DateField(null=True, blank=True, help_text=_("First day on which it is no longer in force."))
    status = models.CharField(max_length=30, blank=True, help_text=_("repealed, reserved, superseded …"))
    notes = ArrayField(models.TextField(), default=list, blank=True)
    note_words = SearchVectorField(null=True, editable=False)  # of private ones, filled in as `Chunk.words` is
    pages = models.JSONField(
        default=list,
        blank=True,
        editable=False,
        help_text=_("Where pages begin in its text: [offset, page] pairs; the first says on which it begins."),
    )
    source_url = models.URLField(max_length=500, blank=True)
    content_hash = models.CharField(max_length=64, editable=False, help_text=_("SHA-256 of all that is shown."))
    replaced_at = models.DateTimeField(null=True, editable=False)
    of_day: int | None = None  # which of several texts of a day, from 1, where not the last: `changes.in_time` tells
    began_as = models.CharField(
        max_length=10,
        blank=True,
        editable=False,
        help_text=_("What its first day brought: new or changed. Empty: its document began with it."),
    )
    ended = models.BooleanField(
        default=False, editable=False, help_text=_("It has a last day, and no law follows on it.")
    )

    objects = SectionQuerySet.as_manager()

    class Meta:
        ordering = ["document", "position"]
        constraints = [
            models.UniqueConstraint(
                fields=["document", "locator"], condition=Q(valid_to__isnull=True, live=True),
                name="one_current_version",
            ),
        ]
        indexes = [
            models.Index(fields=["locator"], opclasses=["text_pattern_ops"], name="section_locator"),
            models.Index(fields=["document", "position"], name="section_order"),
            models.Index(
                fields=["number", "domain", "document"], opclasses=["text_pattern_ops", "int8_ops", "int8_ops"],
                name="section_number", condition=Q(live=True, private=False) & ~Q(number=""),
            ),
            models.Index(fields=["document", "valid_from"], name="section_begins"),
            models.Index(fields=["valid_to"], name="section_ends", condition=Q(valid_to__isnull=False)),
            models.Index(
                fields=["domain", "document"], name="section_in_force",
                condition=Q(live=True, is_result=True, valid_to__isnull=True),
            ),
            models.Index(
                fields=["-valid_from", "document", "position", "id", "domain"],
                name="section_began",
                condition=Q(live=True, is_result=True, began_as__gt=""),
            ),
            models.Index(
                fields=["-valid_to", "document", "position", "id", "domain"],
                name="section_ended",
                condition=Q(live=True, is_result=True, ended=True),
            ),
            models.Index(
                fields=["domain", "id"], name="section_cases",
                condition=Q(live=True, valid_to__isnull=True, level="case"),
            ),
        ]

    def __str__(self) -> str:
        return self.citation or self.locator

    @property
    def path(self) -> str:
        """The locator as it stands in URLs, without its leading slash."""
        return self.locator.removeprefix("/")

    @property
    def is_summary(self) -> bool:
        return self.level == LEVEL and is_summary(self.level, self.text)  # no other's text is read for it

    @property
    def local_heading(self) -> str:
        return self.heading_es if get_language() == "es" and self.heading_es else self.heading

    @property
    def local_plain_name(self) -> str:
        return self.plain_name_es if get_language() == "es" and self.plain_name_es else self.plain_name


class PartOfDocument(models.Model):
    """What is as private as its document: the database fills both columns from its section, and guards it by them."""

    document = models.ForeignKey(
        Document,
        on_delete=models.DO_NOTHING,
        db_constraint=False,
        db_index=False,
        editable=False,
        related_name="+",
    )
    private = models.BooleanField(default=False, editable=False)

    class Meta:
        abstract = True


class Anchor(PartOfDocument):
    """A numbered place deeper than the result level: a locator and where it stands in its section's text."""

    section = models.ForeignKey(Section, on_delete=models.CASCADE, related_name="anchors")
    locator = models.CharField(max_length=300)
    level = models.CharField(max_length=30)
    number = models.CharField(max_length=60)
    start = models.PositiveIntegerField(help_text=_("Character offset into the section's text."))
    end = models.PositiveIntegerField()

    class Meta:
        ordering = ["section", "start", "-end"]
        indexes = [models.Index(fields=["locator"], name="anchor_locator")]

    def __str__(self) -> str:
        return self.locator


class Definition(PartOfDocument):
    """A term that a section defines, and the provision or document in which the definition governs."""

    section = models.ForeignKey(Section, on_delete=models.CASCADE, related_name="definitions")
    term = models.CharField(max_length=100)
    locator = models.CharField(max_length=300, help_text=_("Of the place that defines it."))
    scope = models.CharField(max_length=300, help_text=_("Locator under which it governs."))

    class Meta:
        indexes = [models.Index(fields=["scope"], name="definition_scope")]

    def __str__(self) -> str:
        return self.term


class SuggestedQuestion(models.Model):
    """A question that curators name a section by, and for which a search found this version of the section first."""

    section = models.ForeignKey(Section, on_delete=models.CASCADE, related_name="suggested_questions")
    language = models.CharField(max_length=5)
    text = models.CharField(max_length=200)
    verified_at = models.DateTimeField(default=timezone.now)

    def __str__(self) -> str:
        return self.text


class Citation(PartOfDocument):
    """One section citing another: the edges of the graph of law."""

    source = models.ForeignKey(Section, on_delete=models.CASCADE, related_name="citations_made")
    target_locator = models.CharField(max_length=300)
    target = models.ForeignKey(  # indexed by `citation_target`
        Section, models.SET_NULL, null=True, blank=True, related_name="citations_received", db_index=False
    )
    text = models.CharField(max_length=300, help_text=_("As written."))
    called = models.CharField(
        max_length=200, blank=True, help_text=_("What the citing text calls it, e.g. Clean Air Act.")
    )
    name = models.GeneratedField(
        expression=Lower("called"), output_field=models.CharField(max_length=200), db_persist=True
    )
    start = models.IntegerField(help_text=_("Character offset into the source's text; -1 in a note."))
    end = models.IntegerField()

    class Meta:
        ordering = ["source", "start"]
        indexes = [
            models.Index(fields=["target", "source", "id"], name="citation_target"),
            models.Index(fields=["target_locator"], name="citation_target_locator"),
            models.Index(fields=["name"], name="citation_name", condition=~Q(called="")),
        ]

    def __str__(self) -> str:
        return f"{self.source} → {self.target_locator}"
