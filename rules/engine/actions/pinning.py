"""The action that pins sections to places."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from retrieval.ranking import Candidate, Query, Ranking
from rules.engine.actions.account import changed_by, with_rules
from rules.engine.actions.covering import answering
from rules.engine.actions.effects import Pinned, decisive, first_page, placed
from rules.engine.actions.targets import candidates_of
from rules.engine.clauses import CompiledRule

MAX_PINS = 10  # sections that one rule pins: of a whole document the first


@dataclass(frozen=True)
class PinTargets:
    """Puts pins at their places. Each is read again under the caller's scope: a pin shows only what could have been
    found.
    """

    @with_rules("pin")
    def __call__(self, ranking: Ranking, rules: Sequence[CompiledRule]) -> Ranking:
        found = ranking.candidates
        known = {c.section_id: c for c in (*(gone.candidate for gone in ranking.dropped), *found)}
        pins = [pin for rule in rules for pin in pins_of(rule, ranking.query, known)]
        shown = {pin.candidate.section_id for pin in pins}
        changing = decisive(
            rules, lambda those: first_page(placed(found, [pin for pin in pins if pin.rule in those]))
        )
        pinned = replace(
            ranking,
            candidates=placed(found, pins),
            dropped=tuple(gone for gone in ranking.dropped if gone.candidate.section_id not in shown),
        )
        return answering(changed_by(pinned, changing))


def pins_of(rule: CompiledRule, query: Query, known: dict[int, Candidate]) -> list[Pinned]:
    (action, *_) = rule.does("pin")
    found = candidates_of(query, rule.clauses.targets, most=MAX_PINS)
    return [
        Pinned(as_known(candidate, known), action.position + n, rule) for n, candidate in enumerate(found)
    ]


def as_known(candidate: Candidate, known: dict[int, Candidate]) -> Candidate:
    """With the scores and reasons it had, shown by the passage that the rule names."""
    was = known.get(candidate.section_id)
    if was is None:
        return candidate
    return was.but(chunk_id=candidate.chunk_id, pin=candidate.pin or was.pin)
