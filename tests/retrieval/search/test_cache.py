"""Answers that are kept: who gets them again, and what makes them unreachable."""

import json

import pytest

from retrieval.access.caller import Caller
from retrieval.models import CacheEntry, Section, Trace
from retrieval.request import SearchRequest
from retrieval.search import cache
from retrieval.search.service import search

pytestmark = pytest.mark.django_db


def ask(text: str, caller: Caller = Caller(), **fields) -> dict:
    return search(SearchRequest(text=text, **fields), caller)


def test_the_second_answer_comes_from_the_cache_and_says_the_same():
    first, second = ask("who appoints judges"), ask("Who appoints JUDGES?")
    assert (first["cached"], second["cached"]) == (False, True)
    assert first["results"] == second["results"]
    assert first["trace_id"] != second["trace_id"]


def test_a_cached_answer_survives_the_process_in_the_table():
    ask("who appoints judges")
    cache.answers.answers.clear()
    assert ask("who appoints judges")["cached"]


def test_a_question_with_somebodys_numbers_in_it_is_not_written_down():
    for _ in range(2):
        assert ask("I am 123-45-6789 at jane@example.org, who appoints judges")["results"]
    written = json.dumps(
        [entry.answer for entry in CacheEntry.objects.all()] + [t.detail for t in Trace.objects.all()]
    )
    assert "6789" not in written and "jane" not in written


def test_a_change_of_the_corpus_makes_cached_answers_unreachable():
    ask("who appoints judges")
    Section.objects.filter(locator="/us/const/amendment/I").update(heading="Freedom")
    assert not ask("who appoints judges")["cached"]


def test_filters_pages_and_pipelines_do_not_share_answers():
    ask("taxes")
    for other in ({"k": 3}, {"page": 2}, {"language": "es"}, {"pipeline": "fusion"}):
        assert not ask("taxes", **other)["cached"]
