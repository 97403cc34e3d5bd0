"""How far judges agree: weighted kappa of two, Krippendorff's alpha of any number. Pure."""

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Literal

import krippendorff
import numpy as np

GRADES = 4
RESAMPLES = 1_000
SEED = 20_240_103  # the same interval for the same judgments

Weights = Literal["linear", "quadratic"]
Grades = Mapping[Hashable, Mapping[str, int]]  # by pair judged, then by judge


# -- Two judges


def weighted_kappa(pairs: Sequence[tuple[int, int]], *, weights: Weights = "quadratic") -> float | None:
    """Cohen's weighted kappa (Psychological Bulletin, 1968) over the grades two judges gave to the same things.

    Disagreement counts by the distance of the grades, or by its square. None where chance alone would agree
    always, as where nothing was judged by both or each gave one and the same grade throughout.
    """
    table = np.zeros((GRADES, GRADES))
    for first, second in pairs:
        table[first, second] += 1
    expected = np.outer(table.sum(axis=1), table.sum(axis=0)) / max(1, len(pairs))
    distance = np.abs(np.subtract.outer(np.arange(GRADES), np.arange(GRADES)))
    costs = distance if weights == "linear" else distance**2
    by_chance = float((costs * expected).sum())
    return 1 - float((costs * table).sum()) / by_chance if by_chance else None


@dataclass(frozen=True, slots=True)
class Kappa:
    """Two judges and their weighted kappas over what both judged; None where it is not defined."""

    first: str
    second: str
    pairs: int
    linear: float | None
    quadratic: float | None


def kappas(given: Grades) -> list[Kappa]:
    """Every two judges who judged something in common, those with most in common first."""
    shared: dict[tuple[str, str], list[tuple[int, int]]] = {}
    for by_judge in given.values():
        for first, second in combinations(sorted(by_judge), 2):
            shared.setdefault((first, second), []).append((by_judge[first], by_judge[second]))
    found = [
        Kappa(*judges, len(pairs), weighted_kappa(pairs, weights="linear"), weighted_kappa(pairs))
        for judges, pairs in shared.items()
    ]
    return sorted(found, key=lambda kappa: (-kappa.pairs, kappa.first, kappa.second))


# -- Any number of judges


@dataclass(frozen=True, slots=True)
class Alpha:
    """Krippendorff's alpha with its 95 % bootstrap interval; None where grades do not vary."""

    value: float | None
    low: float | None
    high: float | None
    units: int


def alpha(units: Iterable[Sequence[int]]) -> Alpha:
    """Ordinal alpha over units, each the grades given to one thing; a judge who gave none is simply absent.

    Units with one grade say nothing of agreement and are left out. The interval resamples units.
    """
    graded = [unit for unit in units if len(unit) > 1]
    values = sorted({grade for unit in graded for grade in unit})
    counts = np.array([[unit.count(value) for value in values] for unit in graded])
    value = ordinal_alpha(counts)
    chance = np.random.default_rng(SEED)
    sampled = [
        ordinal_alpha(counts[chance.integers(0, len(counts), len(counts))])
        for _ in range(RESAMPLES if value is not None else 0)
    ]
    usable = [each for each in sampled if each is not None]
    low, high = np.percentile(usable, [2.5, 97.5]) if usable else (None, None)
    return Alpha(value, as_float(low), as_float(high), len(counts))


def as_float(value: np.floating | None) -> float | None:
    return None if value is None else float(value)


def ordinal_alpha(counts: np.ndarray) -> float | None:
    """From how often each value was given to each unit, (units, values); None where no two values differ."""
    if np.count_nonzero(counts.sum(axis=0)) < 2:
        return None
    return float(krippendorff.alpha(value_counts=counts, level_of_measurement="ordinal"))


# -- Who disagrees about what


@dataclass(frozen=True, slots=True)
class Disagreement:
    """One thing judged apart: `spread` is the highest grade less the lowest."""

    judged: Hashable
    grades: dict[str, int]
    spread: int


def disagreements(given: Grades, *, least: int = 1) -> list[Disagreement]:
    """What judges graded at least so far apart, the furthest first."""
    found = [
        Disagreement(judged, dict(by_judge), max(by_judge.values()) - min(by_judge.values()))
        for judged, by_judge in given.items()
        if len(by_judge) > 1
    ]
    return sorted(
        (each for each in found if each.spread >= least), key=lambda each: (-each.spread, str(each.judged))
    )


@dataclass(frozen=True, slots=True)
class Agreement:
    """The whole account. `double` counts what at least two judged."""

    judged: int
    double: int
    alpha: Alpha
    kappas: tuple[Kappa, ...]
    disagreements: tuple[Disagreement, ...]


def agreement(given: Grades) -> Agreement:
    return Agreement(
        judged=len(given),
        double=sum(len(by_judge) > 1 for by_judge in given.values()),
        alpha=alpha([tuple(by_judge.values()) for by_judge in given.values()]),
        kappas=tuple(kappas(given)),
        disagreements=tuple(disagreements(given)),
    )
