"""What is written once an answer is sent."""

import json
import logging

import pytest
from django.http import HttpResponse, JsonResponse
from django.test import RequestFactory

from retrieval.models import CacheEntry, SearchLog, Trace
from retrieval.request import SearchRequest
from retrieval.search.afterwards import after_answer, write_after_answer, write_now
from retrieval.search.service import search


@pytest.fixture
def written() -> list[str]:
    return []


def answered(view) -> HttpResponse:
    return write_after_answer(view)(RequestFactory().get("/"))


def sent(response: HttpResponse) -> None:
    """What `close()` does, but for Django's looking after connections."""
    for close in response._resource_closers:
        close()


def test_outside_a_request_it_is_written_at_once(written):
    after_answer(lambda: written.append("a"))
    assert written == ["a"]


def test_in_a_request_it_is_written_in_order_once_the_answer_is_closed(written):
    def view(request):
        after_answer(lambda: written.append("a"))
        after_answer(lambda: written.append("b"))
        return HttpResponse()

    response = answered(view)
    assert written == []
    sent(response)
    assert written == ["a", "b"]
    sent(response)
    assert written == ["a", "b"]


def test_who_reads_it_in_the_same_request_has_it_written_first(written):
    def view(request):
        after_answer(lambda: written.append("a"))
        write_now()
        return HttpResponse(",".join(written))

    response = answered(view)
    assert response.content == b"a"
    sent(response)
    assert written == ["a"]


def test_a_failure_is_reported_and_keeps_nothing_else_from_being_written(written, caplog):
    def view(request):
        after_answer(lambda: 1 / 0)
        after_answer(lambda: written.append("b"))
        return HttpResponse()

    with caplog.at_level(logging.ERROR):
        sent(answered(view))
    assert written == ["b"]
    assert "ZeroDivisionError" in caplog.text


def test_a_request_that_fails_leaves_nothing_waiting_for_the_next(written):
    def view(request):
        raise ValueError

    with pytest.raises(ValueError):
        answered(view)
    after_answer(lambda: written.append("a"))
    assert written == ["a"]


def test_a_search_is_logged_and_kept_after_its_answer(db):
    response = answered(lambda request: JsonResponse(search(SearchRequest("who may pardon a murderer"))))
    assert not SearchLog.objects.exists() and not CacheEntry.objects.exists()
    sent(response)
    kept = SearchLog.objects.get()
    assert str(kept.pk) == json.loads(response.content)["trace_id"]
    assert Trace.objects.filter(log=kept).exists() and CacheEntry.objects.exists()


def test_explain_reads_the_trace_of_its_own_search(client, db):
    answer = client.get("/api/v1/search", {"q": "who may pardon a murderer", "explain": "true"}).json()
    assert answer["explanation"]["trace_id"] == answer["trace_id"]
