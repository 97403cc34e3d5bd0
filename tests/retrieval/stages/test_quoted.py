"""Words in quotes are in every result, or the answer says that nothing has them."""

import re

import pytest

from retrieval.models import Section
from retrieval.request import SearchRequest
from retrieval.search.service import search
from tests.retrieval.pages.looking import look_for

pytestmark = pytest.mark.django_db


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
