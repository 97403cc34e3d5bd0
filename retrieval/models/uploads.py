"""Files on their way into the corpus, and what became of them. The file itself is kept only until it is read."""

from collections.abc import Mapping
from uuid import uuid4

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Exists, OuterRef, Q
from django.utils.formats import number_format
from django.utils.translation import gettext, pgettext_lazy
from django.utils.translation import gettext_lazy as _

from retrieval.access.caller import Caller
from retrieval.models.corpus import Document, Section

NAMED = 5  # documents of one title that are told


def in_words(refusal: Mapping) -> str:
    """What an error says (`ArfError.refusal`), in the reader's language and with numbers as that writes them."""
    told = gettext(refusal["template"])
    values = {
        name: number_format(value, force_grouping=True) if isinstance(value, int) else value
        for name, value in refusal["values"].items()
    }
    return told % values if values else told


class UploadQuerySet(models.QuerySet):
    def visible_to(self, caller: Caller) -> "UploadQuerySet":
        """Those into public domains, one's own, and those of documents one owns now."""
        if not caller.principals:
            return self.filter(private=False)
        own = Q(principal__in=caller.principals) | Q(document__owner__in=caller.principals)
        return self.filter(Q(private=False) | own)


class Upload(models.Model):
    """One file that somebody handed in for a domain: read once, by one job."""

    class Status(models.TextChoices):
        WAITING = "waiting", _("Waiting or being read")
        STORED = "stored", _("Stored")
        UNCHANGED = "unchanged", _("Unchanged")
        REFUSED = "refused", pgettext_lazy("upload", "Refused")
        CANCELLED = "cancelled", pgettext_lazy("upload", "Cancelled")
        FAILED = "failed", pgettext_lazy("upload", "Failed")  # its file is kept, so that the job may be resumed

    public_id = models.UUIDField(unique=True, default=uuid4, editable=False)  # counts nobody's uploads
    domain = models.ForeignKey("retrieval.Domain", on_delete=models.PROTECT, related_name="uploads")
    document = models.ForeignKey(
        "retrieval.Document", null=True, blank=True, on_delete=models.SET_NULL, related_name="uploads"
    )
    run = models.OneToOneField(
        "retrieval.JobRun", null=True, on_delete=models.SET_NULL, related_name="upload"
    )
    filename = models.CharField(max_length=255)
    title = models.CharField(max_length=500, blank=True, help_text=_("Empty: what the file says."))
    tags = ArrayField(models.CharField(max_length=60), default=list, blank=True)
    grants = ArrayField(
        models.CharField(max_length=160),
        default=list,
        blank=True,
        help_text=_("Who may read a private document."),
    )
    readers = ArrayField(
        models.CharField(max_length=200),
        default=list,
        editable=False,
        help_text=_("The principals that `grants` named when the file was handed in."),
    )
    principal = models.CharField(max_length=60, help_text=_("Who handed it in: user:ID or key:ID."))
    private = models.BooleanField(default=False, editable=False)
    content = models.BinaryField(null=True, editable=False)  # staged in portions: SHAPE and what was read of it
    content_hash = models.CharField(max_length=64, editable=False, help_text=_("SHA-256 of the file."))
    size = models.PositiveIntegerField(help_text=_("Bytes."))
    status = models.CharField(max_length=10, choices=Status, default=Status.WAITING)
    reason = models.TextField(blank=True, help_text=_("Why it was refused, or failed."))
    refusal = models.JSONField(default=dict, editable=False)  # the reason's template and values
    sections = models.PositiveIntegerField(default=0)
    pages = models.PositiveIntegerField(null=True, blank=True)
    scanned_pages = ArrayField(models.PositiveIntegerField(), default=list, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)

    objects = UploadQuerySet.as_manager()

    class Meta:
        ordering = ["-created_at", "-pk"]
        indexes = [models.Index(fields=["principal", "-created_at"], name="upload_principal")]

    def __str__(self) -> str:
        return self.filename

    @property
    def local_reason(self) -> str:
        return in_words(self.refusal) if self.refusal else self.reason

    @property
    def percent(self) -> int:
        """How far its reading is, or came before it failed; 100 once it is settled."""
        if self.status not in (self.Status.WAITING, self.Status.FAILED):
            return 100
        return self.run.percent if self.run else 0

    @property
    def same_title(self) -> list[str]:
        """Locators of the other documents in force of its domain with the title of what it became, as far as whoever
        handed it in reads them: a citation leads to all of them.
        """
        if self.document is None:
            return []
        alike = Document.objects.visible_to(Caller((self.principal,))).filter(cited_as=self.document.cited_as)
        in_force = Section.objects.live().filter(document=OuterRef("pk"), valid_to=None)
        others = alike.filter(Exists(in_force), domain=self.domain_id).exclude(pk=self.document_id)
        return list(others.order_by("locator").values_list("locator", flat=True)[:NAMED])
