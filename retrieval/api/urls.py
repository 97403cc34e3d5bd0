"""Addresses under /api/v1/."""

from django.urls import path, re_path
from django.views.generic import RedirectView

from retrieval.api.base import NowhereView
from retrieval.api.documents import DocumentsView, DocumentView, GrantsView, HeldView, UploadView
from retrieval.api.graph import GraphView
from retrieval.api.health import HealthView
from retrieval.api.schema import DocsView, SchemaView
from retrieval.api.search import FeedbackView, SearchView, TraceView
from retrieval.api.sections import CitationsView, DomainsView, SectionView

app_name = "api"
urlpatterns = [
    path("search", SearchView.as_view(), name="search"),
    path("sections/<path:path>", SectionView.as_view(), name="section"),
    path("graph/<path:path>", GraphView.as_view(), name="graph"),
    path("domains", DomainsView.as_view(), name="domains"),
    path("documents", DocumentsView.as_view(), name="documents"),
    path("documents/<path:path>", DocumentView.as_view(), name="document"),
    path("uploads/<uuid:upload_id>", UploadView.as_view(), name="upload"),
    path("grants", HeldView.as_view(), name="held"),
    path("grants/<path:path>", GrantsView.as_view(), name="grants"),
    path("citations/resolve", CitationsView.as_view(), name="citations"),
    path("traces/<uuid:trace_id>", TraceView.as_view(), name="trace"),
    path("feedback", FeedbackView.as_view(), name="feedback"),
    path("health", HealthView.as_view(), name="health"),
    path("schema/", SchemaView.as_view(), name="schema"),
    path("docs/", DocsView.as_view(), name="docs"),
    path("schema", RedirectView.as_view(pattern_name="api:schema", query_string=True)),
    path("docs", RedirectView.as_view(pattern_name="api:docs", query_string=True)),
    re_path(r"", NowhereView.as_view()),
]
