"""Pools hold what serving would rank, in the order that serving would show."""

import numpy as np
import pytest

from evaluation.learning.pools import encoded, grouped, learnable, neighbours, pools_of, row_of
from evaluation.learning.training import rankings
from evaluation.topics.topic import read_topics
from retrieval.errors import ArfError
from retrieval.stages.reranker.artifact import pack
from retrieval.stages.reranker.features import FEATURES
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


def test_topics_of_one_group_are_never_on_both_sides(pools):
    for inside, outside in grouped(pools, 5):
        assert not {pools[n].topic.group for n in inside} & {pools[n].topic.group for n in outside}


def test_no_topic_votes_for_itself_in_training(pools):
    column = FEATURES.index("votes_best_neighbour")
    alone = [pool for pool in pools if pool.topic.relevant and pool.vector is not None][:60]
    served = [row_of(pool, neighbours(alone))[:, column].max() for pool in alone]
    learned = [rows[:, column].max() for rows in encoded(alone)]
    assert np.mean(served) > 0.99
    assert np.mean(learned) < 0.9
