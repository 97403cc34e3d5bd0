"""Filtered vector search in a large corpus made up from a small one: how much of the nearest it finds, and how fast.
Never a unit test.
"""

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace

import numpy as np
from django.conf import settings
from django.db import connection
from django.db.models import QuerySet

from evaluation.benchmarks.made_corpus import EACH, SHARES, day_of, make, tag_of
from retrieval.corpus.filters import in_selection
from retrieval.engines import loaded
from retrieval.indexes import hnsw, nearest
from retrieval.models import Chunk, ChunkVector, Domain, EmbeddingModel, Section
from retrieval.ranking import DomainScope, Query
from retrieval.targets import Part, Selection

LIMIT = 300  # hits, as the dense leg asks for
AMONG = 10  # recall is of the ten nearest
AS_NEAR = 1e-4  # float16 tells no smaller distances apart


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
        if hnsw.is_large(domain):
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
