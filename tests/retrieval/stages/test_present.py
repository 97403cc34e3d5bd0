"""The page that was asked for."""

import pytest

from retrieval.access.caller import ANONYMOUS
from retrieval.models import Section
from retrieval.pipeline import run_stage
from retrieval.ranking import Candidate, Page, Query, Ranking
from retrieval.search.service import visible_domains
from retrieval.stages.present import Present

pytestmark = pytest.mark.django_db


def presented(page: Page | None) -> Ranking:
    sections = Section.objects.live().results().order_by("pk")[:5]
    candidates = tuple(Candidate(section.pk, section.domain_id, section.locator) for section in sections)
    scopes = visible_domains(ANONYMOUS, ("us_constitution",))
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
