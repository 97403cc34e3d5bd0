"""The search service over the shipped Constitution: what people ask and what they must find."""

import re
from datetime import date

import pytest
from django.core.management import call_command

from retrieval.access.caller import Caller
from retrieval.engines import loaded
from retrieval.errors import NotFound, NotRun
from retrieval.models import CacheEntry, Domain, Trace
from retrieval.request import SearchRequest
from retrieval.search import cache
from retrieval.search.service import search
from tests.builders import a_case_file

pytestmark = pytest.mark.django_db

AMENDMENTS = {
    "14th amendment": "XIV",
    "XIV amendment section 1": "XIV/section/1",
    "amendment 2": "II",
    "2nd ammendment": "II",
    "fifth": "V",
    "U.S. Const. amend. XIV, § 1": "XIV/section/1",
    "Decimocuarta Enmienda": "XIV",
    "the first amendment": "I",
    "27th amendment": "XXVII",
    "enmienda 14 sección 1": "XIV/section/1",
}
ARTICLES = {
    "Article I Section 8": "I/section/8",
    "art. 1 sec 8 cl 3": "I/section/8/clause/3",
    "artículo I sección 8": "I/section/8",
    "Article III": "III",
    "U.S. Const. art. VI, cl. 2": "VI/clause/2",
}
CITATIONS = {q: f"/us/const/amendment/{where}" for q, where in AMENDMENTS.items()} | {
    q: f"/us/const/article/{where}" for q, where in ARTICLES.items()
}
IN_OWN_WORDS = {
    "Can they search my phone?": "/us/const/amendment/IV",
    "Do I have to talk to the police?": "/us/const/amendment/V",
    "can the government take my house to build a road": "/us/const/amendment/V",
    "Who can declare war?": "/us/const/article/I/section/8/clause/11",
    "How old must the president be?": "/us/const/article/II/section/1/clause/5",
    "¿Puede la policía revisar mi celular sin una orden?": "/us/const/amendment/IV",
    "derecho a guardar silencio": "/us/const/amendment/V",
    "double jeopardy": "/us/const/amendment/V",
    "commerce clause": "/us/const/article/I/section/8/clause/3",
}


def ask(text: str, caller: Caller = Caller(), **fields) -> dict:
    return search(SearchRequest(text=text, **fields), caller)


def locators(answer: dict) -> list[str]:
    return [result["locator"] for result in answer["results"]]


@pytest.mark.parametrize(("query", "locator"), CITATIONS.items())
def test_a_query_that_is_only_a_citation_lands_at_rank_one(query, locator):
    answer = ask(query)
    assert locators(answer)[0] == locator
    assert answer["results"][0]["reasons"][0]["code"] == "citation"
    assert {stage["status"] for stage in answer["stages"] if stage["name"] == "Fuse"} == {"skipped"}


@pytest.mark.parametrize("query", ["first time voters", "section of the country", "my fifth child"])
def test_words_that_merely_look_like_a_citation_are_searched(query):
    stages = {stage["name"]: stage for stage in ask(query)["stages"]}
    assert stages["ResolveCitations"]["note"] == "no citation"
    assert stages["Fuse"]["status"] == "applied"


@pytest.mark.parametrize(("query", "locator"), IN_OWN_WORDS.items())
def test_questions_in_peoples_own_words_find_the_right_provision(query, locator):
    assert locator in locators(ask(query))[:3]


def test_a_citation_inside_a_question_is_a_strong_candidate():
    answer = ask("Does the Eighth Amendment forbid excessive fines on companies?")
    assert locators(answer)[0] == "/us/const/amendment/VIII"
    assert "citation" in {reason["code"] for reason in answer["results"][0]["reasons"]}


def test_the_same_data_gives_the_same_page():
    first = ask("power to raise an army")
    cache.answers.answers.clear()
    CacheEntry.objects.all().delete()
    assert ask("power to raise an army")["results"] == first["results"]


