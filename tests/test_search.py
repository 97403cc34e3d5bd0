"""The search service over the shipped Constitution: what people ask and what they must find."""

import json
from datetime import date

import pytest
from django.core.management import call_command

from retrieval import cache, pipeline
from retrieval.errors import NotFound
from retrieval.models import CacheEntry, Domain, SearchLog, Section, Trace
from retrieval.ranking import Caller
from retrieval.search import BadQuery, SearchRequest, search

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


def test_a_node_above_the_result_level_has_its_childrens_text_in_order():
    text = ask("14th amendment")["results"][0]["text"]
    assert text.startswith("All persons born or naturalized")
    assert text.endswith("the provisions of this article.")


def test_the_answer_has_the_shape_of_the_contract():
    answer = ask("freedom of speech at school")
    assert set(answer) >= {
        "query", "results", "abstained", "near_misses", "cached", "degraded", "page", "next", "previous",
        "trace_id", "took_ms", "stages",
    }  # fmt: skip
    assert set(answer["results"][0]) >= {
        "rank", "locator", "pin", "citation", "title", "breadcrumb", "snippet", "text", "score", "probability",
        "reasons", "url", "source_url", "valid_from",
    }  # fmt: skip
    assert set(answer["stages"][0]) == {"name", "status", "ms", "in", "out", "note"}
    json.dumps(answer)


def test_the_second_answer_comes_from_the_cache_and_says_the_same():
    first, second = ask("who appoints judges"), ask("Who appoints JUDGES?")
    assert (first["cached"], second["cached"]) == (False, True)
    assert first["results"] == second["results"]
    assert first["trace_id"] != second["trace_id"]


def test_a_cached_answer_survives_the_process_in_the_table():
    ask("who appoints judges")
    cache.answers.answers.clear()
    assert ask("who appoints judges")["cached"]


def test_a_question_with_somebodys_numbers_in_it_is_not_written_down():
    for _ in range(2):
        assert ask("I am 123-45-6789 at jane@example.org, who appoints judges")["results"]
    written = json.dumps(
        [entry.answer for entry in CacheEntry.objects.all()] + [t.detail for t in Trace.objects.all()]
    )
    assert "6789" not in written and "jane" not in written


def test_a_change_of_the_corpus_makes_cached_answers_unreachable():
    ask("who appoints judges")
    Section.objects.filter(locator="/us/const/amendment/I").update(heading="Freedom")
    assert not ask("who appoints judges")["cached"]


def test_filters_pages_and_pipelines_do_not_share_answers():
    ask("taxes")
    for other in ({"k": 3}, {"page": 2}, {"language": "es"}, {"pipeline": "fusion"}):
        assert not ask("taxes", **other)["cached"]


def test_the_same_data_gives_the_same_page():
    first = ask("power to raise an army")
    cache.answers.answers.clear()
    CacheEntry.objects.all().delete()
    assert ask("power to raise an army")["results"] == first["results"]


def test_pages_follow_on_one_another():
    pages = [ask("the power of Congress", k=5, page=page) for page in (1, 2, 3)]
    ranks = [result["rank"] for page in pages for result in page["results"]]
    assert ranks == list(range(1, 16))
    assert len({result["locator"] for page in pages for result in page["results"]}) == 15
    assert (pages[0]["previous"], pages[0]["next"], pages[2]["previous"]) == (None, 2, 2)


@pytest.mark.parametrize(
    "fields",
    [
        {"text": ""},
        {"text": "  ?! "},
        {"text": "x" * 2001},
        {"text": "war", "k": 0},
        {"text": "war", "k": 101},
        {"text": "war", "page": 0},
        {"text": "war", "page": 500, "k": 100},
        {"text": "war", "language": "fr"},
    ],
)
def test_bad_questions_are_refused_before_any_stage(fields):
    with pytest.raises(BadQuery):
        search(SearchRequest(**fields))
    assert not SearchLog.objects.exists()


def test_a_private_domain_is_answered_like_one_that_does_not_exist():
    private = Domain.objects.get(slug="client_cases")
    with pytest.raises(NotFound) as hidden:
        ask("war", domains=(private.slug,))
    with pytest.raises(NotFound) as absent:
        ask("war", domains=("client_casez",))
    assert hidden.value.message.replace(private.slug, "") == absent.value.message.replace("client_casez", "")


def test_an_unknown_question_abstains_with_near_misses_labelled():
    answer = ask("best pizza dough hydration for a home oven")
    assert answer["abstained"]
    assert answer["results"] == []
    assert 0 < len(answer["near_misses"]) <= 5


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


def test_a_citation_that_leads_somewhere_is_not_called_unresolved():
    for query in ("14th amendment", "Can they search my phone?"):
        assert search(SearchRequest(query))["unresolved"] is None


def test_the_trace_accounts_for_every_candidate_kept_and_dropped():
    answer = ask("best pizza dough hydration for a home oven")
    detail = Trace.objects.get(pk=answer["trace_id"]).detail
    assert detail["candidates"] == []
    assert len(detail["dropped"]) >= 100
    assert {gone["stage"] for gone in detail["dropped"]} == {"Abstain"}
    assert all(stage["status"] in ("applied", "skipped", "failed") for stage in detail["stages"])


def test_the_log_keeps_the_question_without_personal_identifiers():
    answer = ask("My SSN is 123-45-6789 and my mail is a.b@example.org, can I vote?")
    log = SearchLog.objects.get(pk=answer["trace_id"])
    assert log.query_text == "My SSN is [SSN] and my mail is [e-mail], can I vote?"
    assert "123-45" not in json.dumps(log.trace.detail)


def test_a_missing_index_degrades_the_answer_and_says_so(settings, tmp_path):
    settings.ARF_LEXICAL_DIR = tmp_path / "nothing"
    answer = ask("freedom of speech")
    assert answer["degraded"] == ["LexicalRetriever"]
    assert answer["results"]
    stage = next(stage for stage in answer["stages"] if stage["name"] == "LexicalRetriever")
    assert stage["status"] == "failed"
    assert "no lexical index" in stage["note"]
    assert not ask("freedom of speech")["cached"], "a degraded answer is not kept"


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


def test_every_pipeline_runs_and_its_repr_names_its_stages():
    for name in pipeline.names():
        assert ask("jury", pipeline=name)["results"]
        assert repr(pipeline.get(name)).startswith("Pipeline(")


def test_the_command_explains_every_candidate(capsys):
    call_command("search", "Can they search my phone?", explain=True)
    out = capsys.readouterr().out
    assert "U.S. Const. amend. IV" in out
    assert "LexicalRetriever" in out
    assert "Dropped: 0" in out
