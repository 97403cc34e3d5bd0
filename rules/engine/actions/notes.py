"""Actions that tell the reader something: whose aliases are shown, notes, and a redirect."""

from collections.abc import Sequence
from dataclasses import dataclass

from retrieval.ranking import Ranking
from rules.engine.actions.account import changed_by, telling, with_rules
from rules.engine.actions.effects import FIRST_PAGE
from rules.engine.actions.targets import is_readable
from rules.engine.clauses import CompiledRule


@dataclass(frozen=True)
class CreditAliases:
    """Tells which rules' aliases stand on the first page."""

    @with_rules("alias")
    def __call__(self, ranking: Ranking, rules: Sequence[CompiledRule]) -> Ranking:
        shown = ranking.candidates[:FIRST_PAGE]
        numbers = {r.values["rule"] for c in shown for r in c.reasons if r.code == "rule_alias"}
        return changed_by(ranking, [rule for rule in rules if rule.number in numbers])


@dataclass(frozen=True)
class AddNotes:
    """Shows every rule's notes."""

    @with_rules("note")
    def __call__(self, ranking: Ranking, rules: Sequence[CompiledRule]) -> Ranking:
        notes = [{"rule": rule.number, "text": note.text} for rule in rules for note in rule.does("note")]
        return changed_by(telling(ranking, notes=notes), rules)


@dataclass(frozen=True)
class AddRedirect:
    """Shows the first redirect whose place this caller can read."""

    @with_rules("redirect")
    def __call__(self, ranking: Ranking, rules: Sequence[CompiledRule]) -> Ranking:
        wanted = ((rule, action.text) for rule in rules for action in rule.does("redirect"))
        for rule, locator in wanted:
            if is_readable(ranking.query, locator):
                place = {"rule": rule.number, "locator": locator, "url": f"/law{locator}"}
                return changed_by(telling(ranking, redirect=place), [rule])
        return ranking
