"""The legs: each finds sections on its own and returns them folded to the section, best chunk first."""

from collections.abc import Iterable
from dataclasses import dataclass, replace

from django.contrib.postgres.search import SearchQuery, SearchRank, SearchVector
from django.db.models import F, Q

from retrieval import serving
from retrieval.errors import NotRun
from retrieval.models import Chunk, Document, Section
from retrieval.nearest import nearest
from retrieval.ranking import Candidate, Query, Ranking, Reason
from retrieval.selection import chosen, public_ids

CHUNKS_A_SECTION = 3  # chunks fetched for every section wanted, since a long section may fill several places


def fold(leg: str, hits: Iterable[tuple[int, int, float]], *, k: int) -> list[Candidate]:
    """The first k sections of (section, chunk, score) hits, best first, each by its best chunk."""
    best: dict[int, tuple[int, float]] = {}
    for section, chunk, score in hits:
        if section not in best and len(best) < k:
            best[section] = (chunk, score)
    return [
        Candidate(
            section_id=section,
            chunk_id=chunk,
            scores={leg: score},
            ranks={leg: rank},
            reasons=(Reason(leg, {"rank": rank}),),
        )
        for rank, (section, (chunk, score)) in enumerate(best.items(), start=1)
    ]


def granted_documents(query: Query):
    """The private documents this caller was granted, as a subquery."""
    return Document.objects.filter(private=True, grants__principal__in=query.caller.principals).values("id")


@dataclass(frozen=True)
class CitationRetriever:
    """Sections cited in the question: a strong candidate, no more. A node above the result level means those below."""

    weight: float = 3.0

    def __call__(self, ranking: Ranking) -> Ranking:
        query = ranking.query
        if not query.citations:
            return ranking.noting("no citation in the question", skipped=True)
        candidates: dict[int, Candidate] = {}
        for place in resolve(query, [citation.locator for citation in query.citations]):
            for section in result_sections(query, place):
                candidates.setdefault(section, cited_candidate(section, place))
        return ranking.with_candidates(candidates.values()).noting(
            ", ".join(citation.normalized for citation in query.citations)
        )


@dataclass(frozen=True)
class Place:
    """Where a cited locator leads: a section, and the deeper anchor if one was cited."""

    locator: str
    section: Section
    pin: str | None
    exact: bool


def resolve(query: Query, locators: list[str]) -> list[Place]:
    """The readable places of cited locators, in order. A place that does not exist leads to the nearest above it."""
    wanted = {locator: [locator, *ancestors(locator)] for locator in locators}
    names = {name for chain in wanted.values() for name in chain}
    readable = Section.objects.readable(query.caller, query.as_of).filter(domain__in=query.domain_ids)
    sections = {section.locator: section for section in readable.filter(locator__in=names)}
    pins = anchored(readable, [locator for locator in locators if locator not in sections])
    places = []
    for locator, chain in wanted.items():
        if locator in pins:
            places.append(Place(locator, pins[locator], locator, True))
        elif nearest := next((name for name in chain if name in sections), None):
            places.append(Place(locator, sections[nearest], None, nearest == locator))
    return places


def ancestors(locator: str) -> list[str]:
    """The locators above, nearest first, down to the document: "/us/const" for a clause of the Constitution."""
    parts = locator.split("/")
    return ["/".join(parts[:n]) for n in range(len(parts) - 1, 3, -1)]


def anchored(readable, locators: list[str]) -> dict[str, Section]:
    """Sections holding these deeper places, by locator."""
    if not locators:
        return {}
    found = readable.filter(anchors__locator__in=locators).annotate(place=F("anchors__locator"))
    return {section.place: section for section in found}


def result_sections(query: Query, place: Place) -> list[int]:
    """The place itself where nothing is below it, else the result sections under it, in order."""
    if place.section.is_leaf:
        return [place.section.pk]
    under = Section.objects.readable(query.caller, query.as_of).results().below(place.section.locator)
    return list(under.filter(document=place.section.document_id).in_order().values_list("pk", flat=True))


