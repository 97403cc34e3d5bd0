"""Whether any of several bodies of law answers."""

from dataclasses import replace

import numpy as np
import pytest

from evaluation.learning import registry
from evaluation.learning.training import Trained
from retrieval.access.caller import ANONYMOUS
from retrieval.engines import loaded
from retrieval.ranking import Query
from retrieval.search.service import in_scope
from retrieval.stages.reranker.artifact import pack
from rules.thresholds.any_answer import features, in_force
from tests.rerankers import some_reranker


def knowing_unanswerable(*questions: str) -> None:
    """Deploys a reranker that is sure of every answer, and knows these questions that nothing answers."""
    embedder = loaded.active_embedder(0).embedder
    vectors = np.array([embedder.embed_query(question) for question in questions], np.float32)
    reranker = some_reranker()
    known = replace(reranker, judged=replace(reranker.judged, unanswerable=vectors))
    registry.deploy(registry.save(Trained(pack(known, seed=0), {"family": "a test"})))


def test_evidence_and_likeness_to_what_was_answered_both_speak_for_an_answer():
    answering = in_force()
    rows = [(evidence, likeness) for evidence in (-3.0, 0.0, 3.0) for likeness in (-0.2, 0.0, 0.2)]
    table = np.array([answering.of(np.array(row)) for row in rows]).reshape(3, 3)
    assert (np.diff(table, axis=0) > 0).all() and (np.diff(table, axis=1) > 0).all()
    assert table[0, 0] < answering.minimum < table[2, 2]


@pytest.mark.django_db
def test_a_question_is_read_beside_those_that_the_reranker_in_force_knows():
    knowing_unanswerable("best recipe for apple pie")
    vector = loaded.active_embedder(0).embedder.embed_query("a recipe for an apple pie")
    domains, versions = in_scope(ANONYMOUS)
    evidence, likeness = features(Query("q", "q", "q", "en", domains, versions=versions, vector=vector), 1.5)
    assert evidence == 1.5 and likeness < -0.5
