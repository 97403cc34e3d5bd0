"""What is kept of a search: a summary, the trace, and nothing personal."""

import json

import pytest

from retrieval.access.caller import Caller
from retrieval.models import SearchLog, Trace
from retrieval.request import SearchRequest
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
