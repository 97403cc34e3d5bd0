"""The cross-encoder as a stage: the first candidates are read and keep their order; the reranker learns from it."""

import json

import numpy as np
import pytest

from evaluation.learning.training import cross_knots
from retrieval.access.caller import ANONYMOUS
from retrieval.engines import loaded
from retrieval.engines.cross_encoders import CrossEncoder, CrossEncoderUnavailable, probabilities
from retrieval.indexes.terms import texts_of
from retrieval.request import SearchRequest
from retrieval.search.service import in_scope, run
from retrieval.stages import cross_encoder
from retrieval.stages.reranker.features import FEATURES, of_text
from retrieval.stages.reranker.reranker import asked

QUESTION = "who may search my house"


@pytest.fixture
def configured(settings, exported):
    settings.ARF_CROSS_ENCODER = {"model_dir": "tiny", "export_dir": str(exported)}


def pool_of(text: str):
    scopes, in_force = in_scope(ANONYMOUS, ("us_constitution",))
    return run(SearchRequest(text, pipeline="pool"), ANONYMOUS, scopes, in_force)


def note_of(ranking) -> str:
    """What the stage says of itself."""
    return next(report.note for report in ranking.reports if report.name == "CrossEncoderReranker")


@pytest.mark.django_db
def test_the_first_candidates_are_read_and_keep_their_order(configured, exported):
    ranking = pool_of(QUESTION)
    first = ranking.candidates[0]
    text = cross_encoder.passages(ranking.query, [first])[0]
    logit = CrossEncoder(exported).logits(ranking.query.text, [text])[0]
    assert "searches and seizures" in text
    assert first.scores["cross_encoder_logit"] == pytest.approx(logit)
    assert first.scores["cross_encoder"] == pytest.approx(probabilities(np.array([logit]))[0])
    assert sum("cross_encoder" in candidate.scores for candidate in ranking.candidates) == 30
    assert note_of(ranking).endswith("not calibrated yet")
    fingerprint = json.loads((exported / "manifest.json").read_text())["fingerprint"]
    assert fingerprint in repr(cross_encoder.CrossEncoderReranker())
    rows = of_text(asked(ranking.query), ranking.candidates, texts_of(ranking.query, ranking.candidates))
    assert rows[0, FEATURES.index("cross_encoder")] == pytest.approx(first.scores["cross_encoder"])


@pytest.mark.django_db
def test_without_one_the_stage_says_so_and_without_its_export_the_answer_is_degraded(settings, tmp_path):
    assert note_of(pool_of(QUESTION)) == "no cross-encoder is configured"
    settings.ARF_CROSS_ENCODER = {"model_dir": "x", "export_dir": str(tmp_path)}
    with pytest.raises(CrossEncoderUnavailable, match="has no whole export"):
        loaded.cross_encoder()
    ranking = pool_of(QUESTION)
    assert ranking.degraded == ("CrossEncoderReranker",) and ranking.candidates


def test_its_probability_is_calibrated_on_judged_rows():
    from evaluation.learning.pools import Division

    chance = np.random.default_rng(0)
    rows = np.zeros((400, len(FEATURES)), np.float32)
    nothing = {"unseen": rows[:0], "sizes": np.zeros(0, int)}
    assert cross_knots(Division(rows, np.zeros(400, int), **nothing)) is None
    rows[:, FEATURES.index("cross_encoder")] = plain = chance.uniform(0.01, 1, 400)
    labels = (chance.uniform(size=400) < plain / 4).astype(int)  # four times too sure
    knots = cross_knots(Division(rows, labels, **nothing))
    assert np.interp(plain, *knots).mean() == pytest.approx(labels.mean(), abs=1e-6)
