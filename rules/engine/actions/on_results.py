"""What rules do to the results, and the leg that finds what they name as an answer."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from retrieval.corpus.filters import chosen, in_selection, searched
from retrieval.models import Chunk, Section
from retrieval.pipeline import unless_final
from retrieval.ranking import CRISIS, Candidate, Query, Ranking, Reason
from retrieval.targets import Selection
from rules.engine.actions.apply import (
    FIRST_PAGE,
    Pinned,
    changed_by,
    covered_by,
    decisive,
    first_page,
    over_budget,
    placed,
    quotas,
    rule_reason,
    telling,
    weighted,
    with_rules,
)
from rules.engine.actions.on_search import restricting
from rules.engine.clauses import CompiledRule
from rules.thresholds.stages import Abstain, Gates

MAX_ALIASED = 20  # sections that one rule names as an answer
MAX_PINS = 10  # sections that one rule pins: of a whole document the first
MAX_UNDER = 500  # sections of what a rule pins among which the one that answers best is looked for
MAX_TOLD = 20  # passages named as left out for the token budget
NOT_EACH = "the caller does not ask for each rule to be covered"

# -- The sections that a rule's targets name, as this caller may read them


def candidates_of(query: Query, selection: Selection, *, most: int) -> list[Candidate]:
    """The sections of a selection that this caller could have found, each by its first chunk in it, in the order of
    the documents: in the domains searched, on the day asked for, and where rules leave it to be searched.
    """
    readable = Section.objects.readable(query.caller, query.as_of).filter(domain__in=query.domain_ids)
    left = chosen(query)
    firsts = (
        (Chunk.objects.all() if left is None else left)
        .filter(in_selection(selection), section__in=readable)
        .order_by("section_id", "position")
        .distinct("section_id")
        .values("pk")
    )
    rows = (
        Chunk.objects.filter(pk__in=firsts)
        .order_by("section__domain__position", "section__document_id", "section__position", "section_id")
        .values_list("section_id", "pk", "section__domain", "section__locator")[:most]
    )
    return [
        Candidate(
            section_id=section,
            chunk_id=chunk,
            domain_id=domain,
            locator=locator,
            pin=deeper_place(locator, selection),
        )
        for section, chunk, domain, locator in rows
    ]


def deeper_place(locator: str, selection: Selection) -> str | None:
    """The place inside the section that the selection names, if it names one."""
    named_places = (str(part.value) for part in selection.parts if part.kind == "section")
    return next((place for place in named_places if place.startswith(f"{locator}/")), None)


def sections_among(sections: Sequence[int], selection: Selection) -> set[int]:
    chunks = Chunk.objects.filter(in_selection(selection), section__in=sections)
    return set(chunks.values_list("section_id", flat=True))


def is_readable(query: Query, locator: str) -> bool:
    readable = searched(query)
    return readable.filter(locator=locator).exists() or readable.filter(anchors__locator=locator).exists()


# -- The stages


@dataclass(frozen=True)
class RuleAliasRetriever:
    """What rules name as an answer to questions like this, as curated names do: a leg beside the others."""

    weight: float = 2.0

    @with_rules("alias")
    def __call__(self, ranking: Ranking, rules: Sequence[CompiledRule]) -> Ranking:
        found: dict[int, Candidate] = {}
        for rule in rules:
            for candidate in candidates_of(ranking.query, rule.clauses.targets, most=MAX_ALIASED):
                ranked = candidate.but(ranks={"rule": 1}, reasons=(rule_reason(rule, "rule_alias"),))
                found.setdefault(candidate.section_id, ranked)
        return replace(ranking, candidates=tuple(found.values()))


@dataclass(frozen=True)
class DropExcluded:
    """Drops sections of which rules leave no chunk; one of which another chunk is left is shown by that."""

    @with_rules("exclude")
    def __call__(self, ranking: Ranking, rules: Sequence[CompiledRule]) -> Ranking:
        hidden, left = chunks_left(ranking)
        gone = {section for section, shown in left.items() if not shown}
        reason = rule_reason(rules[0], "rule_exclude")
        dropped = ranking.drop(dict.fromkeys(gone, reason), type(self))
        misses = (c for c in ranking.near_misses if c.section_id not in gone)
        return replace(
            dropped,
            candidates=tuple(by_chunk_left(c, hidden, left) for c in dropped.candidates),
            near_misses=tuple(by_chunk_left(c, hidden, left) for c in misses),
        )


def chunks_left(ranking: Ranking) -> tuple[set[int], dict[int, list[int]]]:
    """The excluded chunks of all candidates, and by section the others in their order."""
    sections = [c.section_id for c in (*ranking.candidates, *ranking.near_misses)]
    chunks = Chunk.objects.filter(section__in=sections)
    hidden = set(chunks.filter(in_selection(ranking.query.exclude)).values_list("pk", flat=True))
    left: dict[int, list[int]] = {}
    for section, chunk in chunks.order_by("section_id", "position").values_list("section_id", "pk"):
        left.setdefault(section, []).extend([] if chunk in hidden else [chunk])
    return hidden, left


def by_chunk_left(candidate: Candidate, hidden: set[int], left: dict[int, list[int]]) -> Candidate:
    if candidate.chunk_id not in hidden:
        return candidate
    return candidate.but(chunk_id=left[candidate.section_id][0])


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


@dataclass(frozen=True)
class CoverRules:
    """Puts the quota of each rule first; what thresholds dropped of it is brought back."""

    @unless_final
    def __call__(self, ranking: Ranking) -> Ranking:
        query = ranking.query
        if query.rules.coverage != "each":
            return ranking.noting(NOT_EACH, skipped=True)
        found = (*ranking.candidates, *ranking.dropped_by(Gates, Abstain))
        first = quotas(found, restricting(query.fired), query.rules.quota)
        ids = {candidate.section_id for candidate in first}
        others = (candidate for candidate in ranking.candidates if candidate.section_id not in ids)
        return showing(ranking, (*first, *others), ids)


def showing(ranking: Ranking, candidates: tuple[Candidate, ...], chosen_ids: set[int]) -> Ranking:
    """With these candidates, those that rules chose no longer dropped; any are an answer where the search would have
    abstained.
    """
    dropped = tuple(gone for gone in ranking.dropped if gone.candidate.section_id not in chosen_ids)
    put = replace(ranking, candidates=candidates, dropped=dropped)
    return replace(put, abstained=False, near_misses=()) if put.abstained and candidates else put


@dataclass(frozen=True)
class CheckCoverage:
    """Tells which rules were each to be covered and have fewer results than their quota."""

    def __call__(self, ranking: Ranking) -> Ranking:
        query = ranking.query
        if query.rules.coverage != "each":
            return ranking.noting(NOT_EACH, skipped=True)
        counts = Counter(number for candidate in ranking.candidates for number in covered_by(candidate))
        missing = [
            {"rule": rule.number, "results": counts[rule.number], "quota": query.rules.quota}
            for rule in restricting(query.fired)
            if counts[rule.number] < query.rules.quota
        ]
        return telling(ranking, uncovered=missing).noting(f"rules not covered: {len(missing)}")


@dataclass(frozen=True)
class PinTargets:
    """Puts pins at their places. Each is read again under the caller's scope: a pin shows only what could have been
    found.
    """

    @with_rules("pin")
    def __call__(self, ranking: Ranking, rules: Sequence[CompiledRule]) -> Ranking:
        found = ranking.candidates
        dropped = [gone.candidate for gone in ranking.dropped]
        known = {c.section_id: c for c in (*dropped, *found)}
        order = {c.section_id: rank for rank, c in reversed([*enumerate((*found, *dropped))])}
        pins = [pin for rule in rules for pin in pins_of(rule, ranking.query, known, order)]
        shown = {pin.candidate.section_id for pin in pins}
        changing = decisive(
            rules, lambda those: first_page(placed(found, [pin for pin in pins if pin.rule in those]))
        )
        return changed_by(showing(ranking, placed(found, pins), shown), changing)


def pins_of(
    rule: CompiledRule, query: Query, known: dict[int, Candidate], order: Mapping[int, int]
) -> list[Pinned]:
    """A provision that has several sections stands there once. `order`: the ranks of what was found."""
    (action, *_) = rule.does("pin")
    targets = rule.clauses.targets
    found = once_each(candidates_of(query, targets, most=MAX_UNDER), targets, order)[:MAX_PINS]
    return [
        Pinned(as_known(candidate, known), action.position + n, rule) for n, candidate in enumerate(found)
    ]


def once_each(
    candidates: Sequence[Candidate], targets: Selection, order: Mapping[int, int]
) -> list[Candidate]:
    """Of the sections below a provision that is named the one that was ranked best, else the first of its text; every
    section that is named itself, or that something else than a provision selects.
    """
    named_places = [str(part.value) for part in targets.parts if part.kind == "section"]
    groups: dict[str, list[Candidate]] = {}
    for candidate in candidates:
        above = (place for place in named_places if candidate.locator.startswith(f"{place}/"))
        place = candidate.locator if candidate.locator in named_places else next(above, candidate.locator)
        groups.setdefault(place, []).append(candidate)
    return [min(group, key=lambda one: order.get(one.section_id, len(order))) for group in groups.values()]


def as_known(candidate: Candidate, known: dict[int, Candidate]) -> Candidate:
    """With the scores and reasons it had, shown by the passage that the rule names."""
    was = known.get(candidate.section_id)
    if was is None:
        return candidate
    return was.but(chunk_id=candidate.chunk_id, pin=candidate.pin or was.pin)


@dataclass(frozen=True)
class KeepToBudget:
    """Keeps as many passages as the caller's token budget holds, and tells what it leaves out."""

    def __call__(self, ranking: Ranking) -> Ranking:
        budget = ranking.query.rules.token_budget
        if budget is None:
            return ranking.noting("no token budget", skipped=True)
        tokens = tokens_of(ranking.candidates)
        left_out = over_budget(ranking.candidates, tokens, budget)
        reason = Reason("over_token_budget", {"budget": budget})
        kept = ranking.drop({c.section_id: reason for c in left_out}, type(self))
        return telling(kept, withheld=[withheld(c, tokens) for c in left_out[:MAX_TOLD]])


