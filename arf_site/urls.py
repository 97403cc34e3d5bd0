"""Every address of the site: pages, API, admin."""

from django.contrib import admin
from django.urls import include, path

from retrieval.admin.try_query import try_query

urlpatterns = [
    path("admin/try/", admin.site.admin_view(try_query), name="admin_try"),
    path("admin/", admin.site.urls),
    path("i18n/", include("django.conf.urls.i18n")),
    path("api/v1/", include("retrieval.api.urls")),
    path("", include("retrieval.urls")),
]
