"""Words in quotes are in every result, or the answer says that nothing has them; a question that is a private section's
heading is answered by that section.
"""

import re

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from retrieval.access.caller import Caller
from retrieval.models import Domain, Section
from retrieval.ranking import Candidate, Reason
from retrieval.request import SearchRequest
from retrieval.search.service import search
from retrieval.stages.quoted import order_of
from tests.builders import a_document, a_section, embedded, grant
from tests.retrieval.pages.looking import look_for

pytestmark = pytest.mark.django_db
ANA = Caller(("key:901",))
CLAUSES = {
    "1. Services": "Contractor keeps the servers of Client running and tells nobody of confidentiality.",
    "2. Fees": "Client pays ninety dollars an hour within thirty days.",
    "8. Confidentiality": "Neither party tells others what it learns of the other's business, for five years.",
    "9. Governing Law": "The laws of Ohio apply.",
}


def ask(text: str, **fields) -> dict:
    return search(SearchRequest(text=text, k=50, **fields))


def having(words: str) -> set[str]:
    """Results whose text or headings have the words."""
    pattern = re.compile(rf"\b{words}\b", re.IGNORECASE)
    rows = Section.objects.live().filter(valid_to=None).results().filter(domain__slug="us_constitution")
    return {s.locator for s in rows if pattern.search(f"{s.text}\n{s.heading}\n{s.plain_name}")}


@pytest.mark.parametrize(
    ("question", "words"),
    [
        ('"life, liberty, or property"', "life, liberty, or property"),
        ('what is "due process of law"', "due process of law"),
        ("who may grant “letters of marque”?", "letters of marque"),
        ('when is it "treason" to help an enemy', "treason"),
        ('"REPRISAL"', "reprisal"),
    ],
)
def test_every_result_has_the_quoted_words_and_all_that_have_them_are_there(question, words):
    answer = ask(question)
    assert {result["locator"] for result in answer["results"]} == having(words)
    assert answer["total"] == len(answer["results"]) > 0
    assert answer["missing_words"] == []


def test_of_two_phrases_both_must_be_there():
    results = ask('"due process of law" and "equal protection"')["results"]
    assert [result["locator"] for result in results] == ["/us/const/amendment/XIV/section/1"]


def test_a_phrase_that_is_quoted_again_and_again_is_looked_for_once():
    with CaptureQueriesContext(connection) as once:
        expected = ask('Can "Congress" declare war?')
    with CaptureQueriesContext(connection) as often:
        answer = ask('Can "Congress" declare war? ' + '"congress" ' * 160)
    assert [r["locator"] for r in answer["results"]] and expected["total"] == answer["total"]
    regexes = [sum(" ~ " in query["sql"] and query["sql"].count(" ~ ") for query in ran) for ran in (once, often)]
    assert regexes[0] == regexes[1] > 0


def test_quoted_words_that_nothing_has_are_told_and_the_rest_is_searched_for(client):
    question = 'what does the Constitution say about "freedom from tyranny" and search warrants'
    answer = ask(question)
    assert answer["missing_words"] == ["freedom from tyranny"]
    assert not answer["confident"]
    assert len(answer["results"] or answer["near_misses"]) > 2
    told = "No provision here has these words together: freedom from tyranny."
    assert told in look_for(client, question).text


def test_words_quoted_in_spanish_are_read_as_translated_too():
    results = ask("¿Qué es el «debido proceso»?")["results"]
    assert "/us/const/amendment/XIV/section/1" in {result["locator"] for result in results}
    assert len(results) < 10


def test_what_lacks_the_words_is_dropped_with_its_reason(client):
    answer = ask('"letters of marque"')
    trace = client.get(f"/api/v1/traces/{answer['trace_id']}").json()
    assert {gone["why"]["code"] for gone in trace["dropped"] if gone["stage"] == "KeepQuoted"} == {
        "without_quoted"
    }


@pytest.mark.parametrize("question", ["letters of marque", 'an unbalanced " quote of marque', '"" marque'])
def test_without_quotes_nothing_must_be_there(question):
    answer = ask(question)
    assert answer["missing_words"] == []
    assert len(answer["results"] or answer["near_misses"]) > 2


@pytest.fixture
def contract():
    document = a_document(Domain.objects.get(slug="client_cases"), title="Services agreement")
    sections = [a_section(document, text, heading=heading) for heading, text in CLAUSES.items()]
    embedded(*sections)
    grant(document, ANA)
    return document


@pytest.mark.parametrize("question", ["confidentiality", "Governing law?", "8. Confidentiality"])
def test_it_comes_first_and_is_not_declined(contract, question):
    answer = search(SearchRequest(question, domains=("client_cases",)), ANA)
    assert not answer["abstained"]
    (first, *_) = answer["results"]
    assert first["title"].casefold().endswith(question.strip("?89. ").casefold())
    assert "headed" in {reason["code"] for reason in first["reasons"]}


def test_words_beside_the_heading_ask_something_else(contract):
    answer = search(SearchRequest("confidentiality of jurors", domains=("client_cases",)), ANA)
    assert not any(reason["code"] == "headed" for hit in answer["results"] for reason in hit["reasons"])


def test_what_is_cited_stays_before_what_is_headed_so():
    cited, headed, other = (
        Candidate(n, reasons=(Reason(code, {}),)) for n, code in enumerate(("citation", "headed", "dense"))
    )
    assert sorted((other, headed, cited), key=order_of) == [cited, headed, other]
