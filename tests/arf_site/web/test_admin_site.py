"""The list of all models is made for the pages of the admin that show it."""

import pytest
from django.contrib import admin

from arf_site.web.admin_site import ArfAdminSite

pytestmark = pytest.mark.django_db


def test_pages_that_do_not_show_all_models_make_no_list_of_them(client, administrator, monkeypatch):
    made = []
    build = ArfAdminSite._build_app_dict
    monkeypatch.setattr(ArfAdminSite, "_build_app_dict", lambda *asked: made.append(1) or build(*asked))
    assert client.get("/admin/rules/alias/").status_code == 200 and not made
    apps = client.get("/admin/rules/").context["app_list"]
    assert made and [app["app_label"] for app in apps] == ["rules"]
    assert type(admin.site) is ArfAdminSite and client.get("/admin/nothing/").status_code == 404
