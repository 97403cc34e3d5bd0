"""What rules do to the search: other words, another part of the corpus, a search for each rule."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from operator import or_

from retrieval.corpus.filters import sections_within
from retrieval.models import Section
from retrieval.pipeline import Stage, run_stage
from retrieval.ranking import Candidate, Query, Ranking
from retrieval.request import MAX_QUERY
from retrieval.stages.citations import cited_in
from retrieval.stages.fusion import merge
from retrieval.targets import Selection
from rules.engine.actions.apply import COVERS, because, changed_by, decisive, rule_reason, telling, with_rules
from rules.engine.clauses import CompiledRule
from rules.engine.matching import replaced


@dataclass(frozen=True)
class RewriteQuery:
    """Searches for the question as rules put it, each in turn. Its citations are read anew."""

    @with_rules("rewrite")
    def __call__(self, ranking: Ranking, rules: Sequence[CompiledRule]) -> Ranking:
        query = ranking.query
        language = query.language if query.translated is None else "en"
        text = put_by(rules, query.text, language)
        ranking = changed_by(ranking, decisive(rules, lambda those: put_by(those, query.text, language)))
        if text == query.text:
            return ranking
        query = replace(query, text=text, rewritten=text, citations=cited_in(query, text), unresolved="")
        return telling(replace(ranking, query=query), rewritten=text)


def put_by(rules: Iterable[CompiledRule], text: str, language: str) -> str:
    """The question as the rules put it, each in turn; what would be longer than a question may be is not put so."""
    for rule in rules:
        for action in rule.does("rewrite"):
            put = replaced(text, action.phrase, action.text, language) if action.phrase else action.text
            text = put if len(put) <= MAX_QUERY else text
    return text


@dataclass(frozen=True)
class AddSynonyms:
    """Adds words to look for beside the question's. What a search without them would have found is not known: their
    rules are said to change the page, as are those that restrict and exclude.
    """

    @with_rules("synonym")
    def __call__(self, ranking: Ranking, rules: Sequence[CompiledRule]) -> Ranking:
        words = tuple(action.text for rule in rules for action in rule.does("synonym"))
        return changed_by(replace(ranking, query=replace(ranking.query, synonyms=words)), rules)


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
    if not query.is_restricted:
        return candidates
    kept = Section.objects.filter(sections_within(query), pk__in=[c.section_id for c in candidates])
    ids = set(kept.values_list("pk", flat=True))

    def stays(candidate: Candidate) -> bool:
        under = [c.section_id in ids for c in candidates if c.locator.startswith(f"{candidate.locator}/")]
        return candidate.section_id in ids or (bool(under) and all(under))

    return tuple(filter(stays, candidates))


class PerRuleSearch:
    """Runs a search once for every rule that restricts it, where the caller wants each covered; else once, under all
    of them.
    """

    essential = True

    def __init__(self, search: Stage):
        self.search = search

    def __repr__(self) -> str:
        return f"PerRuleSearch({self.search!r})"

    def __call__(self, ranking: Ranking) -> Ranking:
        rules = restricting(ranking.query.fired)
        if ranking.query.rules.coverage != "each" or not rules or ranking.final:
            return run_stage(self.search, ranking).noting("searched once", skipped=True)
        found = [(rule, run_stage(self.search, narrowed(ranking, rule))) for rule in rules]
        return together(ranking, found)


def narrowed(ranking: Ranking, rule: CompiledRule) -> Ranking:
    return replace(
        ranking, query=replace(ranking.query, include=rule.clauses.targets), reports=(), dropped=()
    )


def together(ranking: Ranking, found: Sequence[tuple[CompiledRule, Ranking]]) -> Ranking:
    """The searches' candidates, each once with its best score and the rules whose search found it."""
    same: dict[int, list[Candidate]] = {}
    for rule, answer in found:
        for candidate in answer.candidates:
            same.setdefault(candidate.section_id, []).append(because(candidate, rule_reason(rule, COVERS)))
    merged = [merge(several).but(score=max(c.score for c in several)) for several in same.values()]
    degraded = {name for _, answer in found for name in answer.degraded}
    both = ranking.with_candidates(
        merged,
        reports=(*ranking.reports, *(report for _, answer in found for report in answer.reports)),
        degraded=tuple(dict.fromkeys((*ranking.degraded, *sorted(degraded)))),
    )
    return both.noting(f"{len(merged)} sections, searched for {len(found)} rules one by one")
