"""Filtered vector search is measured by filters that leave the same share, and told apart from its first search."""

import numpy as np
import pytest

from evaluation.benchmarks import made_corpus, vectors
from retrieval.models import Chunk, ChunkVector, EmbeddingModel
from retrieval.ranking import DomainScope, Query


def one(ms, recall=1.0, short=False):
    return {"ms": ms, "way": "exact", "recall": recall, "short": short}


def test_the_first_search_counts_what_its_filter_leaves_and_is_told_apart():
    told = vectors.summary([one(100.0), one(1.0, recall=0.5), one(3.0, short=True)])
    assert told["first_ms"] == 100.0 and told["p50"] == 2.0 and told["p95"] < 3.0
    assert (told["recall"], told["short"], told["way"]) == (round(2.5 / 3, 4), 1, "exact")


@pytest.mark.django_db
def test_both_filters_leave_the_same_share_and_an_exact_search_finds_all_of_the_nearest():
    row, size = EmbeddingModel.objects.get(), 10 * made_corpus.EACH
    source = np.array(ChunkVector.objects.order_by("pk").values_list("vector", flat=True)[:50], np.float32)
    domain, made = made_corpus.make(source, size, row, seed=3)
    scope = DomainScope(domain.pk, domain.slug, domain.corpus_version, False, ("en",))
    ids = np.array(Chunk.objects.filter(domain=domain).order_by("pk").values_list("pk", flat=True))
    for filters in vectors.filters_of(0.5, 10).values():
        base = Query("", "", "", "en", (scope,), embedded_by=row.pk, **filters)
        left = np.isin(ids, list(vectors.left_by(base, domain).values_list("pk", flat=True)))
        assert left.sum() == size / 2
        found = vectors.one(base, source[0], ids[left], made[left])
        assert found["recall"] == 1.0 and not found["short"]
