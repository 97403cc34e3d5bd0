"""The question itself: put into plain characters and its language found, first of all; later embedded."""

from dataclasses import dataclass

from retrieval.engines import loaded
from retrieval.engines.embedders import EmbeddingUnavailable
from retrieval.errors import NotRun
from retrieval.pipeline import unless_final
from retrieval.ranking import Ranking, replace
from retrieval.text import language
from retrieval.text.normalization import normalize


@dataclass(frozen=True)
class Normalize:
    """Puts the question into plain characters. Its language is the one asked for, else the one it is written in."""

    def __call__(self, ranking: Ranking) -> Ranking:
        query = ranking.query
        text = " ".join(query.original.split())
        found = query.language or language.detect(text)
        plain = replace(query, original=text, text=text, normalized=normalize(text), language=found)
        return replace(ranking, query=plain).noting(f"language {found}")


@dataclass(frozen=True)
class EmbedQuery:
    """Embeds the question once for every leg that compares vectors, and for a second search with the same words."""

    @unless_final
    def __call__(self, ranking: Ranking) -> Ranking:
        query = ranking.query
        active = loaded.active_embedder(query.versions.get("embedding", 0))
        try:
            what = ("vector", active.model_id, query.text)
            vector = query.once(what, lambda: active.vector_of(query.text))
        except EmbeddingUnavailable as problem:
            raise NotRun(f"no embedding: {problem}") from problem
        embedded = replace(query, vector=vector, embedded_by=active.model_id)
        return replace(ranking, query=embedded).noting(active.embedder.name)
