"""Gates: each candidate accepted, to be verified or rejected by its domain's thresholds on its probability. Pure."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Protocol

from retrieval.ranking import Candidate, Reason

ACCEPT, VERIFY, REJECT = "A", "B", "C"


class Limits(Protocol):
    """What of a domain's thresholds the gates read."""

    version: int
    minimum: float
    verify: float
    accept: float
    confident: float
    gap: float


def gated(
    candidates: Sequence[Candidate], limits: Mapping[int, Limits]
) -> tuple[tuple[Candidate, ...], dict[int, Reason]]:
    """The candidates marked A, B or C in their order, and why some are to be dropped, by section id."""
    best = max((c.probability for c in candidates if c.probability is not None), default=0.0)
    gone = {c.section_id: reason for c in candidates if (reason := rejection(c, limits, best))}
    return tuple(marked(c, limits.get(c.domain_id)) for c in candidates), gone


def rejection(candidate: Candidate, limits: Mapping[int, Limits], best: float) -> Reason | None:
    """Why a candidate is dropped, if it is: an exact citation never is, nor one without a probability."""
    limit, probability = limits.get(candidate.domain_id), candidate.probability
    if limit is None or probability is None or is_cited(candidate):
        return None
    told = {"probability": round(probability, 3), "version": limit.version}
    if probability < limit.minimum:
        return Reason("below_minimum", told | {"minimum": limit.minimum})
    if best - probability > limit.gap:
        return Reason("behind_the_best", told | {"gap": limit.gap, "best": round(best, 3)})
    return None


def is_cited(candidate: Candidate) -> bool:
    """The question names this very place."""
    return candidate.pin is not None or any(reason.code == "citation" for reason in candidate.reasons)


def marked(candidate: Candidate, limit: Limits | None) -> Candidate:
    if is_cited(candidate):
        return candidate.but(gate=ACCEPT)
    if limit is None or candidate.probability is None:
        return candidate
    return candidate.but(gate=mark(candidate.probability, limit))


def mark(probability: float, limit: Limits) -> str:
    if probability >= limit.accept:
        return ACCEPT
    return VERIFY if probability >= limit.verify else REJECT


def is_confident(candidates: Iterable[Candidate], limits: Mapping[int, Limits]) -> bool:
    """Whether one of these is probable enough for its domain's answer to be shown as confident."""
    return any(
        c.probability is not None and c.domain_id in limits and c.probability >= limits[c.domain_id].confident
        for c in candidates
    )
