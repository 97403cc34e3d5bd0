"""The stage that runs the actions of fired rules."""

from retrieval.pipeline import Stage, run_stage
from retrieval.ranking import Ranking
from rules.engine.actions.account import named


class ApplyRuleActions:
    """Runs its actions in their order if a rule fired. Each writes its own line in the trace."""

    def __init__(self, *actions: Stage):
        self.actions = actions

    def __repr__(self) -> str:
        return f"ApplyRuleActions({', '.join(map(repr, self.actions))})"

    def __call__(self, ranking: Ranking) -> Ranking:
        fired = ranking.query.fired
        if not fired:
            return ranking.noting("no rule fired", skipped=True)
        for action in self.actions:
            ranking = run_stage(action, ranking)
        return ranking.noting(named(fired))
