"""Rows to learn from are never made from a topic's own judgments."""

import numpy as np

from evaluation.learning.folds import encoded, grouped, neighbours, row_of
from retrieval.stages.reranker.features import FEATURES


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
