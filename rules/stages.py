"""Stages that read what curators decide: the glossary in translation, aliases, thresholds."""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from retrieval import serving
from retrieval.citations import find_citations
from retrieval.errors import NotRun
from retrieval.features import USUAL_MINIMUM
from retrieval.models import Section
from retrieval.pipeline import unless_settled
from retrieval.ranking import Candidate, Limits, Query, Ranking, Reason
from retrieval.selection import sections_within
from retrieval.textnorm import stems
from retrieval.translation import Translation, TranslationUnavailable, translate
from rules import published
from rules.gates import gated, is_confident
from rules.models import DomainThreshold
from rules.published import AliasMatch
from rules.respelling import spanish_as_meant

NEAR_MISSES = 5  # the contract's "at most 5"
FITTED_ON = (
    "EmbedQuery", "DenseRetriever", "LexicalRetriever", "NearestAliasRetriever", "LexicalAliasRetriever",
    "AliasRetriever",
)  # fmt: skip
NONE_NEAR = "no curated name of what may be read here is near"
JUDGED_BY = 10  # candidates whose best probability stands for "the answer is here": the first page


@dataclass(frozen=True)
class Translate:
    """Puts a Spanish question into the English of the law, citations and glossary terms kept exact."""

    def __call__(self, ranking: Ranking) -> Ranking:
        query = ranking.query
        if query.language != "es":
            return ranking.noting("the question is in English", skipped=True)
        query, translation, problem = english_of(query)
        translated = replace(query, text=translation.text, translated=translation.text)
        degraded = (*ranking.degraded, "Translate") if problem else ranking.degraded
        note = f"{translation.engine}: {translation.text}" + (f" ({problem})" if problem else "")
        return replace(ranking, query=translated, degraded=degraded).noting(note)


def english_of(query: Query) -> tuple[Query, Translation, str]:
    """The query with its misspelt words put right, in English, and why the machine translator did not help where it
    could not.
    """
    glossary = published.glossary(query.versions.get("glossary", 0))
    engine, problem = serving.apertium(), "Apertium is not installed"
    if engine is not None:
        try:
            query = as_meant(query, spanish_as_meant(query, engine))
            return query, translate(query.meant, glossary, engine, protect=protected(query)), ""
        except TranslationUnavailable as unavailable:
            problem = unavailable.message
    return query, translate(query.meant, glossary, protect=protected(query)), problem


def as_meant(query: Query, text: str) -> Query:
    if text == query.original:
        return query
    return replace(query, respelled=text, citations=find_citations(text))


def protected(query: Query) -> list[tuple[int, int, str]]:
    return [(c.start, c.end, c.normalized) for c in query.citations]


@dataclass(frozen=True)
class AliasRetriever:
    """Provisions by their curated names. A longer name, and one that few provisions share, ranks first."""

    weight: float = 2.0

    def __call__(self, ranking: Ranking) -> Ranking:
        matches = self._matches(ranking.query)
        if not matches:
            return ranking.noting("no alias in the question", skipped=True)
        best = best_by_locator(matches)
        sections = named_sections(ranking.query, list(best))
        ranks = dense_ranks([strength(best[locator]) for locator, *_ in sections])
        candidates = [
            alias_candidate(section, best[locator], rank)
            for (locator, section), rank in zip(sections, ranks, strict=True)
        ]
        names = ", ".join(sorted({best[locator].text for locator, _section in sections}))
        return replace(ranking, candidates=tuple(candidates)).noting(names)

    def _matches(self, query: Query) -> list[AliasMatch]:
        version = query.versions.get("aliases", 0)
        texts = {"en": query.text} | ({query.language: query.meant} if query.language != "en" else {})
        return [
            match
            for domain in query.domain_ids
            for language, text in texts.items()
            for match in published.alias_table(domain, version).matches(text, language)
        ]


