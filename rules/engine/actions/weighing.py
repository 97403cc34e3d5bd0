"""The action that raises and lowers candidates."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from retrieval.ranking import Ranking
from rules.engine.actions.account import changed_by, with_rules
from rules.engine.actions.effects import decisive, first_page, weighted
from rules.engine.actions.targets import sections_among
from rules.engine.clauses import CompiledRule


@dataclass(frozen=True)
class BoostAndBury:
    """Multiplies and divides the scores of what rules name."""

    @with_rules("boost", "bury")
    def __call__(self, ranking: Ranking, rules: Sequence[CompiledRule]) -> Ranking:
        found = ranking.candidates
        sections = [candidate.section_id for candidate in found]
        reached = {rule.number: sections_among(sections, rule.clauses.targets) for rule in rules}
        changing = decisive(
            rules, lambda those: first_page(weighted(found, those, reached) if those else found)
        )
        return changed_by(replace(ranking, candidates=weighted(found, rules, reached)), changing)
