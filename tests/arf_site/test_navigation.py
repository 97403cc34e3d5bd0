"""The admin's sidebar names what staff may open."""

import pytest
from django.urls import resolve, reverse

from arf_site import navigation
from tests.retrieval.admin.staff import staff

pytestmark = pytest.mark.django_db


def test_the_sidebar_names_only_what_one_may_open(client):
    staff(client, "Judge")
    page = client.get("/admin/").content.decode()
    assert reverse("admin_try") in page
    assert reverse("admin:retrieval_apikey_changelist") not in page


def test_every_link_stands_in_a_group_and_leads_somewhere(rf):
    links = [item["link"] for group in navigation.sidebar(rf.get("/admin/")) for item in group["items"]]
    assert len(links) == len(set(links)) > 30
    assert all(resolve(link) for link in links)
