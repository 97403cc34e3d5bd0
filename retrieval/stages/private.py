"""The leg that finds private chunks by their words, by SQL alone."""

from dataclasses import dataclass
from functools import reduce
from operator import or_

from django.contrib.postgres.search import SearchQuery, SearchRank, SearchVector
from django.db.models import Q, QuerySet

from retrieval.corpus.filters import chosen
from retrieval.models import Chunk, Document, Section
from retrieval.ranking import Query, Ranking
from retrieval.stages.fusion import CHUNKS_A_SECTION, fold, ranking_of
from retrieval.text.analyzer import terms


@dataclass(frozen=True)
class PrivateLexicalRetriever:
    """Words in the caller's granted private documents, by SQL alone: they share no index and no statistics."""

    k: int = 100
    weight: float = 2.0  # private documents have no lexical leg and no curated names beside it

    def __call__(self, ranking: Ranking) -> Ranking:
        query = ranking.query
        private = [domain.id for domain in query.domains if domain.private]
        if not private or not query.caller.principals:
            return ranking.noting("no private documents granted", skipped=True)
        words = any_of(terms(query.text, "en"))
        if words is None:
            return ranking.noting("no words to look for", skipped=True)
        left = chosen(query.include, query.exclude)
        vector = SearchVector("context", "text", config="english")
        rows = (
            Chunk.objects.filter(
                Q() if left is None else Q(pk__in=left.values("pk")),
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


def granted_documents(query: Query) -> QuerySet:
    """The private documents this caller owns or was granted, as a subquery."""
    return Document.objects.held_by(query.caller).values("id")


def any_of(terms: list[str]) -> SearchQuery | None:
    """An OR query of stems."""
    queries = [SearchQuery(term, config="english") for term in terms]
    return reduce(or_, queries) if queries else None
