"""The legs that find provisions by their curated names: in the question, by meaning, and by words (BM25); and queries
that are a curated name of several provisions together, or ask what changed what a name means. Also what names say of
any candidate, and what counts beside them where few provisions have some.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from itertools import product

import numpy as np

from retrieval.citations.amending import changed_words
from retrieval.citations.finding import unframed
from retrieval.citations.reporters import CASE, UNITED_STATES_REPORTS
from retrieval.corpus import history
from retrieval.corpus.filters import sections_within
from retrieval.errors import NotRun
from retrieval.indexes.terms import bm25, having_all, having_codes, texts_of
from retrieval.models import Section
from retrieval.pipeline import unless_final
from retrieval.ranking import Candidate, DomainScope, Query, Ranking, Reason
from retrieval.stages.citations import resolve, with_changes
from retrieval.stages.fusion import texts_by_language, words_of
from retrieval.text.analyzer import LANGUAGES, stems
from rules import published
from rules.aliases.table import AliasMatch
from rules.aliases.vectors import Comparison
from rules.aliases.wording import Wording

ALL_WORDS = "all_words"
WHOLE_NAME = "whole_name"
NONE_NEAR = "no curated name of what may be read here is near"


def named_sections(query: Query, locators: list[str]) -> list[tuple[str, int]]:
    """(locator, section) of provisions by locator; the fusion reads each again under the caller's scope."""
    locators = [locator for locator in locators if locator not in query.nameless]
    if (
        query.as_of is None
        and not query.is_restricted
        and not any(domain.private for domain in query.domains)
    ):
        version = published.version_of("aliases", query.versions)
        tables = [
            published.named_places(domain.id, version, domain.corpus_version) for domain in query.domains
        ]
        return [(locator, table[locator]) for locator in locators for table in tables if locator in table]
    readable = Section.objects.readable(query.caller, query.as_of).filter(
        sections_within(query), domain__in=query.domain_ids, locator__in=locators
    )
    return list(readable.in_order().values_list("locator", "pk"))


def found(
    leg: str, section: int, rank: int, scores: Mapping[str, float], /, **values: str | float
) -> Candidate:
    """What a leg found, and why."""
    return Candidate(section, scores=scores, ranks={leg: rank}, reasons=(Reason(leg, values),))


@dataclass(frozen=True)
class AliasRetriever:
    """Provisions by their curated names. A longer name, and one that few provisions share, ranks first. The score
    `whole_name` is 1 where the name is all of the question, neutral words apart.
    """

    weight: float = 2.0

    def __call__(self, ranking: Ranking) -> Ranking:
        matches = self._matches(ranking.query)
        if not matches:
            return ranking.noting("no alias in the question", skipped=True)
        best = {match.locator: match for match in sorted(reversed(matches), key=strength)}
        sections = named_sections(ranking.query, list(best))
        ranks = dense_ranks([strength(best[locator]) for locator, *_ in sections])
        whole = {locator: {WHOLE_NAME: 1.0} for _, locator in named_by(ranking.query, ranking.query.original)}
        scores = {locator: {"alias": strength(best[locator]), **whole.get(locator, {})} for locator, _ in sections}
        candidates = [
            found("alias", section, rank, scores[locator], alias=best[locator].text)
            for (locator, section), rank in zip(sections, ranks, strict=True)
        ]
        names = ", ".join(sorted({best[locator].text for locator, _section in sections}))
        return replace(ranking, candidates=tuple(candidates)).noting(names)

    def _matches(self, query: Query) -> list[AliasMatch]:
        version = published.version_of("aliases", query.versions)
        texts = {"en": query.text} | (
            {query.language: query.corrected_text} if query.language != "en" else {}
        )
        return [
            match
            for domain in query.domain_ids
            for language, text in texts.items()
            for match in published.alias_table(domain, version).matches(text, language)
        ]


def strength(match: AliasMatch) -> float:
    """Longer names say more; a name shared by several provisions says less of each."""
    return match.words / match.shared


