"""Domains, and the corpus to browse: documents, sections, chunks with their offsets, citations."""

import re
from dataclasses import replace

from django import forms
from django.conf import settings
from django.contrib import admin, messages
from django.db.models import Count, OuterRef, Q, QuerySet, Subquery
from django.db.models.fields.json import KT
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from unfold.admin import ModelAdmin, TabularInline
from unfold.widgets import UnfoldAdminCheckboxSelectMultipleWidget

from retrieval import jobs
from retrieval.access.middleware import caller_of
from retrieval.access.row_security import as_system
from retrieval.access.sharing import may_edit, may_replace
from retrieval.admin.base import MadeElsewhere, ObjectAction, ObjectActions, ReadOnly, admin_link, admin_url
from retrieval.errors import SourceRefused
from retrieval.fetching import job as fetching
from retrieval.ingestion import ingest, staging, uploading
from retrieval.models import Anchor, Chunk, Citation, Document, Domain, EmbeddingModel, JobRun, Section
from retrieval.models.uploads import in_words
from retrieval.targets import facts_in

PREFIX = re.compile(r"(/[a-z0-9_-]+)+")
CORPUS = ["visibility", "languages", "citation_style", "result_level", "locator_prefix", "always_searched", "holds_law"]
SOURCE = ["source", "refresh_plan", "corpus_version", "last_ingested", "last_fetched"]


def ingest_again(request: HttpRequest, domain: Domain) -> HttpResponse:
    """Reads the domain's source again, as a job whose page opens."""
    told = _("%(domain)s is being ingested again.") % {"domain": domain.local_name}
    return opened(request, jobs.ask(**ingest.request(domain), by=request.user), told)


def fetch(request: HttpRequest, domain: Domain) -> HttpResponse:
    """Brings what the domain holds up to date from where it is published, as a job whose page opens."""
    told = _("%(domain)s is being fetched.") % {"domain": domain.local_name}
    return opened(request, jobs.ask(**fetching.refresh_request(domain), by=request.user), told)


def opened(request: HttpRequest, run: JobRun, told: str) -> HttpResponse:
    """The job's page, which says what it waits for, if it does."""
    if other := jobs.before(run):
        waits = {"number": other.pk, "what": jobs.name_of(other)}
        messages.info(request, _("It goes on by itself after job %(number)d: %(what)s.") % waits)
    else:
        messages.success(request, told)
    return redirect(admin_url(run))


INGEST = ObjectAction(
    "ingest",
    gettext_lazy("Ingest again"),
    ingest_again,
    may=lambda request, domain: request.user.has_perm("retrieval.add_jobrun"),
    applies=lambda domain: bool(domain.source) and not fetching.has_own_address(domain),
)
FETCH = ObjectAction(
    "fetch",
    gettext_lazy("Fetch"),
    fetch,
    may=INGEST.may,
    applies=lambda domain: bool(fetching.address_of(domain)),
)


