"""Citations: a query that is only a citation is answered by its place; one inside a question finds a candidate."""

from dataclasses import dataclass, replace

from django.db.models import F, QuerySet

from retrieval.citations.finding import absent_provision, find_citations, whole_citations
from retrieval.models import Section
from retrieval.ranking import Candidate, Query, Ranking, Reason

MAX_UNDER = 100  # sections shown under a cited node


@dataclass(frozen=True)
class Place:
    """Where a cited locator leads: a section, and the deeper anchor if one was cited."""

    locator: str
    section: Section
    pin: str | None
    exact: bool


@dataclass(frozen=True)
class ResolveCitations:
    """Reads citations. A query that is nothing but one is answered by its place, and ranking stages pass."""

    def __call__(self, ranking: Ranking) -> Ranking:
        query = ranking.query
        whole = whole_citations(query.original)
        found = whole or find_citations(query.original)
        ranking = replace(ranking, query=replace(query, citations=found))
        if not found:
            return self._without(ranking)
        if len(whole) != 1:
            return ranking.noting(", ".join(citation.normalized for citation in found))
        return self._final(ranking)

    def _without(self, ranking: Ranking) -> Ranking:
        """Private documents have articles and amendments of their own."""
        named = absent_provision(ranking.query.original)
        if named is None or any(domain.private for domain in ranking.query.domains):
            return ranking.noting("no citation")
        return replace(ranking, query=replace(ranking.query, unresolved=named)).noting(f"there is no {named}")

    def _final(self, ranking: Ranking) -> Ranking:
        citation = ranking.query.citations[0]
        place = next(iter(resolve(ranking.query, [citation.locator])), None)
        if place is None:
            query = replace(ranking.query, unresolved=citation.normalized)
            return replace(ranking, query=query).noting(f"{citation.normalized} is not in these domains")
        found = cited_candidate(place.section.pk, place)
        node = found.but(domain_id=place.section.domain_id, locator=place.section.locator)
        candidates = [node, *self._under(ranking, place)]
        ordered = tuple(c.but(score=1.0 / rank) for rank, c in enumerate(candidates, start=1))
        return replace(ranking, candidates=ordered, final=True).noting(citation.normalized)

    def _under(self, ranking: Ranking, place: Place) -> list[Candidate]:
        if place.section.is_leaf:
            return []
        under = sections_under(ranking.query, place).exclude(pk=place.section.pk)
        reason = Reason("citation_under", {"citation": place.section.citation})
        return [
            candidate(pk, reason, domain_id=place.section.domain_id, locator=locator)
            for pk, locator in under.values_list("pk", "locator")[:MAX_UNDER]
        ]


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


def anchored(readable: QuerySet[Section], locators: list[str]) -> dict[str, Section]:
    """Sections holding these deeper places, by locator."""
    if not locators:
        return {}
    found = readable.filter(anchors__locator__in=locators).annotate(place=F("anchors__locator"))
    return {section.place: section for section in found}


def result_sections(query: Query, place: Place) -> list[int]:
    """The place itself where nothing is below it, else the result sections under it, in order."""
    if place.section.is_leaf:
        return [place.section.pk]
    return list(sections_under(query, place).values_list("pk", flat=True))


def sections_under(query: Query, place: Place) -> QuerySet[Section]:
    """The readable result sections of the place's document under it, in order."""
    under = Section.objects.readable(query.caller, query.as_of).results().below(place.section.locator)
    return under.filter(document=place.section.document_id).in_order()


def cited_candidate(section: int, place: Place) -> Candidate:
    code = "citation" if place.exact else "citation_near"
    reason = Reason(code, {"citation": place.section.citation, "locator": place.locator})
    return candidate(section, reason, pin=place.pin)


def candidate(section: int, reason: Reason, **known) -> Candidate:
    return Candidate(section, scores={"citation": 1.0}, ranks={"citation": 1}, reasons=(reason,), **known)