@dataclass(frozen=True)
class NearestAliasRetriever:
    """Provisions one of whose curated names means nearly what the question asks: cosine of at least the domain's
    threshold `alias_search`, or `least` in a domain without thresholds.
    """

    k: int = 50
    least: float = 0.4
    weight: float = 2.0

    def __call__(self, ranking: Ranking) -> Ranking:
        query = ranking.query
        if query.vector is None:
            raise NotRun("the question has no vector")
        nearest = self._nearest(query)
        if not nearest:
            return ranking.noting("no curated name is near to the question", skipped=True)
        sections = dict(named_sections(query, [locator for locator, _, _ in nearest]))
        ordered = [
            (sections[locator], name, cosine) for locator, name, cosine in nearest if locator in sections
        ]
        candidates = [near_candidate(*row, rank) for rank, row in enumerate(ordered, start=1)]
        note = ordered[0][1] if ordered else NONE_NEAR
        return replace(ranking, candidates=tuple(candidates)).noting(note)

    def _nearest(self, query: Query) -> list[tuple[str, str, float]]:
        version = query.versions.get("aliases", 0)
        rows = published.thresholds(query.versions.get("thresholds", 0))
        most = self.k if query.only is None else None  # what rules leave is among all that are near
        near_enough = []
        for domain in query.domain_ids:
            least = rows[domain].alias_search if domain in rows else self.least
            names = published.alias_vectors(domain, version, query.embedded_by)
            near_enough += names.nearest(query.vector, k=most, least=least)
        return sorted(near_enough, key=lambda near: (-near[2], near[0]))[:most]


def near_candidate(section: int, name: str, cosine: float, rank: int) -> Candidate:
    return Candidate(
        section_id=section,
        scores={"alias_near": cosine},
        ranks={"alias_near": rank},
        reasons=(Reason("alias_near", {"alias": name, "similarity": round(cosine, 3)}),),
    )


@dataclass(frozen=True)
class LexicalAliasRetriever:
    """Provisions by the words of their curated names and example questions taken together (BM25)."""

    k: int = 50
    weight: float = 1.0

    def __call__(self, ranking: Ranking) -> Ranking:
        query = ranking.query
        best = self._best(query)
        if not best:
            return ranking.noting("no curated name has a word of the question", skipped=True)
        sections = dict(named_sections(query, [locator for locator, _, _ in best]))
        known = [(sections[locator], *told) for locator, *told in best if locator in sections]
        candidates = [worded_candidate(*row, rank) for rank, row in enumerate(known, start=1)]
        note = next((locator for locator, *_ in best if locator in sections), NONE_NEAR)
        return replace(ranking, candidates=tuple(candidates)).noting(note)

    def _best(self, query: Query) -> list[tuple[str, float, float]]:
        version, words = query.versions.get("aliases", 0), stems(query.text, "en")
        found = [
            row
            for domain in query.domain_ids
            for row in published.wording(domain, version).best(words, self.k)
        ]
        return sorted(found, key=lambda row: (-row[1], row[0]))[: self.k]


def worded_candidate(section: int, score: float, coverage: float, rank: int) -> Candidate:
    return Candidate(
        section_id=section,
        scores={"alias_lexical": score, "alias_coverage": coverage},
        ranks={"alias_lexical": rank},
        reasons=(Reason("alias_lexical", {"rank": rank}),),
    )


def strength(match: AliasMatch) -> float:
    """Longer names say more; a name shared by several provisions says less of each."""
    return match.words / match.shared


def best_by_locator(matches: list[AliasMatch]) -> dict[str, AliasMatch]:
    best: dict[str, AliasMatch] = {}
    for match in matches:
        if match.locator not in best or strength(match) > strength(best[match.locator]):
            best[match.locator] = match
    return best


def named_sections(query: Query, locators: list[str]) -> list[tuple[str, int]]:
    """(locator, section) of provisions by locator; the fusion reads each again under the caller's scope."""
    if (
        query.as_of is None
        and query.only is None
        and query.never is None
        and not any(domain.private for domain in query.domains)
    ):
        version = query.versions.get("aliases", 0)
        places = {
            locator: section
            for domain in query.domains
            for locator, section in published.named_places(domain.id, version, domain.corpus_version).items()
        }
        return [(locator, places[locator]) for locator in locators if locator in places]
    readable = Section.objects.readable(query.caller, query.as_of).filter(
        sections_within(query), domain__in=query.domain_ids, locator__in=locators
    )
    return list(readable.in_order().values_list("locator", "pk"))