def dense_ranks(strengths: list[float]) -> list[int]:
    """1-based ranks, equal strengths sharing one: [3, 5, 3] -> [2, 1, 2]."""
    order = {value: rank for rank, value in enumerate(sorted(set(strengths), reverse=True), start=1)}
    return [order[value] for value in strengths]


@dataclass(frozen=True)
class NearestAliasRetriever:
    """Provisions one of whose curated names means nearly what the question asks: cosine of at least the domain's
    threshold `alias_search`, or `least` in a domain without thresholds. Where few provisions have names these are not
    to stand before all others: there the cosine is at least `sure`.
    """

    k: int = 50
    least: float = 0.4
    sure: float = 0.6
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
        candidates = [
            found("alias_near", section, n, {"alias_near": cosine}, alias=name, similarity=round(cosine, 3))
            for n, (section, name, cosine) in enumerate(ordered, start=1)
        ]
        note = ordered[0][1] if ordered else NONE_NEAR
        return replace(ranking, candidates=tuple(candidates)).noting(note)

    def _nearest(self, query: Query) -> list[tuple[str, str, float]]:
        most = None if query.selections else self.k  # what is left is among all that are near
        near_enough = []
        for domain in query.domains:
            least = query.thresholds[domain.id].alias_search if domain.id in query.thresholds else self.least
            if not names_most(query, domain):
                least = max(least, self.sure)
            near_enough += compared_by_meaning(query, domain.id).nearest(k=most, least=least)
        return sorted(near_enough, key=lambda near: (-near[2], near[0]))[:most]


def compared_by_meaning(query: Query, domain: int) -> Comparison:
    """The names of a domain and the question, compared once in a search: names that change meanwhile are not taken for
    these.
    """
    version = published.version_of("aliases", query.versions)
    what = ("names by meaning", domain, version, query.embedded_by, query.vector.tobytes())
    return query.once(
        what, lambda: published.alias_vectors(domain, version, query.embedded_by).compare(query.vector)
    )


@dataclass(frozen=True)
class LexicalAliasRetriever:
    """The `k` best provisions by the words of their curated names and example questions taken together (BM25); `few` of
    a domain in which few have names, as above, and these count less.
    """

    k: int = 50
    few: int = 5
    weight: float = 1.0
    weight_of_few: float = 0.3

    def weight_in(self, query: Query) -> float:
        return self.weight if most_have_names(query) else self.weight_of_few

    def __call__(self, ranking: Ranking) -> Ranking:
        query = ranking.query
        best = self._best(query)
        if not best:
            return ranking.noting("no curated name has a word of the question", skipped=True)
        sections = dict(named_sections(query, [locator for locator, _, _ in best]))
        known = [row for row in best if row[0] in sections][: self._most(query)]
        candidates = [
            found(
                "alias_lexical", sections[place], n, {"alias_lexical": bm25, "alias_coverage": share}, rank=n
            )
            for n, (place, bm25, share) in enumerate(known, start=1)
        ]
        return replace(ranking, candidates=tuple(candidates)).noting(known[0][0] if known else NONE_NEAR)

    def _best(self, query: Query) -> list[tuple[str, float, float]]:
        rows = [row for domain in query.domain_ids for row in self._best_in(query, domain)]
        return sorted(rows, key=lambda row: (-row[1], row[0]))[: self.k]

    def _best_in(self, query: Query, domain: int) -> list[tuple[str, float, float]]:
        wording, scores, reachable = compared_by_words(query, domain)
        return wording.best(scores, reachable, self.k)

    def _most(self, query: Query) -> int:
        return self.k if most_have_names(query) else self.few


def most_have_names(query: Query) -> bool:
    """Whether in one of the domains searched at least every second provision has a curated name."""
    return any(names_most(query, domain) for domain in query.domains)


def names_most(query: Query, domain: DomainScope) -> bool:
    """Never of a private domain: nobody counts what it holds, and each caller reads another part of it."""
    return not domain.private and published.names_most(domain.id, query.versions)