class DomainForm(forms.ModelForm):
    languages = forms.MultipleChoiceField(
        choices=settings.LANGUAGES,
        required=False,
        widget=UnfoldAdminCheckboxSelectMultipleWidget,
        label=gettext_lazy("Languages"),
        help_text=Domain._meta.get_field("languages").help_text,
    )

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        if "locator_prefix" in self.fields:
            self.fields["locator_prefix"].required = False

    def clean_name(self) -> str:
        return self.unlike_others("name")

    def clean_name_es(self) -> str:
        return self.unlike_others("name_es")

    def unlike_others(self, field: str) -> str:
        """A new name that no other domain has, in either language: people choose and cite domains by their names."""
        name = self.cleaned_data[field]
        others = Domain.objects.exclude(pk=self.instance.pk).filter(Q(name__iexact=name) | Q(name_es__iexact=name))
        if name and field in self.changed_data and others.exists():
            raise forms.ValidationError(_("Another domain is called so."))
        return name

    def clean_source(self) -> str:
        """An address, or a file where files may be read; one that stands there already may stay."""
        source = self.cleaned_data["source"]
        if source and "source" in self.changed_data and not fetching.is_address(source):
            try:
                staging.own_source(source, self.instance)
            except SourceRefused as refused:
                raise forms.ValidationError(in_words(refused.refusal)) from refused
        return source

    def clean_locator_prefix(self) -> str:
        """/SLUG where it is left empty; a place of its own, neither in another domain's nor around it."""
        prefix = self.cleaned_data["locator_prefix"] or f"/{self.cleaned_data.get('slug', '')}"
        others = Domain.objects.exclude(pk=self.instance.pk).values_list("locator_prefix", flat=True)
        if any(
            f"{prefix}/".startswith(f"{other}/") or f"{other}/".startswith(f"{prefix}/") for other in others
        ):
            raise forms.ValidationError(_("Another domain's locators begin so."))
        if not PREFIX.fullmatch(prefix):
            raise forms.ValidationError(_("Letters, digits, - and _ after each slash, e.g. /leases."))
        return prefix

    def clean(self) -> dict:
        """A plan needs something to go by: for a private domain nothing is fetched."""
        said = super().clean()
        names = ("slug", "source", "visibility", "refresh_plan")
        domain = Domain(**{name: said.get(name, getattr(self.instance, name)) for name in names})
        has_file = bool(domain.source) and not fetching.has_own_address(domain)
        if domain.refresh_plan != Domain.RefreshPlan.NEVER and not (has_file or fetching.address_of(domain)):
            told = _("Nothing can be fetched for this domain: name a source, or leave its plan “By hand”.")
            self.add_error("refresh_plan", told)
        return said


@admin.register(Domain)
class DomainAdmin(ObjectActions, ModelAdmin):
    form = DomainForm
    object_actions = (INGEST, FETCH)
    list_filter = ["visibility"]
    search_fields = ["name", "name_es", "slug"]
    fieldsets = [
        (None, {"fields": ["slug", "name", "name_es", "description", "description_es", "position"]}),
        (gettext_lazy("Corpus"), {"fields": CORPUS}),
        (gettext_lazy("Source"), {"fields": SOURCE}),
    ]

    def get_list_display(self, request: HttpRequest) -> list[str]:
        columns = ["name", "slug", "visibility", "live_sections", "corpus_version", "last_ingested"]
        return [*columns, "ingest_button"] if INGEST.may(request, None) else columns

    def get_queryset(self, request: HttpRequest) -> QuerySet:
        live = Section.objects.live().valid_on(None).filter(domain=OuterRef("pk")).order_by()
        count = live.values("domain").annotate(count=Count("pk")).values("count")
        brought = JobRun.objects.that_read_law() | JobRun.objects.filter(kind="upload")
        done = brought.filter(status=JobRun.Status.DONE).annotate(slug=KT("params__domain"))
        last = done.filter(slug=OuterRef("slug")).order_by("-finished_at").values("finished_at")[:1]
        return (
            super().get_queryset(request).annotate(sections_live=Subquery(count), ingested_at=Subquery(last))
        )

    def get_readonly_fields(self, request: HttpRequest, obj: Domain | None = None) -> list[str]:
        """Its name in URLs never changes; what its documents were read under cannot change beneath them."""
        audit = ["corpus_version", "last_ingested", "last_fetched"]
        if obj is None:
            return audit
        fixed = ["visibility", "result_level", "locator_prefix"] if holds_documents(obj) else []
        return [*audit, "slug", *fixed]

    def has_delete_permission(self, request: HttpRequest, obj: Domain | None = None) -> bool:
        """Only an empty one, by its own page."""
        return obj is not None and super().has_delete_permission(request, obj) and not holds_documents(obj)

    @admin.display(description=gettext_lazy("Live sections"), ordering="sections_live")
    def live_sections(self, domain: Domain) -> int:
        return domain.sections_live or 0

    @admin.display(description=gettext_lazy("Last ingested"), ordering="ingested_at", empty_value="-")
    def last_ingested(self, domain: Domain):
        return domain.ingested_at

    @admin.display(description=gettext_lazy("Last fetched"), empty_value="-")
    def last_fetched(self, domain: Domain) -> SafeString | None:
        """How the last fetch from its publisher ended, and why it changed nothing if it did not."""
        run = JobRun.objects.filter(kind="fetch", params__domain=domain.slug).order_by("-created_at").first()
        return run and admin_link(run, f"{run.get_status_display()}: {run.local_error or run.local_message}")

    @admin.display(description="")
    def ingest_button(self, domain: Domain) -> SafeString | str:
        action = next((action for action in self.object_actions if action.applies(domain)), None)
        return self.action_button(domain, action) if action else _("no source")


