"""Rules are found by the index and one by one."""

import pytest

from evaluation.benchmarks.rules import benchmark_rules
from evaluation.management.commands.benchmark import shipped_topics

pytestmark = pytest.mark.django_db


def test_rules_are_found_by_the_index_and_one_by_one():
    (row,) = benchmark_rules(shipped_topics(), sizes=[30], count=5, seed=1)
    assert (row["rules"], row["questions"], row["index_ms"]["n"], row["one_by_one_ms"]["n"]) == (30, 5, 5, 5)
