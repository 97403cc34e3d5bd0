"""Filtered vector search in a large corpus made up from a small one: how much of the nearest it finds, and how fast.
Never a unit test.

The corpus is made from the vectors of the small one, resampled with noise, never real text. Its documents have a
subject each, as real ones do: their chunks lie around one vector of the small corpus. Tags and days of coming into
force leave known shares of it.
"""

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import date, timedelta

import numpy as np
from django.conf import settings
from django.db import connection
from django.db.models import QuerySet

from retrieval.corpus.filters import in_selection
from retrieval.engines import loaded
from retrieval.indexes import hnsw, nearest
from retrieval.models import Chunk, ChunkVector, Document, Domain, EmbeddingModel, Section
from retrieval.ranking import DomainScope, Query
from retrieval.stages.fusion import CHUNKS_A_SECTION
from retrieval.stages.legs import DenseRetriever
from retrieval.targets import Part, Selection

SHARES = (0.0001, 0.001, 0.01, 0.1, 0.5, 1.0)
SECTIONS, CHUNKS = 10, 3  # of a document, of a section
EACH = SECTIONS * CHUNKS
FIRST_DAY = date(1900, 1, 1)
OWN, SHARED = 0.5, 0.5  # noise of a chunk and of its document, in spreads of the small corpus
BLOCK = 5_000  # rows a statement
DOCUMENTS = 500  # whose rows are held at a time
TEXT = "And be it further enacted, that the provision shall take effect. " * 10  # about as long as a chunk is
UNPACK = """
INSERT INTO retrieval_chunkvector (chunk_id, section_id, domain_id, document_id, private, live, model_id, vector)
SELECT id, section_id, domain_id, document_id, private, true, %s, packed.vector
FROM packed JOIN retrieval_chunk ON id = chunk ORDER BY id
"""
LIMIT = DenseRetriever.k * CHUNKS_A_SECTION  # hits, as the dense leg asks for
AMONG = 10  # recall is of the ten nearest
AS_NEAR = 1e-4  # float16 tells no smaller distances apart


def tag_of(share: float) -> str:
    """On this share of the documents."""
    return f"share-{share:g}"


def day_of(share: float, documents: int) -> date:
    """On which this share of the documents is in force."""
    return FIRST_DAY + timedelta(days=max(round(share * documents), 1) - 1)


