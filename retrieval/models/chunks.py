"""What is searched of sections: their chunks, the chunks' vectors by each embedder, and their words as numbers."""

from django.contrib.postgres.search import SearchVectorField
from django.db import models
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext_lazy as _
from pgvector.django import HalfVectorField

from retrieval.models.corpus import Document, Domain, PartOfDocument, Section, VersionQuerySet


class Chunk(PartOfDocument):
    """The unit embedded and indexed: a span of one section's text, with the context that is read before it."""

    section = models.ForeignKey(Section, on_delete=models.CASCADE, related_name="chunks")
    domain = models.ForeignKey(Domain, on_delete=models.PROTECT, related_name="+")
    position = models.PositiveIntegerField(help_text=_("Order in the section."))
    text = models.TextField()
    context = models.TextField(
        help_text=_("Document, breadcrumb, heading and plain name, indexed before the text.")
    )
    start = models.PositiveIntegerField(help_text=_("Character offset into the section's text."))
    end = models.PositiveIntegerField()
    page_start = models.PositiveIntegerField(null=True, blank=True, help_text=_("1-based."))
    page_end = models.PositiveIntegerField(null=True, blank=True)
    token_count = models.PositiveIntegerField()
    words = SearchVectorField(
        null=True,
        editable=False,
        help_text=_("Of private texts alone, as PostgreSQL searches them: the database fills it in."),
    )

    class Meta:
        ordering = ["section", "position"]
        constraints = [models.UniqueConstraint(fields=["section", "position"], name="chunk_order")]

    def __str__(self) -> str:
        return f"{self.section} [{self.start}:{self.end}]"

    @property
    def indexed_text(self) -> str:
        """What the embedder and BM25 read."""
        return f"{self.context}\n{self.text}"


class EmbeddingModel(models.Model):
    """An embedder whose vectors are stored; one is active, another may be building beside it."""

    class Status(models.TextChoices):
        BUILDING = "building", _("Building")
        ACTIVE = "active", _("Active")
        RETIRED = "retired", _("Retired")

    name = models.CharField(max_length=200)
    fingerprint = models.CharField(max_length=64, unique=True)
    dims = models.PositiveSmallIntegerField()
    spec = models.JSONField(default=dict, help_text=_("How to load it: kind, model, address; never a key."))
    status = models.CharField(max_length=10, choices=Status, default=Status.BUILDING)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["status"], condition=Q(status="active"), name="one_active_embedding_model"
            )
        ]

    def __str__(self) -> str:
        return self.name

    @classmethod
    def fingerprint_in_use(cls) -> str:
        """Of the active one; empty while nothing has been embedded."""
        active = cls.objects.filter(status=cls.Status.ACTIVE)
        return active.values_list("fingerprint", flat=True).first() or ""


class ChunkVector(PartOfDocument):
    """A chunk's embedding by one model. Apart from Chunk, so that a second embedder can be built beside the first and
    switched to in one row. It carries what every search filters by, which the database copies from its section; `live`
    is set in portions shortly before the section is, since an index takes its time over each (`embedding.enter_some`).
    """

    pk = models.CompositePrimaryKey("document_id", "chunk_id", "model_id")
    chunk = models.ForeignKey(Chunk, on_delete=models.CASCADE, related_name="vectors")
    section = models.ForeignKey(Section, on_delete=models.CASCADE, related_name="+")
    domain = models.ForeignKey(Domain, on_delete=models.PROTECT, related_name="+", db_index=False)
    model = models.ForeignKey(EmbeddingModel, on_delete=models.CASCADE, related_name="vectors")
    live = models.BooleanField(default=False, editable=False)
    valid_from = models.DateField(null=True, editable=False)
    valid_to = models.DateField(null=True, editable=False)
    vector = HalfVectorField(help_text=_("Unit length; as many dimensions as its model has."))

    objects = VersionQuerySet.as_manager()  # joins no other table

    class Meta:
        indexes = [
            models.Index(
                fields=["domain", "model"],
                name="vector_in_force",
                condition=Q(live=True, private=False, valid_to__isnull=True),
            ),
            models.Index(
                fields=["domain", "model", "valid_to"],
                name="vector_ended",
                condition=Q(live=True, private=False, valid_to__isnull=False),
            ),
        ]


