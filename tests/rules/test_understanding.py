"""Misspelt questions put right, and Spanish ones put into English."""

from dataclasses import replace

import pytest

from retrieval.access.caller import ANONYMOUS
from retrieval.models import Domain
from retrieval.ranking import DomainScope, Ranking
from retrieval.request import SearchRequest
from retrieval.search.service import in_scope, query_of, search
from retrieval.stages.query import Normalize
from rules.models import Alias, GlossaryTerm
from rules.understanding import Respell

pytestmark = pytest.mark.django_db


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("question", "read_as", "locator"),
    [
        ("can the polcie serch my phone", "can the police search my phone", "/us/const/amendment/IV"),
        ("EXCESIVE BAIL", "EXCESSIVE BAIL", "/us/const/amendment/VIII"),
        ("derecho a portar arrmas", "derecho a portar armas", "/us/const/amendment/II"),
        (
            "me quieren juzgar dos veses por lo mismo",
            "me quieren juzgar dos veces por lo mismo",
            "/us/const/amendment/V",
        ),
    ],
)
def test_a_misspelt_question_finds_the_corrected_text_and_says_so(question, read_as, locator):
    answer = search(SearchRequest(text=question))
    assert answer["respelled"] == read_as
    assert answer["results"][0]["locator"] == locator


@pytest.mark.django_db
@pytest.mark.parametrize(
    "question",
    [
        "can the police search my phone?",
        "the warranty on my phone",
        "¿Puede la policía registrar mi casa?",
        "DACA",
        "14th ammendment",
    ],
)
def test_what_is_written_right_is_read_as_it_is(question):
    assert search(SearchRequest(text=question))["respelled"] is None


@pytest.mark.django_db
def test_a_word_of_a_new_name_is_no_slip():
    assert search(SearchRequest(text="the govern doctrine of warrnt"))["respelled"].endswith("warrant")
    domain = Domain.objects.get(slug="us_constitution")
    Alias.objects.create(domain=domain, text="warrnt", locator="/us/const/amendment/IV")
    assert search(SearchRequest(text="the govern doctrine of warrnt"))["respelled"] is None


@pytest.mark.django_db
def test_nothing_is_respelled_where_private_documents_are_searched():
    scopes, in_force = in_scope(ANONYMOUS, ("us_constitution",))
    query = query_of(SearchRequest("the polcie of Mr. Warant"), ANONYMOUS, scopes, in_force)
    normalized = Normalize()(Ranking(query))
    assert Respell()(normalized).query.respelled == "the police of Mr. Warant"
    private = DomainScope(0, "files", 0, True, ("en",))
    assert Respell()(Ranking(replace(query, domains=(*scopes, private)))).query.respelled is None


def ask(text: str, **fields) -> dict:
    return search(SearchRequest(text=text, **fields))


def test_a_glossary_term_is_kept_exact_in_translation():
    GlossaryTerm.objects.create(spanish="zutanejo", english="cruel and unusual punishment")
    answer = ask("¿Es un zutanejo la cadena perpetua?")
    assert "cruel and unusual punishment" in answer["query"]["translated"]


def test_citations_in_a_spanish_question_survive_translation():
    answer = ask("¿Qué protege la Cuarta Enmienda cuando la policía entra en mi casa?")
    assert "U.S. Const. amend. IV" in answer["query"]["translated"]
    assert answer["results"][0]["locator"] == "/us/const/amendment/IV"


def test_without_apertium_the_glossary_serves_and_the_answer_says_degraded(monkeypatch):
    monkeypatch.setattr("retrieval.engines.loaded.apertium", lambda: None)
    answer = ask("derecho a guardar silencio ante la policía")
    assert "Translate" in answer["degraded"]
    assert "/us/const/amendment/V" in [result["locator"] for result in answer["results"][:3]]
