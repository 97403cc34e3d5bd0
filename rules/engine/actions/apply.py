"""What the stages of rules' actions share: who fired, what is done to a ranking that is otherwise final, and the
account of it; and the stage that runs them. Without any query of its own.

Exclude beats pin beats boost; rules act in their order. What is excluded or pinned is worked out elsewhere, under the
caller's scope: here are only candidates.
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import wraps
from itertools import islice
from typing import Any

from retrieval.pipeline import Stage, run_stage
from retrieval.ranking import Candidate, Ranking, Reason
from rules.engine.clauses import CompiledRule

FIRST_PAGE = 10  # results, as a search gives them unless asked for more
COVERS = "rule_covers"  # the reason by which a candidate tells which rule's own search found it


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


# -- What is done to a ranking


@dataclass(frozen=True, slots=True)
class Pinned:
    """A candidate that a rule wants at a place, counted from 1."""

    candidate: Candidate
    position: int
    rule: CompiledRule


def rule_reason(rule: CompiledRule, code: str, **values: str | float) -> Reason:
    return Reason(code, {"rule": rule.number, "name": rule.name, **values})


def because(candidate: Candidate, reason: Reason) -> Candidate:
    return candidate.but(reasons=(*candidate.reasons, reason))


def first_page(candidates: Iterable[Candidate]) -> list[tuple]:
    """What a reader of it sees: provisions, places in them and the passages they are shown by."""
    return [(c.section_id, c.pin, c.chunk_id) for c in islice(candidates, FIRST_PAGE)]


def decisive(
    rules: Sequence[CompiledRule], outcome: Callable[[Sequence[CompiledRule]], object]
) -> list[CompiledRule]:
    """Those of the rules without which, by itself, the outcome of all would be another."""
    of_all = outcome(rules)
    return [rule for rule in rules if outcome([other for other in rules if other is not rule]) != of_all]


def weighted(
    candidates: Sequence[Candidate], rules: Iterable[CompiledRule], reached: Mapping[int, Collection[int]]
) -> tuple[Candidate, ...]:
    """Scores times the factors of boosts and divided by those of buries; `reached`: sections by rule number."""
    changed = {candidate.section_id: candidate for candidate in candidates}
    for rule in rules:
        for action in (*rule.does("boost"), *rule.does("bury")):
            times = action.factor if action.kind == "boost" else 1 / action.factor
            for section in reached.get(rule.number, ()):
                if section in changed:
                    was = changed[section]
                    reason = rule_reason(rule, f"rule_{action.kind}", factor=action.factor)
                    changed[section] = because(was.but(score=was.score * times), reason)
    return tuple(sorted(changed.values(), key=lambda c: (-c.score, c.section_id)))


def placed(candidates: Sequence[Candidate], pins: Sequence[Pinned]) -> tuple[Candidate, ...]:
    """Every pin at its place, or at the next that no earlier pin holds; the others around them in their order.

    A section pinned twice stands where the first rule wants it. Where there are too few others, pins close up.
    """
    slots: dict[int, Candidate] = {}
    pinned: set[int] = set()
    for pin in pins:
        if pin.candidate.section_id in pinned:
            continue
        place = pin.position
        while place in slots:
            place += 1
        slots[place] = because(pin.candidate, rule_reason(pin.rule, "rule_pin", position=pin.position))
        pinned.add(pin.candidate.section_id)
    result = [candidate for candidate in candidates if candidate.section_id not in pinned]
    for place in sorted(slots):
        result.insert(place - 1, slots[place])
    return tuple(result)


def covered_by(candidate: Candidate) -> set[int]:
    """Numbers of the rules whose own search found the candidate."""
    return {reason.values["rule"] for reason in candidate.reasons if reason.code == COVERS}


def quotas(
    candidates: Iterable[Candidate], rules: Sequence[CompiledRule], quota: int
) -> tuple[Candidate, ...]:
    """The first candidates of each rule's own search, as many as its quota, in the order of the rules; none twice."""
    found = [(candidate, covered_by(candidate)) for candidate in candidates]
    first: dict[int, Candidate] = {}
    for rule in rules:
        own = [candidate for candidate, covered in found if rule.number in covered]
        first |= {candidate.section_id: candidate for candidate in own[:quota]}
    return tuple(first.values())


def over_budget(
    candidates: Sequence[Candidate], tokens: Mapping[int, int], budget: int
) -> tuple[Candidate, ...]:
    """What does not fit: pins are taken first, then the rest in turn, so that what stands first is left out last."""
    left_out = []
    for candidate in sorted(candidates, key=lambda c: not is_pinned(c)):
        cost = tokens.get(candidate.section_id, 0)
        if cost > budget:
            left_out.append(candidate)
        else:
            budget -= cost
    return tuple(left_out)


def is_pinned(candidate: Candidate) -> bool:
    return any(reason.code == "rule_pin" for reason in candidate.reasons)


# -- The stage


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