def compared_by_words(query: Query, domain: int) -> tuple[Wording, np.ndarray, float]:
    """As above the wording of a domain's names, (provisions,) BM25 of the question in it, and the most that one could
    reach.
    """
    version = published.version_of("aliases", query.versions)

    def compare() -> tuple[Wording, np.ndarray, float]:
        wording = published.wording(domain, version)
        return wording, *wording.scores(stems(query.text, "en"))

    return query.once(("names by words", domain, version, query.text), compare)


@dataclass(frozen=True)
class CompareNames:
    """Tells of each candidate whether it has curated names, and how much they say of the question: the cosine of the
    nearest, and BM25 of their words as a share of what it could reach. Legs tell that of the few that they bring; but
    what has names that say something else is unlikelier than what has none.
    """

    @unless_final
    def __call__(self, ranking: Ranking) -> Ranking:
        query = ranking.query
        if query.vector is None:
            raise NotRun("the question has no vector", degrades=False)  # which is told already
        within: dict[int, list[str]] = defaultdict(list)
        for candidate in ranking.candidates:
            within[candidate.domain_id].append(candidate.locator)
        told = {domain: named_scores(query, domain, locators) for domain, locators in within.items()}
        compared = [
            candidate.but(scores={**candidate.scores, **scores})
            if (scores := told[candidate.domain_id].get(candidate.locator))
            else candidate
            for candidate in ranking.candidates
        ]
        named = sum("named" in candidate.scores for candidate in compared)
        return ranking.with_candidates(compared).noting(f"{named} of {len(compared)} have curated names")


@dataclass(frozen=True)
class CompareTexts:
    """Adds to the fused score what the texts of the first `depth` candidates say, whichever leg brought them: `weight`
    x (BM25 of the whole text below its heading, as a share of the most that the question's words could weigh, + the
    cosine of its nearest chunk). Ranks do not tell how much better the first of a leg is than its second, and each leg
    knows a text by one chunk. What the dense leg did not bring is as near as the farthest that it brought; what the
    question itself cites, or a rule brings, says all that could be said.

    A text that has the codes of the question, "alarm A02", says `codes` more: they name one thing, which other words do
    not make up for. With it nDCG@10 of 22 questions to manuals and lists with codes is .955, not .870; of the topics to
    documents of `evaluation/topics/apart`, which name none, it is the same.

    Only where few provisions have curated names; where most have, these tell more. The share is the score `whole_text`;
    `all_words` is 1 where a text, or its heading, has all words of the question.
    """

    depth: int = 100
    weight: float = 0.3
    codes: float = 0.5
    scale: float = 1 / 6  # scores stay as large as sums of reciprocal ranks, which rerankers have learned from

    @unless_final
    def __call__(self, ranking: Ranking) -> Ranking:
        query, pool, rest = ranking.query, ranking.candidates[: self.depth], ranking.candidates[self.depth :]
        if not pool or most_have_names(query):
            return ranking.noting(
                "most provisions have curated names" if pool else "nothing found", skipped=True
            )
        texts = texts_of(query, pool, cited=False)
        asked = texts_by_language(replace(query, synonyms=()))
        shares, whole = bm25(words_of(query), texts).tolist(), having_all(asked, texts).tolist()
        coded = (self.codes * having_codes(query.original, texts)).tolist()
        near = {c.section_id: max(0.0, c.scores["dense"]) for c in ranking.candidates if "dense" in c.scores}
        farthest = min(near.values(), default=0.0)
        compared = [
            c.but(
                score=self.scale * (c.score + self.weight * (said + near.get(c.section_id, farthest))),
                scores={**c.scores, "whole_text": share, ALL_WORDS: float(has_all)} if share or has_all else c.scores,
            )
            for share, more, has_all, c in zip(shares, coded, whole, pool, strict=True)
            for said in [1.0 if is_meant(c) else share + more]
        ]
        having = sum(share > 0 for share in shares)
        behind = [c.but(score=self.scale * c.score) for c in rest]
        return ranking.with_candidates([*compared, *behind]).noting(
            f"{having} of {len(pool)} have words of the question"
        )


