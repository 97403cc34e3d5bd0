"""Thumbs and clicks on results."""

from urllib.parse import urlencode

import pytest
from django.test import Client

from retrieval.models import Click, Feedback, SearchLog
from tests.retrieval.pages.looking import HTMX, Page, decline_everything, look_for

pytestmark = pytest.mark.django_db


def thumb(client, **changes):
    log = SearchLog.objects.latest("created_at")
    said = {
        "trace_id": str(log.pk),
        "locator": log.top_locators[0],
        "verdict": "helpful",
        "next": "/search?q=jury",
    }
    return client.post("/feedback", said | changes)


def test_a_thumb_is_kept_and_thanked_for(client):
    look_for(client, "jury")
    response = thumb(client)
    assert response.status_code == 200 and "/search?q=jury" in Page(response).links()
    thumb(client, verdict="unhelpful")
    assert Feedback.objects.get().verdict == "unhelpful"


def test_a_thumb_by_htmx_is_thanked_for_in_place(client):
    look_for(client, "jury")
    log = SearchLog.objects.get()
    response = client.post(
        "/feedback", {"trace_id": log.pk, "locator": log.top_locators[0], "verdict": "helpful"}, **HTMX
    )
    page = Page(response)
    assert page.text == "Thank you." and "autofocus" in page.all("p", tabindex="-1")[0]  # htmx gives it the focus


@pytest.mark.parametrize("elsewhere", ["https://evil.example/", "//evil.example", "javascript:alert(1)", ""])
def test_feedback_leads_nowhere_else(client, elsewhere):
    look_for(client, "jury")
    assert not any(
        "evil" in link or "javascript" in link for link in Page(thumb(client, next=elsewhere)).links()
    )


@pytest.mark.parametrize(
    ("changes", "status"),
    [({"verdict": "great"}, 400), ({"trace_id": "x"}, 400), ({"locator": "/us/const/nothing"}, 404),
     ({"trace_id": "00000000-0000-4000-8000-000000000000"}, 404)],
)  # fmt: skip
def test_bad_feedback_is_refused(client, changes, status):
    look_for(client, "jury")
    assert thumb(client, **changes).status_code == status
    assert not Feedback.objects.exists()


def test_feedback_needs_its_token():
    strict = Client(enforce_csrf_checks=True)
    look_for(strict, "jury")
    assert thumb(strict).status_code == 403
    assert strict.get("/feedback")["Location"] == "/"


def ping(client, address):
    """As browsers send it: without a token, whatever cookies there are."""
    return client.post(address, "PING", content_type="text/ping")


def test_every_result_pings_and_a_click_is_kept_once():
    strict = Client(enforce_csrf_checks=True)
    addresses = [a["ping"] for a in look_for(strict, "jury").all("a") if "ping" in a]
    shown = SearchLog.objects.get().top_locators
    assert len(addresses) == len(shown) == 10
    for address in (*addresses[:2], addresses[0]):
        response = ping(strict, address)
        assert (response.status_code, response.content) == (204, b"")
    assert list(Click.objects.order_by("pk").values_list("locator", flat=True)) == shown[:2]


def test_a_second_page_and_near_misses_ping_too(client):
    second = look_for(client, "jury", page="2")
    decline_everything()
    near = look_for(client, "jury")
    assert near.all("ol", **{"class": "hits near-misses"})
    for page in (second, near):
        address = next(a["ping"] for a in page.all("a") if "ping" in a)
        assert ping(client, address).status_code == 204
    assert Click.objects.count() == 2


@pytest.mark.parametrize(
    ("changes", "status"),
    [({"trace_id": "x"}, 400), ({"locator": ""}, 400), ({"locator": "/us/const/nothing"}, 404),
     ({"trace_id": "00000000-0000-4000-8000-000000000000"}, 404)],
)  # fmt: skip
def test_a_ping_of_what_was_not_shown_is_refused(client, changes, status):
    look_for(client, "jury")
    log = SearchLog.objects.get()
    said = {"trace_id": str(log.pk), "locator": log.top_locators[0]} | changes
    assert ping(client, f"/click?{urlencode(said)}").status_code == status
    assert client.get("/click").status_code == 405
    assert not Click.objects.exists()
