"""The admin's front page."""

import pytest

from retrieval.access.caller import ANONYMOUS
from retrieval.models import JobRun
from retrieval.request import SearchRequest
from retrieval.search.service import search

pytestmark = pytest.mark.django_db


def test_the_front_page_counts_searches_corpora_and_jobs(client, curator, django_assert_max_num_queries):
    search(SearchRequest("double jeopardy"), ANONYMOUS, channel="page")
    JobRun.objects.create(kind="ingest", key="corpus", status="running", position=1, total=4)
    with django_assert_max_num_queries(30):
        page = client.get("/admin/")
    assert page.context["searches"].count == 1
    assert page.context["searches"].p50 > 0
    assert {c.domain.slug: c.chunks for c in page.context["corpora"]}["us_constitution"] > 100
    assert b"25 %" in page.content


def test_the_front_page_without_searches_has_no_times(client, judge):
    assert client.get("/admin/").context["searches"].p95 is None
