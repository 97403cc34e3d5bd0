"""The stage that searches once for every rule that restricts the search, where each is to be covered."""

from collections.abc import Sequence
from dataclasses import replace

from retrieval.pipeline import Stage, run_stage
from retrieval.ranking import Candidate, Ranking
from retrieval.stages.fusion import merge
from rules.engine.actions.effects import COVERS, because, rule_reason
from rules.engine.actions.narrowing import restricting
from rules.engine.clauses import CompiledRule


class PerRuleSearch:
    """Runs a search once for every rule that restricts it, where the caller wants each covered; else once, under all
    of them.
    """

    def __init__(self, search: Stage):
        self.search = search

    def __repr__(self) -> str:
        return f"PerRuleSearch({self.search!r})"

    def __call__(self, ranking: Ranking) -> Ranking:
        rules = restricting(ranking.query.fired)
        if ranking.query.rules.coverage != "each" or not rules or ranking.final:
            return run_stage(self.search, ranking).noting("searched once", skipped=True)
        found = [(rule, run_stage(self.search, narrowed(ranking, rule))) for rule in rules]
        return together(ranking, found)


def narrowed(ranking: Ranking, rule: CompiledRule) -> Ranking:
    return replace(
        ranking, query=replace(ranking.query, include=rule.clauses.targets), reports=(), dropped=()
    )


def together(ranking: Ranking, found: Sequence[tuple[CompiledRule, Ranking]]) -> Ranking:
    """The searches' candidates, each once with its best score and the rules whose search found it."""
    same: dict[int, list[Candidate]] = {}
    for rule, answer in found:
        for candidate in answer.candidates:
            same.setdefault(candidate.section_id, []).append(because(candidate, rule_reason(rule, COVERS)))
    merged = [merge(several).but(score=max(c.score for c in several)) for several in same.values()]
    degraded = {name for _, answer in found for name in answer.degraded}
    both = ranking.with_candidates(
        merged,
        reports=(*ranking.reports, *(report for _, answer in found for report in answer.reports)),
        degraded=tuple(dict.fromkeys((*ranking.degraded, *sorted(degraded)))),
    )
    return both.noting(f"{len(merged)} sections, searched for {len(found)} rules one by one")
