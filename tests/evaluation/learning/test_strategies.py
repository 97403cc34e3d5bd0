import json
from io import StringIO

import numpy as np
import pytest
from django.core.management import call_command

from evaluation.learning import strategies
from evaluation.management.commands import train_strategy
from rules.questions.strategy import CHOICES, LEARNED


def test_our_labels_are_learned_and_their_probabilities_mean_what_they_say():
    found = strategies.cross_validated(strategies.ours(), strategies.by_features)
    assert found["accuracy"] >= 0.94 and found["calibration_error"] <= 0.06


def test_what_ships_is_what_is_learned():
    shipped, again = json.loads(LEARNED.read_text()), strategies.trained()
    assert shipped["choices"] == list(CHOICES) and shipped["features"] == again["features"]
    assert np.allclose(shipped["weights"], again["weights"], atol=0.01)


@pytest.mark.parametrize(("options", "kept"), [((), "as it was"), (("--write",), "learned")])
def test_the_command_keeps_what_it_learned_only_where_it_is_told_to(tmp_path, monkeypatch, options, kept):
    served = tmp_path / "learned.json"
    served.write_text("as it was")
    monkeypatch.setattr(train_strategy, "LEARNED", served)
    monkeypatch.setattr(strategies, "cross_validated", lambda rows, reading: {"accuracy": 1.0})
    monkeypatch.setattr(strategies, "trained", lambda: "learned")
    call_command("train_strategy", *options, stdout=StringIO())
    assert served.read_text().strip('"\n') == kept


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
