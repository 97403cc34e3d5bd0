"""Checkpoints come back as they were, are bounded, and go with their job."""

import numpy as np
import pytest

from evaluation.learning import checkpoints
from evaluation.learning.checkpoints import Checkpoints
from retrieval import jobs
from retrieval.errors import ArfError

pytestmark = pytest.mark.django_db


@pytest.fixture
def kept() -> Checkpoints:
    return Checkpoints(jobs.create("retrain", key="retrain"))


def test_pools_come_back_as_they_were_and_in_order(kept, pools):
    kept.save_pools(10, pools[10:20])
    kept.save_pools(0, pools[:10])
    for pool, again in zip(pools[:20], kept.pools(), strict=True):
        assert (again.topic, again.final, again.rows.tolist()) == (pool.topic, pool.final, pool.rows.tolist())
        assert np.array_equal(again.vector, pool.vector)
        assert [c.score for c in again.candidates] == [c.score for c in pool.candidates]


def test_topics_and_arrays_come_back_bit_by_bit(kept, pools):
    topics = [pool.topic for pool in pools[:20]]
    kept.save_topics(topics)
    assert kept.topics() == topics
    values = {"MLP (64, 32)": np.array([0.1, 1 / 3]), "order": np.arange(3)}
    kept.save_arrays("a", values)
    assert {name: array.tolist() for name, array in kept.arrays("a").items()} == {
        name: array.tolist() for name, array in values.items()
    }


def test_a_pickled_object_is_neither_written_nor_read(kept):
    kept.save_arrays("a", {"objects": np.array([{}], dtype=object)})
    with pytest.raises(ValueError, match="allow_pickle"):
        kept.arrays("a")


def test_what_is_saved_twice_is_kept_once(kept):
    for value in ([1], [2]):
        kept.save_json("a", value)
    assert kept.json("a") == [2] and kept.run.checkpoints.count() == 1


def test_a_checkpoint_that_is_gone_or_too_large_is_refused_in_words(kept, monkeypatch):
    with pytest.raises(ArfError, match="begin again"):
        kept.json("a")
    monkeypatch.setattr(checkpoints, "MOST_BYTES", 10)
    with pytest.raises(ArfError, match="at most 10"):
        kept.save("a", bytes(11))
