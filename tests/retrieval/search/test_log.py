"""What is kept of a search: a summary, the trace, and nothing personal."""

import json
import time
from uuid import uuid4

import pytest

from retrieval.access.caller import Caller
from retrieval.errors import NotFound
from retrieval.models import Domain, SearchLog, Trace
from retrieval.request import SearchRequest
from retrieval.search import log as search_log
from retrieval.search.service import search

pytestmark = pytest.mark.django_db


def ask(text: str, caller: Caller = Caller(), **fields) -> dict:
    return search(SearchRequest(text=text, **fields), caller)


def test_the_trace_accounts_for_every_candidate_kept_and_dropped():
    answer = ask("best pizza dough hydration for a home oven")
    detail = Trace.objects.get(pk=answer["trace_id"]).detail
    assert detail["candidates"] == []
    assert len(detail["dropped"]) >= 100
    assert {gone["stage"] for gone in detail["dropped"]} == {"Abstain"}
    assert all(stage["status"] in ("applied", "skipped", "failed") for stage in detail["stages"])


def test_the_log_keeps_the_question_without_personal_identifiers():
    answer = ask("My SSN is 123-45-6789 and my mail is a.b@example.org, can I vote?")
    log = SearchLog.objects.get(pk=answer["trace_id"])
    assert log.query_text == "My SSN is [SSN] and my mail is [e-mail], can I vote?"
    assert "123-45" not in json.dumps(log.trace.detail)


def test_who_asks_for_searches_that_never_were_waits_only_where_few_others_do(monkeypatch):
    monkeypatch.setattr(time, "sleep", lambda seconds: pytest.fail("waited"))
    for _ in range(2):
        assert search_log.WAITING.acquire(blocking=False)
    try:
        assert search_log.logged(str(uuid4())) is None
        answer = ask("who may coin money")
        assert search_log.logged(answer["trace_id"])
    finally:
        search_log.WAITING.release(2)


def test_a_place_in_private_law_that_is_not_searched_is_not_there():
    private = Domain.objects.get(slug="client_cases").locator_prefix
    for place in (private, f"{private}/9f"):
        with pytest.raises(NotFound):
            ask("rent", domains=("us_constitution",), within=("/us/const/article/I", place))
    assert not SearchLog.objects.exists()
