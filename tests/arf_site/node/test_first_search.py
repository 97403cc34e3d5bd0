"""Addresses of the web server, the first search told in words, and whether a server answers at all."""

from http.server import BaseHTTPRequestHandler, HTTPServer
from threading import Thread

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
        ("[::0]", "http://[::1]:8000"),
        ("0:0:0:0:0:0:0:0", "http://[::1]:8000"),
        ("localhost", "http://localhost:8000"),
        ("192.0.2.7", "http://192.0.2.7:8000"),
    ],
)
def test_an_ipv6_address_stands_in_brackets(settings, bound, url):
    settings.ARF_BIND, settings.ARF_PORT = bound, 8000
    assert up.base_url() == url


def test_it_is_asked_by_a_name_that_the_site_answers_to_whatever_it_is_bound_to(settings):
    asked = []

    class Site(BaseHTTPRequestHandler):
        def do_GET(self):
            asked.append(self.headers["Host"])
            self.send_response(200)
            self.end_headers()
            self.wfile.write(b"{}")

        def log_message(self, *_):
            pass

    with HTTPServer(("127.0.0.2", 0), Site) as server:
        Thread(target=server.handle_request, daemon=True).start()
        assert first_search.ask(f"http://127.0.0.2:{server.server_port}") == {}
    assert asked and set(asked) <= set(settings.ALLOWED_HOSTS)


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
