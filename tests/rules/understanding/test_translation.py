"""Spanish questions in the English of the law."""

import pytest

from retrieval.request import SearchRequest
from retrieval.search.service import search
from rules.models import GlossaryTerm

pytestmark = pytest.mark.django_db


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
