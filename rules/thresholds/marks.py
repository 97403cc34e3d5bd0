"""Marks of the gates: each candidate accepted, to be verified or rejected by its domain's thresholds. Pure."""

from collections.abc import Iterable, Mapping, Sequence

from retrieval.ranking import Candidate, Reason, Thresholds

ACCEPT, VERIFY, REJECT = "A", "B", "C"


def gated(
    candidates: Sequence[Candidate], thresholds: Mapping[int, Thresholds]
) -> tuple[tuple[Candidate, ...], dict[int, Reason]]:
    """The candidates marked A, B or C in their order, and why some are to be dropped, by section id."""
    best = max((c.probability for c in candidates if c.probability is not None), default=0.0)
    gone = {c.section_id: reason for c in candidates if (reason := rejection(c, thresholds, best))}
    return tuple(marked(c, thresholds.get(c.domain_id)) for c in candidates), gone


def rejection(candidate: Candidate, thresholds: Mapping[int, Thresholds], best: float) -> Reason | None:
    """Why a candidate is dropped, if it is: an exact citation never is, nor one without a probability."""
    own, probability = thresholds.get(candidate.domain_id), candidate.probability
    if own is None or probability is None or is_cited(candidate):
        return None
    values = {"probability": round(probability, 3), "version": own.version}
    if probability < own.minimum:
        return Reason("below_minimum", values | {"minimum": own.minimum})
    if best - probability > own.gap:
        return Reason("behind_the_best", values | {"gap": own.gap, "best": round(best, 3)})
    return None


def is_cited(candidate: Candidate) -> bool:
    """The question names this very place."""
    return candidate.pin is not None or any(reason.code == "citation" for reason in candidate.reasons)


def marked(candidate: Candidate, own: Thresholds | None) -> Candidate:
    if is_cited(candidate):
        return candidate.but(gate=ACCEPT)
    if own is None or candidate.probability is None:
        return candidate
    return candidate.but(gate=mark(candidate.probability, own))


def mark(probability: float, own: Thresholds) -> str:
    if probability >= own.accept:
        return ACCEPT
    return VERIFY if probability >= own.verify else REJECT


def is_confident(candidates: Iterable[Candidate], thresholds: Mapping[int, Thresholds]) -> bool:
    """Whether one of these is probable enough for its domain's answer to be shown as confident."""
    return any(
        c.probability is not None
        and c.domain_id in thresholds
        and c.probability >= thresholds[c.domain_id].confident
        for c in candidates
    )