def dense_ranks(strengths: list[float]) -> list[int]:
    """1-based ranks, equal strengths sharing one: [3, 5, 3] -> [2, 1, 2]."""
    order = {value: rank for rank, value in enumerate(sorted(set(strengths), reverse=True), start=1)}
    return [order[value] for value in strengths]


def alias_candidate(section: int, match: AliasMatch, rank: int) -> Candidate:
    return Candidate(
        section_id=section,
        scores={"alias": strength(match)},
        ranks={"alias": rank},
        reasons=(Reason("alias", {"alias": match.text}),),
    )


@dataclass(frozen=True)
class ReadThresholds:
    """Gives the query its domains' published limits for what is learned: where the reranker accepts and rejects, its
    share in the order, a language model's weight, and how alike a judged question is that is suggested.
    """

    def __call__(self, ranking: Ranking) -> Ranking:
        query = ranking.query
        rows = published.thresholds(query.versions.get("thresholds", 0))
        limits = {domain: limits_of(rows[domain]) for domain in query.domain_ids if domain in rows}
        told = ", ".join(
            f"{scope.slug} v{rows[scope.id].version}" for scope in query.domains if scope.id in rows
        )
        return replace(ranking, query=replace(query, limits=limits)).noting(told, skipped=not limits)


def limits_of(row: DomainThreshold) -> Limits:
    return Limits(
        low=row.mlp_low,
        high=row.mlp_high,
        blend=row.blend,
        llm_weight=row.llm_weight,
        alike=row.query_search,
    )


@dataclass(frozen=True)
class Calibrate:
    """Gives every candidate the probability that it is relevant: a logistic of its scores, fitted per domain on
    judged topics. A domain without a fit gives none.
    """

    @unless_settled
    def __call__(self, ranking: Ranking) -> Ranking:
        if missing := [name for name in ranking.degraded if name in FITTED_ON]:
            raise NotRun(f"the calibration rests on what did not run: {', '.join(missing)}", degrades=False)
        rows = published.thresholds(ranking.query.versions.get("thresholds", 0))
        candidates = tuple(with_probability(c, rows.get(c.domain_id)) for c in ranking.candidates)
        fitted = sum(c.probability is not None for c in candidates)
        if candidates and not fitted:
            raise NotRun("no calibration for these domains", degrades=False)
        return replace(ranking, candidates=candidates).noting(f"{fitted} of {len(candidates)} calibrated")


def with_probability(candidate: Candidate, threshold: DomainThreshold | None) -> Candidate:
    if threshold is None or not threshold.calibration:
        return candidate
    return candidate.but(probability=logistic(features(candidate), threshold.calibration))


def features(candidate: Candidate) -> dict[str, float]:
    """What the calibration reads: cosine, lexical coverage, how names and their words match, whether a citation does.
    Weights fitted before a score was there leave it out.
    """
    return {
        "dense": candidate.scores.get("dense", 0.0),
        "coverage": candidate.scores.get("coverage", 0.0),
        "alias": min(candidate.scores.get("alias", 0.0), 3.0),
        "alias_near": candidate.scores.get("alias_near", 0.0),
        "alias_coverage": candidate.scores.get("alias_coverage", 0.0),
        "citation": candidate.scores.get("citation", 0.0),
    }


def logistic(values: Mapping[str, float], weights: Mapping[str, float]) -> float:
    total = weights["intercept"] + sum(weights.get(name, 0.0) * value for name, value in values.items())
    return 1.0 / (1.0 + math.exp(-total))


