"""The rule of promotion: one overall paired test decides, the rest may only veto; its rates are as stated. Pure."""

import numpy as np
import pytest

from evaluation.learning.promotion import FEWEST, MARGIN, MOST_ECE, SLOWEST_MS, Paired, above_zero, decide


def pairs(
    count: int = 200, *, by: float = 0.0, noise: float = 0.05, name: str = "lay", seed: int = 1
) -> list[Paired]:
    """Topics of one slice, the challenger better by this on average and never the same twice."""
    moves = np.random.default_rng(seed).normal(0, noise, count)
    moves += by - moves.mean()
    return [Paired(f"{name}{n}", 0.6, 0.6 + move, (name,)) for n, move in enumerate(moves)]


def decided(some: list[Paired], *, ece: float = 0.01, ms: float = 1.0):
    return decide(some, ece=ece, ms=ms)


def test_a_better_challenger_is_deployed():
    decision = decided(pairs(by=0.05))
    assert decision.deploy and decision.better and decision.reasons[0].startswith("Better")


def test_an_equal_challenger_is_deployed_as_not_worse():
    decision = decided(pairs(by=0.0))
    assert decision.deploy and not decision.better and decision.reasons[0].startswith("Not worse")


def test_a_challenger_that_makes_searches_slower_must_be_better():
    assert decide(pairs(by=0.05), ece=0.01, ms=1.0, slower=True).deploy
    decision = decide(pairs(by=0.0), ece=0.01, ms=1.0, slower=True)
    assert not decision.deploy and "not shown to be better" in decision.reasons[1]


@pytest.mark.parametrize("by", [-MARGIN, -0.02, -0.2])
def test_a_challenger_worse_by_the_margin_is_not_deployed(by):
    assert not decided(pairs(by=by)).deploy


def test_an_uncertain_challenger_is_not_deployed():
    assert not decided(pairs(by=0.005, noise=0.4)).deploy


def test_a_slice_may_only_veto():
    better, fallen = pairs(180, by=0.06), pairs(20, by=-0.1, name="es")
    assert decided(better).deploy
    decision = decided([*better, *fallen])
    assert not decision.deploy and decision.p_not_worse < 0.05
    assert [each.name for each in decision.slices if each.vetoes] == ["es"]
    assert decision.reasons[1].startswith("Veto: es falls by 0.100")


def test_a_body_of_law_that_surely_loses_more_than_the_margin_vetoes():
    others = pairs(180, by=0.06)
    assert not decided([*others, *pairs(200, by=-0.02, noise=0.01, name="us_code")]).deploy
    assert decided([*others, *pairs(200, by=-0.02, noise=0.1, name="us_code")]).deploy


def test_a_slice_that_rises_deploys_nothing():
    assert not decided([*pairs(180, by=-0.05), *pairs(20, by=0.4, name="es")]).deploy


def test_a_slice_too_small_to_say_is_only_shown():
    decision = decided([*pairs(180, by=0.06), *pairs(5, by=-0.1, name="es")])
    assert decision.deploy and [each.topics for each in decision.slices] == [5, 180]


def test_tags_are_shown_and_never_veto():
    fallen = [
        Paired(pair.topic, pair.champion, pair.challenger, (), ("hard",)) for pair in pairs(20, by=-0.1)
    ]
    decision = decided([*pairs(180, by=0.06), *fallen])
    assert decision.deploy and {each.name for each in decision.slices} == {"lay", "hard"}


@pytest.mark.parametrize("against", [{"ece": MOST_ECE + 0.01}, {"ms": SLOWEST_MS + 1}])
def test_calibration_and_latency_veto(against):
    assert not decided(pairs(by=0.05), **against).deploy


@pytest.mark.parametrize("count", [0, 1, FEWEST - 1])
def test_too_few_topics_decide_nothing(count):
    assert not decided(pairs(count, by=0.05) if count else []).deploy


def test_the_same_scores_give_the_same_decision():
    assert decided(pairs(by=0.003)) == decided(pairs(by=0.003))


def test_p_is_uniform_where_nothing_differs():
    chance = np.random.default_rng(5)
    values = [above_zero(chance.normal(0, 0.1, 40)) for _ in range(400)]
    assert abs(np.mean([p < 0.05 for p in values]) - 0.05) < 0.03
    assert abs(np.mean([p < 0.5 for p in values]) - 0.5) < 0.08
