"""What the answer tells of rules: which fired, and which changed the first page."""

from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import wraps
from typing import Any

from retrieval.ranking import Ranking
from rules.engine.clauses import CompiledRule


def with_rules(*kinds: str) -> Callable:
    """Decorates an action's `__call__`, which is given the fired rules that have an action of these kinds. Without
    such a rule the stage is skipped.
    """

    def decorate(call: Callable[..., Ranking]) -> Callable[..., Ranking]:
        @wraps(call)
        def guarded(self, ranking: Ranking) -> Ranking:
            rules = [rule for rule in ranking.query.fired if any(map(rule.does, kinds))]
            if not rules:
                return ranking.noting("no fired rule does this", skipped=True)
            return call(self, ranking, rules).noting(named(rules))

        return guarded

    return decorate


def named(rules: Iterable[CompiledRule]) -> str:
    return ", ".join(rule.name for rule in rules)


def changed_by(ranking: Ranking, rules: Iterable[CompiledRule]) -> Ranking:
    """The account, with these among the rules that changed the first page, in the order in which rules act."""
    numbers = {*ranking.curated.get("changed", ()), *(rule.number for rule in rules)}
    return telling(ranking, changed=[rule.number for rule in ranking.query.fired if rule.number in numbers])


def telling(ranking: Ranking, **account: Any) -> Ranking:
    return replace(ranking, curated={**ranking.curated, **account})
