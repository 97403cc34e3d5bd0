from pathlib import Path

import pytest

from retrieval.models import Domain
from retrieval.request import SearchRequest
from retrieval.search.service import search
from rules.models import QuestionPhrase
from rules.questions.schedule import Schedule, needless
from tests.rules.questions.asked import judged, ranking_of

NEEDLESS = Path("tests/data/needless.txt").read_text().splitlines()


def test_of_a_mixed_stream_a_third_of_the_needless_searches_is_saved_and_no_needed_one_missed():
    saved = [text for text in NEEDLESS if needless(text)]
    missed = [row["query"] for row in judged() if needless(row["query"])]
    assert len(saved) >= 0.7 * len(NEEDLESS)
    assert len(missed) <= 0.01 * len(list(judged())), missed


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("Good morning!", "greeting"),
        ("ok, gracias", "thanks"),
        ("Hi! What can you do?", "site"),
        ("¿Eres abogado?", "site"),
        ("what is 15 x 12", "sum"),
        ("20 por ciento de 150", "sum"),
    ],
)
def test_its_kind_is_told(text, code):
    assert needless(text) == code


@pytest.mark.parametrize(
    "text",
    [
        "hi, can the police search my phone",
        "thanks, and what about my wife?",
        "who are you to search my house",
        "104-208",
        "42/1983",
        "8 USC 1182",
        "what is 14-1",
        "help for veterans",
        "is this site open to public comment under the APA",
        "ok ty " * 19 + "x",  # would take minutes if each could be read in two ways
    ],
)
def test_whatever_else_it_holds_sends_it_to_the_search(text):
    assert needless(text) is None


@pytest.mark.django_db
def test_staff_add_what_needs_no_search_and_take_out_what_does():
    assert Schedule()(ranking_of("is my search private")).notice is None
    phrase = QuestionPhrase.objects.create(
        text="is my search private", use="needless", answer="Yes: see Privacy."
    )
    assert Schedule()(ranking_of("Is my search private?")).notice.text == "Yes: see Privacy."
    phrase.use = "searched"
    phrase.save()
    assert Schedule()(ranking_of("Is my search private?")).notice is None


@pytest.mark.django_db
def test_a_domain_may_be_searched_always():
    assert Schedule()(ranking_of("hello", always_searched=True)).notice is None


@pytest.mark.django_db
def test_a_greeting_is_answered_without_a_search():
    answer = search(SearchRequest(text="hello"))
    assert answer["notice"]["code"] == "greeting" and not answer["notice"]["searched"]
    assert answer["abstained"] and answer["results"] == []
    assert [stage["name"] for stage in answer["stages"]] == ["Normalize", "Screen", "Schedule", "Present"]


@pytest.mark.django_db
def test_what_staff_change_is_in_force_at_once():
    Domain.objects.update(always_searched=True)
    assert search(SearchRequest(text="hello"))["notice"] is None


@pytest.mark.django_db
def test_the_page_tells_it(client):
    page = client.get("/search", {"q": "hola"}).content.decode()
    assert "Hola. Pregunte" in page