@as_system()
def holds_documents(domain: Domain) -> bool:
    """Private ones too, which who asks may not see."""
    return domain.documents.exists()


def withdraw(request: HttpRequest, document: Document) -> None:
    count = uploading.withdraw(document, caller_of(request))
    messages.success(request, _("Withdrawn: %(count)s sections are in force no longer.") % {"count": count})


def erase(request: HttpRequest, document: Document) -> HttpResponse:
    uploading.erase(document, caller_of(request))
    messages.success(request, _("The document is erased with all its text."))
    return redirect("admin:retrieval_document_changelist")


def is_in_force(document: Document) -> bool:
    return document.sections.live().filter(valid_to=None).exists()


WITHDRAW = ObjectAction(
    "withdraw",
    gettext_lazy("Withdraw"),
    withdraw,
    may=lambda request, document: (
        request.user.has_perm("retrieval.change_document") and may_replace(document, caller_of(request))
    ),
    applies=lambda document: document.domain.takes_uploads and is_in_force(document),
)
# Where a document came into a body of law by mistake. Asked once more, for it may take out a whole title.
WITHDRAW_LAW = replace(
    WITHDRAW,
    name="withdraw_law",
    may=lambda request, document: request.user.is_superuser,
    applies=lambda document: not document.domain.takes_uploads and is_in_force(document),
    undoable=False,
)
ERASE = ObjectAction(
    "erase",
    gettext_lazy("Erase for good"),
    erase,
    may=lambda request, document: (
        request.user.has_perm("retrieval.delete_document") and may_replace(document, caller_of(request))
    ),
    applies=lambda document: document.private,
    undoable=False,
)


class DocumentForm(forms.ModelForm):
    def clean_metadata(self) -> dict:
        """As the API takes them."""
        metadata = self.cleaned_data["metadata"] or {}
        if facts_in(metadata) != metadata:
            raise forms.ValidationError(_('Words and numbers by name, e.g. {"party": "Acme", "rent": 900}.'))
        return metadata


@admin.register(Document)
class DocumentAdmin(ObjectActions, MadeElsewhere, ModelAdmin):
    """What its file says is read-only, but its title; tags and metadata, which rules ask for, are staff's."""

    form = DocumentForm
    object_actions = (WITHDRAW, WITHDRAW_LAW, ERASE)
    list_display = ["title", "domain", "locator", "language", "filename", "pages", "private", "retrieved_at"]
    list_filter = ["domain", "language", "private"]
    list_select_related = ["domain"]
    search_fields = ["title", "locator", "filename"]
    fields = [
        "title", "domain", "locator", "language", "court", "year", "publication", "source_url", "filename", "pages",
        "scanned_pages", "content_hash", "private", "retrieved_at", "tags", "metadata",
    ]  # fmt: skip

    def get_readonly_fields(self, request: HttpRequest, obj: Document | None = None) -> list[str]:
        """The title of law that comes from its own source is that source's."""
        return self.fields[1 if obj and obj.domain.takes_uploads else 0 : -2]

    def save_model(self, request: HttpRequest, obj: Document, form: forms.ModelForm, change: bool) -> None:
        if "title" in form.changed_data:
            uploading.rename(obj, obj.title, caller_of(request))
        obj.save(update_fields=["tags", "metadata"])  # a job may have changed the rest since the page was shown

    def has_change_permission(self, request: HttpRequest, obj: Document | None = None) -> bool:
        may = super().has_change_permission(request, obj)
        return may and (obj is None or may_edit(obj, caller_of(request)))

    def get_queryset(self, request: HttpRequest) -> QuerySet:
        return Document.objects.visible_to(caller_of(request))

    def view_on_site(self, document: Document) -> str:
        return f"/law{document.locator}"


