"""Which sites' pages may call the API from a browser."""

import pytest

pytestmark = pytest.mark.django_db
APP = "https://app.example.org"
SEARCH = "/api/v1/search?q=jury"
PREFLIGHT = {"Access-Control-Request-Method": "POST", "Access-Control-Request-Headers": "authorization"}


def allowed(response):
    assert "Access-Control-Allow-Credentials" not in response
    return response.get("Access-Control-Allow-Origin")


def test_no_site_may_unless_the_settings_name_it(client):
    assert allowed(client.get(SEARCH, headers={"Origin": APP})) is None
    assert allowed(client.options(SEARCH, headers={"Origin": APP} | PREFLIGHT)) is None


def test_a_named_site_may_read_answers_and_errors_and_send_keys(client, settings):
    settings.CORS_ALLOWED_ORIGINS = [APP]
    assert allowed(client.get(SEARCH, headers={"Origin": APP})) == APP
    assert allowed(client.get("/api/v1/nothing", headers={"Origin": APP})) == APP
    asked = client.options(SEARCH, headers={"Origin": APP} | PREFLIGHT)
    assert allowed(asked) == APP and asked["Access-Control-Allow-Headers"] == "authorization, content-type"
    assert allowed(client.get(SEARCH, headers={"Origin": "https://evil.example"})) is None


def test_pages_and_admin_are_read_by_no_other_site(client, settings):
    settings.CORS_ALLOW_ALL_ORIGINS = True
    assert allowed(client.get(SEARCH, headers={"Origin": APP})) == "*"
    assert [allowed(client.get(page, headers={"Origin": APP})) for page in ("/", "/admin/login/")] == [
        None
    ] * 2
