"""Measures agree with the field's tool; intervals hold their means."""

import importlib.util
import json
import random
from itertools import product

import numpy as np
import pytest
from django.core.management import CommandError, call_command

from evaluation.measuring.measures import (
    compare,
    condense,
    credit,
    credited,
    estimate,
    judged_share,
    measure_each,
    measure_topic,
    paired_difference,
    randomisation_test,
)
from evaluation.measuring.runs import report, store
from evaluation.topics.topic import Topic
from retrieval.errors import ArfError
from tests.conftest import MEASURING_DATA

LOCATORS = [
    "/us/const/amendment/XIV", "/us/const/amendment/XIV/section/1", "/us/const/amendment/I", "/us/const/article/I",
    "/us/const/article/I/section/8", "/us/const/article/I/section/8/clause/3", "/us/const/preamble",
]  # fmt: skip


@pytest.fixture(scope="module")
def contract_tool():
    """The tool by which others measure a running server."""
    path = MEASURING_DATA.parent / "tools/evaluate_api.py"
    spec = importlib.util.spec_from_file_location("evaluate_api", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.measuring_data
def test_measures_agree_with_the_contracts_tool_on_random_rankings(contract_tool):
    chance = random.Random(7)
    for _ in range(300):
        relevant = {x: chance.randint(1, 3) for x in chance.sample(LOCATORS, chance.randint(1, 3))}
        ranking = chance.sample(LOCATORS, chance.randint(0, 7))
        theirs, ours = contract_tool.measure(ranking, relevant), measure_topic(ranking, relevant)
        assert ours["nDCG@10"] == pytest.approx(theirs["ndcg@10"], abs=1e-9)
        assert ours["MRR@10"] == pytest.approx(theirs["mrr@10"])
        assert ours["P@1"] == pytest.approx(theirs["p@1"])


@pytest.mark.parametrize(
    ("locator", "relevant", "counts_for"),
    [
        ("/us/usc/t8/s1158/a", {"/us/usc/t8/s1158": 2}, "/us/usc/t8/s1158"),
        (
            "/us/const/amendment/XIV",
            {"/us/const/amendment/XIV/section/1": 2},
            "/us/const/amendment/XIV/section/1",
        ),
        ("/us/const/article/I", {"/us/const/article/I/section/1": 2}, None),
        ("/us/usc/t8/s1158/a/2", {"/us/usc/t8/s1158": 2, "/us/usc/t8/s1158/a": 0}, None),
        ("/us/const/amendment/XIV", {"/us/const/amendment/XIV/section/1": 0}, None),
        ("/us/const/amendment/I", {"/us/const/amendment/II": 1}, None),
    ],
)
def test_a_result_counts_for_what_it_shows(locator, relevant, counts_for):
    assert credited(locator, relevant) == counts_for


def test_measuring_topics_together_gives_what_each_has_alone():
    chance = random.Random(8)
    topics = [
        (
            chance.sample(LOCATORS, chance.randint(0, 7)),
            {x: chance.randint(1, 3) for x in chance.sample(LOCATORS, chance.randint(0, 3))},
        )
        for _ in range(100)
    ]
    assert measure_each(topics) == [measure_topic(*topic) for topic in topics]
    assert measure_each([([], {"/a": 1})], ["P@1"]) == [{"P@1": 0.0}]


def test_showing_a_provision_twice_neither_helps_nor_hurts():
    relevant = {"/us/const/amendment/XIV/section/1": 2}
    shown = ["/us/const/amendment/XIV", "/us/const/amendment/XIV/section/1", "/us/const/amendment/I"]
    assert credit(shown, relevant) == ["/us/const/amendment/XIV/section/1", "/us/const/amendment/I"]


def test_an_interval_holds_its_mean_and_is_repeatable():
    values = [0.0, 1.0] * 50
    first, second = estimate(values), estimate(values)
    assert first == second
    assert first.low < first.mean == 0.5 < first.high
    assert paired_difference(values, values).mean == 0


GRADES = {"/r/1": 3, "/r/2": 1, "/n": 0}


def test_what_nobody_judged_is_left_out_of_condensed_measures():
    shown = ["/u/1", "/n", "/u/2", "/r/1"]
    assert condense(shown, GRADES) == ["/n", "/r/1"]
    assert measure_topic(shown, GRADES)["MRR@10"] == 0.25
    assert measure_topic(condense(shown, GRADES), GRADES)["MRR@10"] == 0.5


@pytest.mark.parametrize(
    "shown, share", [(["/r/1", "/n", "/u/1", "/u/2"], 0.5), (["/u/1"], 0), ([], None), (["/r/1"] * 3, 1)]
)
def test_judged_at_ten_counts_what_was_shown(shown, share):
    assert judged_share(shown, GRADES) == share


def exact(differences):
    """The same test over all permutations."""
    signs = np.array(list(product((1, -1), repeat=len(differences))))
    return np.mean(np.abs(signs @ differences) >= abs(sum(differences)) - 1e-9)


def test_the_randomisation_test_agrees_with_all_permutations():
    chance = random.Random(5)
    for _ in range(5):
        differences = np.array([chance.choice((-0.2, 0.1, 0.3)) for _ in range(10)])
        assert randomisation_test(differences, np.zeros(10)) == pytest.approx(exact(differences), abs=0.02)


def test_the_same_run_is_not_different_from_itself():
    assert randomisation_test([0.2, 0.8], [0.2, 0.8]) == 1
    assert randomisation_test([], []) == 1


def test_a_test_of_no_difference_rejects_as_often_as_it_says():
    chance = np.random.default_rng(1)
    ps = [
        randomisation_test(chance.normal(size=30), chance.normal(size=30), permutations=400)
        for _ in range(300)
    ]
    assert 0.02 <= np.mean(np.array(ps) <= 0.05) <= 0.09


def test_a_clear_difference_is_found_and_is_the_same_both_ways():
    ours, theirs = [0.9] * 30, [0.4] * 30
    assert randomisation_test(ours, theirs) == randomisation_test(theirs, ours) < 0.001


def test_wins_and_losses_are_listed_by_their_size():
    told = compare(
        {"a": 0.9, "b": 0.5, "c": 0.1, "d": 0.4, "e": 1}, {"a": 0.8, "b": 0.1, "c": 0.6, "d": 0.4}, "m"
    )
    assert [pair.topic for pair in told.wins] == ["b", "a"]
    assert [pair.topic for pair in told.losses] == ["c"]
    assert (told.ties, told.topics, told.left_out) == (1, 4, 1)
    assert told.difference.mean == pytest.approx(told.ours - told.theirs)


def test_runs_without_a_common_topic_are_refused():
    with pytest.raises(ArfError, match="no topic in common"):
        compare({"a": 1}, {"b": 1}, "m")


@pytest.fixture
def runs(db):
    """Two runs over three topics, of which the newer found one thing more."""
    topics = [Topic(name, name, relevant={"/a": 3}) for name in ("t1", "t2", "t3")]
    return [kept(topics, found) for found in ({"t1"}, {"t1", "t2"})]


def kept(topics, found):
    from evaluation.measuring.results import TopicResult

    results = [
        TopicResult(topic, ("/a",) if topic.id in found else ("/b",), False, 1.0, None, ())
        for topic in topics
    ]
    return store(results, report(results, "fusion"), topics="three", in_force={"rules": len(found)})


def test_two_runs_are_compared_by_id_or_by_age(runs, capsys):
    older, newer = runs
    call_command("compare_runs", str(newer.pk), str(older.pk)[:13], json=True)
    told = json.loads(capsys.readouterr().out)
    assert [pair["topic"] for pair in told["wins"]] == ["t2"] and told["losses"] == []
    assert told["versions"] == {"rules": [2, 1]}
    call_command("compare_runs", "last", "previous")
    told = capsys.readouterr().out
    assert "1 won, 0 lost, 2 even" in told and "p50 1.0, p95 1.0, p99 1.0 ms; LLM share 0.0%" in told


def test_a_comparison_tells_which_run_lacked_a_stage(runs, capsys):
    _older, newer = runs
    newer.summary["degraded"] = {"Translate": 2}
    newer.save()
    call_command("compare_runs", "last", "previous", json=True)
    assert json.loads(capsys.readouterr().out)["degraded"] == {"a": {"Translate": 2}, "b": {}}
    call_command("compare_runs", "last", "previous")
    assert capsys.readouterr().out.count("degraded: Translate in 2 topics") == 1


def test_before_any_run_there_is_no_last_one(db):
    with pytest.raises(CommandError, match="There is no last run"):
        call_command("compare_runs", "last", "previous")


@pytest.mark.parametrize(
    "name, message", [("beef1234", "no run that begins"), ("ab", "at least 4"), ("x" * 40, "no run")]
)
def test_unknown_runs_are_named(runs, name, message):
    with pytest.raises(CommandError, match=message):
        call_command("compare_runs", "last", name)
