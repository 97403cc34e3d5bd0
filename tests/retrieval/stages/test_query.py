"""The question in plain characters, its language, and its vector."""

import numpy as np
import pytest

from retrieval.engines import loaded
from retrieval.engines.embedders import EmbeddingUnavailable
from retrieval.pipeline import run_stage
from retrieval.ranking import Query, Ranking
from retrieval.stages.query import EmbedQuery, Normalize

pytestmark = pytest.mark.django_db


def normalized(text: str, language: str = "") -> Query:
    return Normalize()(Ranking(Query(text, text, "", language, ()))).query


def test_blanks_and_case_are_made_plain_and_the_original_kept():
    query = normalized("  Who   APPOINTS judges? ")
    assert query.original == query.text == "Who APPOINTS judges?"
    assert query.normalized == "who appoints judges"


@pytest.mark.parametrize(
    ("text", "language"), [("who can search my house", "en"), ("¿quién puede revisar mi casa?", "es")]
)
def test_the_language_is_the_one_it_is_written_in(text, language):
    assert normalized(text).language == language


def test_a_language_asked_for_holds():
    assert normalized("habeas corpus", "es").language == "es"


def embedded(**fields) -> Ranking:
    return run_stage(EmbedQuery(), Ranking(Query("law", "law", "law", "en", ()), **fields))


def test_the_query_has_a_vector_of_unit_length_and_tells_whose():
    query = embedded().query
    assert np.linalg.norm(query.vector) == pytest.approx(1.0, abs=1e-5)
    assert query.embedded_by == loaded.active_embedder().model_id


def test_a_final_order_needs_none():
    assert embedded(final=True).query.vector is None


def test_an_embedder_that_fails_degrades_the_answer(monkeypatch):
    def unavailable(active, text):
        raise EmbeddingUnavailable("no answer")

    monkeypatch.setattr(loaded.ActiveEmbedder, "vector_of", unavailable)
    ranking = embedded()
    assert ranking.degraded == ("EmbedQuery",) and "no answer" in ranking.reports[-1].note
