"""Pages of other sites: named where settings allow them and the law answers nothing, and never taken for law."""

import json
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit

import pytest
from django.test import Client

from retrieval.access.caller import Caller
from retrieval.answers import elsewhere
from retrieval.answers.service import AnswerRequest, answer
from retrieval.engines.llm.service import Breaker
from tests.builders import a_case_file

pytestmark = pytest.mark.django_db

UNANSWERED = "How do I renew my fishing licence in Ohio?"
RECORDED = {  # what a SearXNG server sends: https://docs.searxng.org/dev/search_api.html
    "query": UNANSWERED,
    "number_of_results": 0,
    "results": [
        {
            "url": "https://www.usa.gov/fishing-hunting-license",
            "title": "Fishing and hunting \u202elicenses",
            "content": "Each state issues <b>licenses</b>. " * 20,
            "engine": "one",
            "score": 1.0,
        },
        {"url": "https://www.usa.gov/fishing-hunting-license", "title": "Again", "content": ""},
        {"url": "https://usa.gov.example/fishing", "title": "Not of that host", "content": ""},
        {"url": "http://www.usa.gov/plain", "title": "Not encrypted", "content": ""},
        {"url": "javascript://www.usa.gov/%0aalert(1)", "title": "A script", "content": ""},
        {"url": "https://[bad", "title": "No address", "content": ""},
        {"url": "https://lawhelp.org/oh", "title": None, "content": 7},
        "nothing",
    ],
    "answers": [],
    "suggestions": [],
}


@contextmanager
def searching(body: object = RECORDED, *, status: int = 200, headers: dict | None = None):
    """A metasearch server on loopback; gives its address and the requests that it gets."""
    asked: list[dict] = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            asked.append(parse_qs(urlsplit(self.path).query))
            sent = body if isinstance(body, bytes) else json.dumps(body).encode()
            self.send_response(status)
            for name, value in (headers or {}).items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(sent)

        def log_message(self, *arguments):
            """Says nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/search", asked
    finally:
        server.shutdown()
        server.server_close()


@pytest.fixture
def configured(settings, monkeypatch):
    monkeypatch.setattr(elsewhere, "breaker", Breaker())

    def configure(url: str) -> None:
        settings.ARF_EXTERNAL = {"url": url, "hosts": ["usa.gov", "lawhelp.org"], "timeout": 2.0}

    return configure


def test_by_default_nobody_is_asked():
    made = answer(AnswerRequest(UNANSWERED))
    assert made["not_found"] and made["elsewhere"] is None


def test_pages_of_allowed_hosts_are_told_beside_no_answer(configured):
    with searching() as (url, asked):
        configured(url)
        made = answer(AnswerRequest(UNANSWERED))
    assert asked == [{"q": [UNANSWERED], "language": ["en"], "format": ["json"]}]
    assert made["elsewhere"]["outcome"] == "found"
    first, second = made["elsewhere"]["pages"]
    assert first["url"] == "https://www.usa.gov/fishing-hunting-license" and first["host"] == "www.usa.gov"
    assert (
        first["title"] == "Fishing and hunting licenses" and len(first["text"]) <= elsewhere.LONGEST_TEXT + 2
    )
    assert second == {
        "url": "https://lawhelp.org/oh",
        "host": "lawhelp.org",
        "title": "lawhelp.org",
        "text": "",
    }
    assert made["answer"] == [] and made["verified"] is False
    assert "usa.gov" not in json.dumps([made["sources"], made["parts"], made["not_found"]])


@pytest.mark.parametrize("url", ["https://www.xn--mnchen-3ya.de/a", "https://www.münchen.de/a"])
def test_a_host_of_other_letters_is_known_in_either_form(settings, url):
    settings.ARF_EXTERNAL = {"hosts": ["münchen.de"]}  # as settings are read
    assert elsewhere.host_of(url) == "www.münchen.de"


def test_nobody_is_asked_where_the_law_answers(configured):
    with searching() as (url, asked):
        configured(url)
        made = answer(AnswerRequest("Who can declare war?"))
    assert made["answer"] and made["elsewhere"] is None and not asked


@pytest.mark.parametrize("question", [f"{UNANSWERED} My number is 078-05-1120", "What is 2 + 2?", "hello"])
def test_what_is_personal_or_not_searched_is_not_sent(configured, question):
    with searching() as (url, asked):
        configured(url)
        made = answer(AnswerRequest(question))
    assert made["elsewhere"] is None and not asked


def test_a_question_to_private_documents_is_not_sent(configured):
    ana = Caller(("user:901",))
    a_case_file("Lease", "The tenant shall keep the lighthouse lit at night.", granted_to=ana)
    with searching() as (url, asked):
        configured(url)
        made = answer(AnswerRequest(UNANSWERED), ana)
    assert made["elsewhere"] is None and not asked


@pytest.mark.parametrize(
    "served",
    [
        {"status": 500},
        {"status": 302, "headers": {"Location": "https://www.usa.gov/"}},
        {"body": b"<html>"},
        {"body": []},
        {"body": {"results": "x" * (2 * elsewhere.MOST_BYTES)}},
    ],
)
def test_a_server_that_fails_is_told_of_and_left_alone_for_a_while(configured, served):
    with searching(**served) as (url, asked):
        configured(url)
        for _ in range(5):
            told = elsewhere.pages_about(UNANSWERED, "en")
            assert told == {"outcome": "unreachable", "pages": []}
    assert len(asked) == 3


def test_a_server_that_is_not_there_costs_no_answer(configured):
    configured("http://127.0.0.1:9/search")
    made = answer(AnswerRequest(UNANSWERED))
    assert made["not_found"] and made["elsewhere"]["outcome"] == "unreachable"


def test_results_that_are_no_list_are_none(configured):
    with searching({"results": {"a": 1}}) as (url, _asked):
        configured(url)
        assert elsewhere.pages_about(UNANSWERED, "en") == {"outcome": "nothing", "pages": []}


def test_the_page_marks_them_as_no_law_and_escapes_them(configured):
    with searching() as (url, _asked):
        configured(url)
        page = Client().get("/ask", {"q": UNANSWERED}).content.decode()
        spanish = Client().get("/ask", {"q": UNANSWERED}, headers={"Accept-Language": "es"}).content.decode()
    assert "These pages are not law" in page and 'href="https://www.usa.gov/fishing-hunting-license"' in page
    assert "&lt;b&gt;licenses" in page and "usa.gov.example" not in page
    assert "Estas páginas no son la ley" in spanish