def test_a_private_domain_is_answered_like_one_that_does_not_exist():
    private = Domain.objects.get(slug="client_cases")
    with pytest.raises(NotFound) as hidden:
        ask("war", domains=(private.slug,))
    with pytest.raises(NotFound) as absent:
        ask("war", domains=("client_casez",))
    assert hidden.value.message.replace(private.slug, "") == absent.value.message.replace("client_casez", "")


@pytest.mark.parametrize(
    ("query", "citation"),
    [
        ("28th amendment", "U.S. Const. amend. XXVIII"),
        ("article 9", "U.S. Const. art. IX"),
        ("artículo 9", "U.S. Const. art. IX"),
        ("8 USC 1158", "8 U.S.C. § 1158"),
    ],
)
def test_a_citation_of_what_is_not_here_is_declined_by_its_name(query, citation):
    answer = search(SearchRequest(query))
    assert answer["abstained"] and answer["results"] == []
    assert answer["unresolved"] == citation
    assert answer["near_misses"]
    why = Trace.objects.get(pk=answer["trace_id"]).detail["dropped"][0]["why"]
    assert why == {"code": "no_such_provision", "citation": citation}


def test_a_list_of_citations_is_answered_by_each_in_its_order():
    answer = search(SearchRequest("14th and 5th amendments"))
    found = [result["locator"] for result in answer["results"]]
    assert found[0] == "/us/const/amendment/XIV" and found[-1] == "/us/const/amendment/V" and len(found) == 7
    assert answer["confident"] and not answer["abstained"]


def test_what_is_missing_of_a_known_article_is_said_to_be_missing_beside_what_is_there():
    answer = search(SearchRequest("Article I, Section 12"))
    assert answer["abstained"] and answer["unresolved"] == "U.S. Const. art. I, § 12" and not answer["results"]
    near = [miss["locator"] for miss in answer["near_misses"]]
    assert near and all(locator.startswith("/us/const/article/I/section/1") for locator in near)
    assert "DenseRetriever" not in [stage["name"] for stage in answer["stages"] if stage["status"] == "applied"]


def test_what_the_law_lacks_may_be_in_a_private_document():
    ana = Caller(("key:971",))
    a_case_file("Lease", "Article I, Section 12. The tenant keeps the lighthouse lit.", granted_to=ana)
    answer = search(SearchRequest("Article I, Section 12"), ana)
    assert answer["unresolved"] is None
    assert "PrivateLexicalRetriever" in [stage["name"] for stage in answer["stages"] if stage["status"] == "applied"]


def test_a_citation_that_leads_somewhere_is_not_called_unresolved():
    for query in ("14th amendment", "Can they search my phone?"):
        assert search(SearchRequest(query))["unresolved"] is None


def test_as_of_shows_the_law_of_that_day():
    answer = ask("women vote", as_of=date(1850, 1, 1))
    assert "/us/const/amendment/XIX" not in locators(answer)
    assert "/us/const/amendment/XIX" in locators(ask("women vote"))


def test_quoted_words_must_occur_together():
    found = ask('"cruel and unusual punishments"', pipeline="lexical")
    assert locators(found) == ["/us/const/amendment/VIII"]


def test_spanish_is_detected_translated_and_says_so():
    answer = ask("¿Tengo derecho a un abogado si no puedo pagarlo?")
    assert answer["query"]["language"] == "es"
    assert answer["query"]["translated"]
    assert "/us/const/amendment/VI" in locators(answer)[:3]


def test_the_command_explains_every_candidate(capsys):
    call_command("search", "Can they search my phone?", explain=True)
    out = capsys.readouterr().out
    assert "U.S. Const. amend. IV" in out
    assert "LexicalRetriever" in out
    assert "Dropped: 0" in out


@pytest.mark.parametrize("command", ["search", "answer"])
def test_commands_tell_what_they_did_without(capsys, monkeypatch, command):
    def unavailable(version=None):
        raise NotRun("there is none")

    monkeypatch.setattr(loaded, "active_embedder", unavailable)
    call_command(command, "Can they search my phone?")
    assert re.search("^Without: .*EmbedQuery", capsys.readouterr().out, re.MULTILINE)
