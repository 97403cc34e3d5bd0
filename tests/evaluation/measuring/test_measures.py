"""Measures agree with the field's tool; intervals hold their means."""

import importlib.util
import random

import pytest

from evaluation.measuring.measures import (
    condense,
    credit,
    credited,
    estimate,
    judged_share,
    measure_each,
    measure_topic,
    paired_difference,
)
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


RELEVANT, IRRELEVANT = {"/r/1": 3, "/r/2": 1}, {"/n"}


def test_what_nobody_judged_is_left_out_of_condensed_measures():
    shown = ["/u/1", "/n", "/u/2", "/r/1"]
    assert condense(shown, RELEVANT, IRRELEVANT) == ["/n", "/r/1"]
    assert measure_topic(shown, RELEVANT)["MRR@10"] == 0.25
    assert measure_topic(condense(shown, RELEVANT, IRRELEVANT), RELEVANT)["MRR@10"] == 0.5


@pytest.mark.parametrize(
    "shown, share", [(["/r/1", "/n", "/u/1", "/u/2"], 0.5), (["/u/1"], 0), ([], None), (["/r/1"] * 3, 1)]
)
def test_judged_at_ten_counts_what_was_shown(shown, share):
    assert judged_share(shown, RELEVANT, IRRELEVANT) == share
