"""Which edition an answer was read in, in the language of its question."""

from datetime import date

import pytest

from retrieval.access.row_security import as_system
from retrieval.answers import service
from retrieval.models import Document, Domain, Section
from tests.retrieval.answers.test_service import ask

pytestmark = pytest.mark.django_db


def test_the_edition_is_told_in_the_language_of_the_question():
    assert "Constitution of the United States, read on" in ask("Who can declare war?")["notice"]
    assert "Constitución de los EE. UU., leída el" in ask("¿Quién puede declarar la guerra?")["notice"]


def test_an_edition_of_which_only_the_day_is_known_is_told_by_it():
    with as_system():
        Document.objects.filter(domain__slug="us_constitution").update(publication="2022-09-29")
    assert "States, edition of Sept. 29, 2022, read on" in ask("Who can declare war?")["notice"]
    assert "EE. UU., edición del 29 de septiembre de 2022, leída" in ask("¿Quién puede declarar la guerra?")["notice"]


def test_law_of_a_day_says_where_its_beginning_is_not_known():
    undated = "Since when these words have been law is not known here."
    question, day = "Who can declare war?", date(1950, 1, 1)
    assert undated not in ask(question, as_of=day)["notice"]
    Section.objects.update(valid_from=None)
    assert undated in ask(question, as_of=day)["notice"] and undated not in ask(question)["notice"]


def test_the_edition_and_that_it_is_no_advice_are_told():
    told = ask("Who can declare war?", as_of=date(1900, 1, 1))
    assert (
        "not legal advice" in told["notice"]
        and "Jan. 1, 1900" in told["notice"]
        and told["as_of"] == "1900-01-01"
    )
    assert "Constitution of the United States" in told["notice"]


def test_documents_that_are_no_law_are_told_as_documents():
    Domain.objects.filter(slug="us_constitution").update(holds_law=False)
    told = ask("Who can declare war?", domains=("us_constitution",), as_of=date(1900, 1, 1))["notice"]
    assert told.startswith("The documents as they were on Jan. 1, 1900.") and "law" not in told
    assert told.endswith("This is information from the documents, as of their edition.")
    assert "documentos" in ask("¿Quién puede declarar la guerra?", domains=("us_constitution",))["notice"]


def test_where_no_law_is_searched_no_lawyer_is_named(monkeypatch):
    monkeypatch.setattr(service, "may_answer", lambda results, doubtful: False)
    question, here = "Who can declare war?", ("us_constitution",)
    assert "lawyer" in " ".join(ask(question, domains=here)["not_found"]["would_help"])
    Domain.objects.filter(slug="us_constitution").update(holds_law=False)
    told = ask(question, domains=here)
    assert told["not_found"]["would_help"][-1] == "Name the document or the thing that you mean, or ask in other words."
    assert told["notice"] == "This is information from the documents, as of their edition."
