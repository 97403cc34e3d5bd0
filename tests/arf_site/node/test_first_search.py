"""The first search, told in words, and whether a server answers at all."""

from arf_site.node import first_search
from tests.running import free_port

ANSWER = {
    "query": {"text": "Who may vote?"},
    "took_ms": 12.4,
    "results": [],
    "near_misses": [{"rank": 1, "citation": "U.S. Const. amend. XV", "title": "Right to vote"}],
    "abstained": True,
    "degraded": ["LLMVerifier"],
}


def test_an_answer_is_told_with_its_near_misses_and_what_was_missing():
    assert first_search.in_words(ANSWER).splitlines() == [
        "“Who may vote?”  (12 ms)",
        "  1. U.S. Const. amend. XV: Right to vote",
        "  No provision answers this well enough; these are near misses.",
        "  Without: LLMVerifier",
    ]


def test_results_come_before_near_misses():
    found = {"rank": 1, "citation": "U.S. Const. amend. XIX", "title": "Women's vote"}
    told = first_search.in_words(ANSWER | {"results": [found], "abstained": False, "degraded": []})
    assert "amend. XIX" in told and "amend. XV:" not in told and len(told.splitlines()) == 2


def test_where_nobody_listens_nobody_listens():
    assert not first_search.listens(f"http://127.0.0.1:{free_port()}")
