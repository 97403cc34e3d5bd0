"""Handing in files: the page that takes several at once and shows what becomes of them, and their record."""

from collections.abc import Iterable

from django import forms
from django.contrib import admin, messages
from django.core.files.uploadedfile import UploadedFile
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from unfold.admin import ModelAdmin
from unfold.decorators import display
from unfold.widgets import (
    UnfoldAdminFileFieldWidget,
    UnfoldAdminSelect2MultipleWidget,
    UnfoldAdminSelectWidget,
    UnfoldAdminTextInputWidget,
)

from retrieval.access.middleware import caller_of
from retrieval.admin import access
from retrieval.admin.base import ReadOnly, admin_link, page, require
from retrieval.errors import Unprocessable
from retrieval.ingestion import uploading
from retrieval.models import Domain, Upload
from retrieval.models.uploads import in_words
from retrieval.parsing.files.formats import READERS

SHOWN = 50  # uploads listed under the form
PERMISSION = "retrieval.add_upload"
COLOURS = {
    Upload.Status.WAITING: "warning",
    Upload.Status.STORED: "success",
    Upload.Status.UNCHANGED: "info",
    Upload.Status.REFUSED: "danger",
    Upload.Status.FAILED: "danger",
}


class ManyFilesInput(UnfoldAdminFileFieldWidget):
    allow_multiple_selected = True


class ManyFilesField(forms.FileField):
    widget = ManyFilesInput

    def clean(self, data, initial=None) -> list[UploadedFile]:
        """Every file; Django's own field keeps only the last."""
        one = super().clean
        return [one(file, initial) for file in data] if data else [one(None, initial)]


class DomainChoice(forms.ModelChoiceField):
    def label_from_instance(self, domain: Domain) -> str:
        return f"{domain.local_name} – {domain.get_visibility_display()}"


class UploadForm(forms.Form):
    domain = DomainChoice(
        Domain.objects.filter(citation_style="plain"),
        label=gettext_lazy("Domain"),
        widget=UnfoldAdminSelectWidget,
        help_text=gettext_lazy("Domains are made under “Domains”."),
    )
    files = ManyFilesField(
        allow_empty_file=True,  # it is refused by itself, as others are
        label=gettext_lazy("Files"),
        help_text=gettext_lazy("PDF, DOCX, HTML, Markdown or text; at most 50 MB each, 200 MB together."),
        widget=ManyFilesInput({"multiple": True, "accept": ",".join(READERS)}),
    )
    tags = forms.CharField(
        required=False,
        label=gettext_lazy("Tags"),
        help_text=gettext_lazy("Parted by commas; rules can ask for them."),
        widget=UnfoldAdminTextInputWidget,
    )
    reader = forms.MultipleChoiceField(
        required=False,
        label=gettext_lazy("Who else may read them"),
        help_text=gettext_lazy("For a private domain. You own what you hand in."),
        widget=UnfoldAdminSelect2MultipleWidget,
    )

    def __init__(self, user, *args, **kwargs):
        """`user`: who hands in, and need not choose themselves."""
        super().__init__(*args, **kwargs)
        self.fields["reader"].choices = access.readers(owner=f"user:{user.get_username()}")

    def clean_tags(self) -> list[str]:
        return [tag[:60] for tag in map(str.strip, self.cleaned_data["tags"].split(",")) if tag]


def upload_page(request: HttpRequest) -> HttpResponse:
    """The form, and below it this person's uploads; alone when htmx asks for them."""
    require(request, PERMISSION)
    form = UploadForm(request.user, request.POST or None, request.FILES or None)
    if request.method == "POST" and form.is_valid():
        hand_in(request, form.cleaned_data)
        return redirect(request.path)
    uploads = own_uploads(request)
    context = {
        "title": _("Upload documents"),
        "form": form,
        "uploads": uploads,
        "is_working": any(upload.status == Upload.Status.WAITING for upload in uploads),
    }
    template = "admin/_uploads.html" if request.headers.get("HX-Request") else "admin/upload.html"
    return page(request, template, context)


def own_uploads(request: HttpRequest) -> list[Upload]:
    own = Upload.objects.filter(principal=f"user:{request.user.pk}").defer("content")
    return list(own.select_related("domain", "document", "run")[:SHOWN])


def hand_in(request: HttpRequest, said: dict) -> None:
    """Each file by itself: one that is refused at once hinders no other."""
    for file in said["files"]:
        try:
            uploading.accept(
                said["domain"],
                file.name,
                file.read(),
                principal=f"user:{request.user.pk}",
                tags=said["tags"],
                grants=said["reader"],
                by=request.user,
            )
        except Unprocessable as refused:
            messages.error(request, f"{file.name}: {in_words(refused.refusal)}")


@admin.register(Upload)
class UploadAdmin(ReadOnly, ModelAdmin):
    """The record of all that was handed in, as far as this person may see it."""

    list_display = ["filename", "domain", "state_label", "sections", "pages", "scans", "why", "created_at"]
    list_filter = ["status", "domain", "created_at"]
    list_select_related = ["domain"]
    search_fields = ["filename", "content_hash"]
    fields = [
        "filename", "domain", "status", "why", "became", "job", "sections", "pages", "scans", "size",
        "content_hash", "tags", "by", "private", "created_at",
    ]  # fmt: skip
    readonly_fields = ["why", "became", "job", "scans", "by"]

    def get_queryset(self, request: HttpRequest) -> QuerySet:
        return (
            Upload.objects.visible_to(caller_of(request)).defer("content").select_related("document", "run")
        )

    @display(description=gettext_lazy("Status"), ordering="status", label=COLOURS)
    def state_label(self, upload: Upload) -> tuple[str, str]:
        return upload.status, upload.get_status_display()

    @admin.display(description=gettext_lazy("Why it was refused, or failed"))
    def why(self, upload: Upload) -> str:
        return upload.local_reason or "-"

    @admin.display(description=gettext_lazy("Scanned pages"))
    def scans(self, upload: Upload) -> str:
        return numbers(upload.scanned_pages) or "-"

    @admin.display(description=gettext_lazy("Document"))
    def became(self, upload: Upload) -> SafeString | str:
        return admin_link(upload.document) if upload.document else "-"

    @admin.display(description=gettext_lazy("Handed in by"))
    def by(self, upload: Upload) -> str:
        return access.named(upload.principal)

    @admin.display(description=gettext_lazy("Job"))
    def job(self, upload: Upload) -> SafeString | str:
        return admin_link(upload.run) if upload.run else "-"


def numbers(pages: Iterable[int]) -> str:
    return ", ".join(map(str, pages))
