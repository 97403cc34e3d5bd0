"""Failures before and beside any view have the shape of the API under its addresses."""

import pytest
from django.contrib.auth.models import User
from django.db import InterfaceError, OperationalError, connection

from retrieval.errors import SearchUnavailable
from tests.retrieval.api.refusals import SEARCH, assert_refused

pytestmark = pytest.mark.django_db
BACK = '<p><a href="/admin/">Back to the admin</a></p>'


def test_a_host_that_is_not_ours_is_refused_in_the_same_shape(client):
    assert_refused(client.get(f"{SEARCH}?q=a", headers={"host": "evil.example"}), 400, "bad_request")


def test_what_nobody_foresaw_is_logged_and_answered_in_the_same_shape(client, monkeypatch, caplog):
    monkeypatch.setattr("retrieval.api.search.search", lambda *args, **kwargs: 1 / 0)
    message = assert_refused(client.get(f"{SEARCH}?q=a"), 500, "error")
    assert "division" not in message
    assert "ZeroDivisionError" in caplog.text


@pytest.mark.parametrize("problem", [OperationalError, InterfaceError])
@pytest.mark.parametrize("address", ["/", "/search?q=jury", "/law/us/const/amendment/I", "/admin/"])
def test_pages_without_a_database_are_unavailable_for_a_while(client, monkeypatch, settings, ann, address, problem):
    client.force_login(ann)

    def refused(*args, **kwargs):
        raise problem("connection refused at /secret/path")

    monkeypatch.setattr(connection, "cursor", refused)
    client.raise_request_exception = False
    response = client.get(address, headers={"accept-language": "es"})
    assert response.status_code == 503 and response["Retry-After"] == "30"
    page = response.content.decode()
    assert "secret" not in page and "retrieval.css" in page and "La búsqueda no está disponible" in page


def test_a_search_in_which_nothing_worked_is_unavailable_for_a_while(client, monkeypatch):
    def fail(*args, **kwargs):
        raise SearchUnavailable

    monkeypatch.setattr("retrieval.pages.views.search", fail)
    monkeypatch.setattr("retrieval.api.search.search", fail)
    client.raise_request_exception = False
    assert client.get("/search?q=jury").status_code == 503
    assert_refused(client.get(f"{SEARCH}?q=a"), 503, "search_unavailable")


def test_a_page_that_fails_otherwise_says_so(client, monkeypatch):
    monkeypatch.setattr("retrieval.pages.views.search", lambda *args, **kwargs: 1 / 0)
    client.raise_request_exception = False
    assert client.get("/search?q=jury").status_code == 500


@pytest.mark.parametrize(("address", "status"), [("rules/alias/?p=99999", 400), ("nowhere/", 404), ("judge/", 403)])
def test_staff_are_led_back_to_the_admin(client, address, status):
    client.force_login(User.objects.create_user("staff", is_staff=True, is_superuser=status != 403))
    response = client.get(f"/admin/{address}")
    assert response.status_code == status and BACK in response.content.decode()


@pytest.mark.parametrize(("is_staff", "address"), [(True, "/nowhere"), (True, "/law/admin/"), (False, "/admin/no")])
def test_nobody_else_is_led_to_the_admin(client, is_staff, address):
    client.force_login(User.objects.create_user("somebody", is_staff=is_staff))
    assert BACK not in client.get(address, follow=True).content.decode()


def test_an_admin_page_that_fails_leads_back_there(client, monkeypatch):
    client.force_login(User.objects.create_superuser("root"))
    monkeypatch.setattr("evaluation.admin.judge.choice_of", lambda request: 1 / 0)
    client.raise_request_exception = False
    response = client.get("/admin/judge/")
    assert response.status_code == 500 and "Back to the admin" in response.content.decode()
