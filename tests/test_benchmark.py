"""That the benchmarks measure what they say: that they run, and on what. How long it takes is no test's business."""

import io
import json

import pytest
from django.core.management import CommandError, call_command

from evaluation.management.commands.benchmark import shipped_topics
from evaluation.rule_benchmark import benchmark_rules
from tests.served import site  # noqa: F401

pytestmark = pytest.mark.django_db


def told(*arguments) -> dict:
    out = io.StringIO()
    call_command("benchmark", *arguments, "--json", stdout=out)
    return json.loads(out.getvalue())


def test_features_are_timed_in_both_ways_and_the_loading_of_words_apart():
    found = told("features", "--count", "2", "--seed", "1")
    assert (found["candidates"], found["words"], found["repeat"]) == (50, 300, 2)
    assert found["loading"]["sections"] == 50
    assert all(found[which]["p95"] > 0 for which in ("ours_ms", "arf_ms"))


def test_searches_are_cold_first_and_cached_then(site):  # noqa: F811
    (row,) = told("search", "--url", site, "--count", "20", "--clients", "1", "--seed", "3")["rows"]
    assert row["cold"]["all"]["n"] == 20
    assert row["cached"]["all"]["n"] == 60
    assert {"EmbedQuery", "Fuse", "Present"} <= row["stages_ms"].keys()


def test_rules_are_found_by_the_index_and_one_by_one():
    (row,) = benchmark_rules(shipped_topics(), sizes=[30], count=5, seed=1)
    assert (row["rules"], row["questions"], row["index_ms"]["n"], row["one_by_one_ms"]["n"]) == (30, 5, 5, 5)


def test_no_server_is_said_in_one_line():
    with pytest.raises(CommandError, match="no answer"):
        call_command("benchmark", "search", "--url", "http://127.0.0.1:9", "--count", "2")
