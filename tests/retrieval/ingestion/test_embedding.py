"""Every provision is cut into chunks that rebuild it, each with a context and a vector."""

from functools import partial

import pytest
from django.db import connection

from retrieval import jobs
from retrieval.indexes import hnsw
from retrieval.ingestion import embedding, ingest
from retrieval.models import Chunk, ChunkVector, EmbeddingModel, JobRun, Section
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


def made(domain) -> list[tuple]:
    chunks = Chunk.objects.filter(domain=domain, section__live=True, section__valid_to=None)
    columns = ("section__locator", "position", "start", "end", "text", "vectors__vector")
    found = chunks.order_by("section__locator", "position").values_list(*columns)
    return [(*row, tuple(vector)) for *row, vector in found]


@pytest.fixture
def portions(monkeypatch):
    """Pieces of 500 characters and portions of one chunk, one to a step; gives the chunks of each that was embedded."""
    monkeypatch.setattr(embedding, "BATCH_TEXT", 500)
    monkeypatch.setattr(embedding, "PORTION", 1)
    monkeypatch.setattr(jobs, "STEP_SECONDS", 0.0)
    save, embedded = embedding.save_vectors, []

    def counted(chunks, *of, known):
        embedded.append([chunk.text for chunk in chunks if chunk.pk not in known])
        save(chunks, *of, known=known)

    monkeypatch.setattr(embedding, "save_vectors", counted)
    return embedded


LONG = " ".join(f"({n}) an officer of the agency shall keep the {n}th record for thirty days;" for n in range(30))


def test_a_long_section_is_embedded_in_portions_wherever_it_is_killed(domain, write, portions, monkeypatch):
    source = write("First words.", LONG, "Last words.")
    ingested(domain, source)
    whole, steps = made(domain), len(portions)
    assert "".join(text for locator, *_, text, _ in whole if locator.endswith("s2")) == LONG
    assert [row[1] for row in whole] == [0, *range(steps - 2), 0] and steps > 5
    for last in (1, steps - 1):
        Section.objects.filter(domain=domain).delete()
        portions.clear()
        run = jobs.create(**ingest.request(domain, str(source)))
        with monkeypatch.context() as killing, pytest.raises(KeyboardInterrupt):
            killing.setattr(embedding, "vectors_of_former", partial(killed, portions, last))
            list(jobs.run_here(run))
        *_, last = jobs.run_here(JobRun.objects.get(pk=run.pk))
        assert last.status == JobRun.Status.DONE and len(portions) == steps
        assert made(domain) == whole


def killed(portions, last, *of):
    if len(portions) == last:
        raise KeyboardInterrupt
    return {}


def test_what_only_has_other_places_is_not_embedded_again(domain, write, portions):
    ingested(domain, write("First words.", "Second words."))
    before = made(domain)
    portions.clear()
    Section.objects.filter(domain=domain).update(content_hash="of an older reader")
    ingested(domain, write("First words.", "Second words.", "Third words."))
    assert [text for texts in portions for text in texts] == ["Third words."]
    assert made(domain)[:2] == before


@pytest.mark.parametrize("text", ["word " * 50, "Words. " * 40, "words\n" * 30, "x" * 250, "short", ""])
def test_a_long_text_is_cut_where_a_line_sentence_or_word_ends(monkeypatch, text):
    monkeypatch.setattr(embedding, "BATCH_TEXT", 100)
    spans = [*embedding.pieces(text)]
    assert "".join(text[start:end] for start, end in spans) == text
    assert all(0 < end - start <= 100 for start, end in spans)
    assert all(text[start:end].endswith(("\n", " ")) for start, end in spans[:-1]) or " " not in text


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
