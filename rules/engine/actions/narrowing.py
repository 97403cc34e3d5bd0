"""Actions on the part of the corpus that is searched."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from operator import or_

from retrieval.corpus.filters import sections_within
from retrieval.models import Section
from retrieval.ranking import Candidate, Query, Ranking
from retrieval.targets import Selection
from rules.engine.actions.account import changed_by, with_rules
from rules.engine.clauses import CompiledRule


@dataclass(frozen=True)
class RestrictSearch:
    """Searches only what restricting rules name, of several together."""

    @with_rules("restrict")
    def __call__(self, ranking: Ranking, rules: Sequence[CompiledRule]) -> Ranking:
        return changed_by(replace(ranking, query=replace(ranking.query, include=targets_of(rules))), rules)


@dataclass(frozen=True)
class ExcludeFromSearch:
    """Searches nothing that excluding rules name."""

    @with_rules("exclude")
    def __call__(self, ranking: Ranking, rules: Sequence[CompiledRule]) -> Ranking:
        return changed_by(replace(ranking, query=replace(ranking.query, exclude=targets_of(rules))), rules)


@dataclass(frozen=True)
class RecheckCitation:
    """An answer without a search, as by citation alone, keeps what rules leave of it. If they leave nothing, or rewrote
    the question, it is searched for like any other.
    """

    def __call__(self, ranking: Ranking) -> Ranking:
        if not ranking.final:
            return ranking.noting("the question was not answered without a search", skipped=True)
        left = left_by_rules(ranking.query, ranking.candidates)
        if left and ranking.query.rewritten is None:
            return replace(ranking, candidates=left)
        return replace(ranking, candidates=(), final=False)


def targets_of(rules: Iterable[CompiledRule]) -> Selection:
    return reduce(or_, (rule.clauses.targets for rule in rules))


def restricting(rules: Iterable[CompiledRule]) -> tuple[CompiledRule, ...]:
    return tuple(rule for rule in rules if rule.does("restrict"))


def left_by_rules(query: Query, candidates: tuple[Candidate, ...]) -> tuple[Candidate, ...]:
    """A node above the result level, which has no chunks of its own, stays if all that is under it does."""
    if query.include is None and query.exclude is None:
        return candidates
    kept = Section.objects.filter(sections_within(query), pk__in=[c.section_id for c in candidates])
    ids = set(kept.values_list("pk", flat=True))

    def stays(candidate: Candidate) -> bool:
        under = [c.section_id in ids for c in candidates if c.locator.startswith(f"{candidate.locator}/")]
        return candidate.section_id in ids or (bool(under) and all(under))

    return tuple(filter(stays, candidates))
