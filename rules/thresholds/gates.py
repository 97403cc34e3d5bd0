"""The stage that drops improbable candidates and marks the others by their domains' thresholds."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from retrieval.errors import NotRun
from retrieval.pipeline import unless_final
from retrieval.ranking import NEAR_MISSES, Candidate, Ranking, Reason
from rules.thresholds.marks import gated


@dataclass(frozen=True)
class Gates:
    """Marks each candidate A (accept), B (verify) or C by its domain's thresholds, and drops what is below the
    domain's minimum or too far behind the best. It never reorders, and never drops an exact citation.
    """

    @unless_final
    def __call__(self, ranking: Ranking) -> Ranking:
        before = ranking.candidates
        if before and all(candidate.probability is None for candidate in before):
            raise NotRun("no candidate has a probability to gate by", degrades=False)
        marked, gone = gated(before, ranking.query.thresholds)
        kept = replace(ranking, candidates=marked).drop(gone, type(self))
        if before and not kept.candidates:
            kept = replace(kept, near_misses=marked[:NEAR_MISSES])
        return kept.noting(gate_note(kept.candidates, gone))


def gate_note(kept: Sequence[Candidate], gone: Mapping[int, Reason]) -> str:
    counted = Counter(candidate.gate or "not gated" for candidate in kept)
    marks = ", ".join(f"{mark} {count}" for mark, count in sorted(counted.items()))
    return f"{marks or 'none kept'}; {len(gone)} dropped"
