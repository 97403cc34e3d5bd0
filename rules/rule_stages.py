"""The stages that apply rules: before anything is searched, while it is, and after everything was ranked."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from operator import or_
from typing import Any

from django.utils import timezone

from retrieval.citations import find_citations
from retrieval.fusion import merge
from retrieval.models import Chunk, Domain, Section
from retrieval.pipeline import Stage, run_stage
from retrieval.ranking import ANONYMOUS, Caller, Candidate, Query, Ranking, Reason
from retrieval.search import MAX_QUERY
from retrieval.selection import Selection, chosen, sections_within
from rules import published
from rules.applying import (
    COVERS,
    FIRST_PAGE,
    Pinned,
    because,
    covered_by,
    decisive,
    first_page,
    over_budget,
    placed,
    quotas,
    told,
    weighted,
)
from rules.clauses import CompiledRule
from rules.firing import Asked, fired
from rules.matching import replaced
from rules.rule_index import RuleIndex

MAX_PINS = 10  # sections that one rule pins: of a whole document the first
MAX_ALIASED = 20
NEAR_MISSES = 5
MAX_TOLD = 20  # passages named as left out for the token budget
NONE_FIRED = "no rule fires"
NARROWING = ("restrict", "exclude", "synonym")  # actions upon the search itself


# -- The first half


@dataclass(frozen=True)
class ApplyRewrites:
    """Finds which rules fire, and does what comes before the search: rewrite, add words, restrict, exclude."""

    def __call__(self, ranking: Ranking) -> Ranking:
        query = ranking.query
        stored = published.rules(query.versions.get("rules", 0))
        if not stored and query.rules.given is None:
            return ranking.noting("no rule is published", skipped=True)
        found = fired_by(query, stored)
        if not found:
            return unfired(ranking)
        changing = changing_the_search(found, query.text)
        query = searched_as(rewritten(replace(query, fired=found)))
        account = {
            "fired": [account_of(rule) for rule in found],
            "coverage": query.rules.coverage,
            "policy": None,
            "rewritten": query.rewritten,
            "changed": [rule.number for rule in changing],
        }
        ranking = replace(ranking, query=query, curated=account)
        return resettled(ranking).noting(named(found), fired=[rule.number for rule in found])


def fired_by(query: Query, stored: RuleIndex) -> tuple[CompiledRule, ...]:
    """Of the caller's rules where there are any, else of the stored ones."""
    question, by_words = asked(query), query.rules.keyword_trigger
    considered = query.rules.given
    if considered is None:
        considered = stored.near(question) if by_words else stored.rules
    found = fired(considered, question, timezone.localdate(), keyword_trigger=by_words)
    return found if query.rules.given is not None else as_known_to(query, found)


def as_known_to(query: Query, rules: tuple[CompiledRule, ...]) -> tuple[CompiledRule, ...]:
    """Rules of private domains tell nobody of what they may not see: one upon nothing that the caller may read is none
    to them, and one of domains some of which they may not see goes without its name. An answer from public domains
    alone is kept for everybody, whoever asked first.
    """
    public = {domain.slug for domain in query.domains if not domain.private}
    if public.issuperset(slug for rule in rules for slug in rule.domains):
        return rules
    reader = query.caller if len(public) < len(query.domains) else ANONYMOUS
    visible = set(Domain.objects.visible_to(reader).values_list("slug", flat=True))
    private = set(Domain.objects.filter(visibility=Domain.Visibility.PRIVATE).values_list("slug", flat=True))
    known = (rule for rule in rules if private.isdisjoint(rule.domains) or concerns_readable(rule, reader))
    return tuple(
        rule if visible.issuperset(rule.domains) else replace(rule, name=f"rule {rule.number}")
        for rule in known
    )


