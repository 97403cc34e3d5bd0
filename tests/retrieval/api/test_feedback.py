"""Traces of searches, and what readers thought of them."""

import uuid

import pytest

from retrieval.api import serializers
from retrieval.models import Feedback, Trace
from tests.retrieval.api.asking import API, assert_shape, found
from tests.retrieval.api.refusals import assert_refused, post

pytestmark = pytest.mark.django_db


def test_an_explanation_without_its_trace_is_a_summary(client):
    found(client, "bear arms")
    Trace.objects.all().delete()
    explanation = found(client, "bear arms", explain="true")["explanation"]
    assert "candidates" not in explanation and explanation["cached"] is True


def test_a_trace_is_read_by_its_id(client):
    trace = client.get(f"{API}/traces/{found(client, 'quartering soldiers')['trace_id']}").json()
    assert_shape(trace, serializers.TraceOfSearch)
    assert trace["top_locators"][0] == "/us/const/amendment/III"


def test_an_unknown_trace_is_not_found(client):
    assert_refused(client.get(f"{API}/traces/{uuid.uuid4()}"), 404, "not_found")
    assert_refused(client.get(f"{API}/traces/{uuid.uuid4()}?full=1"), 400, "unknown_parameter")


def give(client, **said):
    return post(client, said, url=f"{API}/feedback")


def test_feedback_is_kept_and_may_be_changed(client):
    answer = found(client, "quartering soldiers")
    about = {"trace_id": answer["trace_id"], "locator": answer["results"][0]["locator"]}
    assert give(client, **about, verdict="helpful").status_code == 201
    kept = give(client, **about, verdict="unhelpful", comment="call me: 212-555-0100")
    assert_shape(kept.json(), serializers.KeptOpinion)
    assert Feedback.objects.get().comment == "call me: [phone]"


def test_feedback_may_be_on_any_result_of_the_page_or_on_all(client):
    answer = found(client, "congress", k=20)
    for locator in (answer["results"][-1]["locator"], ""):
        assert (
            give(client, trace_id=answer["trace_id"], locator=locator, verdict="helpful").status_code == 201
        )


def test_a_comment_that_grows_by_scrubbing_is_kept(client):
    trace = found(client, "congress")["trace_id"]
    assert give(client, trace_id=trace, verdict="helpful", comment="a@b.cd " * 140).status_code == 201


def test_feedback_needs_a_search_a_verdict_and_a_result_that_was_shown(client):
    trace = found(client, "quartering soldiers")["trace_id"]
    assert_refused(give(client, trace_id=str(uuid.uuid4()), verdict="helpful"), 404, "not_found")
    assert_refused(give(client, trace_id=trace, verdict="helpful", locator="/us/const/x"), 404, "not_found")
    assert_refused(give(client, trace_id="1", verdict="helpful"), 400, "bad_parameter")
    assert_refused(give(client, trace_id=trace, verdict="great"), 400, "bad_parameter")
    assert_refused(give(client, trace_id=trace), 400, "bad_parameter")
    assert_refused(give(client, trace_id=trace, verdict="helpful", comment="a" * 1001), 400, "bad_parameter")
    assert_refused(client.get(f"{API}/feedback"), 405)
