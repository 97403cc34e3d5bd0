"""Compiled rules and rankings for tests of what rules do, without a database."""

from retrieval.ranking import Candidate, Query, Ranking
from retrieval.targets import Part, Selection
from rules.engine.clauses import Action, Clauses, CompiledRule, Criterion


def a_rule(number: int, *actions: Action | str, targets: tuple[str, ...] = ()) -> CompiledRule:
    """A rule that always fires, upon sections by locator."""
    done = tuple(Action(action) if isinstance(action, str) else action for action in actions)
    parts = tuple(Part("section", locator) for locator in targets)
    clauses = Clauses((Criterion("always"),), Selection(parts), done)
    return CompiledRule(number, f"rule {number}", 1, 100, (), clauses)


def a_ranking(*sections: int, fired: tuple[CompiledRule, ...] = (), **query) -> Ranking:
    """Candidates by section id, the first with the highest score."""
    asked = Query(original="q", text="q", normalized="q", language="en", domains=(), fired=fired, **query)
    scored = [Candidate(section, score=float(len(sections) - n)) for n, section in enumerate(sections)]
    return Ranking(asked, tuple(scored))


def sections_of(candidates: Ranking | tuple[Candidate, ...]) -> list[int]:
    found = candidates.candidates if isinstance(candidates, Ranking) else candidates
    return [candidate.section_id for candidate in found]
