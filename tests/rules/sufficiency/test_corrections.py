"""What is put right in a question whose evidence is poor."""

from dataclasses import replace

import pytest

from arf_site import pipelines
from retrieval.access.caller import ANONYMOUS
from retrieval.models import Citation, Domain, Section
from retrieval.ranking import Candidate, Ranking
from retrieval.request import SearchRequest
from retrieval.search.service import in_scope, query_of, search
from retrieval.stages.citations import ResolveCitations
from retrieval.stages.query import Normalize
from rules.sufficiency.corrections import (
    FollowCitations,
    ReadAsOtherLanguage,
    RespellFurther,
    SearchEverywhere,
)
from rules.sufficiency.stage import most_needed
from rules.understanding import Translate
from tests.builders import a_document, a_section

pytestmark = pytest.mark.django_db


def asked(text: str, *domains: str, language: str | None = None) -> Ranking:
    request = SearchRequest(text, domains, language=language)
    ranking = Ranking(query_of(request, ANONYMOUS, *in_scope(ANONYMOUS, domains)))
    for stage in (Normalize(), ResolveCitations(), Translate()):
        ranking = stage(ranking)
    return replace(ranking, note="", details={})


def test_a_spanish_question_that_was_called_english_is_read_as_spanish():
    ranking = ReadAsOtherLanguage()(asked("me catearon la casa sin orden", language="en"))
    assert ranking.query.language == "es"
    assert "without" in ranking.query.text and ranking.query.translated == ranking.query.text


def test_a_question_in_the_language_it_was_read_in_stays():
    ranking = asked("can the police search my house")
    assert ReadAsOtherLanguage()(ranking).query == ranking.query


@pytest.mark.parametrize(
    ("text", "read_as"),
    [("unreasonnabel searches", "unreasonable searches"), ("unreasonable searches", "unreasonable searches")],
)
def test_a_word_two_slips_away_is_put_right(text, read_as):
    assert RespellFurther(slips=2)(asked(text)).query.text == read_as


@pytest.mark.parametrize(
    ("text", "language", "most_missing"),
    [
        ("me catearon la casa sin orden", "en", ReadAsOtherLanguage),
        ("unreasonnabel searches", "en", RespellFurther),
        ("the president of the senate", "en", SearchEverywhere),
    ],
)
def test_the_reason_names_what_is_tried_first(text, language, most_missing):
    ranking = asked(text, "us_constitution", language=language)
    declined = replace(ranking, abstained=True, near_misses=(Candidate(1),))
    assert isinstance(most_needed(pipelines.CORRECTIONS, declined), most_missing)


def test_a_body_of_law_that_holds_nothing_at_all_is_left_first_and_one_that_answers_never():
    ranking = asked("unreasonnabel searches", "us_constitution")
    assert SearchEverywhere().missing(ranking) == 0.0
    assert isinstance(most_needed(pipelines.CORRECTIONS, replace(ranking, abstained=True)), SearchEverywhere)


def test_a_body_of_law_that_holds_nothing_leads_to_all_of_them():
    assert not Domain.objects.get(slug="us_code").corpus_version
    answer = search(SearchRequest("can the police search my phone", ("us_code",)))
    assert answer["results"][0]["locator"] == "/us/const/amendment/IV"
    assert "SearchEverywhere" in answer["corrected"] and "us_constitution" in answer["widened"]


def test_what_was_found_leads_to_the_law_that_it_cites():
    cases, constitution = (Domain.objects.get(slug=slug) for slug in ("supreme_court_cases", "us_constitution"))
    case = a_section(a_document(cases))
    fourth = Section.objects.live().get(locator="/us/const/amendment/IV")
    Citation.objects.create(source=case, target=fourth, target_locator=fourth.locator, start=-1, end=-1)
    found = replace(asked("can the police search my phone", "supreme_court_cases"), candidates=(Candidate(case.pk),))
    follow = FollowCitations(first=3)
    assert follow.missing(found) > 0 and follow.missing(replace(found, abstained=True)) == 0
    assert {domain.slug for domain in follow(found).query.domains} == {cases.slug, constitution.slug}
    everywhere = replace(asked("can the police search my phone"), candidates=found.candidates)
    assert follow(everywhere).query == everywhere.query  # all law here is searched already
    bound = replace(found, query=replace(found.query, bound=True))
    assert follow.missing(bound) == 0


def test_what_is_asked_of_private_documents_or_of_a_part_is_not_searched_for_elsewhere():
    within = search(
        SearchRequest("maritime salvage of trawlers", ("us_constitution",), within=("/us/const/article/I",))
    )
    assert within["widened"] == []
    ranking = asked("can the police search my phone", "us_constitution")
    private = replace(ranking.query.domains[0], private=True)
    kept = replace(ranking, query=replace(ranking.query, domains=(private,)), abstained=True)
    assert SearchEverywhere()(kept).query == kept.query
