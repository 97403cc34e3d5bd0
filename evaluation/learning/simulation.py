"""How often the rule of promotion lets models of known quality through. Pure, and deterministic for a seed.

One simulated retrain: topics are resampled from the champion's own test topics; on a share of them the challenger
ranks otherwise, by a normal change kept within 0 and 1, shifted so that its true mean differs by what is asked; on
a share the judgments are wrong and favour either model by the toss of a coin.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from scipy.optimize import bisect

from evaluation.learning.promotion import ALPHA, Paired, above_zero, deploys, p_of_not_worse, sliced, vetoed

EFFECTS = (-0.05, -0.02, -0.01, 0.0, 0.02, 0.05)  # true differences in nDCG@10
RETRAINS = 200
WIDEST = 3.0  # mean move in nDCG@10 that is tried
POPULATION = 50_000  # topics on which a shift is fitted to the difference asked for


@dataclass(frozen=True, slots=True)
class World:
    """What a retrain does to a ranking: shares of topics (0-1) and the spread of a change in nDCG@10."""

    changed: float = 0.4
    spread: float = 0.25
    wrong: float = 0.1


Rule = Callable[[Sequence[Paired]], bool]


def by_promotion(pairs: Sequence[Paired]) -> bool:
    """The rule itself, with calibration and latency in order."""
    return deploys(p_of_not_worse(pairs), lambda: vetoed(len(pairs), sliced(pairs), ece=0.0, ms=0.0))


def by_test(margin: float) -> Rule:
    """A rival without vetoes: above the champion less this margin; 0 asks for better."""

    def rule(pairs: Sequence[Paired]) -> bool:
        return above_zero(np.array([pair.difference for pair in pairs]) + margin) < ALPHA

    return rule


RULES: dict[str, Rule] = {
    "promotion": by_promotion,
    "better": by_test(0.0),
    "not worse by .01": by_test(0.01),
    "not worse by .02": by_test(0.02),
    "higher mean": lambda pairs: sum(pair.difference for pair in pairs) > 0,
}


def deploy_rate(
    champion: Sequence[Paired],
    effect: float,
    *,
    rule: Rule = by_promotion,
    retrains: int = RETRAINS,
    world: World | None = None,
    seed: int = 0,
) -> float:
    """The share of challengers deployed whose true nDCG@10 is `effect` above the champion's.

    `champion`: its test topics with their slices; what they say of a challenger is not read.
    """
    chance = np.random.default_rng(seed)
    world = world or World()
    values = np.array([pair.champion for pair in champion])
    shift = shift_for(effect, values, world, chance)
    deployed = sum(rule(retrained(champion, values, shift, world, chance)) for _ in range(retrains))
    return deployed / retrains


def retrained(
    champion: Sequence[Paired], values: np.ndarray, shift: float, world: World, chance: np.random.Generator
) -> list[Paired]:
    """One retrain, as the rule sees it."""
    picks = chance.integers(0, len(values), len(values))
    before = values[picks]
    after = changed(before, shift, world, chance)
    swapped = (chance.random(len(picks)) < world.wrong) & (chance.random(len(picks)) < 0.5)
    before, after = np.where(swapped, after, before), np.where(swapped, before, after)
    rows = zip(picks, before, after, strict=True)
    return [replace(champion[n], champion=float(b), challenger=float(a)) for n, b, a in rows]


def changed(values: np.ndarray, shift: float, world: World, chance: np.random.Generator) -> np.ndarray:
    moves = chance.normal(shift, world.spread, len(values))
    return np.where(chance.random(len(values)) < world.changed, np.clip(values + moves, 0.0, 1.0), values)


def shift_for(effect: float, values: np.ndarray, world: World, chance: np.random.Generator) -> float:
    """By bisection, the mean move whose clipped effect is the one asked for; raises ValueError out of reach."""
    population = chance.choice(values, POPULATION)
    seed = int(chance.integers(2**31))

    def effect_of(shift: float) -> float:
        after = changed(population, shift, world, np.random.default_rng(seed))
        return float((after - population).mean())

    if not effect_of(-WIDEST) <= effect <= effect_of(WIDEST):
        raise ValueError(f"no retrain of these topics can differ by {effect:+} in nDCG@10")
    return bisect(lambda shift: effect_of(shift) - effect, -WIDEST, WIDEST, xtol=1e-9)


def typical(seed: int = 0) -> list[Paired]:
    """Test topics as the shipped set has them: so many of each slice, most answered wholly, a few not at all."""
    chance = np.random.default_rng(seed)
    slices = {
        ("citation", "en"): 26, ("clause_name", "en"): 48, ("court", "en"): 45, ("lay", "en"): 75,
        ("situation", "en"): 41, ("statutory_language", "en"): 44, ("lay", "es"): 35, ("situation", "es"): 20,
    }  # fmt: skip
    names = [name for name, count in slices.items() for _ in range(count)]
    values = np.clip(chance.choice([1.0, 0.63, 0.4, 0.0], len(names), p=[0.55, 0.25, 0.13, 0.07]), 0, 1)
    return [
        Paired(str(n), float(value), float(value), (*name, "us_constitution"))
        for n, (name, value) in enumerate(zip(names, values, strict=True))
    ]