class PartInline(ReadOnly, TabularInline):
    """What belongs to a section, on a tab of its page."""

    ordering = ["start", "pk"]
    extra = 0
    per_page = 50
    tab = True


class ChunkInline(PartInline):
    model = Chunk
    fields = ["position", "start", "end", "page_start", "page_end", "token_count", "text"]
    ordering = ["position"]


class AnchorInline(PartInline):
    model = Anchor
    fields = ["locator", "level", "number", "start", "end"]


class CitationInline(PartInline):
    model = Citation
    fk_name = "source"
    verbose_name_plural = gettext_lazy("citations made")
    fields = ["text", "target_locator", "start", "end"]


PLACE = ["domain", "document", "parent", "level", "number", "position", "is_result", "is_leaf"]


@admin.register(Section)
class SectionAdmin(ReadOnly, ModelAdmin):
    list_display = [
        "citation", "heading", "locator", "domain", "level", "live", "valid_from", "valid_to", "status",
    ]  # fmt: skip
    list_filter = [
        "domain",
        "live",
        "is_result",
        ("level", admin.AllValuesFieldListFilter),
        ("status", admin.AllValuesFieldListFilter),
    ]
    list_select_related = ["domain"]
    search_fields = ["citation", "locator", "heading", "plain_name"]
    search_help_text = gettext_lazy("Citation, locator or heading")
    show_full_result_count = False
    inlines = [ChunkInline, AnchorInline, CitationInline]
    fieldsets = [
        (None, {"fields": ["citation", "locator", "breadcrumb", "text", "notes"]}),
        (gettext_lazy("Headings"), {"fields": ["heading", "heading_es", "plain_name", "plain_name_es"]}),
        (
            gettext_lazy("In force"),
            {"fields": ["live", "valid_from", "valid_to", "status", "replaced_at", "private"]},
        ),
        (gettext_lazy("Place"), {"fields": PLACE}),
        (gettext_lazy("Source"), {"fields": ["source_url", "content_hash"]}),
    ]

    def get_queryset(self, request: HttpRequest) -> QuerySet:
        return Section.objects.visible_to(caller_of(request)).select_related("domain", "document")

    def view_on_site(self, section: Section) -> str:
        return f"/law/{section.path}"


@admin.register(Chunk)
class ChunkAdmin(ReadOnly, ModelAdmin):
    list_display = ["section", "position", "start", "end", "token_count", "beginning"]
    list_filter = ["domain"]
    list_select_related = ["section"]
    search_fields = ["section__citation", "section__locator"]
    ordering = ["pk"]  # by their places all of them would be joined with all provisions and sorted
    show_full_result_count = False
    fields = [
        "section", "position", "start", "end", "page_start", "page_end", "token_count", "context", "text",
    ]  # fmt: skip

    def get_queryset(self, request: HttpRequest) -> QuerySet:
        return Chunk.objects.filter(section__in=Section.objects.visible_to(caller_of(request)))

    @admin.display(description=gettext_lazy("Text"))
    def beginning(self, chunk: Chunk) -> str:
        return f"{chunk.text[:90]}…" if len(chunk.text) > 90 else chunk.text


@admin.register(Citation)
class CitationAdmin(ReadOnly, ModelAdmin):
    list_display = ["text", "source", "target_locator", "resolved"]
    list_filter = [("target", admin.EmptyFieldListFilter)]
    list_select_related = ["source"]
    search_fields = ["text", "target_locator", "source__citation"]
    ordering = ["pk"]
    show_full_result_count = False
    fields = ["source", "text", "target_locator", "start", "end", "resolved"]

    def get_queryset(self, request: HttpRequest) -> QuerySet:
        return Citation.objects.filter(source__in=Section.objects.visible_to(caller_of(request)))

    @admin.display(description=gettext_lazy("Resolved"), boolean=True)
    def resolved(self, citation: Citation) -> bool:
        return citation.target_id is not None


@admin.register(EmbeddingModel)
class EmbeddingModelAdmin(ReadOnly, ModelAdmin):
    list_display = ["name", "status", "dims", "fingerprint", "created_at"]
