"""Actions for callers who want each restricting rule covered: its quota of results first, and what is missing."""

from collections import Counter
from dataclasses import dataclass, replace

from retrieval.pipeline import unless_final
from retrieval.ranking import Ranking
from rules.engine.actions.account import telling
from rules.engine.actions.effects import covered_by, quotas
from rules.engine.actions.narrowing import restricting
from rules.thresholds.abstention import Abstain
from rules.thresholds.gates import Gates

NOT_EACH = "the caller does not ask for each rule to be covered"


@dataclass(frozen=True)
class CoverRules:
    """Puts the quota of each rule first; what thresholds dropped of it is brought back."""

    @unless_final
    def __call__(self, ranking: Ranking) -> Ranking:
        query = ranking.query
        if query.rules.coverage != "each":
            return ranking.noting(NOT_EACH, skipped=True)
        found = (*ranking.candidates, *ranking.dropped_by(Gates, Abstain))
        first = quotas(found, restricting(query.fired), query.rules.quota)
        ids = {candidate.section_id for candidate in first}
        others = (candidate for candidate in ranking.candidates if candidate.section_id not in ids)
        return answering(
            replace(
                ranking,
                candidates=(*first, *others),
                dropped=tuple(gone for gone in ranking.dropped if gone.candidate.section_id not in ids),
            )
        )


def answering(ranking: Ranking) -> Ranking:
    """Rules found an answer where the search would have abstained."""
    if not ranking.candidates or not ranking.abstained:
        return ranking
    return replace(ranking, abstained=False, near_misses=())


@dataclass(frozen=True)
class CheckCoverage:
    """Tells which rules were each to be covered and have fewer results than their quota."""

    def __call__(self, ranking: Ranking) -> Ranking:
        query = ranking.query
        if query.rules.coverage != "each":
            return ranking.noting(NOT_EACH, skipped=True)
        counts = Counter(number for candidate in ranking.candidates for number in covered_by(candidate))
        missing = [
            {"rule": rule.number, "results": counts[rule.number], "quota": query.rules.quota}
            for rule in restricting(query.fired)
            if counts[rule.number] < query.rules.quota
        ]
        return telling(ranking, uncovered=missing).noting(f"rules not covered: {len(missing)}")
