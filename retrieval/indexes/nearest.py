"""The chunks nearest to a query's vector, among those that caller, day, domains and rules allow.

A small domain, or a large one of which filters leave little, is scanned, which is exact. Otherwise its index is read
until enough chunks have passed the filters; if it ends before that, the domain is scanned. Private domains have no
index: they are scanned under the caller's grants. As many hits are found as are asked for, if there are as many.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import date
from functools import lru_cache

import orjson
from django.db import connection, transaction

from retrieval.access.caller import ANONYMOUS
from retrieval.corpus import statements
from retrieval.corpus.filters import condition
from retrieval.indexes import hnsw
from retrieval.ranking import DomainScope, Query
from retrieval.targets import Selection

FEW = 10_000  # vectors left of a large domain: fewer are scanned faster than its index is read
REACH = 4_000  # vectors read from an index at least: with 3,000 of 300,000 it missed 1 hit in 30
SCANNED, INDEXED = "exact", "by index"
ENDED, UNINDEXED = "exact, as the index ended", "exact, without an index"

Hit = tuple[int, int, float]  # section, chunk, cosine distance

SCAN = """
SELECT section_id, chunk_id, vector <=> %s AS distance FROM retrieval_chunkvector
WHERE model_id = %s AND domain_id = ANY(%s) AND section_id IN ({readable}){left}
ORDER BY distance, chunk_id LIMIT %s
"""
# The cast and the conditions are those of the index (`hnsw.make`), which a scan must not use.
FOLLOW = """
SELECT section_id, chunk_id, vector::halfvec({dims}) <=> %s AS distance FROM retrieval_chunkvector
WHERE model_id = %s AND domain_id = %s AND NOT private AND section_id IN ({readable}){left}
ORDER BY distance LIMIT %s
"""
COUNT = """
SELECT count(*) FROM retrieval_chunkvector WHERE model_id = %s AND domain_id = %s AND NOT private{filters}
"""
# Queries lie far from all law, so that many chunks are about equally near. The order is relaxed because a strict one
# leaves out what comes late. Without sorting the planner has no plan but the index.
FOLLOWING = {
    "hnsw.iterative_scan": "relaxed_order",
    "hnsw.ef_search": "1000",
    "hnsw.max_scan_tuples": "40000",
    "enable_sort": "off",
}


def nearest(query: Query, limit: int) -> tuple[list[Hit], str]:
    """The nearest hits, ties by chunk, and a note on how each domain was searched."""
    methods = {domain: method_of(query, domain) for domain in query.domains}
    hits: list[Hit] = []
    for domain in [domain for domain, method in methods.items() if method == INDEXED]:
        found = followed(query, domain, limit)
        if len(found) < limit:
            methods[domain] = ENDED
        else:
            hits += found
    if scanned := [domain.id for domain, method in methods.items() if method != INDEXED]:
        hits += scan(query, scanned, limit)
    return sorted(hits, key=nearness)[:limit], note_of(methods)


def note_of(methods: dict[DomainScope, str]) -> str:
    """One method, or that of each domain where they differ."""
    if len(set(methods.values())) == 1:
        return next(iter(methods.values()))
    return "; ".join(f"{domain.slug} {method}" for domain, method in methods.items())


def method_of(query: Query, domain: DomainScope) -> str:
    if domain.private or size_in(query, domain) <= hnsw.LARGE or left_in(query, domain) <= FEW:
        return SCANNED
    return INDEXED if hnsw.exists(query.embedded_by, domain.id) else UNINDEXED


def size_in(query: Query, domain: DomainScope) -> int:
    return size_of(query.embedded_by, domain.id, domain.corpus_version)


def left_in(query: Query, domain: DomainScope) -> int:
    asked = (query.as_of, query.include, query.exclude)
    return left_of(query.embedded_by, domain.id, domain.corpus_version, *asked)


@lru_cache(maxsize=1_000)
def size_of(model: int, domain: int, corpus_version: int) -> int:
    """How many vectors a public domain has at this version of its corpus."""
    return count(model, domain, "", ())


@lru_cache(maxsize=1_000)
def left_of(
    model: int,
    domain: int,
    corpus_version: int,
    day: date | None,
    include: Selection | None,
    exclude: Selection | None,
) -> int:
    """How many of them day and rules leave. Counting takes as long as a scan, but once for each filter and version."""
    readable, scope = statements.readable(ANONYMOUS, day, "id")
    left, among = condition("chunk_id", "pk", include, exclude)
    return count(model, domain, f" AND section_id IN ({readable}){left}", (*scope, *among))


def count(model: int, domain: int, filters: str, parameters: Sequence) -> int:
    [(found,)] = statements.rows(COUNT.format(filters=filters), [model, domain, *parameters])
    return found


def scan(query: Query, domains: list[int], limit: int) -> list[Hit]:
    readable, scope = statements.readable(query.caller, query.as_of, "id")
    left, among = condition("chunk_id", "pk", query.include, query.exclude)
    asked = (as_text(query), query.embedded_by, domains)
    return statements.rows(SCAN.format(readable=readable, left=left), [*asked, *scope, *among, limit])


def followed(query: Query, domain: DomainScope, limit: int) -> list[Hit]:
    """The nearest in one public domain by its index, which is read as far as `REACH` says."""
    readable, scope = statements.readable(ANONYMOUS, query.as_of, "id")
    left, among = condition("chunk_id", "pk", query.include, query.exclude)
    asked = (as_text(query), query.embedded_by, domain.id)
    sql = FOLLOW.format(dims=len(query.vector), readable=readable, left=left)
    reached = max(limit, REACH * left_in(query, domain) // size_in(query, domain))
    with planned(FOLLOWING):
        hits = statements.rows(sql, [*asked, *scope, *among, reached])
    return sorted(hits, key=nearness)[:limit]


def nearness(hit: Hit) -> tuple[float, int]:
    return hit[2], hit[1]


def as_text(query: Query) -> str:
    return orjson.dumps(query.vector, option=orjson.OPT_SERIALIZE_NUMPY).decode()


@contextmanager
def planned(settings: dict[str, str]) -> Iterator[None]:
    """Sets PostgreSQL's settings for the statements inside, not for the rest of the transaction."""
    with transaction.atomic(), connection.cursor() as cursor:
        for name, value in settings.items():
            cursor.execute(f"SET LOCAL {name} = '{value}'")
        yield
        for name in settings:
            cursor.execute(f"SET LOCAL {name} TO DEFAULT")