def tokens_of(candidates: Sequence[Candidate]) -> dict[int, int]:
    """Tokens of the passage that each is shown by: its best chunk, or its first."""
    chunks = {candidate.chunk_id for candidate in candidates}
    tokens: dict[int, int] = {}
    rows = Chunk.objects.filter(section__in=[candidate.section_id for candidate in candidates])
    for section, chunk, count in rows.order_by("position").values_list("section_id", "pk", "token_count"):
        if chunk in chunks:
            tokens[section] = count
        tokens.setdefault(section, count)
    return tokens


def withheld(candidate: Candidate, tokens: dict[int, int]) -> dict[str, Any]:
    return {
        "locator": candidate.locator,
        "tokens": tokens.get(candidate.section_id, 0),
        "rules": sorted(covered_by(candidate)),
    }


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
    """Shows the first redirect whose place this caller can read; none away from the hotlines for a cry for help."""

    @with_rules("redirect")
    def __call__(self, ranking: Ranking, rules: Sequence[CompiledRule]) -> Ranking:
        if ranking.notice and ranking.notice.code == CRISIS:
            return ranking.noting("the hotlines stay on the page")
        wanted = ((rule, action.text) for rule in rules for action in rule.does("redirect"))
        for rule, locator in wanted:
            if is_readable(ranking.query, locator):
                place = {"rule": rule.number, "locator": locator, "url": f"/law{locator}"}
                return changed_by(telling(ranking, redirect=place), [rule])
        return ranking


@dataclass(frozen=True)
class AbstainByRule:
    """Shows nothing as an answer where a rule requires it; the best that was found is a near miss."""

    @with_rules("abstain")
    def __call__(self, ranking: Ranking, rules: Sequence[CompiledRule]) -> Ranking:
        declined = ranking.abstaining(rule_reason(rules[0], "rule_abstain"), type(self))
        return changed_by(declined, decisive(rules, lambda those: bool(those) or ranking.abstained))
