"""The leg that finds public chunks by their words (BM25)."""

from dataclasses import dataclass

from retrieval.corpus.filters import public_ids
from retrieval.engines import loaded
from retrieval.errors import NotRun
from retrieval.ranking import Ranking
from retrieval.stages.fusion import CHUNKS_A_SECTION, fold, ranking_of, texts_by_language


@dataclass(frozen=True)
class LexicalRetriever:
    """BM25 over the chunks of public domains, by this node's index."""

    k: int = 100
    weight: float = 1.0

    def __call__(self, ranking: Ranking) -> Ranking:
        query = ranking.query
        index = loaded.lexical_index()
        if problem := index.problem:
            raise NotRun(problem)
        hits = index.search(
            texts_by_language(query),
            domains=query.domain_ids,
            as_of=query.as_of,
            include=query.include and public_ids(query, query.include),
            exclude=query.exclude and public_ids(query, query.exclude),
            limit=self.k * CHUNKS_A_SECTION,
        )
        coverage = {hit.chunk: hit.coverage for hit in hits}
        folded = fold("lexical", ((hit.section, hit.chunk, hit.score) for hit in hits), k=self.k)
        return ranking_of(
            ranking, [c.but(scores={**c.scores, "coverage": coverage[c.chunk_id]}) for c in folded]
        )
