"""Addresses under /api/v1/."""

from django.urls import path, re_path, register_converter
from django.urls.converters import PathConverter, UUIDConverter

from retrieval.api import matters
from retrieval.api.answer import AnswerView
from retrieval.api.base import NowhereView, WithSlashView
from retrieval.api.changes import ChangesView
from retrieval.api.check import CheckView
from retrieval.api.documents import DocumentsView, DocumentView, GrantsView, HeldView, UploadView
from retrieval.api.download import DownloadView
from retrieval.api.graph import GraphView
from retrieval.api.health import HealthView
from retrieval.api.schema import DocsView, SchemaView
from retrieval.api.search import FeedbackView, SearchView, TraceView
from retrieval.api.sections import CitationsView, DomainsView, SectionView


class LocatorConverter(PathConverter):
    """A locator, in an address without its leading slash."""

    def to_python(self, value: str) -> str:
        if not value.isprintable():
            raise ValueError("no locator has such letters")
        return f"/{value}"

    def to_url(self, value: str) -> str:
        return value.removeprefix("/")


class NumberConverter(UUIDConverter):
    """A UUID, with capitals too."""

    regex = f"(?i:{UUIDConverter.regex})"


register_converter(LocatorConverter, "locator")
register_converter(NumberConverter, "number")
app_name = "api"
urlpatterns = [
    path("search", SearchView.as_view(), name="search"),
    path("answer", AnswerView.as_view(), name="answer"),
    path("sections/<locator:path>", SectionView.as_view(), name="section"),
    path("graph/<locator:path>", GraphView.as_view(), name="graph"),
    path("domains/<slug:slug>/download", DownloadView.as_view(), name="download"),
    path("changes", ChangesView.as_view(), name="changes"),
    path("domains", DomainsView.as_view(), name="domains"),
    path("documents", DocumentsView.as_view(), name="documents"),
    path("documents/<locator:path>", DocumentView.as_view(), name="document"),
    path("uploads/<number:upload_id>", UploadView.as_view(), name="upload"),
    path("grants", HeldView.as_view(), name="held"),
    path("grants/<locator:path>", GrantsView.as_view(), name="grants"),
    path("matters", matters.MattersView.as_view(), name="matters"),
    path("matters/<number:matter_id>", matters.MatterView.as_view(), name="matter"),
    path("matters/<number:matter_id>/members", matters.MembersView.as_view(), name="members"),
    path("matters/<number:matter_id>/deadlines", matters.DeadlinesView.as_view(), name="deadlines"),
    path("matters/<number:matter_id>/deadlines/<int:number>", matters.DeadlineView.as_view(), name="deadline"),
    path("matters/<number:matter_id>/close", matters.CloseView.as_view(), name="close_matter"),
    path("matters/<number:matter_id>/reopen", matters.ReopenView.as_view(), name="reopen_matter"),
    path("matters/<number:matter_id>/erase", matters.EraseView.as_view(), name="erase_matter"),
    path("citations/resolve", CitationsView.as_view(), name="citations"),
    path("check", CheckView.as_view(), name="check"),
    path("traces/<number:trace_id>", TraceView.as_view(), name="trace"),
    path("feedback", FeedbackView.as_view(), name="feedback"),
    path("health", HealthView.as_view(), name="health"),
    path("schema/", SchemaView.as_view(), name="schema"),
    path("docs/", DocsView.as_view(), name="docs"),
    path("schema", WithSlashView.as_view(leads_to="api:schema")),
    path("docs", WithSlashView.as_view(leads_to="api:docs")),
    re_path(r"", NowhereView.as_view()),
]
