"""Rankings of a question that was only asked."""

import json
from collections.abc import Iterator
from itertools import count
from pathlib import Path

from retrieval.ranking import DomainScope, Query, Ranking
from retrieval.text.normalization import normalize

VERSIONS = count(1_000_000)  # phrases are read anew in every test
TOPICS = Path("evaluation/topics/data")


def ranking_of(text: str, *, language: str = "en", phrases: int | None = None, **scope) -> Ranking:
    """Many questions may be asked of one version of the phrases."""
    domain = DomainScope(1, "law", 1, False, ("en",), **scope)
    versions = {"phrases": phrases or next(VERSIONS)}
    return Ranking(Query(text, text, normalize(text), language, (domain,), versions=versions))


def judged() -> Iterator[dict]:
    """Every shipped topic that the law answers."""
    for file in sorted(TOPICS.glob("*.jsonl")):
        yield from (row for row in map(json.loads, file.read_text().splitlines()) if row["answerable"])
