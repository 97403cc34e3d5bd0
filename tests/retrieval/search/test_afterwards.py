"""What is written once an answer is sent."""

import json
import logging
from datetime import timedelta
from threading import Event

import pytest
from django.http import HttpResponse, JsonResponse
from django.test import RequestFactory
from django.utils import timezone

from retrieval.models import CacheEntry, SearchLog, Trace
from retrieval.request import SearchRequest
from retrieval.search import afterwards
from retrieval.search.afterwards import (
    MOST,
    Writer,
    after_answer,
    failing_since,
    write_after_answer,
    write_now,
)
from retrieval.search.service import search


@pytest.fixture
def written() -> list[str]:
    return []


@pytest.fixture
def thread(monkeypatch) -> Writer:
    """That of a web process, for the time of the test."""
    monkeypatch.setattr(afterwards, "_writer", None)
    afterwards.write_in_a_thread()
    yield afterwards._writer
    afterwards._writer.thread.shutdown()


@pytest.fixture
def held(thread) -> Event:
    """Set, it lets the thread go on."""
    go_on = Event()
    sent(answered(leaving(lambda: go_on.wait(20))))
    yield go_on
    go_on.set()


def leaving(*writes):
    """A view that leaves these to be written."""

    def view(request):
        for write in writes:
            after_answer(write)
        return HttpResponse()

    return view


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


def test_a_failure_is_told_of_until_something_is_written(written, settings, tmp_path):
    settings.VAR_DIR = tmp_path
    assert failing_since() is None
    sent(answered(leaving(lambda: 1 / 0)))
    since = failing_since()
    assert timezone.now() - since < timedelta(minutes=1)
    sent(answered(leaving(lambda: 1 / 0)))
    assert failing_since() == since
    sent(answered(leaving(lambda: written.append("a"))))
    assert failing_since() is None


def test_a_web_process_writes_beside_its_requests_in_their_order(written, held):
    for name in "ab":
        sent(answered(leaving(lambda name=name: written.append(name))))
    assert written == []
    held.set()
    write_now()
    assert written == ["a", "b"]


def test_where_too_much_waits_a_request_writes_its_own(written, held):
    for number in range(MOST):
        sent(answered(leaving(lambda number=number: written.append(number))))
    assert written == [MOST - 1], "one place is taken by what holds the thread"
    held.set()
    write_now()
    assert sorted(written) == list(range(MOST))
    sent(answered(leaving(lambda: written.append("later"))))
    write_now()
    assert written[-1] == "later", "the thread takes again"


def test_a_process_that_ends_writes_all_before_it_does(written, thread, held):
    sent(answered(leaving(lambda: written.append("waits"))))
    thread.thread.shutdown(wait=False)
    sent(answered(leaving(lambda: written.append("too late for the thread"))))
    assert written == ["too late for the thread"]
    held.set()
    thread.thread.shutdown()
    assert written == ["too late for the thread", "waits"]


def test_a_failure_in_the_thread_is_reported_and_the_next_is_written(written, thread, caplog):
    with caplog.at_level(logging.ERROR):
        sent(answered(leaving(lambda: 1 / 0)))
        sent(answered(leaving(lambda: written.append("b"))))
        write_now()
    assert written == ["b"] and "ZeroDivisionError" in caplog.text


def test_who_reads_waits_no_longer_than_it_must(held, monkeypatch):
    monkeypatch.setattr(afterwards, "LONGEST", 0.01)
    with pytest.raises(TimeoutError):
        write_now()


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
