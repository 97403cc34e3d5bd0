"""Whether a challenger may replace the champion: one overall paired test decides, everything else may only veto.

Pure. The rule is non-inferiority: on the test topics the challenger's nDCG@10 is shown, by a one-sided paired
randomisation test at ALPHA, to be above the champion's less MARGIN. A challenger shown to be better passes all the
more. Why this rule: `manage.py simulate_retraining` counts how often it, and its rivals, deploy models of known
quality. A test for "better" alone also holds both error rates, but keeps a champion for ever against equals
trained on newer judgments; a margin of .02 deploys models worse by .02 as often as ALPHA allows, with nothing
left for wrong judgments.
"""

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from evaluation.measuring.measures import Estimate, estimate

MARGIN = 0.01  # nDCG@10 that a challenger may be worse by and still be "not worse"
ALPHA = 0.05  # one-sided
FEWEST = 100  # answerable test topics: fewer cannot tell .02 from nothing
FLOOR = 0.03  # a slice (kind, language, body of law) whose mean falls by more, with an interval below zero, vetoes;
# so does one that falls by more than MARGIN in all of its interval
SMALLEST = 10  # topics of a slice that may veto; smaller ones are only shown
MOST_ECE = 0.05  # expected calibration error above which thresholds on probabilities mean nothing
SLOWEST_MS = 10.0  # of processor time, mean a query: features and scoring of its whole pool
FLIPS = 10_000  # random sign changes of the test
SEED = 20_240_102  # the same decision for the same scores


@dataclass(frozen=True, slots=True)
class Paired:
    """nDCG@10 of one test topic under both models. Its `slices` may veto, its `tags` are only shown."""

    topic: str
    champion: float
    challenger: float
    slices: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()

    @property
    def difference(self) -> float:
        return self.challenger - self.champion


@dataclass(frozen=True, slots=True)
class Slice:
    """A part of the test topics: both means and the difference with its 95 % interval."""

    name: str
    topics: int
    champion: float
    challenger: float
    difference: Estimate
    vetoes: bool


@dataclass(frozen=True, slots=True)
class Decision:
    """Deploy or keep, with every reason; `better` when superiority itself was shown."""

    deploy: bool
    better: bool
    p_better: float
    p_not_worse: float
    difference: Estimate
    slices: tuple[Slice, ...]
    reasons: tuple[str, ...]


def decide(pairs: Sequence[Paired], *, ece: float, ms: float, slower: bool = False) -> Decision:
    """The rule of this module on the test topics. `ms`: the challenger's mean processor time a query; `slower`: only it
    needs a cross-encoder, so that being as good is not enough.
    """
    differences = np.array([pair.difference for pair in pairs])
    p_better, p_not_worse = above_zero(differences), p_of_not_worse(pairs)
    slices = sliced(pairs)
    better = p_better < ALPHA
    vetoes = vetoed(len(pairs), slices, ece, ms)
    if slower and not better:
        vetoes += ("Veto: it needs a cross-encoder, which is slow, and is not shown to be better.",)
    overall = estimate(differences.tolist())
    return Decision(
        deploy=deploys(p_not_worse, lambda: vetoes),
        better=better,
        p_better=p_better,
        p_not_worse=p_not_worse,
        difference=overall,
        slices=slices,
        reasons=(verdict(better, overall, p_better, p_not_worse, len(pairs)), *vetoes),
    )


def deploys(p_not_worse: float, vetoes: Callable[[], Sequence[str]]) -> bool:
    """The rule: the test is passed and nothing vetoes. Vetoes are looked for only then, since that takes long."""
    return p_not_worse < ALPHA and not vetoes()


def p_of_not_worse(pairs: Sequence[Paired]) -> float:
    """Below ALPHA where the challenger passes the test that decides."""
    return above_zero(np.array([pair.difference for pair in pairs]) + MARGIN)


def above_zero(differences: np.ndarray) -> float:
    """One-sided p of a paired randomisation test that the mean is above zero (Smucker, Allan, Carterette 2007)."""
    if not len(differences):
        return 1.0
    chance = signs(len(differences)) @ differences.astype(np.float32)
    reached = int(np.count_nonzero(chance >= differences.sum() - 1e-6))
    return (reached + 1) / (FLIPS + 1)


@lru_cache(maxsize=8)
def signs(topics: int) -> np.ndarray:
    """(FLIPS, topics) float32 of -1 and 1."""
    return np.random.default_rng(SEED).choice(np.array([-1.0, 1.0], dtype=np.float32), (FLIPS, topics))


def sliced(pairs: Sequence[Paired]) -> tuple[Slice, ...]:
    groups: dict[tuple[str, bool], list[Paired]] = defaultdict(list)
    for pair in pairs:
        for names, may_veto in ((pair.slices, True), (pair.tags, False)):
            for name in names:
                groups[name, may_veto].append(pair)
    return tuple(slice_of(name, group, may_veto) for (name, may_veto), group in sorted(groups.items()))


def slice_of(name: str, pairs: Sequence[Paired], may_veto: bool) -> Slice:
    difference = estimate([pair.difference for pair in pairs])
    fell = difference.high < -MARGIN or (difference.mean < -FLOOR and difference.high < 0)
    return Slice(
        name=name,
        topics=len(pairs),
        champion=float(np.mean([pair.champion for pair in pairs])),
        challenger=float(np.mean([pair.challenger for pair in pairs])),
        difference=difference,
        vetoes=may_veto and fell and len(pairs) >= SMALLEST,
    )


def vetoed(topics: int, slices: Sequence[Slice], ece: float, ms: float) -> tuple[str, ...]:
    """Every reason against, each with its numbers."""
    reasons = [
        f"Veto: {each.name} falls by {-each.difference.mean:.3f} ({each.topics} topics)."
        for each in slices
        if each.vetoes
    ]
    if topics < FEWEST:
        reasons.append(f"Veto: {topics} test topics are too few to decide on: {FEWEST} are needed.")
    if ece > MOST_ECE:
        reasons.append(f"Veto: calibration error {ece:.3f} is above {MOST_ECE}.")
    if ms > SLOWEST_MS:
        reasons.append(f"Veto: {ms:.1f} ms of processor time a query are more than {SLOWEST_MS:.0f}.")
    return tuple(reasons)


def verdict(better: bool, overall: Estimate, p_better: float, p_not_worse: float, n: int) -> str:
    measured = (
        f"nDCG@10 {overall.mean:+.3f} [{overall.low:+.3f}, {overall.high:+.3f}] over {n} test topics, "
        f"p = {p_better:.4f} for better, p = {p_not_worse:.4f} for not worse by {MARGIN}."
    )
    judged = "Better" if better else "Not worse" if p_not_worse < ALPHA else "Not shown to be as good"
    return f"{judged}: {measured}"
