"""Every provision is cut into chunks that rebuild it, each with a context and a vector."""

import pytest
from django.db import connection

from retrieval import jobs
from retrieval.indexes import hnsw
from retrieval.ingestion import embedding, ingest
from retrieval.models import Chunk, ChunkVector, EmbeddingModel, Section
from tests.retrieval.ingestion.conftest import ingested

pytestmark = pytest.mark.django_db


def test_the_constitution_has_its_135_provisions_each_with_chunk_and_vector():
    results = Section.objects.live().results().filter(domain__slug="us_constitution")
    assert results.count() == 135
    assert not results.filter(chunks=None).exists()
    assert not Chunk.objects.filter(vectors=None).exists()


def test_chunks_rebuild_their_section():
    for section in Section.objects.live().results():
        chunks = section.chunks.all()
        assert "".join(chunk.text for chunk in chunks) == section.text
        assert all(section.text[chunk.start : chunk.end] == chunk.text for chunk in chunks)


def test_what_is_indexed_carries_its_context():
    chunk = Chunk.objects.get(section__locator="/us/const/article/I/section/8/clause/3")
    assert "Constitution of the United States" in chunk.context
    assert "Section 8" in chunk.context
    assert chunk.section.heading in chunk.context


def test_vectors_enter_an_index_before_their_sections_are_live_and_leave_it_with_them(domain, write, monkeypatch):
    ingested(domain, write("First words.", "Second words."))
    connection.check_constraints()  # else they wait for a commit, and no index is made of rows that wait
    hnsw.make(EmbeddingModel.objects.get(), domain)
    monkeypatch.setattr(embedding, "ENTERED", 1)
    phases = []
    for run in jobs.run_here(jobs.create(**ingest.request(domain, str(write("First words.", "Other words."))))):
        connection.check_constraints()  # as the commit of each step does
        staged = ChunkVector.objects.filter(section__in=Section.objects.staged(), domain=domain)
        phases.append((run.state["phase"], set(staged.values_list("live", flat=True))))
    assert phases[-3:] == [("enter", {False}), ("publish", {True}), ("done", set())]
    in_force = ChunkVector.objects.filter(domain=domain).live().in_force()
    assert {vector.chunk.text for vector in in_force} == {"First words.", "Other words."}
    [closed] = ChunkVector.objects.filter(domain=domain).exclude(pk__in=in_force.values("pk"))
    assert closed.live and closed.valid_to == closed.section.valid_to and closed.chunk.text == "Second words."
