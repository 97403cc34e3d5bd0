"""The leg that finds private chunks by their words, by SQL alone."""

from dataclasses import dataclass
from functools import reduce
from operator import or_

from django.contrib.postgres.search import SearchQuery, SearchRank, SearchVector
from django.db.models import Q, QuerySet

from retrieval.corpus.filters import chosen
from retrieval.models import Chunk, Document, Section
from retrieval.ranking import Candidate, Query, Ranking
from retrieval.stages.fusion import CHUNKS_A_SECTION, fold, ranking_of
from retrieval.text.analyzer import terms
from retrieval.text.snippets import function_stems

COUNTED = 10  # candidates of which it is told how much of the question they have: a first page
COVERAGE = "private_coverage"


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
        asked = terms(query.text, "en")
        words = any_of(asked)
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
        found = fold("private", rows, k=self.k)
        shares = shares_of(set(asked) - function_stems("en"), found[:COUNTED])
        covered = [c.but(scores=c.scores | {COVERAGE: shares.get(c.chunk_id, 0.0)}) for c in found[:COUNTED]]
        return ranking_of(ranking, covered + found[COUNTED:])


def shares_of(asked: set[str], candidates: list[Candidate]) -> dict[int, float]:
    """By chunk, how much of the question's stems that say what it is about it has."""
    chunks = Chunk.objects.filter(pk__in=[candidate.chunk_id for candidate in candidates])
    said = (
        (pk, set(terms(f"{context} {text}", "en")))
        for pk, context, text in chunks.values_list("pk", "context", "text")
    )
    return {pk: len(asked & stems) / max(len(asked), 1) for pk, stems in said}


def granted_documents(query: Query) -> QuerySet:
    """The private documents this caller owns or was granted, as a subquery."""
    return Document.objects.held_by(query.caller).values("id")


def any_of(terms: list[str]) -> SearchQuery | None:
    """An OR query of stems."""
    queries = [SearchQuery(term, config="english") for term in terms]
    return reduce(or_, queries) if queries else None
