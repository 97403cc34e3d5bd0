"""Searches in the admin's log, private ones for who made them."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from retrieval.access.caller import ANONYMOUS, Caller
from retrieval.access.row_security import as_system
from retrieval.models import SearchLog
from retrieval.models.access import caller_for
from retrieval.request import SearchRequest
from retrieval.search.log import give_feedback
from retrieval.search.service import search
from tests.builders import grant

pytestmark = pytest.mark.django_db


@as_system()
def a_private_search(caller: Caller) -> SearchLog:
    answer = search(SearchRequest("my secret words", domains=("client_cases",)), caller, channel="api")
    give_feedback(answer["trace_id"], caller, locator="", verdict="helpful", comment="the secret words")
    return SearchLog.objects.get(pk=answer["trace_id"])


def test_private_searches_are_listed_to_who_made_them_alone(client, superuser, private_section):
    grant(private_section.document, Caller(("key:901",)))
    others = a_private_search(Caller(("key:901",)))
    grant(private_section.document, Caller((f"user:{superuser.pk}",)))
    own = a_private_search(caller_for(superuser))
    for name in ("searchlog", "trace", "feedback"):
        listed = client.get(f"/admin/retrieval/{name}/").context["cl"].queryset
        assert [getattr(row, "log_id", row.pk) for row in listed] == [own.pk], name
    assert client.get(f"/admin/retrieval/searchlog/{others.pk}/change/").status_code == 302


def test_the_log_shows_what_is_kept_and_names_no_private_provision(client, superuser, private_section):
    log = SearchLog.objects.create(
        query_hash="0",
        language="en",
        pipeline="default",
        channel="page",
        took_ms=1,
        top_locators=["/us/const/amendment/V", private_section.locator],
    )
    page = client.get(f"/admin/retrieval/searchlog/{log.pk}/change/").content.decode()
    assert "not kept" in page
    assert "/us/const/amendment/V" in page
    assert private_section.locator not in page


def test_the_log_filters_by_channel_cache_abstention_and_language(client, judge):
    search(SearchRequest("double jeopardy"), ANONYMOUS, channel="page")
    filters = {"channel": "page", "cached__exact": "0", "abstained__exact": "0", "language": "en"}
    assert client.get("/admin/retrieval/searchlog/", filters).context["cl"].result_count == 1
    assert client.get("/admin/retrieval/searchlog/", {"channel": "api"}).context["cl"].result_count == 0


def test_the_list_of_traces_does_not_read_them(client, superuser):
    search(SearchRequest("double jeopardy"), ANONYMOUS, channel="page")
    with CaptureQueriesContext(connection) as read:
        assert client.get("/admin/retrieval/trace/").context["cl"].result_count == 1
    assert not [one["sql"] for one in read if '"detail"' in one["sql"]]
