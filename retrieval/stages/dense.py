"""The leg that finds the chunks nearest in meaning."""

from dataclasses import dataclass

from retrieval.errors import NotRun
from retrieval.indexes.nearest import nearest
from retrieval.ranking import Ranking
from retrieval.stages.fusion import CHUNKS_A_SECTION, fold, ranking_of


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
