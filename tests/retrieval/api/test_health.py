"""Whether the server can answer, part by part."""

from datetime import date

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from retrieval.access.caller import Caller
from retrieval.api.health import Health
from retrieval.models import EmbeddingModel, Section
from tests.builders import a_case_file
from tests.retrieval.api.asking import API, assert_shape
from tests.retrieval.api.keys import key_with
from tests.retrieval.api.refusals import assert_refused

pytestmark = pytest.mark.django_db


def test_health_tells_the_parts(client, reindex):
    reindex()  # an earlier test's changes were rolled back, which its index knows nothing of
    answer = client.get(f"{API}/health").json()
    assert_shape(answer, Health)
    assert answer["status"] == "ok", answer
    parts = ["database", "index", "queue", "reranker", "embedder", "schedules", "sources", "disk", "log"]
    assert answer["parts"] == {part: {"status": "ok", "since": None} for part in parts}
    assert answer["reranker"] == "none"
    assert answer["lexical_index"] == {"exists": True, "behind": 0, "current": True}
    assert answer["embedder"]["kind"] == "onnx" and answer["embedder"]["ready"] is True
    chunks = {corpus["domain"]: corpus["chunks"] for corpus in answer["corpora"]}
    assert chunks["us_constitution"] > 100 and "client_cases" not in chunks


def test_health_counts_the_chunks_of_a_corpus_that_has_changed_anew(client):
    def chunks() -> int:
        corpora = client.get(f"{API}/health").json()["corpora"]
        return next(corpus["chunks"] for corpus in corpora if corpus["domain"] == "us_constitution")

    before = chunks()
    Section.objects.filter(locator="/us/const/amendment/III").update(valid_to=date(2001, 1, 1))
    assert before == chunks() + 1


def test_health_counts_nothing_that_differs_by_caller(client, django_assert_num_queries):
    key, granted = key_with("search")
    client.get(f"{API}/health", **granted)  # what is counted once for all is counted now
    with CaptureQueriesContext(connection) as before:
        client.get(f"{API}/health", **granted)
    a_case_file("Matter of A", "some words", granted_to=Caller((f"key:{key.pk}",)))
    with django_assert_num_queries(len(before)):
        answer = client.get(f"{API}/health", **granted).json()
    assert_shape(answer, Health)
    cases = next(corpus for corpus in answer["corpora"] if corpus["domain"] == "client_cases")
    assert (cases["version"], cases["chunks"]) == (None, None)


def test_health_is_degraded_when_the_embedder_is_another(client):
    EmbeddingModel.objects.update(fingerprint="another")
    response = client.get(f"{API}/health")
    assert (response.status_code, response.json()["status"]) == (200, "degraded")
    assert response.json()["parts"]["embedder"]["status"] == "failed"


def test_health_is_degraded_without_an_index(client, settings, tmp_path, monkeypatch):
    from retrieval.engines import loaded
    from retrieval.indexes.lexical import LexicalIndex

    monkeypatch.setattr(loaded, "lexical_index", lambda: LexicalIndex(tmp_path / "none"))
    answer = client.get(f"{API}/health").json()
    assert answer["status"] == "degraded" and answer["lexical_index"]["exists"] is False


@pytest.mark.parametrize("remote", ["127.0.0.1", "203.0.113.9"])
def test_health_is_down_when_the_database_does_not_answer(client, monkeypatch, remote, settings, tmp_path):
    settings.VAR_DIR = tmp_path
    from django.db import OperationalError, connection

    def refused(*args, **kwargs):
        raise OperationalError("connection refused at /secret/path")

    monkeypatch.setattr(connection, "cursor", refused)
    response = client.get(f"{API}/health", REMOTE_ADDR=remote)
    assert response.status_code == 503
    assert_shape(response.json(), Health)
    assert b"secret" not in response.content
    assert (response.json()["status"], response.json()["parts"]["database"]["status"]) == ("down", "failed")
    assert_refused(client.get(f"{API}/search?q=a"), 503, "unavailable")
