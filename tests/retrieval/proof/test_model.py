import json

import numpy as np
import pytest

from retrieval.engines.cross_encoders import CrossEncoderUnavailable
from retrieval.proof import model
from retrieval.proof.model import FEATURES, READ, VERDICTS, Model, shipped


def test_probabilities_sum_to_one():
    made = Model(np.ones((3, 2)), np.array([0.0, 1.0, 2.0]))
    shares = made.probabilities([0.5, 0.5])
    assert list(shares) == list(VERDICTS) and sum(shares.values()) == pytest.approx(1)
    assert max(shares, key=shares.get) == "not_found"


def test_the_shipped_models_are_for_these_features():
    assert shipped(read=False).weights.shape == (len(VERDICTS), len(FEATURES))
    assert shipped(read=True).weights.shape == (len(VERDICTS), len(READ))


def test_a_model_for_other_features_is_refused(tmp_path, monkeypatch):
    path = tmp_path / "model.json"
    path.write_text(json.dumps({"read": {"features": ["other"], "weights": [], "bias": []}}))
    monkeypatch.setattr(model, "FILE", path)
    with pytest.raises(ValueError, match="train_proof"):
        shipped.__wrapped__(read=True)


def test_a_model_that_weighs_what_another_entailment_model_reads_is_refused_in_words(tmp_path, monkeypatch):
    made = json.loads(model.FILE.read_text("utf-8"))
    made["read"]["read_by"] = "of another one"
    monkeypatch.setattr(model, "FILE", tmp_path / "model.json")
    model.FILE.write_text(json.dumps(made))
    with pytest.raises(CrossEncoderUnavailable, match="train_proof --write"):
        shipped.__wrapped__(read=True)
    assert shipped.__wrapped__(read=False).weights.any()
