"""The query's vector."""

import numpy as np
import pytest

from retrieval.engines import loaded
from retrieval.engines.embedders import EmbeddingUnavailable
from retrieval.pipeline import run_stage
from retrieval.ranking import Query, Ranking
from retrieval.stages.query_embedding import EmbedQuery

pytestmark = pytest.mark.django_db


def embedded(**fields) -> Ranking:
    return run_stage(EmbedQuery(), Ranking(Query("law", "law", "law", "en", ()), **fields))


def test_the_query_has_a_vector_of_unit_length_and_tells_whose():
    query = embedded().query
    assert np.linalg.norm(query.vector) == pytest.approx(1.0, abs=1e-5)
    assert query.embedded_by == loaded.active_embedder().model_id


def test_a_final_order_needs_none():
    assert embedded(final=True).query.vector is None


def test_an_embedder_that_fails_degrades_the_answer(monkeypatch):
    def unavailable(text):
        raise EmbeddingUnavailable("no answer")

    monkeypatch.setattr(loaded.active_embedder().embedder, "embed_query", unavailable)
    ranking = embedded()
    assert ranking.degraded == ("EmbedQuery",) and "no answer" in ranking.reports[-1].note
