"""The action that shows nothing as an answer."""

from collections.abc import Sequence
from dataclasses import dataclass

from retrieval.ranking import Ranking
from rules.engine.actions.account import changed_by, with_rules
from rules.engine.actions.effects import decisive, rule_reason
from rules.engine.clauses import CompiledRule


@dataclass(frozen=True)
class AbstainByRule:
    """Shows nothing as an answer where a rule requires it; the best that was found is a near miss."""

    @with_rules("abstain")
    def __call__(self, ranking: Ranking, rules: Sequence[CompiledRule]) -> Ranking:
        declined = ranking.abstaining(rule_reason(rules[0], "rule_abstain"), type(self))
        return changed_by(declined, decisive(rules, lambda those: bool(those) or ranking.abstained))
