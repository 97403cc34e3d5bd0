"""A cross-encoder in serving: reads pairs, each alone, without torch."""

import json

import numpy as np
import pytest

from retrieval.engines.cross_encoders import (
    CrossEncoder,
    CrossEncoderUnavailable,
    int8_is_good,
    probabilities,
)

QUESTION = "who may search my house"


def test_each_text_has_one_logit_whatever_stands_beside_it(exported):
    model = CrossEncoder(exported)
    texts = ["no warrants shall issue " * 200, "", "The right of the people"]
    together = model.logits(QUESTION, texts)
    assert together.shape == (3,)
    assert together == pytest.approx([model.logits(QUESTION, [text])[0] for text in texts])
    assert model.logits(QUESTION, []).shape == (0,)


def test_its_name_tells_the_weights(exported):
    manifest = json.loads((exported / "manifest.json").read_text())
    assert CrossEncoder(exported).name == f"tiny {manifest['fingerprint']}"


@pytest.mark.parametrize("manifest", [None, "no json"])
def test_without_a_whole_export_it_says_what_to_run(tmp_path, manifest):
    if manifest:
        (tmp_path / "manifest.json").write_text(manifest)
    with pytest.raises(CrossEncoderUnavailable, match="manage.py prepare"):
        CrossEncoder(tmp_path)


def test_int8_serves_only_where_it_was_measured_as_good_on_such_a_cpu(monkeypatch):
    monkeypatch.setattr("retrieval.engines.cross_encoders.int8_kernel", lambda: "avx2")
    assert int8_is_good({"kernel": "avx2", "farthest": 0.05})
    assert not int8_is_good({"kernel": "avx2", "farthest": 0.5})
    assert not int8_is_good({"kernel": "avx512_vnni", "farthest": 0.05}) and not int8_is_good({})


def test_probabilities_rise_with_logits_and_stay_numbers_at_both_ends():
    values = probabilities(np.array([-1e9, -1.0, 0.0, 1.0, 1e9]))
    assert values[2] == 0.5 and (np.diff(values) > 0).all()
    assert values[0] >= 0 and values[-1] <= 1
