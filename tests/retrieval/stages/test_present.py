"""The page of results, and judged questions suggested beside it: those that mean the same and that one may see."""

from dataclasses import replace

import numpy as np
import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from evaluation.learning import registry
from evaluation.learning.pools import question_of
from evaluation.learning.training import Trained
from evaluation.topics.topic import SEARCHED, Topic
from retrieval.access.caller import ANONYMOUS, Caller
from retrieval.engines.loaded import active_embedder
from retrieval.models import Section, Trace
from retrieval.pipeline import run_stage
from retrieval.ranking import Candidate, Page, Query, Ranking
from retrieval.request import SearchRequest
from retrieval.search.service import in_scope, search
from retrieval.stages.present import Present
from retrieval.stages.reranker.artifact import pack
from retrieval.stages.reranker.features import JudgedNeighbours, JudgedQuestion
from tests.builders import a_case_file
from tests.rerankers import publish_limits, some_reranker

pytestmark = pytest.mark.django_db

ASKED = "Can the police search my phone without a warrant?"
NEAR = "May the police search a phone without a warrant?"
FAR = "Who appoints the judges of the Supreme Court?"


def question(text: str = NEAR, *, domain: str = "us_constitution", language: str = "en") -> JudgedQuestion:
    return JudgedQuestion(domain, language, text)


def deploy(*questions: JudgedQuestion) -> None:
    """A reranker that learned from these; those without words were worded as the first."""
    embedder = active_embedder().embedder
    vectors = np.array([embedder.embed_query(each.text or NEAR) for each in questions], np.float32)
    judged = JudgedNeighbours(vectors, ({"/us/const/amendment/IV": 2},) * len(questions), {}, questions)
    artifact = pack(replace(some_reranker(), judged=judged), seed=0)
    registry.deploy(registry.save(Trained(artifact, {"family": "a test"})))


def suggested(text: str = ASKED, caller: Caller = Caller(), **asked) -> list[str]:
    return search(SearchRequest(text, **asked), caller)["suggestions"]


def test_a_judged_question_that_means_the_same_is_suggested():
    assert suggested() == []
    deploy(question(FAR), question())
    assert suggested() == [NEAR]
    assert suggested("Who may vote?") == []


def test_the_question_itself_is_not_suggested():
    deploy(question())
    assert suggested(NEAR.upper()) == []


def test_the_domains_threshold_tells_how_alike():
    deploy(question())
    publish_limits(query_search=0.99)
    assert suggested() == []
    publish_limits(query_search=0.5)
    assert suggested() == [NEAR]


def test_the_nearest_come_first_and_three_are_enough():
    near = [
        "Can police search my phone without a warrant",
        f"{NEAR} Please",
        NEAR,
        "Search of my phone by police",
    ]
    deploy(*map(question, near))
    publish_limits(query_search=0.5)
    assert len(found := suggested()) == 3
    vectors = active_embedder().embedder
    cosines = [vectors.embed_query(text) @ vectors.embed_query(ASKED) for text in found]
    assert cosines == sorted(cosines, reverse=True)


def test_only_questions_of_domains_that_are_searched_are_suggested():
    deploy(question(domain="us_code"), question(f"{NEAR} Please", domain="client_cases"))
    assert suggested(domains=("us_constitution",)) == []
    assert suggested(domains=("us_code",)) == [NEAR]


def test_a_question_of_a_domain_become_private_is_shown_only_to_those_who_may_see_it():
    ann = Caller(("user:1",))
    a_case_file("Matter of Ann", "Her phone was searched without a warrant.", granted_to=ann)
    deploy(question(domain="client_cases"))
    assert suggested() == []
    assert suggested(caller=ann) == [NEAR]


def test_what_readers_asked_is_never_shown_to_others():
    asked = Topic("search-1", "my own words", source=SEARCHED, relevant={"/us/const/amendment/IV": 2})
    assert question_of(asked) == JudgedQuestion("us_constitution", "en", "")
    assert question_of(replace(asked, source="admin")).text == "my own words"
    deploy(question(""))
    assert suggested() == []


def test_questions_are_suggested_in_the_language_of_the_question():
    deploy(question(language="es"))
    assert suggested() == []


def test_suggestions_cost_no_query_and_leave_no_words_in_the_trace():
    def queries() -> int:
        with CaptureQueriesContext(connection) as captured:
            answer = search(SearchRequest(ASKED), fresh=True)
        assert NEAR not in str(Trace.objects.get(log_id=answer["trace_id"]).detail)
        return len(captured)

    deploy(question(FAR))
    queries()
    before = queries()
    deploy(question())
    queries()
    assert queries() == before


def test_the_page_leads_to_them(client):
    deploy(question())
    page = client.get("/search", {"q": ASKED, "domain": "us_constitution", "page": 1}).content.decode()
    assert "Questions like this" in page
    assert "q=May+the+police+search+a+phone+without+a+warrant%3F" in page
    assert "Questions like this" not in client.get("/search", {"q": FAR}).content.decode()


def presented(page: Page | None) -> Ranking:
    sections = Section.objects.live().results().order_by("pk")[:5]
    candidates = tuple(Candidate(section.pk, section.domain_id, section.locator) for section in sections)
    scopes, in_force = in_scope(ANONYMOUS, ("us_constitution",))
    query = Query("law", "law", "law", "en", scopes, page=page)
    return run_stage(Present(), Ranking(query, candidates))


def test_a_page_has_its_results_by_rank():
    ranking = presented(Page(number=2, k=2))
    assert [result["rank"] for result in ranking.shown["results"]] == [3, 4]
    assert (ranking.shown["previous"], ranking.shown["next"], ranking.shown["total"]) == (1, 3, 5)
    assert ranking.reports[-1].note == "page 2: 2 results"


def test_without_a_page_nothing_is_read():
    ranking = presented(None)
    assert ranking.shown == {} and ranking.reports[-1].status == "skipped"
