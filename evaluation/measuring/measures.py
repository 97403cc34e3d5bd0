"""Standard measures by ir_measures over credited runs, with bootstrap confidence intervals; and two rankings of the
same topics compared topic by topic. Pure.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

import ir_measures
import numpy as np
from ir_measures import AP, RR, P, R, ScoredDoc, Success, nDCG

from retrieval.errors import ArfError, gettext_noop

MEASURES = {
    "nDCG@5": nDCG @ 5,
    "nDCG@10": nDCG @ 10,
    "MRR@10": RR @ 10,
    "P@1": P @ 1,
    "P@5": P @ 5,
    "R@5": R @ 5,
    "R@10": R @ 10,
    "R@20": R @ 20,
    "R@100": R @ 100,
    "Hit@5": Success @ 5,
    "MAP": AP @ 100,
}
RESAMPLES = 2_000
SEED = 20_240_101  # the same intervals for the same runs
COARSE = ("/section/", "/amendment/")  # an ancestor this fine still answers; an article or a title does not
PERMUTATIONS = 10_000
AT_ONCE = 1_000  # permutations held in memory together
SAME = 1e-9  # differences below are rounding


def judged_by(locator: str, grades: Mapping[str, int]) -> str | None:
    """The judged locator that tells of a result: its own, the nearest above, or the best just below a fine ancestor."""
    at_or_above = [judged for judged in grades if locator == judged or locator.startswith(f"{judged}/")]
    if at_or_above:
        return max(at_or_above, key=len)
    if not any(part in locator for part in COARSE):
        return None
    below = [judged for judged in grades if judged.startswith(f"{locator}/")]
    return max(below, key=lambda judged: grades[judged], default=None)


def credited(locator: str, grades: Mapping[str, int]) -> str | None:
    """The relevant locator that a result counts for; none where what tells of it was judged irrelevant."""
    judged = judged_by(locator, grades)
    return judged if judged is not None and grades[judged] else None


def credit(locators: Sequence[str], grades: Mapping[str, int]) -> list[str]:
    """The ranking with each relevant locator once, at its first credit; repeats are dropped before ranks count."""
    ranking: list[str] = []
    for locator in locators:
        name = credited(locator, grades) or locator
        if name not in ranking:
            ranking.append(name)
    return ranking


def measure_topic(locators: Sequence[str], grades: Mapping[str, int]) -> dict[str, float]:
    """Every measure for one topic; nothing shown measures 0."""
    return measure_each([(locators, grades)])[0]


def measure_each(
    topics: Iterable[tuple[Sequence[str], Mapping[str, int]]], names: Collection[str] = MEASURES
) -> list[dict[str, float]]:
    """These measures for each topic's ranking and grades: `ir_measures` is asked once, as it takes a millisecond."""
    run: list[ScoredDoc] = []
    qrels: list[ir_measures.Qrel] = []
    measured: list[dict[str, float]] = []
    for number, (locators, grades) in enumerate(topics):
        ranking = enumerate(credit(locators, grades), start=1)
        run += [ScoredDoc(str(number), locator, 1.0 / rank) for rank, locator in ranking]
        qrels += [ir_measures.Qrel(str(number), locator, grade) for locator, grade in grades.items()]
        measured.append(dict.fromkeys(names, 0.0))
    wanted = {MEASURES[name]: name for name in names}
    if run and qrels:
        for metric in ir_measures.iter_calc(list(wanted), qrels, run):
            measured[int(metric.query_id)][wanted[metric.measure]] = float(metric.value)
    return measured


def condense(locators: Sequence[str], grades: Mapping[str, int]) -> list[str]:
    """The credited ranking without what nobody judged (Sakai, SIGIR 2007): absent is not taken for irrelevant."""
    return [locator for locator in credit(locators, grades) if judged_by(locator, grades) is not None]


def judged_share(locators: Sequence[str], grades: Mapping[str, int]) -> float | None:
    """judged@10: the share of the first ten shown that anybody judged; None where nothing was shown."""
    shown = credit(locators, grades)[:10]
    if not shown:
        return None
    return sum(judged_by(locator, grades) is not None for locator in shown) / len(shown)


@dataclass(frozen=True, slots=True)
class Estimate:
    """A mean over topics with its 95 % bootstrap interval."""

    mean: float
    low: float
    high: float


def estimate(values: Sequence[float]) -> Estimate:
    """Percentile bootstrap over topics (Efron 1979); the interval of no topics is 0 to 0."""
    if not values:
        return Estimate(0.0, 0.0, 0.0)
    sample = np.asarray(values, dtype=float)
    low, high = np.percentile(sample[picks(len(sample))].mean(axis=1), [2.5, 97.5])
    return Estimate(float(sample.mean()), float(low), float(high))


@lru_cache(maxsize=16)
def picks(topics: int) -> np.ndarray:
    """(RESAMPLES, topics): which topics each resample has. A run's measures are all of the same topics."""
    return np.random.default_rng(SEED).integers(0, topics, (RESAMPLES, topics))


def paired_difference(ours: Sequence[float], theirs: Sequence[float]) -> Estimate:
    """The mean difference over the same topics with its interval."""
    return estimate([a - b for a, b in zip(ours, theirs, strict=True)])


def ratio(ours: Sequence[float], theirs: Sequence[float]) -> Estimate:
    """Of the two means over the same topics, with its interval; 0 where theirs is 0."""
    left, right = np.asarray(ours, dtype=float), np.asarray(theirs, dtype=float)
    if not right.any():
        return Estimate(0.0, 0.0, 0.0)
    chosen = picks(len(left))
    means = right[chosen].mean(axis=1)
    known = means > 0
    low, high = np.percentile(left[chosen].mean(axis=1)[known] / means[known], [2.5, 97.5])
    return Estimate(float(left.mean() / right.mean()), float(low), float(high))


def risk_coverage(answers: Iterable[tuple[float, bool]]) -> list[tuple[float, float]]:
    """(coverage, risk) when only the surest of (how sure, right) answers are given, from the surest one to all
    (El-Yaniv and Wiener, JMLR 2010).
    """
    surest = sorted(answers, key=lambda answer: -answer[0])
    wrong = np.cumsum([not right for _sure, right in surest])
    return [(n / len(surest), float(count / n)) for n, count in enumerate(wrong, start=1)]


# -- Two rankings compared


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
    """`ours` and `theirs`: a value of the measure by topic. Raises ArfError where no topic has both."""
    common = sorted(ours.keys() & theirs.keys())
    if not common:
        raise ArfError(gettext_noop("The two runs have no topic in common."))
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
    ours: Sequence[float], theirs: Sequence[float], *, permutations: int = PERMUTATIONS
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
        (differences,), np.sum, permutation_type="samples", n_resamples=permutations, batch=AT_ONCE, rng=SEED
    )
    return float(flipped.pvalue)
