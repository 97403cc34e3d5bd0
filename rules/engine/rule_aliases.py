"""The leg that finds what fired rules name as an answer."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from retrieval.ranking import Candidate, Ranking
from rules.engine.actions.account import with_rules
from rules.engine.actions.effects import rule_reason
from rules.engine.actions.targets import candidates_of
from rules.engine.clauses import CompiledRule

MAX_ALIASED = 20


@dataclass(frozen=True)
class RuleAliasRetriever:
    """What rules name as an answer to questions like this, as curated names do: a leg beside the others."""

    weight: float = 2.0

    @with_rules("alias")
    def __call__(self, ranking: Ranking, rules: Sequence[CompiledRule]) -> Ranking:
        found: dict[int, Candidate] = {}
        for rule in rules:
            for candidate in candidates_of(ranking.query, rule.clauses.targets, most=MAX_ALIASED):
                ranked = candidate.but(ranks={"rule": 1}, reasons=(rule_reason(rule, "rule_alias"),))
                found.setdefault(candidate.section_id, ranked)
        return replace(ranking, candidates=tuple(found.values()))
