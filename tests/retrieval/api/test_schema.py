"""The description of the API and its pages."""

import pytest
from django.test import Client

from tests.retrieval.api.asking import API
from tests.retrieval.api.refusals import assert_refused
from tests.retrieval.pages.looking import Page

pytestmark = pytest.mark.django_db


def test_the_schema_is_valid_and_complete(tmp_path):
    from django.core.management import call_command

    call_command("spectacular", validate=True, fail_on_warn=True, file=str(tmp_path / "schema.yaml"))
    described = (tmp_path / "schema.yaml").read_text()
    paths = [
        "search",
        "sections/{path}",
        "documents",
        "citations/resolve",
        "traces/{trace_id}",
        "feedback",
        "health",
    ]
    assert all(f"  {API}/{path}:" in described for path in paths)


def test_the_schema_is_served(client):
    assert b"openapi: 3" in client.get(f"{API}/schema/").content
    assert client.get(f"{API}/schema/?format=json").json()["info"]["title"] == "ARF"
    assert_refused(client.get(f"{API}/schema/?version=%0a"), 400, "unknown_parameter")


def test_an_answer_that_is_streamed_is_described_as_such(client):
    paths = client.get(f"{API}/schema/?format=json").json()["paths"]
    for method in ("get", "post"):
        described = paths[f"{API}/answer"][method]["responses"]["200"]["content"]
        assert set(described) == {"application/json", "text/event-stream"}


@pytest.fixture
def plain_static(settings):
    settings.STORAGES = settings.STORAGES | {
        "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}
    }


@pytest.mark.parametrize("page", ["schema", "docs"])
def test_what_people_read_is_found_without_the_last_slash(client, page):
    assert client.get(f"{API}/{page}")["Location"] == f"{API}/{page}/"
    assert client.get(f"{API}/{page}?a=1")["Location"] == f"{API}/{page}/?a=1"


@pytest.mark.parametrize("page", ["schema", "docs"])
def test_without_the_last_slash_errors_have_their_shape_too(page):
    strict = Client(enforce_csrf_checks=True)
    for method in ("post", "put", "patch", "delete", "trace"):
        assert_refused(strict.generic(method.upper(), f"{API}/{page}"), 405, "method_not_allowed")
    assert_refused(strict.get(f"{API}/{page}", HTTP_AUTHORIZATION="Bearer gone"), 401, "unauthorized")


def test_the_docs_have_a_language_a_name_and_a_way_back_and_words_without_scripts(client, plain_static):
    page = Page(client.get(f"{API}/docs/", headers={"accept-language": "es"}))
    assert page.all("html", lang="en") and "API – ARF" in page.text
    assert {"/", f"{API}/schema/"} <= set(page.links()) and page.all("noscript")


def test_the_docs_run_no_inline_script(client, plain_static):
    response = client.get(f"{API}/docs/")
    assert b"<script>" not in response.content
    policy = response["Content-Security-Policy"].split("; ")
    assert "script-src 'self'" in policy and "style-src 'self' 'unsafe-inline'" in policy
    script = client.get(f"{API}/docs/?script=")
    assert b"/api/v1/schema/" in script.content and script["Content-Type"].startswith(
        "application/javascript"
    )
    assert_refused(client.get(f"{API}/docs/?lang=en"), 400, "unknown_parameter")