@dataclass(frozen=True)
class Gates:
    """Marks each candidate A (accept), B (verify) or C by its domain's thresholds, and drops what is below the
    domain's minimum or too far behind the best. It never reorders, and never drops an exact citation.
    """

    @unless_settled
    def __call__(self, ranking: Ranking) -> Ranking:
        before = ranking.candidates
        if before and all(candidate.probability is None for candidate in before):
            raise NotRun("no candidate has a probability to gate by", degrades=False)
        rows = published.thresholds(ranking.query.versions.get("thresholds", 0))
        marked, gone = gated(before, rows)
        kept = replace(ranking, candidates=marked).drop(gone, "Gates")
        if before and not kept.candidates:
            kept = replace(kept, near_misses=marked[:NEAR_MISSES])
        return kept.noting(gate_note(kept.candidates, gone))


def gate_note(kept: Sequence[Candidate], gone: Mapping[int, Reason]) -> str:
    counted = Counter(candidate.gate or "not gated" for candidate in kept)
    marks = ", ".join(f"{mark} {count}" for mark, count in sorted(counted.items()))
    return f"{marks or 'none kept'}; {len(gone)} dropped"


@dataclass(frozen=True)
class Abstain:
    """Shows nothing as an answer when it is improbable that one was found, nor when the question is but a citation of
    what is not here; near misses remain. That probability is the reranker's or, where none ran, comes from the best
    calibrated candidate of the first page. Of several domains the lowest minimum holds; those without thresholds never
    abstain.
    """

    @unless_settled
    def __call__(self, ranking: Ranking) -> Ranking:
        if ranking.query.unresolved:
            named = Reason("no_such_provision", {"citation": ranking.query.unresolved})
            return declined(ranking, named).noting(f"there is no {ranking.query.unresolved} here")
        rows = published.thresholds(ranking.query.versions.get("thresholds", 0))
        first = ranking.candidates[:JUDGED_BY]
        if not first:
            return replace(ranking, abstained=True).noting("nothing was found")
        note = ""
        if all(candidate.domain_id in rows for candidate in first):
            row = min((rows[c.domain_id] for c in first), key=lambda row: minimum_of(ranking, row))
            minimum, probability = minimum_of(ranking, row), answer_probability(ranking, row)
            if minimum != row.answer_minimum:
                note = f"{row}: its answer minimum was chosen on another scale, {minimum} holds"
            if probability is not None and probability < minimum:
                reason = Reason("abstained", {"probability": round(probability, 3)})
                told = f"probability of an answer {probability:.3f}, below {minimum:.3f}"
                return declined(ranking, reason).noting(f"{told}; {note}" if note else told)
        return replace(ranking, confident=is_confident(first, rows)).noting(note)


def declined(ranking: Ranking, reason: Reason) -> Ranking:
    """An abstention: every candidate dropped for this reason, the first of them near misses."""
    misses = ranking.candidates[:NEAR_MISSES] or ranking.near_misses
    without = ranking.drop({c.section_id: reason for c in ranking.candidates}, "Abstain")
    return replace(without, abstained=True, near_misses=misses)


def minimum_of(ranking: Ranking, row: DomainThreshold) -> float:
    """Below what the search abstains: the row's minimum or, where that was chosen on another scale than the reranker's,
    the one that fits every reranker of this scale.
    """
    return row.answer_minimum if ranking.answer is None or row.is_on_scale else USUAL_MINIMUM


def answer_probability(ranking: Ranking, row: DomainThreshold) -> float | None:
    """The probability that an answer was found; None where nothing was calibrated."""
    if ranking.answer is not None:
        return ranking.answer
    first = [candidate.probability for candidate in ranking.candidates[:JUDGED_BY]]
    return None if None in first else answered_by(max(first), row.calibration)


def answered_by(best: float, weights: Mapping[str, float]) -> float:
    """The probability that an answer was found when the best candidate is relevant with this one: a page of ten has
    more than one chance. Weights fitted before that was known take the candidate's for it.
    """
    if "answer_slope" not in weights:
        return best
    odds = math.log(max(best, 1e-9) / max(1.0 - best, 1e-9))
    return 1.0 / (1.0 + math.exp(-(weights["answer_slope"] * odds + weights["answer_intercept"])))