def make(
    source: np.ndarray, size: int, model: EmbeddingModel, *, seed: int, texts: Sequence[str] = (TEXT,)
) -> tuple[Domain, np.ndarray]:
    """A public domain of about `size` chunks and its vectors, (chunks, dims) float32, in the order of their ids. Each
    chunk has one of the texts.
    """
    chance = np.random.default_rng(seed)
    count = max(size // EACH, 1)
    domain = Domain.objects.create(
        slug="made", name="Made", locator_prefix="/made", languages=["en"], visibility="public"
    )
    vectors = resampled(source, count, chance)
    places, days = chance.permutation(count), chance.permutation(count)
    ids: list[int] = []
    for first in range(0, count, DOCUMENTS):
        numbers = range(first, min(first + DOCUMENTS, count))
        ids += make_documents(domain, {n: (int(places[n]), int(days[n])) for n in numbers}, count, texts, chance)
    copy_vectors(ids, model, vectors)
    return domain, vectors


def make_documents(
    domain: Domain, numbers: dict[int, tuple[int, int]], count: int, texts: Sequence[str], chance: np.random.Generator
) -> list[int]:
    """The ids of their chunks. `numbers`: of each document, its place among those with tags and its day."""
    documents = Document.objects.bulk_create(
        [document_row(domain, number, place, count) for number, (place, _) in numbers.items()], BLOCK
    )
    sections = Section.objects.bulk_create(
        [
            section_row(document, n, FIRST_DAY + timedelta(days=day), [texts[one] for one in drawn])
            for document, (_, day) in zip(documents, numbers.values(), strict=True)
            for n, drawn in enumerate(chance.integers(len(texts), size=(SECTIONS, CHUNKS)))
        ],
        BLOCK,
    )
    chunks = Chunk.objects.bulk_create([row for section in sections for row in chunk_rows(section)], BLOCK)
    return [chunk.pk for chunk in chunks]


def resampled(source: np.ndarray, documents: int, chance: np.random.Generator) -> np.ndarray:
    """Of unit length: a smoothed bootstrap, whose noise has the covariance of the source."""
    centred = (source - source.mean(axis=0)) / np.sqrt(len(source))
    root = np.linalg.qr(centred, mode="r")  # of the covariance: no larger, however many vectors the source has

    def noise(rows: int) -> np.ndarray:
        return chance.standard_normal((rows, len(root)), dtype=np.float32) @ root

    subjects = source[chance.integers(len(source), size=documents)] + SHARED * noise(documents)
    made = np.repeat(subjects, EACH, axis=0)
    for start in range(0, len(made), BLOCK):
        made[start : start + BLOCK] += OWN * noise(len(made[start : start + BLOCK]))
    made /= np.linalg.norm(made, axis=1, keepdims=True)
    return made.astype(np.float16).astype(np.float32)


def document_row(domain: Domain, number: int, place: int, count: int) -> Document:
    tags = [tag_of(share) for share in SHARES if place < max(round(share * count), 1)]
    return Document(domain=domain, locator=f"/made/{number}", title=f"Document {number}", tags=tags)


def section_row(document: Document, number: int, day: date, texts: Sequence[str]) -> Section:
    return Section(
        document=document,
        domain_id=document.domain_id,
        level="section",
        locator=f"{document.locator}/{number}",
        citation=f"{document.title}, {number}",
        text="\n".join(texts),
        position=number,
        is_result=True,
        live=True,
        valid_from=day,
    )


def chunk_rows(section: Section) -> Iterator[Chunk]:
    """One for each of its lines."""
    start = 0
    for number, text in enumerate(section.text.split("\n")):
        yield Chunk(
            section=section,
            domain_id=section.domain_id,
            position=number,
            text=text,
            context="",
            start=start,
            end=start + len(text),
            token_count=150,
        )
        start += len(text) + 1


def copy_vectors(chunks: Sequence[int], model: EmbeddingModel, vectors: np.ndarray) -> None:
    """By binary COPY, which is many times faster than INSERT; by way of a table without row-level security, since
    COPY fills none that has it.
    """
    with connection.cursor() as cursor:
        cursor.execute("CREATE TEMPORARY TABLE packed (chunk bigint, vector halfvec)")
        with cursor.copy("COPY packed FROM STDIN (FORMAT BINARY)") as copy:
            copy.write(b"PGCOPY\n\xff\r\n\0" + bytes(8))
            for start in range(0, len(chunks), BLOCK):
                copy.write(packed(chunks[start : start + BLOCK], vectors[start : start + BLOCK]))
            copy.write(b"\xff\xff")
        cursor.execute(UNPACK, [model.pk])
        cursor.execute("DROP TABLE packed")
        cursor.execute(
            "ANALYZE retrieval_document, retrieval_section, retrieval_chunk, retrieval_chunkvector"
        )


def packed(chunks: Sequence[int], vectors: np.ndarray) -> bytes:
    """Rows of these ids and vectors as COPY reads them."""
    dims = vectors.shape[1]
    rows = np.zeros(len(chunks), packed_row(dims))
    rows["fields"], rows["id length"], rows["length"] = 2, 8, 4 + 2 * dims
    rows["id"], rows["dims"], rows["vector"] = chunks, dims, vectors
    return rows.tobytes()


def packed_row(dims: int) -> np.dtype:
    """A row as COPY reads it: an id and a halfvec."""
    return np.dtype(
        [("fields", ">i2"), ("id length", ">i4"), ("id", ">i8"), ("length", ">i4"), ("dims", ">u2"), ("unused", ">u2"),
         ("vector", ">f2", (dims,))]
    )  # fmt: skip


# -- Search in it


def benchmark_vectors(questions: Sequence[str], *, size: int, seed: int) -> Iterator[dict]:
    """One row for each filter and share that it leaves. The corpus is made in a database of its own, then dropped."""
    embedder = loaded.active_embedder().embedder
    asked = [embedder.embed_query(question).astype(np.float32) for question in questions]
    public = ChunkVector.objects.filter(private=False, model__status=EmbeddingModel.Status.ACTIVE)
    source = np.array(list(public.order_by("pk").values_list("vector", flat=True)), dtype=np.float32)
    with another_database():
        model = EmbeddingModel.objects.create(
            name="made", fingerprint="made", dims=source.shape[1], status=EmbeddingModel.Status.ACTIVE
        )
        domain, vectors = make(source, size, model, seed=seed)
        started = time.perf_counter()
        if hnsw.is_large(model, domain):
            hnsw.make(model, domain)
        yield {"chunks": len(vectors), "index_s": round(time.perf_counter() - started, 1)}
        yield from measured(asked, domain, model, vectors)


@contextmanager
def another_database() -> Iterator[None]:
    """An empty one on the same server, migrated; the role must be allowed to create databases."""
    name = settings.DATABASES["default"]["NAME"]
    connection.settings_dict["TEST"]["NAME"] = "benchmark_vectors"
    connection.creation.create_test_db(verbosity=0, autoclobber=True, serialize=False)
    try:
        yield
    finally:
        connection.creation.destroy_test_db(name, verbosity=0)


def measured(
    asked: Sequence[np.ndarray], domain: Domain, model: EmbeddingModel, vectors: np.ndarray
) -> Iterator[dict]:
    domain.refresh_from_db()
    scope = DomainScope(domain.pk, domain.slug, domain.corpus_version, False, ("en",))
    ids = np.array(Chunk.objects.filter(domain=domain).order_by("pk").values_list("pk", flat=True))
    for share in SHARES:
        for kind, filters in filters_of(share, len(vectors) // EACH).items():
            base = Query("", "", "", "en", (scope,), embedded_by=model.pk, **filters)
            left = np.isin(ids, list(left_by(base, domain).values_list("pk", flat=True)))
            told = [one(base, vector, ids[left], vectors[left]) for vector in asked]
            yield {"filter": kind, "share": share, "left": int(left.sum())} | summary(told)


def filters_of(share: float, documents: int) -> dict[str, dict]:
    """The same share by a rule's selection and by a day."""
    return {
        "rule": {"include": Selection((Part("tag", tag_of(share)),))},
        "day": {"as_of": day_of(share, documents)},
    }


def left_by(query: Query, domain: Domain) -> QuerySet[Chunk]:
    left = Chunk.objects.filter(
        domain=domain, section__in=Section.objects.readable(query.caller, query.as_of)
    )
    return left if query.include is None else left.filter(in_selection(query.include))


def one(base: Query, vector: np.ndarray, ids: np.ndarray, vectors: np.ndarray) -> dict:
    """One search beside brute force."""
    query = replace(base, vector=vector)
    started = time.perf_counter()
    hits, way = nearest.nearest(query, LIMIT)
    ms = (time.perf_counter() - started) * 1000
    distances = 1 - vectors @ vector.astype(np.float16).astype(np.float32)
    tenth = np.sort(distances)[:AMONG][-1]
    found = np.searchsorted(ids, [chunk for _, chunk, _ in hits[:AMONG]])
    recall = float(np.mean(distances[found] <= tenth + AS_NEAR))
    return {"ms": ms, "way": way, "recall": recall, "short": len(hits) < min(LIMIT, len(ids))}


def summary(told: Sequence[dict]) -> dict:
    """The first search counts what its filter leaves, and is told apart."""
    first, *others = [one["ms"] for one in told]
    return {
        "way": told[-1]["way"],
        "recall": round(float(np.mean([one["recall"] for one in told])), 4),
        "short": sum(one["short"] for one in told),
        "first_ms": round(first, 1),
        "p50": round(float(np.percentile(others, 50)), 1),
        "p95": round(float(np.percentile(others, 95)), 1),
    }