def cited_candidate(section: int, place: Place) -> Candidate:
    code = "citation" if place.exact else "citation_near"
    return Candidate(
        section_id=section,
        scores={"citation": 1.0},
        ranks={"citation": 1},
        reasons=(Reason(code, {"citation": place.section.citation, "locator": place.locator}),),
        pin=place.pin,
    )


@dataclass(frozen=True)
class DenseRetriever:
    """Nearest chunks by cosine similarity, private ones if granted."""

    k: int = 100
    weight: float = 1.0

    def __call__(self, ranking: Ranking) -> Ranking:
        query = ranking.query
        if query.vector is None:
            raise NotRun("the question has no vector")
        hits, way = nearest(query, self.k * CHUNKS_A_SECTION)
        candidates = fold("dense", ((s, c, 1.0 - far) for s, c, far in hits), k=self.k)
        return ranking_of(ranking, candidates).noting(way)


@dataclass(frozen=True)
class LexicalRetriever:
    """BM25 over the chunks of public domains, by this node's index."""

    k: int = 100
    weight: float = 1.0

    def __call__(self, ranking: Ranking) -> Ranking:
        query = ranking.query
        index = serving.lexical_index()
        if not index.exists:
            raise NotRun("there is no lexical index yet: start `manage.py lexical_writer`")
        hits = index.search(
            texts_by_language(query),
            domains=query.domain_ids,
            as_of=query.as_of,
            only=query.only and public_ids(query, query.only),
            never=query.never and public_ids(query, query.never),
            limit=self.k * CHUNKS_A_SECTION,
        )
        coverage = {hit.chunk: hit.coverage for hit in hits}
        folded = fold("lexical", ((hit.section, hit.chunk, hit.score) for hit in hits), k=self.k)
        return ranking_of(ranking, [with_score(c, "coverage", coverage[c.chunk_id]) for c in folded])


@dataclass(frozen=True)
class PrivateRetriever:
    """Words in the caller's granted private documents, by SQL alone: they share no index and no statistics."""

    k: int = 100
    weight: float = 2.0  # private documents have no lexical leg and no curated names beside it

    def __call__(self, ranking: Ranking) -> Ranking:
        query = ranking.query
        private = [domain.id for domain in query.domains if domain.private]
        if not private or not query.caller.principals:
            return ranking.noting("no private documents granted", skipped=True)
        words = any_of(serving.lexical_index().terms(query.text, "en"))
        if words is None:
            return ranking.noting("no words to look for", skipped=True)
        vector = SearchVector("context", "text", config="english")
        rows = (
            Chunk.objects.filter(
                Q() if chosen(query) is None else Q(pk__in=chosen(query).values("pk")),
                private=True,
                domain__in=private,
                section__in=Section.objects.readable(query.caller, query.as_of),
                section__document__in=granted_documents(query),
            )
            .annotate(words=vector, score=SearchRank(vector, words))
            .filter(words=words)
            .order_by("-score", "pk")
            .values_list("section_id", "pk", "score")[: self.k * CHUNKS_A_SECTION]
        )
        return ranking_of(ranking, fold("private", rows, k=self.k))


def any_of(terms: list[str]) -> SearchQuery | None:
    """An OR query of stems."""
    queries = [SearchQuery(term, config="english") for term in terms]
    if not queries:
        return None
    combined = queries[0]
    for query in queries[1:]:
        combined |= query
    return combined


def texts_by_language(query: Query) -> dict[str, str]:
    """What to look for in texts of each language: the English of the question, and the original in its own."""
    texts = {"en": " ".join((query.text, *query.synonyms))}
    if query.language != "en" and any(query.language in domain.languages for domain in query.domains):
        texts[query.language] = query.meant
    return texts


def ranking_of(ranking: Ranking, candidates: list[Candidate]) -> Ranking:
    """A leg's answer: its candidates in the order of their ranks."""
    return replace(ranking, candidates=tuple(candidates))


def with_score(candidate: Candidate, name: str, value: float) -> Candidate:
    return candidate.but(scores={**candidate.scores, name: value})