def concerns_readable(rule: CompiledRule, reader: Caller) -> bool:
    """Whether it needs no part of the corpus, or this caller may read one of those it acts upon."""
    readable = Section.objects.live().visible_to(reader)
    targets = rule.clauses.targets
    return not targets.parts or Chunk.objects.filter(targets.q, section__in=readable).exists()


def asked(query: Query) -> Asked:
    texts = {query.language: query.original} | ({"en": query.text} if query.translated else {})
    return Asked(
        texts=tuple(texts.items()),
        language=query.language,
        domains=frozenset(domain.slug for domain in query.domains),
        jurisdictions=frozenset(domain.jurisdiction for domain in query.domains),
        citations=tuple(citation.locator for citation in query.citations),
    )


def named(rules: Iterable[CompiledRule]) -> str:
    return ", ".join(rule.name for rule in rules)


def account_of(rule: CompiledRule) -> dict[str, Any]:
    """A rule as the answer tells that it fired."""
    return {
        "id": rule.number,
        "name": rule.name,
        "version": rule.version,
        "actions": [action.kind for action in rule.clauses.actions],
    }


def unfired(ranking: Ranking) -> Ranking:
    """Nothing is left unsaid: all is searched, or where the caller's rules were to decide, nothing."""
    policy = ranking.query.rules.fallback if ranking.query.rules.given is not None else "global"
    told_so = replace(ranking, curated={"policy": policy})
    if policy == "global":
        return told_so.noting(f"{NONE_FIRED}: all is searched", skipped=True)
    nothing = replace(told_so, candidates=(), settled=True, abstained=True)
    return nothing.noting(f"{NONE_FIRED}: nothing is searched")


def changing_the_search(rules: Sequence[CompiledRule], text: str) -> list[CompiledRule]:
    """Rules without which something else would be searched. What it would have found is not known, since nothing is
    searched twice: they are said to change the page.
    """
    rewriting = decisive([rule for rule in rules if rule.does("rewrite")], lambda those: put_by(those, text))
    return [rule for rule in rules if any(map(rule.does, NARROWING)) or rule in rewriting]


def put_by(rules: Iterable[CompiledRule], text: str) -> str:
    """The question as the rules put it, each in turn; what would be longer than a question may be is not put so."""
    for rule in rules:
        for action in rule.does("rewrite"):
            put = replaced(text, action.phrase, action.text) if action.phrase else action.text
            text = put if len(put) <= MAX_QUERY else text
    return text


def rewritten(query: Query) -> Query:
    """The question as the rules put it; its citations are read anew."""
    text = put_by(query.fired, query.text)
    if text == query.text:
        return query
    citations = find_citations(text)
    return replace(query, text=text, rewritten=text, citations=citations, unresolved="")


def searched_as(query: Query) -> Query:
    """What there is left to search, and the words looked for besides the question's."""
    return replace(
        query,
        only=joined(rule.clauses.targets for rule in restricting(query.fired)),
        never=joined(rule.clauses.targets for rule in query.fired if rule.does("exclude")),
        synonyms=tuple(action.text for rule in query.fired for action in rule.does("synonym")),
    )


def restricting(rules: Iterable[CompiledRule]) -> tuple[CompiledRule, ...]:
    return tuple(rule for rule in rules if rule.does("restrict"))


def joined(selections: Iterable[Selection]) -> Selection | None:
    several = tuple(selections)
    return reduce(or_, several) if several else None


def resettled(ranking: Ranking) -> Ranking:
    """An answer by citation alone keeps what rules leave of it; where nothing is left, or the question is another
    now, it is searched for like any other.
    """
    if not ranking.settled:
        return ranking
    left = left_by_rules(ranking.query, ranking.candidates)
    if left and ranking.query.rewritten is None:
        return replace(ranking, candidates=left)
    return replace(ranking, candidates=(), settled=False)


