"""Pools hold what serving would rank, in the order that serving would show."""

import numpy as np
import pytest

from evaluation.learning.pools import learnable, pools_of
from evaluation.learning.training import rankings
from evaluation.topics.topic import read_topics
from retrieval.errors import ArfError
from retrieval.stages.reranker.artifact import pack
from tests.evaluation.learning.conftest import TOPICS
from tests.rerankers import publish_limits, some_reranker


@pytest.mark.django_db
def test_a_challenger_is_compared_in_the_order_that_its_domain_would_show():
    publish_limits(blend=0.0)
    [topic] = [t for t in read_topics(TOPICS, split="train") if t.answerable][:1]
    [pool] = pools_of([topic])
    assert pool.blend == 0.0
    fused = [pool.locators[n] for n in np.argsort([-c.score for c in pool.candidates], kind="stable")]
    assert rankings(pack(some_reranker(), seed=1), [pool]) == [fused]


def test_too_few_topics_are_refused(pools):
    with pytest.raises(ArfError, match="too few to learn from"):
        learnable(pools[:20])
