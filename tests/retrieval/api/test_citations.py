"""Citations in a text, and which of them lead somewhere."""

import pytest

from retrieval.api import serializers
from tests.retrieval.api.asking import API, assert_shape
from tests.retrieval.api.refusals import assert_refused, post

pytestmark = pytest.mark.django_db


def resolve(client, q):
    answer = client.get(f"{API}/citations/resolve", {"q": q}).json()
    assert_shape(answer, serializers.ResolvedCitations)
    return answer["citations"]


def test_citations_in_a_text_are_resolved(client):
    text = "Compare U.S. Const. amend. XIV, § 1 with 8 U.S.C. § 1158(a)(2)(B)."
    fourteenth, asylum = resolve(client, text)
    assert fourteenth["locator"] == "/us/const/amendment/XIV/section/1" and fourteenth["resolved"] is True
    assert asylum["locator"] == "/us/usc/t8/s1158/a/2/B" and asylum["resolved"] is False
    assert text[asylum["start"] : asylum["end"]] == asylum["text"]


def test_a_lone_citation_may_be_written_loosely(client):
    assert resolve(client, "art 1 s 8 c 3")[0]["locator"] == "/us/const/article/I/section/8/clause/3"
    assert resolve(client, "no citation here") == []


def test_a_place_that_does_not_exist_is_not_resolved(client):
    assert [found["resolved"] for found in resolve(client, "U.S. Const. amend. XIV, § 9")] == [False]


def test_long_texts_are_resolved_by_post(client):
    sentence = "See 8 U.S.C. § 1182. "
    text = (sentence * 3100)[:64_000]
    answer = post(client, {"q": text}, url=f"{API}/citations/resolve").json()
    assert len(answer["citations"]) == 250
    assert_refused(post(client, {"q": "é" * 64_001}, url=f"{API}/citations/resolve"), 400, "bad_parameter")
    assert_refused(post(client, {"q": "a" * 800_000}, url=f"{API}/citations/resolve"), 413, "too_large")
