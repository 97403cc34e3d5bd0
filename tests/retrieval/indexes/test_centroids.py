"""Centres of a domain's vectors: clustered, joined, and brought up to date by what is published."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval.indexes import centroids, terms
from retrieval.indexes.centroids import MOST, NONE, Centroids, clustered, joined, units
from retrieval.models import Domain, Vocabulary
from tests.builders import a_document, a_domain, a_section, embedded

NOTHING = Centroids(NONE, np.zeros(0, np.float32))


def some_vectors(count: int, seed: int = 0) -> np.ndarray:
    return units(np.random.default_rng(seed).normal(size=(count, 8))).astype(np.float32)


@given(st.integers(1, 300))
def test_centres_are_few_of_unit_length_and_stand_for_every_text(count):
    found = clustered(some_vectors(count))
    assert 0 < len(found.weights) <= MOST and found.weights.sum() == count
    assert np.linalg.norm(found.vectors, axis=1) == pytest.approx(1.0, abs=1e-5)


def test_each_group_of_texts_has_its_centre():
    groups = units(np.repeat(np.eye(2, 8), 20, axis=0) + some_vectors(40) / 20)
    found = clustered(groups)
    assert min(found.nearest(np.eye(8)[0]), found.nearest(np.eye(8)[1])) > 0.95 > found.nearest(np.eye(8)[2])


def test_joining_keeps_the_number_small_and_loses_no_weight():
    found = NOTHING
    for seed in range(5):
        found = joined(found, clustered(some_vectors(200, seed)))
    assert len(found.weights) == MOST and found.weights.sum() == 1000


def test_nothing_is_near_where_there_is_no_text():
    assert len(clustered(NONE).weights) == 0
    assert NOTHING.nearest(np.eye(8)[0]) == 0.0
    assert joined(NOTHING, clustered(some_vectors(9))).weights.sum() == 9


@pytest.mark.parametrize("found", [NOTHING, clustered(some_vectors(50))])
def test_what_is_stored_is_read_as_it_was(found):
    read = Centroids.from_bytes(found.to_bytes())
    assert read.vectors.tolist() == found.vectors.tolist() and read.weights.tolist() == found.weights.tolist()


@pytest.mark.django_db
def test_publishing_reads_the_vectors_of_what_is_new_alone(monkeypatch):
    document = a_document(a_domain())
    embedded(a_section(document, "Tenant pays rent on the first of each month."))
    terms.count_again()
    domain = Domain.objects.get(pk=document.domain_id)
    version = domain.corpus_version
    (new,) = embedded(a_section(document, "No dog may be kept in the apartment."))
    read = []
    monkeypatch.setattr(centroids, "clustered", lambda vectors: read.append(len(vectors)) or clustered(vectors))
    terms.count_published(domain, version, added=[new.pk], removed=[])
    assert read == [1]
    assert terms.centres_in(Vocabulary.objects.get(domain=domain)).weights.tolist() == [1, 1]
