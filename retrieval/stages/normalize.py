"""The first stage of every pipeline: the question in plain characters, and its language."""

from dataclasses import dataclass, replace

from retrieval.ranking import Ranking
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
