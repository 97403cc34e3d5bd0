"""The public pages."""

from django.urls import path

from retrieval.pages import views
from retrieval.pages.views import change_private_document, confirm_password, private_documents

app_name = "retrieval"
urlpatterns = [
    path("", views.home, name="home"),
    path("search", views.search_page, name="search"),
    path("law/", views.law, name="law"),
    path("law/<path:path>", views.provision, name="provision"),
    path("private", private_documents, name="private"),
    path("private/password", confirm_password, name="confirm_password"),
    path("private/<path:path>", change_private_document, name="change_private"),
    path("trace/<uuid:trace_id>", views.trace, name="trace"),
    path("feedback", views.feedback, name="feedback"),
    path("click", views.click, name="click"),
    path("language", views.language, name="language"),
    path("robots.txt", views.robots, name="robots"),
]
