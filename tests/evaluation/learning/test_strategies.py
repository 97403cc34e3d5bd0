import json

import numpy as np
import pytest

from evaluation.learning import strategies
from rules.questions.strategy import CHOICES, LEARNED


def test_our_labels_are_learned_and_their_probabilities_mean_what_they_say():
    found = strategies.cross_validated(strategies.ours(), strategies.by_features)
    assert found["accuracy"] >= 0.94 and found["calibration_error"] <= 0.06


def test_what_ships_is_what_is_learned():
    shipped, again = json.loads(LEARNED.read_text()), strategies.trained()
    assert shipped["choices"] == list(CHOICES) and shipped["features"] == again["features"]
    assert np.allclose(shipped["weights"], again["weights"], atol=0.01)


def test_each_source_is_judged_by_a_model_of_the_others(tmp_path):
    rows = [
        {"text": f"{word} {n}", "label": label, "source": f"{label}:{n % 2}"}
        for n in range(12)
        for word, label in (("hello", "no_retrieval"), ("statute", "single_hop"))
    ]
    file = tmp_path / "routing.jsonl"
    file.write_text("\n".join(map(json.dumps, rows)))
    found = strategies.leaving_out_each_source(strategies.of_routing(file), strategies.by_words)
    assert len(found) == 4 and set(found.values()) == {1.0}


def test_confidence_that_is_right_has_no_error():
    assert strategies.calibration_error(np.ones(4), np.ones(4, bool)) == 0.0
    assert strategies.calibration_error(np.ones(4), np.zeros(4, bool)) == pytest.approx(1.0)
