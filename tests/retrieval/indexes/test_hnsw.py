"""Vector indexes of large domains: ordered once a domain has grown, made one a step, dropped with their model."""

from datetime import timedelta

import numpy as np
import psycopg
import pytest
from django.core.management import CommandError, call_command
from django.db import DatabaseError, connection
from django.utils import timezone

from evaluation.benchmarks import vectors as made_corpus
from retrieval import jobs
from retrieval.indexes import hnsw
from retrieval.ingestion import ingest
from retrieval.models import ChunkVector, Domain, EmbeddingModel, JobRun

pytestmark = pytest.mark.django_db
SIZE, LARGE = 600, 400


@pytest.fixture
def grown(monkeypatch):
    """A domain without an index that counts as large."""
    vectors = list(ChunkVector.objects.order_by("pk").values_list("vector", flat=True))
    domain, _ = made_corpus.make(
        np.array(vectors, dtype=np.float32), SIZE, EmbeddingModel.objects.get(), seed=3
    )
    connection.check_constraints()  # else they wait for a commit, and no index is made of rows that wait
    monkeypatch.setattr(hnsw, "LARGE", LARGE)
    return domain


def test_a_domain_that_has_grown_orders_its_index(grown, monkeypatch):
    model = EmbeddingModel.objects.get()
    assert hnsw.missing() == [(model, grown)]
    monkeypatch.setattr(hnsw, "start_builder", lambda *models: hnsw.make(model, grown))
    monkeypatch.setattr(hnsw, "LOOKED_AFTER", 0.0)
    hnsw.order_missing()
    hnsw.order_missing()
    run = JobRun.objects.get(kind="index_vectors")
    *_, last = jobs.run_here(run)
    assert last.status == "done" and not hnsw.missing()
    assert hnsw.exists(model.pk, grown.pk)


def ordered() -> int:
    """How many jobs there are once the clock has looked."""
    hnsw.order_missing()
    return JobRun.objects.filter(kind="index_vectors").count()


def test_a_domain_that_something_comes_into_has_no_index_made_until_a_while_after(grown):
    coming = jobs.create(**ingest.request(grown))
    assert not ordered()
    jobs.cancel(coming)
    for _step in jobs.run_here(coming):
        pass
    assert not ordered()
    JobRun.objects.filter(pk=coming.pk).update(finished_at=timezone.now() - hnsw.QUIET)
    assert ordered() == 1


@pytest.mark.parametrize(("hours", "made"), [(23, 0), (25, 1)])
def test_a_domain_that_files_never_cease_to_come_into_has_its_index_made_after_a_day(grown, hours, made):
    minute, now = timedelta(minutes=1), timezone.now()
    ended = [now - 5 * minute * n for n in range(12 * hours, -1, -1)]
    told = {"kind": "upload", "key": jobs.CORPUS, "params": {"domain": grown.slug}, "status": "done"}
    JobRun.objects.bulk_create(JobRun(**told, started_at=end - minute, finished_at=end) for end in ended)
    assert ordered() == made


def test_a_day_begins_anew_with_a_pause_in_which_the_index_could_be_made(grown):
    hour, now = timedelta(hours=1), timezone.now()
    told = {"kind": "upload", "key": jobs.CORPUS, "params": {"domain": grown.slug}, "status": "done"}
    JobRun.objects.create(**told, started_at=now - 30 * hour, finished_at=now - 3 * hour)
    JobRun.objects.create(**told, started_at=now - hour, finished_at=now)
    assert not ordered()


def test_another_embedder_serves_only_with_its_indexes_whatever_comes_in(grown):
    jobs.create(**ingest.request(grown))
    model = EmbeddingModel.objects.get()
    assert hnsw.missing(model) == [(model, grown)] and not hnsw.ready_to_build()
    *_, last = jobs.run_here(jobs.create(**hnsw.request()))
    assert last.message == "What is left is made once nothing comes into it"


@pytest.mark.parametrize("status", ["failed", "cancelled"])
def test_what_failed_or_was_cancelled_is_not_ordered_again_at_once(grown, status):
    assert ordered() == 1
    job = JobRun.objects.filter(kind="index_vectors")
    job.update(status=status, finished_at=timezone.now(), state={"waiting": [*hnsw.names_of(hnsw.ready_to_build())]})
    assert ordered() == 1
    job.update(state={"waiting": ["another"]})
    assert ordered() == 2


def test_what_failed_is_ordered_again_the_next_day(grown):
    assert ordered() == 1
    yesterday = timezone.now() - hnsw.RESTS
    JobRun.objects.filter(kind="index_vectors").update(status="failed", finished_at=yesterday)
    assert ordered() == 2


def test_what_is_staged_makes_no_domain_large(grown):
    ChunkVector.objects.filter(domain=grown).update(live=False)
    assert not hnsw.missing()


def test_a_builder_that_ends_without_an_index_is_not_started_for_ever(grown, monkeypatch):
    started = []
    monkeypatch.setattr(hnsw, "start_builder", lambda *models: started.append(models))
    monkeypatch.setattr(hnsw, "LOOKED_AFTER", 0.0)
    *_, last = jobs.run_here(jobs.create(**hnsw.request()))
    assert last.status == "failed" and "begun 3 times" in last.error and len(started) == hnsw.MOST_STARTS


def test_an_index_that_cannot_be_made_keeps_no_other_waiting(grown, monkeypatch):
    model, tried = EmbeddingModel.objects.get(), []
    other = Domain.objects.get(slug="us_constitution")

    def make(model, domain, *, concurrently):
        tried.append(domain)
        if domain == grown:
            raise DatabaseError("no room")

    monkeypatch.setattr(hnsw, "missing", lambda: [(model, grown), (model, other)])
    monkeypatch.setattr(hnsw, "make", make)
    monkeypatch.setattr(hnsw, "drop_half_made", lambda model, domain: None)  # no part of a transaction
    with pytest.raises(DatabaseError, match="no room"):
        list(hnsw.build_missing())
    assert tried == [grown, other]


def test_one_builder_is_at_work_at_a_time():
    assert not hnsw.is_being_built()
    with hnsw.alone():
        assert hnsw.is_being_built()
        other = psycopg.connect(**connection.get_connection_params())
        got = other.execute("SELECT pg_try_advisory_lock(hashtextextended(%s, 0))", [hnsw.BUILDER]).fetchone()
        other.close()
        assert got == (False,)
    assert not hnsw.is_being_built()


def test_an_index_goes_with_its_model(grown):
    model = EmbeddingModel.objects.get()
    hnsw.make(model, grown)
    assert not hnsw.drop_unused()
    EmbeddingModel.objects.update(status=EmbeddingModel.Status.RETIRED)
    assert hnsw.drop_unused() and not hnsw.exists(model.pk, grown.pk)


def test_small_domains_have_no_index():
    assert hnsw.missing() == []


def test_a_model_that_there_is_not_is_refused():
    with pytest.raises(CommandError, match="There is no embedding model 999"):
        call_command("index_vectors", "999")
