"""The answer as callers get it: its shape, its pages, near misses."""

import json

import pytest

from retrieval.access.caller import Caller
from retrieval.request import SearchRequest
from retrieval.search import response
from retrieval.search.service import search

pytestmark = pytest.mark.django_db


def ask(text: str, caller: Caller = Caller(), **fields) -> dict:
    return search(SearchRequest(text=text, **fields), caller)


def test_a_node_above_the_result_level_has_its_childrens_text_in_order():
    text = ask("14th amendment", whole=True)["results"][0]["text"]
    assert text.startswith("All persons born or naturalized")
    assert text.endswith("the provisions of this article.")


def test_a_node_with_much_below_it_has_its_own_words_and_a_snippet_of_the_first(monkeypatch):
    monkeypatch.setattr(response, "LONGEST", 500)
    whole = search(SearchRequest("14th amendment", whole=True), fresh=True)["results"][0]
    assert whole["text"] == "" and whole["snippet"].startswith("All persons born or naturalized")


def test_the_answer_has_the_shape_of_the_contract():
    answer = ask("freedom of speech at school", whole=True)
    assert set(answer) >= {
        "query", "results", "abstained", "near_misses", "cached", "degraded", "page", "next", "previous",
        "trace_id", "took_ms", "stages",
    }  # fmt: skip
    assert set(answer["results"][0]) >= {
        "rank", "locator", "pin", "citation", "title", "breadcrumb", "snippet", "text", "score", "probability",
        "reasons", "url", "source_url", "valid_from",
    }  # fmt: skip
    assert set(answer["stages"][0]) == {"name", "status", "ms", "in", "out", "note"}
    json.dumps(answer)


def test_long_texts_and_notes_are_read_only_where_they_are_asked_for():
    brief, whole = (ask("freedom of speech at school", whole=whole)["results"][0] for whole in (False, True))
    assert whole.keys() - brief.keys() == {"text", "notes"}
    assert {name: whole[name] for name in brief} == brief


def test_pages_follow_on_one_another():
    pages = [ask("the power of Congress", k=5, page=page) for page in (1, 2, 3)]
    ranks = [result["rank"] for page in pages for result in page["results"]]
    assert ranks == list(range(1, 16))
    assert len({result["locator"] for page in pages for result in page["results"]}) == 15
    assert (pages[0]["previous"], pages[0]["next"], pages[2]["previous"]) == (None, 2, 2)


def test_an_unknown_question_abstains_with_near_misses_labelled():
    answer = ask("best pizza dough hydration for a home oven")
    assert answer["abstained"]
    assert answer["results"] == []
    assert 0 < len(answer["near_misses"]) <= 5
