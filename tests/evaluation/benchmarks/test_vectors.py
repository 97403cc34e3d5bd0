"""Filtered vector search is measured by filters that leave the same share, and told apart from its first search."""

import numpy as np
import pytest

from evaluation.benchmarks import vectors
from evaluation.benchmarks.vectors import EACH, FIRST_DAY, SHARES, day_of, make, resampled, tag_of
from retrieval.models import Chunk, ChunkVector, Document, EmbeddingModel, Section
from retrieval.ranking import DomainScope, Query

SIZE = 10 * EACH


def one(ms, recall=1.0, short=False):
    return {"ms": ms, "way": "exact", "recall": recall, "short": short}


def test_the_first_search_counts_what_its_filter_leaves_and_is_told_apart():
    told = vectors.summary([one(100.0), one(1.0, recall=0.5), one(3.0, short=True)])
    assert told["first_ms"] == 100.0 and told["p50"] == 2.0 and told["p95"] < 3.0
    assert (told["recall"], told["short"], told["way"]) == (round(2.5 / 3, 4), 1, "exact")


@pytest.mark.django_db
def test_both_filters_leave_the_same_share_and_an_exact_search_finds_all_of_the_nearest():
    row, size = EmbeddingModel.objects.get(), 10 * vectors.EACH
    source = np.array(ChunkVector.objects.order_by("pk").values_list("vector", flat=True)[:50], np.float32)
    domain, made = vectors.make(source, size, row, seed=3)
    scope = DomainScope(domain.pk, domain.slug, domain.corpus_version, False, ("en",))
    ids = np.array(Chunk.objects.filter(domain=domain).order_by("pk").values_list("pk", flat=True))
    for filters in vectors.filters_of(0.5, 10).values():
        base = Query("", "", "", "en", (scope,), embedded_by=row.pk, **filters)
        left = np.isin(ids, list(vectors.left_by(base, domain).values_list("pk", flat=True)))
        assert left.sum() == size / 2
        found = vectors.one(base, source[0], ids[left], made[left])
        assert found["recall"] == 1.0 and not found["short"]


@pytest.fixture
def source():
    vectors = np.random.default_rng(1).standard_normal((40, 8)).astype(np.float32)
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


def test_made_vectors_have_unit_length_and_lie_around_their_documents_subject(source):
    made = resampled(source, 5, np.random.default_rng(2))
    assert made.shape == (5 * EACH, 8)
    assert np.linalg.norm(made, axis=1) == pytest.approx(1, abs=1e-3)
    near = made @ made.T
    own = np.kron(np.eye(5, dtype=bool), np.ones((EACH, EACH), dtype=bool))
    assert near[own].mean() > near[~own].mean() + 0.1


def test_a_day_and_a_tag_tell_a_share():
    assert [tag_of(share) for share in (0.0001, 1.0)] == ["share-0.0001", "share-1"]
    assert day_of(0.0001, 100) == FIRST_DAY
    assert (day_of(1.0, 100) - FIRST_DAY).days == 99


@pytest.mark.django_db
def test_tags_and_days_leave_their_share_of_the_corpus():
    row = EmbeddingModel.objects.get()
    vectors = np.array(ChunkVector.objects.order_by("pk").values_list("vector", flat=True)[:50], np.float32)
    domain, made = make(vectors, SIZE, row, seed=3)
    assert Chunk.objects.filter(domain=domain).count() == len(made) == SIZE
    stored = ChunkVector.objects.filter(domain=domain).order_by("chunk_id").values_list("vector", flat=True)
    assert np.allclose(np.array(stored, np.float32), made)
    for share in SHARES:
        left = max(round(share * 10), 1)
        assert Document.objects.filter(domain=domain, tags__contains=[tag_of(share)]).count() == left
        in_force = Section.objects.filter(domain=domain, valid_from__lte=day_of(share, 10))
        assert in_force.values("document").distinct().count() == left
