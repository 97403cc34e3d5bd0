"""The admin's front page, and “Try this query”."""

import json

import pytest

from arf_site.node.supervisor import FAILING
from retrieval.access.caller import ANONYMOUS
from retrieval.models import JobRun, SearchLog
from retrieval.request import SearchRequest
from retrieval.search.service import search
from tests.retrieval.admin.staff import TRY
from tests.retrieval.pages.looking import Page

pytestmark = pytest.mark.django_db


def test_the_front_page_counts_searches_corpora_and_jobs(client, curator, django_assert_max_num_queries):
    search(SearchRequest("double jeopardy"), ANONYMOUS, channel="page")
    JobRun.objects.create(kind="ingest", key="corpus", status="running", position=1, total=4)
    client.get("/admin/")  # what is counted once a day is counted now
    with django_assert_max_num_queries(22):
        page = client.get("/admin/")
    assert page.context["searches"].count == 1
    assert page.context["searches"].p50 > 0
    assert {c.domain.slug: c.chunks for c in page.context["corpora"]}["us_constitution"] > 100
    assert b"25 %" in page.content


def test_the_front_page_names_processes_that_keep_ending(client, curator, settings, tmp_path):
    settings.VAR_DIR = tmp_path
    (tmp_path / "log").mkdir()
    told = {"worker": {"since": "2026-11-22T10:00:00+00:00", "why": "ended (exit status 1)"}}
    (tmp_path / "log" / FAILING).write_text(json.dumps(told))
    page = client.get("/admin/").content.decode()
    assert "The process worker of this machine keeps ending since" in page and "exit status 1" in page


def test_the_front_page_without_searches_has_no_times(client, judge):
    assert client.get("/admin/").context["searches"].p95 is None


def test_law_that_is_found_is_marked_as_english_in_a_spanish_page(client, judge):
    page = Page(client.get(TRY, {"q": "double jeopardy"}, headers={"accept-language": "es"}))
    assert page.all("html", lang="es") and page.all("p", lang="en")


def test_try_this_query_shows_results_stages_candidates_and_versions(client, judge):
    page = client.get(TRY, {"q": "double jeopardy"}).content.decode()
    assert "U.S. Const. amend. V" in page
    for part in (
        "LexicalRetriever",
        "DenseRetriever",
        "Fuse",
        "Abstain",
        "Candidates kept",
        "corpus:us_constitution",
    ):
        assert part in page
    assert SearchLog.objects.get().channel == "admin"


def test_try_this_query_says_when_the_answer_was_kept(client, judge):
    client.get(TRY, {"q": "double jeopardy"})
    again = client.get(TRY, {"q": "double jeopardy"}).content.decode()
    assert "From the cache" in again
    assert "Candidates kept" in again
    fresh = client.get(TRY, {"q": "double jeopardy", "fresh": "on"}).content.decode()
    assert "From the cache" not in fresh


def test_try_this_query_translates_and_takes_any_pipeline(client, judge):
    asked = {"q": "¿Pueden juzgarme dos veces por el mismo delito?", "pipeline": "fusion"}
    page = client.get(TRY, asked).content.decode()
    assert "In English:" in page
    assert "CitationRetriever" not in page


@pytest.mark.parametrize(
    "asked", [{"q": "?"}, {"q": "law", "as_of": "yesterday"}, {"q": "law", "pipeline": "x"}]
)
def test_a_question_that_cannot_be_asked_is_told_in_the_form(client, judge, asked):
    answer = client.get(TRY, asked)
    assert answer.status_code == 200
    assert answer.context["form"].errors
    assert not SearchLog.objects.exists()
