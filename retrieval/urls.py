"""The public pages."""

from django.urls import path

from retrieval.pages import ask, changes, check, graph, matters, private, views

app_name = "retrieval"
urlpatterns = [
    path("", views.home, name="home"),
    path("search", views.search_page, name="search"),
    path("ask", ask.ask_page, name="ask"),
    path("ask/history", ask.change_history, name="history"),
    path("law/", views.law, name="law"),
    path("law/<path:path>", views.provision, name="provision"),
    path("citations/<path:path>", graph.citations_page, name="citations"),
    path("summary/<path:path>", views.summary, name="summary"),
    path("changes/", changes.changes_page, name="changes"),
    path("changes/<path:path>", changes.compare, name="compare"),
    path("check/", check.check_page, name="check"),
    path("private", private.private_documents, name="private"),
    path("private/password", private.confirm_password, name="confirm_password"),
    path("private/matters", matters.open_matter, name="open_matter"),
    path("private/matters/<uuid:matter_id>", matters.matter_page, name="matter"),
    path("private/matters/<uuid:matter_id>/change", matters.change_matter, name="change_matter"),
    path("private/<path:path>", private.change_private_document, name="change_private"),
    path("trace/<uuid:trace_id>", views.trace, name="trace"),
    path("feedback", views.feedback, name="feedback"),
    path("click", views.click, name="click"),
    path("language", views.language, name="language"),
    path("robots.txt", views.robots, name="robots"),
]
