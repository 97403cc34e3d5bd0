"""A challenger is compared fairly, and found out if it has seen a test topic."""

import time
from dataclasses import replace
from itertools import count

import numpy as np
import pytest

from evaluation.learning import promotion
from evaluation.learning.model_comparison import is_slower, leaks_into, measured
from evaluation.learning.pools import pools_of
from retrieval.stages.reranker.artifact import pack
from tests.evaluation.learning.conftest import some
from tests.evaluation.learning.rerankers import of_other_features
from tests.rerankers import some_reranker

pytestmark = pytest.mark.django_db


@pytest.mark.slow
def test_a_model_that_carries_a_test_topic_is_found_out(pools, trained):
    assert leaks_into(trained.artifact, trained.manifest, pools_of(some("test", 20))) == []
    seen = next(pool for pool in pools if pool.topic.relevant and pool.vector is not None)
    found = leaks_into(trained.artifact, trained.manifest, [seen])
    assert any("by its name" in each for each in found)
    renamed = replace(seen, topic=replace(seen.topic, id="other", group=""))
    [neighbour] = leaks_into(trained.artifact, {}, [renamed])
    assert neighbour == f"“{seen.topic.query}” among the judged neighbours"


def test_a_busy_machine_does_not_speak_against_a_model(monkeypatch):
    tested, clock = pools_of(some("test", 10)), count(step=3600.0)  # an hour passes whenever one looks
    monkeypatch.setattr(time, "perf_counter", lambda: next(clock))
    compared = measured(tested, pack(some_reranker(), seed=0), None)
    assert compared["ms"] < promotion.SLOWEST_MS
    assert not any("processor time" in reason for reason in compared["decision"]["reasons"])


def test_only_a_challenger_that_alone_reads_a_cross_encoder_is_slower():
    plain = pack(some_reranker(), seed=0)
    reading = pack(replace(some_reranker(), cross=np.array([[0.0, 1.0], [0.0, 1.0]])), seed=0)
    assert is_slower(reading, plain) and is_slower(reading, None)
    assert is_slower(reading, of_other_features(reading))
    assert not is_slower(reading, reading) and not is_slower(plain, reading)
