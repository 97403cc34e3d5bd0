"""Two rankings of the same topics compared topic by topic. Pure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from evaluation.measuring.measures import SEED, Estimate, paired_difference

PERMUTATIONS = 10_000
AT_ONCE = 1_000  # permutations held in memory together
SAME = 1e-9  # differences below are rounding


class NothingToCompare(ValueError):
    """The two have no topic in common."""


@dataclass(frozen=True, slots=True)
class Pair:
    """One topic's value in each of the two."""

    topic: str
    ours: float
    theirs: float

    @property
    def difference(self) -> float:
        return self.ours - self.theirs


@dataclass(frozen=True, slots=True)
class Comparison:
    """By how much ours is better, whether chance explains it, and where each won, by the largest difference.

    `left_out` counts topics that only one of the two has.
    """

    measure: str
    ours: float
    theirs: float
    difference: Estimate
    p: float
    wins: tuple[Pair, ...]
    losses: tuple[Pair, ...]
    ties: int
    left_out: int

    @property
    def topics(self) -> int:
        return len(self.wins) + len(self.losses) + self.ties


def compare(ours: Mapping[str, float], theirs: Mapping[str, float], measure: str) -> Comparison:
    """`ours` and `theirs`: a value of the measure by topic. Raises NothingToCompare."""
    common = sorted(ours.keys() & theirs.keys())
    if not common:
        raise NothingToCompare("The two runs have no topic in common.")
    pairs = [Pair(name, ours[name], theirs[name]) for name in common]
    left, right = [pair.ours for pair in pairs], [pair.theirs for pair in pairs]
    ranked = sorted(pairs, key=lambda pair: (-abs(pair.difference), pair.topic))
    wins = tuple(pair for pair in ranked if pair.difference > SAME)
    losses = tuple(pair for pair in ranked if pair.difference < -SAME)
    return Comparison(
        measure=measure,
        ours=float(np.mean(left)),
        theirs=float(np.mean(right)),
        difference=paired_difference(left, right),
        p=randomisation_test(left, right),
        wins=wins,
        losses=losses,
        ties=len(pairs) - len(wins) - len(losses),
        left_out=len(ours.keys() ^ theirs.keys()),
    )


def randomisation_test(
    ours: Sequence[float], theirs: Sequence[float], *, permutations: int = PERMUTATIONS, seed: int = SEED
) -> float:
    """Two-sided p: how often swapping the two at random, topic by topic, differs at least as much.

    Fisher's paired randomisation test (Smucker, Allan and Carterette, CIKM 2007), over all permutations where there
    are no more than asked for; p is never 0.
    """
    from scipy.stats import (
        permutation_test,  # where it is used: it takes 76 MB, and web workers import this module
    )

    differences = np.asarray(ours, dtype=float) - np.asarray(theirs, dtype=float)
    differences = differences[np.abs(differences) > SAME]  # a tie stays a tie whichever way it is swapped
    if len(differences) < 2:
        return 1.0  # swapping one topic differs as much as not swapping it
    flipped = permutation_test(
        (differences,), np.sum, permutation_type="samples", n_resamples=permutations, batch=AT_ONCE, rng=seed
    )
    return float(flipped.pvalue)