def left_by_rules(query: Query, candidates: tuple[Candidate, ...]) -> tuple[Candidate, ...]:
    """A node above the result level, which has no chunks of its own, stays if all that is under it does."""
    if query.only is None and query.never is None:
        return candidates
    kept = Section.objects.filter(sections_within(query), pk__in=[c.section_id for c in candidates])
    ids = set(kept.values_list("pk", flat=True))

    def stays(candidate: Candidate) -> bool:
        under = [c.section_id in ids for c in candidates if c.locator.startswith(f"{candidate.locator}/")]
        return candidate.section_id in ids or (bool(under) and all(under))

    return tuple(filter(stays, candidates))


# -- While it is searched


class EachRule:
    """Runs a search once for every rule that restricts it, where the caller wants each covered; else once, under all
    of them.
    """

    def __init__(self, search: Stage):
        self.search = search

    def __repr__(self) -> str:
        return f"EachRule({self.search!r})"

    def __call__(self, ranking: Ranking) -> Ranking:
        rules = restricting(ranking.query.fired)
        if ranking.query.rules.coverage != "each" or not rules or ranking.settled:
            return run_stage(self.search, ranking).noting("searched once", skipped=True)
        found = [(rule, run_stage(self.search, narrowed(ranking, rule))) for rule in rules]
        return together(ranking, found)


def narrowed(ranking: Ranking, rule: CompiledRule) -> Ranking:
    return replace(ranking, query=replace(ranking.query, only=rule.clauses.targets), reports=(), dropped=())


def together(ranking: Ranking, found: Sequence[tuple[CompiledRule, Ranking]]) -> Ranking:
    """The searches' candidates, each once with its best score and the rules whose search found it."""
    same: dict[int, list[Candidate]] = {}
    for rule, answer in found:
        for candidate in answer.candidates:
            same.setdefault(candidate.section_id, []).append(because(candidate, told(rule, COVERS)))
    merged = [merge(several).but(score=max(c.score for c in several)) for several in same.values()]
    degraded = {name for _, answer in found for name in answer.degraded}
    both = ranking.with_candidates(
        merged,
        reports=(*ranking.reports, *(report for _, answer in found for report in answer.reports)),
        degraded=tuple(dict.fromkeys((*ranking.degraded, *sorted(degraded)))),
    )
    return both.noting(f"{len(merged)} sections, searched for {len(found)} rules one by one")


@dataclass(frozen=True)
class RuleRetriever:
    """What rules name as an answer to questions like this, as curated names do: a leg beside the others."""

    weight: float = 2.0

    def __call__(self, ranking: Ranking) -> Ranking:
        query = ranking.query
        naming = [rule for rule in query.fired if rule.does("alias")]
        if not naming:
            return ranking.noting("no rule names an answer", skipped=True)
        found: dict[int, Candidate] = {}
        for rule in naming:
            for candidate in candidates_of(query, rule.clauses.targets, most=MAX_ALIASED):
                ranked = candidate.but(ranks={"rule": 1}, reasons=(told(rule, "rule_alias"),))
                found.setdefault(candidate.section_id, ranked)
        return replace(ranking, candidates=tuple(found.values())).noting(named(naming))


