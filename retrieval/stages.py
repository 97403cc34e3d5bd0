"""The first stages of every pipeline: what the question says before anything is looked for."""

from dataclasses import dataclass, replace

from retrieval import serving
from retrieval.citations import absent_provision, find_citations, whole_citations
from retrieval.embedders import EmbeddingUnavailable
from retrieval.errors import NotRun
from retrieval.models import Section
from retrieval.pipeline import unless_settled
from retrieval.ranking import Candidate, Ranking, Reason
from retrieval.retrievers import Place, cited_candidate, resolve


@dataclass(frozen=True)
class EmbedQuery:
    """Embeds the question once for every leg that compares vectors."""

    @unless_settled
    def __call__(self, ranking: Ranking) -> Ranking:
        query = ranking.query
        active = serving.active_embedder(query.versions.get("embedding", 0))
        try:
            vector = active.embedder.embed_query(query.text)
        except EmbeddingUnavailable as problem:
            raise NotRun(f"no embedding: {problem}") from problem
        embedded = replace(query, vector=vector, embedded_by=active.model_id)
        return replace(ranking, query=embedded).noting(active.embedder.name)


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
        return self._settled(ranking)

    def _without(self, ranking: Ranking) -> Ranking:
        """Private documents have articles and amendments of their own."""
        named = absent_provision(ranking.query.original)
        if named is None or any(domain.private for domain in ranking.query.domains):
            return ranking.noting("no citation")
        return replace(ranking, query=replace(ranking.query, unresolved=named)).noting(f"there is no {named}")

    def _settled(self, ranking: Ranking) -> Ranking:
        citation = ranking.query.citations[0]
        place = next(iter(resolve(ranking.query, [citation.locator])), None)
        if place is None:
            query = replace(ranking.query, unresolved=citation.normalized)
            return replace(ranking, query=query).noting(f"{citation.normalized} is not in these domains")
        found = cited_candidate(place.section.pk, place)
        node = found.but(domain_id=place.section.domain_id, locator=place.section.locator)
        candidates = [node, *self._under(ranking, place)]
        ordered = tuple(c.but(score=1.0 / rank) for rank, c in enumerate(candidates, start=1))
        return replace(ranking, candidates=ordered, settled=True).noting(citation.normalized)

    def _under(self, ranking: Ranking, place: Place) -> list[Candidate]:
        if place.section.is_leaf:
            return []
        query = ranking.query
        under = (
            Section.objects.readable(query.caller, query.as_of)
            .results()
            .below(place.section.locator)
            .filter(document=place.section.document_id)
            .exclude(pk=place.section.pk)
            .in_order()
        )
        reason = Reason("citation_under", {"citation": place.section.citation})
        return [
            Candidate(
                section_id=pk,
                domain_id=place.section.domain_id,
                locator=locator,
                scores={"citation": 1.0},
                ranks={"citation": 1},
                reasons=(reason,),
            )
            for pk, locator in under.values_list("pk", "locator")[:100]
        ]