class SectionTerms(PartOfDocument):
    """A section's words as numbers (`retrieval.indexes.terms`), so that no search splits text again, and how others
    cite it (`retrieval.indexes.cited`). As private as its text.
    """

    section = models.OneToOneField(Section, on_delete=models.CASCADE, primary_key=True, related_name="terms")
    domain = models.ForeignKey(Domain, on_delete=models.PROTECT, related_name="+")
    body = models.BinaryField(help_text=_("uint32, one a word, in reading order."))
    head = models.BinaryField(help_text=_("Of heading and plain name."))
    way = models.BinaryField(help_text=_("Of the headings above, without the document's title."))
    cited_by = models.PositiveIntegerField(
        default=0, help_text=_("How many current public sections cite it or a place in it.")
    )
    called = models.TextField(blank=True, help_text=_("What those that cite it call it."))


class Summary(models.Model):
    """What tells most of a text, as places in it: no words are kept twice, and none is seen that its reader may not
    read. The database fills in the document and how private it is.
    """

    class Level(models.IntegerChoices):
        PROVISION = 0, _("Provision")
        PART = 1, _("Part")  # of what stands below a section
        DOCUMENT = 2, _("Document")

    document = models.ForeignKey(Document, on_delete=models.CASCADE, related_name="summaries", db_index=False)
    section = models.ForeignKey(Section, null=True, on_delete=models.CASCADE, related_name="summaries")
    level = models.PositiveSmallIntegerField(choices=Level)
    sentences = models.JSONField(
        default=list, help_text=_("Section, start and end in its text of each, the most telling first.")
    )
    private = models.BooleanField(default=False, editable=False)

    class Meta:
        verbose_name_plural = _("summaries")
        constraints = [
            models.UniqueConstraint(
                fields=["document", "section", "level"], nulls_distinct=False, name="one_summary_a_level"
            )
        ]

    def __str__(self) -> str:
        return f"{self.get_level_display()} of {self.document_id}"


class WrittenSummary(PartOfDocument):
    """What a language model wrote in one language of one version of a section, as far as proof bore it out; without
    sentences where it did not, so that it is not paid for again. As private as its text, of which it holds places.
    """

    section = models.ForeignKey(Section, on_delete=models.CASCADE, related_name="written_summaries")
    language = models.CharField(max_length=5)
    model = models.CharField(max_length=120, help_text=_("The language model that was asked."))
    sentences = models.JSONField(
        default=list,
        help_text=_("Of each its text, how sure its proof is, and start and end of the words that it rests on."),
    )
    problem = models.CharField(
        max_length=30, blank=True, help_text=_("Why there are no sentences: unproven, timeout …")
    )
    withheld = models.JSONField(default=list, help_text=_("What was not proven, and why not."))
    written_at = models.DateTimeField(default=timezone.now)

    class Meta:
        verbose_name_plural = _("written summaries")
        constraints = [
            models.UniqueConstraint(fields=["section", "language", "model"], name="one_written_summary_a_model")
        ]

    def __str__(self) -> str:
        return f"{self.section_id} in {self.language}"


class Vocabulary(models.Model):
    """In how many sections of a public domain each word occurs, at one version of its corpus, and what its texts are
    about. Private domains have none: what is counted of them would tell of documents that a reader may not see.
    """

    domain = models.OneToOneField(
        Domain, on_delete=models.CASCADE, primary_key=True, related_name="vocabulary"
    )
    corpus_version = models.PositiveBigIntegerField()
    sections = models.PositiveIntegerField()
    mean_length = models.FloatField(help_text=_("Words of a section's body."))
    terms = models.BinaryField(help_text=_("uint32, sorted."))
    frequencies = models.BinaryField(help_text=_("int32: the sections that hold each."))
    centroids = models.BinaryField(
        default=b"", help_text=_("float32: the number of centres of its vectors, their weights, then they.")
    )
    embedded_by = models.ForeignKey(
        EmbeddingModel, null=True, on_delete=models.SET_NULL, related_name="+", help_text=_("Whose vectors these are.")
    )

    class Meta:
        verbose_name_plural = _("vocabularies")
