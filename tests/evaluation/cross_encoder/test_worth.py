"""What reading is worth: rerankers with and without it are compared on the same topics, and what it costs is told."""

import json
from dataclasses import replace

import numpy as np
import pytest

from evaluation.cross_encoder import worth
from evaluation.cross_encoder.pairs import Asked
from evaluation.cross_encoder.worth import READ, Reading, Worth, at_depth, best_of, measured, readings
from evaluation.learning import pools as learning_pools
from evaluation.learning import training
from evaluation.measuring.measures import Estimate


class Encoder:
    """Counts what it reads."""

    def __init__(self):
        self.read = 0

    def logits(self, question, texts):
        self.read += len(texts)
        return np.array([float(len(text)) for text in texts])


@pytest.fixture
def topics(pools):
    searched = [pool for pool in pools if len(pool.candidates) > 3 and not pool.final]
    return [Asked(pool, pool.topic.query, ("a", "bb", "ccc")) for pool in searched[:3]]


def test_what_was_read_before_a_kill_is_not_read_again(topics, tmp_path):
    file, encoder = tmp_path / "readings.jsonl", Encoder()
    first = readings(file, encoder, topics[:2])
    file.write_text(file.read_text()[:-20])  # killed within the second line
    again = readings(file, encoder, topics)
    assert encoder.read == 6 + 6 and {*again} == {one.pool.topic.id for one in topics}
    assert {name: read.logits for name, read in again.items()} == dict.fromkeys(again, [1.0, 2.0, 3.0])
    assert first[topics[0].pool.topic.id] == again[topics[0].pool.topic.id]
    assert [json.loads(line)["topic"] for line in file.read_text().splitlines()] == [*again]


def test_a_depth_shows_the_reranker_no_more_than_the_stage_would(topics):
    one = topics[0]
    read = {one.pool.topic.id: Reading([0.0, 0.0, 0.0], [1.0] * 3)}
    assert at_depth(one, 2, read).rows[:4, READ].tolist() == [0.5, 0.5, 0.0, 0.0]
    assert not at_depth(one, 0, read).rows[:, READ].any() and not one.pool.rows[:, READ].any()


def test_readings_that_know_the_answer_are_worth_something_and_more_the_deeper(pools, monkeypatch):
    monkeypatch.setattr(training, "EPOCHS", 4)
    monkeypatch.setattr(learning_pools, "FEWEST", 20)
    monkeypatch.setattr(worth, "DEPTHS", (1, 50))
    topics = [Asked(pool, pool.topic.query, ()) for pool in pools if pool.candidates and not pool.final]
    read = {
        one.pool.topic.id: Reading((8.0 * labels - 4.0).tolist(), [0.1] * len(labels))
        for one in topics
        if len(labels := one.pool.labels[:50])
    }
    answerable = [one for one in topics[1::2] if one.pool.topic.answerable]
    without, shallow, deep = measured(topics[::2], answerable, read)
    assert without.differences["nDCG@10"].mean == 0.0
    assert shallow.ms == pytest.approx(0.1) and deep.ms > 1.0
    assert deep.is_proven and deep.means["nDCG@10"] > shallow.means["nDCG@10"]
    assert deep.gain_per_ms == pytest.approx((deep.means["nDCG@10"] - without.means["nDCG@10"]) / deep.ms)


def some_worth(depth: int, gain: float, ms: float, p: float) -> Worth:
    differences = dict.fromkeys(("nDCG@10", "MRR@10"), Estimate(gain, gain, gain))
    return Worth(depth, dict.fromkeys(differences, 0.9), differences, p, ms, ms)


def test_the_depth_that_gains_most_for_its_time_is_chosen_of_those_proven_and_quick():
    ten, twenty = some_worth(10, 0.01, 10.0, 0.01), some_worth(20, 0.03, 20.0, 0.01)
    slow, unproven = some_worth(50, 9.0, 41.0, 0.01), some_worth(5, 9.0, 1.0, 0.05)
    assert best_of([ten, twenty, slow, unproven]) == twenty
    assert best_of([slow, unproven, replace(ten, p_better=0.2)]) is None