def is_meant(candidate: Candidate) -> bool:
    """Whether a rule brings it, or the question cites it, the decision that it is part of, or what became it; not what
    is below another cited node, or near.
    """
    return "rule" in candidate.ranks or any(
        reason.code in ("moved_here", "named_instead")
        or (reason.code == "citation" and is_cited_itself(candidate, reason.values["locator"]))
        for reason in candidate.reasons
    )


def is_cited_itself(candidate: Candidate, cited: str) -> bool:
    return bool(candidate.pin) or cited == candidate.locator or cited.startswith((UNITED_STATES_REPORTS, CASE))


def named_scores(query: Query, domain: int, locators: Iterable[str]) -> dict[str, dict[str, float]]:
    """By locator, what its names say of the question; nothing where it has none that can be compared."""
    near = compared_by_meaning(query, domain).nearest_of(locators)
    wording, words, reachable = compared_by_words(query, domain)
    return {
        locator: {
            "named": 1.0,
            "name_near": cosine,
            "name_words": float(words[wording.provisions[locator]]) / max(reachable, 1e-9),
        }
        for locator, cosine in near.items()
        if locator not in query.nameless and locator in wording.provisions
    }


@dataclass(frozen=True)
class AnswerCollectiveName:
    """Answers "Reconstruction amendments" by the Thirteenth, Fourteenth and Fifteenth. Ranking stages pass."""

    @unless_final
    def __call__(self, ranking: Ranking) -> Ranking:
        name, locators = named_together(ranking.query)
        places = {place.locator: place.section for place in resolve(ranking.query, locators) if place.exact}
        if not places:
            return ranking.noting("no name of several provisions", skipped=True)
        candidates = tuple(
            Candidate(
                section_id=places[locator].pk,
                domain_id=places[locator].domain_id,
                locator=locator,
                score=1.0 / rank,
                scores={"alias": 1.0},
                ranks={"alias": rank},
                reasons=(Reason("collective", {"alias": name}),),
            )
            for rank, locator in enumerate(filter(places.get, locators), start=1)
        )
        return replace(ranking, candidates=candidates, final=True).noting(name)


@dataclass(frozen=True)
class AnswerChangesOfNamed:
    """What changed a provision that the question calls by a curated name: "what replaced the fugitive slave clause"."""

    @unless_final
    def __call__(self, ranking: Ranking) -> Ranking:
        for words in changed_words(ranking.query.original):
            named = {
                locator: Reason("alias", {"alias": name}) for name, locator in named_by(ranking.query, words)
            }
            changed = {locator: named[locator] for locator in named if history.concerning(locator)}
            if changed:
                return with_changes(ranking, changed)
        return ranking.noting("the question does not ask what changed a named provision", skipped=True)


def named_by(query: Query, words: str) -> list[tuple[str, str]]:
    """The curated names, with their locators, that are all of these words, neutral ones apart; in either language."""
    version = published.version_of("aliases", query.versions)
    tables = [published.alias_table(domain, version) for domain in query.domain_ids]
    readings = ((text, language) for text in unframed(words) for language in LANGUAGES)
    found = (table.exactly(text, language) for text, language in readings for table in tables)
    return next(filter(None, found), [])


def named_together(query: Query) -> tuple[str, list[str]]:
    """The name that is all of the question, neutral words apart, and what it means; in either language."""
    version = published.version_of("aliases", query.versions)
    every = [names for domain in query.domain_ids if (names := published.collective_names(domain, version))]
    for text in unframed(query.original) if every else ():
        phrases = [(language, *stems(text, language)) for language in LANGUAGES]
        for names, phrase in product(every, phrases):
            if found := names.get(phrase):
                return found[0], list(found[1])
    return "", []