def candidates_of(query: Query, selection: Selection, *, most: int) -> list[Candidate]:
    """The sections of a selection that this caller could have found, each by its first chunk in it, in the order of
    the documents: in the domains searched, on the day asked for, and where rules leave it to be searched.
    """
    readable = Section.objects.readable(query.caller, query.as_of).filter(domain__in=query.domain_ids)
    left = chosen(query)
    firsts = (
        (Chunk.objects.all() if left is None else left)
        .filter(selection.q, section__in=readable)
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


# -- The second half


@dataclass(frozen=True)
class ApplyPins:
    """What rules decide of a finished ranking: exclude, boost and bury, cover, pin, keep to the token budget; notes,
    a redirect, and abstention where a rule requires it. Nothing that comes before can undo it.
    """

    def __call__(self, ranking: Ranking) -> Ranking:
        if not ranking.query.fired:
            return ranking.noting("no rule fired", skipped=True)
        for step in (excluded, boosted, covered, pinned, budgeted, named_as_answers, annotated, refused):
            ranking = step(ranking)
        return ranking.noting(named(ranking.query.fired))


def excluded(ranking: Ranking) -> Ranking:
    """Without sections of which rules leave no chunk; one of which another chunk is left is shown by that."""
    query = ranking.query
    if query.never is None:
        return ranking
    sections = [c.section_id for c in (*ranking.candidates, *ranking.near_misses)]
    chunks = Chunk.objects.filter(section__in=sections)
    hidden = set(chunks.filter(query.never.q).values_list("pk", flat=True))
    left: dict[int, list[int]] = {}
    for section, chunk in chunks.order_by("section_id", "position").values_list("section_id", "pk"):
        left.setdefault(section, []).extend([] if chunk in hidden else [chunk])
    gone = {section for section, shown in left.items() if not shown}
    rule = next(rule for rule in query.fired if rule.does("exclude"))
    dropped = ranking.drop({section: told(rule, "rule_exclude") for section in gone}, "ApplyPins")
    return replace(
        dropped,
        candidates=tuple(by_chunk_left(c, hidden, left) for c in dropped.candidates),
        near_misses=tuple(
            by_chunk_left(c, hidden, left) for c in ranking.near_misses if c.section_id not in gone
        ),
    )


def by_chunk_left(candidate: Candidate, hidden: set[int], left: dict[int, list[int]]) -> Candidate:
    if candidate.chunk_id not in hidden:
        return candidate
    return candidate.but(chunk_id=left[candidate.section_id][0])


def boosted(ranking: Ranking) -> Ranking:
    rules = [rule for rule in ranking.query.fired if rule.does("boost") or rule.does("bury")]
    if not rules:
        return ranking
    found = ranking.candidates
    sections = [candidate.section_id for candidate in found]
    reached = {rule.number: sections_among(sections, rule.clauses.targets) for rule in rules}
    changing = decisive(rules, lambda those: first_page(weighted(found, those, reached) if those else found))
    return changed_by(replace(ranking, candidates=weighted(found, rules, reached)), changing)


def sections_among(sections: Sequence[int], selection: Selection) -> set[int]:
    chunks = Chunk.objects.filter(selection.q, section__in=sections)
    return set(chunks.values_list("section_id", flat=True))


def covered(ranking: Ranking) -> Ranking:
    """Where each rule is to be covered, its quota first; what gates dropped of it is brought back."""
    query = ranking.query
    if query.rules.coverage != "each" or ranking.settled:
        return ranking
    gated = [gone.candidate for gone in ranking.dropped if gone.stage in ("Gates", "Abstain")]
    first = quotas((*ranking.candidates, *gated), restricting(query.fired), query.rules.quota)
    ids = {candidate.section_id for candidate in first}
    others = (candidate for candidate in ranking.candidates if candidate.section_id not in ids)
    return answering(
        replace(
            ranking,
            candidates=(*first, *others),
            dropped=tuple(gone for gone in ranking.dropped if gone.candidate.section_id not in ids),
        )
    )


def answering(ranking: Ranking) -> Ranking:
    """Rules found an answer where the search would have abstained."""
    if not ranking.candidates or not ranking.abstained:
        return ranking
    return replace(ranking, abstained=False, near_misses=())


def pinned(ranking: Ranking) -> Ranking:
    """Pins at their places, each read again under the caller's scope: a pin shows only what could have been found."""
    rules = [rule for rule in ranking.query.fired if rule.does("pin")]
    if not rules:
        return ranking
    known = {c.section_id: c for c in (*(d.candidate for d in ranking.dropped), *ranking.candidates)}
    pins = [pin for rule in rules for pin in pins_of(rule, ranking.query, known)]
    shown = {pin.candidate.section_id for pin in pins}
    changing = decisive(
        rules,
        lambda those: first_page(placed(ranking.candidates, [pin for pin in pins if pin.rule in those])),
    )
    answered = replace(
        ranking,
        candidates=placed(ranking.candidates, pins),
        dropped=tuple(gone for gone in ranking.dropped if gone.candidate.section_id not in shown),
    )
    return answering(changed_by(answered, changing))


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


def budgeted(ranking: Ranking) -> Ranking:
    """As many passages as the token budget holds; what it leaves out, and which rules it leaves uncovered, is told."""
    budget = ranking.query.rules.token_budget
    if budget is not None:
        tokens = tokens_of(ranking.candidates)
        left_out = over_budget(ranking.candidates, tokens, budget)
        reason = Reason("over_token_budget", {"budget": budget})
        ranking = ranking.drop({c.section_id: reason for c in left_out}, "ApplyPins")
        ranking = telling(ranking, withheld=[withheld(c, tokens) for c in left_out[:MAX_TOLD]])
    return telling(ranking, uncovered=uncovered(ranking))


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


def uncovered(ranking: Ranking) -> list[dict[str, int]]:
    """Rules that were each to be covered and have fewer results than their quota."""
    query = ranking.query
    if query.rules.coverage != "each":
        return []
    counts = Counter(number for candidate in ranking.candidates for number in covered_by(candidate))
    return [
        {"rule": rule.number, "results": counts[rule.number], "quota": query.rules.quota}
        for rule in restricting(query.fired)
        if counts[rule.number] < query.rules.quota
    ]


def named_as_answers(ranking: Ranking) -> Ranking:
    """Tells whose aliases stand on the first page."""
    shown = ranking.candidates[:FIRST_PAGE]
    numbers = {r.values["rule"] for c in shown for r in c.reasons if r.code == "rule_alias"}
    return changed_by(ranking, [rule for rule in ranking.query.fired if rule.number in numbers])


def annotated(ranking: Ranking) -> Ranking:
    """The first rule's redirect, if its place can be read by this caller, and every rule's notes."""
    fired_rules = ranking.query.fired
    notes = [{"rule": rule.number, "text": note.text} for rule in fired_rules for note in rule.does("note")]
    wanted = [(rule, action.text) for rule in fired_rules for action in rule.does("redirect")]
    leads = next(
        (
            {"rule": rule.number, "locator": locator, "url": f"/law{locator}"}
            for rule, locator in wanted
            if is_readable(ranking.query, locator)
        ),
        None,
    )
    speaking = [rule for rule in fired_rules if rule.does("note") or (leads and rule.number == leads["rule"])]
    return changed_by(telling(ranking, notes=notes, redirect=leads), speaking)


def is_readable(query: Query, locator: str) -> bool:
    readable = Section.objects.readable(query.caller, query.as_of).filter(domain__in=query.domain_ids)
    return readable.filter(locator=locator).exists() or readable.filter(anchors__locator=locator).exists()


def refused(ranking: Ranking) -> Ranking:
    """Nothing as an answer where a rule requires it; the best that was found is a near miss."""
    requiring = [rule for rule in ranking.query.fired if rule.does("abstain")]
    if not requiring:
        return ranking
    misses = (ranking.candidates or ranking.near_misses)[:NEAR_MISSES]
    reason = told(requiring[0], "rule_abstain")
    declined = ranking.drop({c.section_id: reason for c in ranking.candidates}, "ApplyPins")
    changing = decisive(requiring, lambda those: bool(those) or ranking.abstained)
    return changed_by(replace(declined, abstained=True, near_misses=misses), changing)


def changed_by(ranking: Ranking, rules: Iterable[CompiledRule]) -> Ranking:
    """The account, with these among the rules that changed the first page."""
    known = ranking.curated.get("changed", [])
    return telling(ranking, changed=list(dict.fromkeys([*known, *(rule.number for rule in rules)])))


def telling(ranking: Ranking, **account: Any) -> Ranking:
    return replace(ranking, curated={**ranking.curated, **account})
