"""What pages keep in cookies, and what is said where a browser refuses them."""

import pytest
from django.conf import settings
from django.test import Client

from tests.retrieval.pages.looking import FOURTH, Page, look

pytestmark = pytest.mark.django_db
NEEDED = "Allow cookies for this site"


@pytest.mark.parametrize(("address", "fields"), [("/check/", {"text": "x"}), ("/login", {}), ("/feedback", {})])
def test_a_form_without_its_cookie_says_that_cookies_are_needed(address, fields):
    response = Client(enforce_csrf_checks=True).post(address, fields)
    assert response.status_code == 403 and NEEDED in Page(response).text


def test_a_form_with_another_token_has_expired():
    strict = Client(enforce_csrf_checks=True)
    strict.get("/check/")
    response = strict.post("/check/", {"text": "x", "csrfmiddlewaretoken": "x" * 64})
    assert response.status_code == 403
    assert "The form has expired" in Page(response).text and NEEDED not in Page(response).text


def switch(client, **changes):
    return client.post("/language", {"language": "es", "next": f"{FOURTH}?q=search"} | changes)


def test_the_language_is_switched_on_the_same_page(client):
    response = client.get(switch(client)["Location"])
    assert (response.status_code, response["Location"]) == (302, f"{FOURTH}?q=search")
    page = look(client, response["Location"])
    assert "Registros e incautaciones" in page.text and "Citar como" in page.text
    assert page.all("div", lang="en")  # the law itself


def test_who_takes_no_page_is_led_nowhere(client):
    response = client.post("/language", {"language": "es"}, headers={"accept": "application/json"})
    assert response.status_code == 204 and response.cookies[settings.LANGUAGE_COOKIE_NAME].value == "es"


def test_the_language_switch_leads_nowhere_else(client):
    told = switch(client, next="https://evil.example/")["Location"]
    assert client.get(told)["Location"] == "/"
    assert client.get("/language?language=es&next=https://evil.example/")["Location"] == "/"
    assert client.get(switch(client, language="de", next=FOURTH)["Location"])["Location"] == FOURTH


def test_a_browser_that_keeps_no_language_is_told_so_in_that_language(client):
    told = switch(client)["Location"]
    page = look(Client(), told)
    assert page.all("html", lang="es") and "Se necesitan cookies" in page.text
    assert f"{FOURTH}?q=search" in page.links()
    assert Client().get("/language")["Location"] == "/"
