"""Addresses of the web server, the first search told in words, and whether a server answers at all."""

import pytest

from arf_site.management.commands import up
from arf_site.node import first_search
from tests.running import free_port


@pytest.mark.parametrize(
    ("bound", "url"),
    [
        ("127.0.0.1", "http://127.0.0.1:8000"),
        ("0.0.0.0", "http://127.0.0.1:8000"),
        ("::1", "http://[::1]:8000"),
        ("[::1]", "http://[::1]:8000"),
        ("::", "http://[::1]:8000"),
    ],
)
def test_an_ipv6_address_stands_in_brackets(settings, bound, url):
    settings.ARF_BIND, settings.ARF_PORT = bound, 8000
    assert up.base_url() == url


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
