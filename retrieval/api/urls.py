"""Addresses under /api/v1/."""

from django.urls import path, re_path
from django.views.generic import RedirectView

from retrieval.api import views

app_name = "api"
urlpatterns = [
    path("search", views.SearchView.as_view(), name="search"),
    path("sections/<path:path>", views.SectionView.as_view(), name="section"),
    path("documents", views.DocumentsView.as_view(), name="documents"),
    path("documents/<path:path>", views.DocumentView.as_view(), name="document"),
    path("uploads/<int:upload_id>", views.UploadView.as_view(), name="upload"),
    path("citations/resolve", views.CitationsView.as_view(), name="citations"),
    path("traces/<uuid:trace_id>", views.TraceView.as_view(), name="trace"),
    path("feedback", views.FeedbackView.as_view(), name="feedback"),
    path("health", views.HealthView.as_view(), name="health"),
    path("schema/", views.SchemaView.as_view(), name="schema"),
    path("docs/", views.DocsView.as_view(), name="docs"),
    path("schema", RedirectView.as_view(pattern_name="api:schema", query_string=True)),
    path("docs", RedirectView.as_view(pattern_name="api:docs", query_string=True)),
    re_path(r"", views.NowhereView.as_view()),
]
