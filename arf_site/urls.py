"""Every address of the site: pages, API, admin."""

from django.contrib import admin
from django.urls import include, path

from evaluation.admin.judge import disagreements_page, judge_page
from retrieval.admin.try_query import try_query

urlpatterns = [
    path("admin/try/", admin.site.admin_view(try_query), name="admin_try"),
    path("admin/judge/", admin.site.admin_view(judge_page), name="admin_judge"),
    path("admin/disagreements/", admin.site.admin_view(disagreements_page), name="admin_disagreements"),
    path("admin/", admin.site.urls),
    path("i18n/", include("django.conf.urls.i18n")),
    path("api/v1/", include("retrieval.api.urls")),
    path("", include("retrieval.urls")),
]
