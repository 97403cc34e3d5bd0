"""The stage that finds which rules a question fires. What they do is done by the stages in `rules.engine.actions`."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial, reduce
from typing import Any

from django.utils import timezone

from retrieval.access.caller import ANONYMOUS, Caller
from retrieval.corpus.filters import in_selection
from retrieval.models import Chunk, Domain, Section
from retrieval.pipeline import Stage, run_stage
from retrieval.ranking import Query, Ranking
from rules import published
from rules.engine.actions.apply import named
from rules.engine.clauses import CompiledRule
from rules.engine.firing import Asked, RuleIndex, fired
from rules.thresholds.likely import shares

NONE_FIRED = "no rule fires"


@dataclass(frozen=True)
class MatchRules:
    """Finds which rules fire: of the caller's where it brings any, else of those that are published. Where one asks
    which body of law the question is about, `placed` tells it of the question as asked, before any rule changes it.
    """

    placed: tuple[Stage, ...] = ()

    def __call__(self, ranking: Ranking) -> Ranking:
        query = ranking.query
        stored = published.rules(published.version_of("rules", query.versions))
        if not stored and query.rules.given is None:
            return ranking.noting("no rule is published", skipped=True)
        found = self.fired_by(query, stored)
        if not found:
            return unfired(ranking)
        account = {
            "fired": [account_of(rule) for rule in found],
            "coverage": query.rules.coverage,
            "policy": None,
        }
        matched = replace(ranking, query=replace(query, fired=found), curated=account)
        return matched.noting(named(found), fired=[rule.number for rule in found])

    def fired_by(self, query: Query, stored: RuleIndex) -> tuple[CompiledRule, ...]:
        """Of the caller's rules where there are any, else of the stored ones."""
        question, by_words = self.asked(query), query.rules.keyword_trigger
        considered = query.rules.given
        if considered is None:
            considered = stored.near(question) if by_words else stored.rules
        found = fired(considered, question, timezone.localdate(), keyword_trigger=by_words)
        return found if query.rules.given is not None else as_known_to(query, found)

    def asked(self, query: Query) -> Asked:
        texts = {query.language: query.original} | ({"en": query.text} if query.translated else {})
        told = ("shares", query.text, *query.domain_ids)
        return Asked(
            texts=tuple(texts.items()),
            language=query.language,
            domains=frozenset(domain.slug for domain in query.domains),
            jurisdictions=frozenset(domain.jurisdiction for domain in query.domains),
            citations=tuple(citation.locator for citation in query.citations),
            shares=lambda: query.once(told, partial(shares_by_slug, query, self.placed)),
        )


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
    return not targets.parts or Chunk.objects.filter(in_selection(targets), section__in=readable).exists()


def shares_by_slug(query: Query, placed: tuple[Stage, ...]) -> Mapping[str, float]:
    """Of each public body of law, how probable it is that the question is about it; of one alone it is certain."""
    if len(query.filled) < 2:
        return {domain.slug: 1.0 for domain in query.filled if not domain.private}
    ranking = reduce(lambda so_far, stage: run_stage(stage, so_far), placed, Ranking(query))
    share = shares(ranking.query)
    return {domain.slug: share[domain.id] for domain in ranking.query.filled if domain.id in share}


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
    nothing = replace(told_so, candidates=(), final=True, abstained=True)
    return nothing.noting(f"{NONE_FIRED}: nothing is searched")
