"""A large corpus made from a small one: its vectors, and the shares that filters leave of it."""

import numpy as np
import pytest

from evaluation.benchmarks import made_corpus
from evaluation.benchmarks.made_corpus import EACH, FIRST_DAY, SHARES, day_of, resampled, tag_of
from retrieval.models import Chunk, ChunkVector, Document, EmbeddingModel, Section

SIZE = 10 * EACH


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
    domain, made = made_corpus.make(vectors, SIZE, row, seed=3)
    assert Chunk.objects.filter(domain=domain).count() == len(made) == SIZE
    stored = ChunkVector.objects.filter(domain=domain).order_by("chunk_id").values_list("vector", flat=True)
    assert np.allclose(np.array(stored, np.float32), made)
    for share in SHARES:
        left = max(round(share * 10), 1)
        assert Document.objects.filter(domain=domain, tags__contains=[tag_of(share)]).count() == left
        in_force = Section.objects.filter(domain=domain, valid_from__lte=day_of(share, 10))
        assert in_force.values("document").distinct().count() == left
