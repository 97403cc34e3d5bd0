"""Figures of the running server."""

from datetime import timedelta

import pytest
from django.utils import timezone

from retrieval.access.caller import ANONYMOUS
from retrieval.models import Domain, EmbeddingModel, JobRun, SearchLog
from retrieval.request import SearchRequest
from retrieval.search import statistics
from retrieval.search.service import search
from tests.builders import a_document, a_domain, a_section, embedded

pytestmark = pytest.mark.django_db


def test_searches_are_counted_since_a_moment():
    moment = timezone.now()
    assert statistics.searches_since(moment) == statistics.Searches(0, 0, 0, 0, 0, None, None, None)
    for _ in range(2):
        search(SearchRequest("double jeopardy"), ANONYMOUS, channel="page")
    found = statistics.searches_since(moment)
    assert (found.count, found.cached, found.cached_percent, found.ran) == (2, 1, 50.0, 1)
    assert SearchLog.objects.get(cached=False).strategy and not SearchLog.objects.get(cached=True).strategy
    assert found.p50 <= found.p95
    assert statistics.searches_since(timezone.now()).count == 0


def told() -> dict[str, tuple[int, int]]:
    return {corpus.domain.slug: (corpus.sections, corpus.chunks) for corpus in statistics.corpora()}


def test_public_law_is_counted_once_for_each_version(django_assert_num_queries):
    document = a_document(a_domain())
    embedded(a_section(document, "One."), a_section(document, "Two."))
    assert told()[document.domain.slug] == (2, 2) and told()["us_constitution"][0] > 135
    assert Domain.objects.filter(visibility="private").exists()
    with django_assert_num_queries(3):  # what is private is counted each time
        told()
    embedded(a_section(document, "Three."))
    assert told()[document.domain.slug] == (3, 3)


def test_all_that_is_not_counted_yet_is_counted_at_once(django_assert_num_queries):
    told()
    for _ in range(2):
        a_domain()
        a_domain(visibility="private")
    with django_assert_num_queries(3):
        told()


def test_a_share_of_nothing_is_nothing():
    nothing = statistics.Searches(0, 0, 0, 0, 0, None, None, None)
    assert (nothing.cached_percent, nothing.abstained_percent) == (0.0, 0.0)


def test_only_jobs_that_go_on_are_shown():
    JobRun.objects.create(kind="ingest", key="a", status="done")
    going = JobRun.objects.create(kind="ingest", key="b", status="running")
    assert statistics.unfinished_jobs() == [going]


def test_parts_that_searches_do_without_are_named_for_a_day():
    SearchLog.objects.all().delete()
    search(SearchRequest("double jeopardy"), ANONYMOUS, channel="page")
    SearchLog.objects.update(degraded=["LLMVerifier"])
    EmbeddingModel.objects.update(status="retired")
    assert {"LLMVerifier", "embeddings"} <= set(statistics.missing_parts())
    tomorrow = timezone.now() + timedelta(days=1, minutes=1)
    assert "LLMVerifier" not in statistics.missing_parts(tomorrow)
