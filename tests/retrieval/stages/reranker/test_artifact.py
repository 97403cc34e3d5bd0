"""A trained reranker: its artifact without pickle, and its blend with other scores."""

import hashlib
import io
import json
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.learning import registry
from evaluation.learning.training import Trained
from retrieval.stages.reranker.artifact import BadArtifact, Dense, Layer, blended, pack, unpack
from retrieval.stages.reranker.features import FEATURES
from tests.rerankers import SURE, some_reranker


def test_an_artifact_comes_back_as_it_was_and_a_changed_one_is_refused():
    reranker = some_reranker()
    artifact = pack(reranker, seed=0)
    sha256 = hashlib.sha256(artifact).hexdigest()
    rows = np.ones((2, len(FEATURES)))
    assert unpack(artifact, sha256).raw(rows) == pytest.approx(reranker.raw(rows))
    assert unpack(artifact, sha256).judged.prior == {"/a": 2}
    assert unpack(artifact, sha256).judged.unanswerable.tolist() == reranker.judged.unanswerable.tolist()
    assert unpack(artifact, sha256).answers == reranker.answers
    with pytest.raises(BadArtifact, match="not the one that was registered"):
        unpack(artifact + b" ", sha256)


def test_a_body_of_law_answers_by_its_own_calibration_and_any_other_by_that_of_all():
    doubting = [*SURE[""][:-1], -1.0]
    reranker = replace(some_reranker(), answers=SURE | {"us_code": doubting})
    rows, grades = np.ones((2, len(FEATURES))), np.zeros(2)
    assert reranker.scored(rows, grades, "us_code").answer == pytest.approx(1 / (1 + np.e))
    assert reranker.scored(rows, grades, "us_constitution").answer > 0.99


def test_the_blend_lies_between_zero_and_one_and_follows_its_share():
    scores, learned = np.array([3.0, 1.0, 2.0]), np.array([0.0, 1.0, 0.5])
    assert blended(scores, learned, 0.0).tolist() == [1.0, 0.0, 0.5]
    assert blended(scores, learned, 1.0).tolist() == learned.tolist()
    assert blended(np.array([2.0, 2.0]), np.array([0.1, 0.2]), 0.5) == pytest.approx([0.55, 0.6])


def test_one_blend_each_is_that_of_each():
    scores, learned = np.array([2.0, 1.0]), np.array([0.5, 0.5])
    assert blended(scores, learned, np.array([0.0, 1.0])).tolist() == [1.0, 0.5]


@given(
    rows=st.lists(st.tuples(st.floats(0, 9), st.floats(0, 1), st.floats(0, 1)), min_size=1, max_size=20),
    probability=st.floats(0, 1),
)
def test_a_higher_probability_never_lowers_a_candidate(rows, probability):
    scores, learned, blends = (np.array(column) for column in zip(*rows, strict=True))
    raised = learned.copy()
    raised[0] = max(learned[0], probability)
    before, after = blended(scores, learned, blends), blended(scores, raised, blends)
    assert (after[1:] == before[1:]).all() and after[0] >= before[0]


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"answer_scale": None}, "The reranker tells answers on another scale: run `manage.py retrain`."),
        ({"kind": "trees"}, "The reranker is of a kind that is no longer served: run `manage.py retrain`."),
    ],
)
def test_a_reranker_of_another_scale_or_kind_is_refused_as_one_of_other_features_is(change, reason):
    with np.load(io.BytesIO(pack(some_reranker(), seed=0))) as file:
        arrays = dict(file)
    told = json.loads(arrays["told"].tobytes()) | change
    arrays["told"] = np.frombuffer(json.dumps(told).encode(), dtype=np.uint8)
    np.savez(packed := io.BytesIO(), **arrays)
    assert registry.problem_of(registry.save(Trained(packed.getvalue(), {"family": "earlier"}))) == reason


ROWS = np.array([[1.0, -2.0], [-1.0, 3.0]])
NETWORK = Dense(
    (
        Layer(np.eye(2), np.array([0.0, 1.0])),
        Layer(np.array([[2.0], [1.0]]), np.array([0.5])),
    )
)


def test_a_layer_passes_on_only_what_is_above_zero():
    assert NETWORK.logits(ROWS).tolist() == [2.5, 4.5]


def test_one_layer_alone_is_linear():
    assert Dense(NETWORK.layers[1:]).logits(ROWS).tolist() == [0.5, 1.5]


def test_a_model_is_the_same_after_it_was_stored_as_arrays():
    again = Dense.of(NETWORK.arrays())
    assert again.logits(ROWS).tolist() == NETWORK.logits(ROWS).tolist()


def test_weights_too_small_to_tell_are_none():
    tiny = np.array([[1.0, 1e-40], [-1e-38, -2.0]], np.float32)
    kept = Dense.of({"weights0": tiny, "bias0": np.zeros(2)}).layers[0].weights
    assert kept.tolist() == [[1.0, 0.0], [0.0, -2.0]] and kept.dtype == np.float32
