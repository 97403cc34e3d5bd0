"""What may be put right in a question whose evidence is poor: each is a stage that changes the question alone and says
how; one that does not apply is skipped. Private documents change no question.

Each has a `reason`, as the trace names it; `missing` says how far that is what a search lacked: 0 (not at all) to 1.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace

from retrieval.corpus import statements
from retrieval.models import Citation, Section
from retrieval.pipeline import run_stage
from retrieval.ranking import DomainScope, Query, Ranking
from retrieval.search.service import in_scope
from retrieval.stages.citations import cited_in
from retrieval.text.language import detect
from rules.sufficiency.stage import unknown
from rules.thresholds.stages import ReadThresholds
from rules.understanding import Translate, corrected_english, english_of

LAST = 0.01  # of what is tried after everything that is missing for certain


def written_in(query: Query) -> str:
    return detect(query.original, otherwise=query.language)


@dataclass(frozen=True)
class ReadAsOtherLanguage:
    """Reads a question as what it is written in, where a caller named the other language for it."""

    reason = "in another language than it was called"

    def missing(self, ranking: Ranking) -> float:
        return float(written_in(ranking.query) != ranking.query.language)

    def __call__(self, ranking: Ranking) -> Ranking:
        query = ranking.query
        written = written_in(query)
        if written == query.language:
            return ranking.noting("it is in the language it was read in", skipped=True)
        read = replace(query, text=query.original, language=written, translated=None, respelled=None)
        return run_stage(Translate(), replace(ranking, query=read)).noting(f"language {written}")


@dataclass(frozen=True)
class RespellFurther:
    """Puts right words that are two slips away from a word of a curated name."""

    slips: int
    reason = "words that no law here has"

    def missing(self, ranking: Ranking) -> float:
        """Which Spanish words are wrong only the translator can tell, whom the correction asks."""
        share = unknown(ranking.query)
        return max(share, LAST) if ranking.query.language == "es" else share

    def __call__(self, ranking: Ranking) -> Ranking:
        query = ranking.query
        if query.language == "es":
            read, translation, problem = english_of(replace(query, respelled=None), slips=self.slips)
            if problem or read.corrected_text == query.corrected_text:
                return ranking.noting(problem or "no other word is near", skipped=True)
            put = replace(read, text=translation.text, translated=translation.text)
            return replace(ranking, query=put).noting(read.corrected_text)
        text = corrected_english(query, slips=self.slips)
        if text == query.text:
            return ranking.noting("no other word is near", skipped=True)
        put = replace(query, text=text, respelled=text, citations=cited_in(query, text))
        return replace(ranking, query=put).noting(text)


@dataclass(frozen=True)
class SearchEverywhere:
    """Searches all public law, where the caller named a body of law and it declines."""

    reason = "the body of law that was named does not answer"

    def missing(self, ranking: Ranking) -> float:
        """All, where it holds nothing at all; else little: whatever else is wrong makes it decline too."""
        if not ranking.abstained:
            return 0.0
        return LAST if ranking.near_misses else 1.0

    def __call__(self, ranking: Ranking) -> Ranking:
        if not ranking.abstained:
            return ranking.noting("the body of law that was asked answers", skipped=True)
        return searching_too(ranking, public_here(ranking.query))


@dataclass(frozen=True)
class FollowCitations:
    """Searches the law too that the `first` results cite, where the caller named another body, which answers poorly:
    decisions lead to what they construe.
    """

    first: int
    reason = "what was found refers to other law"

    def missing(self, ranking: Ranking) -> float:
        return 0.0 if ranking.abstained or not may_widen(ranking.query) else LAST

    def __call__(self, ranking: Ranking) -> Ranking:
        return searching_too(ranking, self._cited(ranking))

    def _cited(self, ranking: Ranking) -> list[DomainScope]:
        found = [candidate.section_id for candidate in ranking.candidates[: self.first]]
        readable = Section.objects.readable(ranking.query.caller, ranking.query.as_of)
        cited = readable.filter(pk__in=Citation.objects.filter(source__in=found).values("target"))
        domains = set(cited.values_list("domain", flat=True))
        return [domain for domain in public_here(ranking.query) if domain.id in domains - {*ranking.query.domain_ids}]


def public_here(query: Query) -> list[DomainScope]:
    domains, _versions = in_scope(query.caller)
    return [domain for domain in domains if domain.corpus_version and not domain.private]


def may_widen(query: Query) -> bool:
    return not (query.bound or query.is_restricted or any(domain.private for domain in query.domains))


def searching_too(ranking: Ranking, domains: Iterable[DomainScope]) -> Ranking:
    """The question put to these bodies of law too."""
    query = ranking.query
    if not may_widen(query):
        return ranking.noting("it is searched in private documents or in part of a body", skipped=True)
    public = (*query.domains, *(domain for domain in domains if domain not in query.domains))
    if public == query.domains:
        return ranking.noting("all law here was searched", skipped=True)
    _domains, versions = in_scope(query.caller)
    wide = replace(query, domains=public, versions=statements.versions_for(public, versions))
    return run_stage(ReadThresholds(), replace(ranking, query=wide)).noting(", ".join(d.slug for d in public))
