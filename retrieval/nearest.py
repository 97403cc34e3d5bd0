"""The chunks nearest to a question's vector, among those that caller, day, domains and rules leave: as many as were
asked for, wherever there are as many.

Where little of a domain is left it is scanned, which is exact. Where much is left of a large one, its index is followed
until enough of what it brings has passed the filter; should it end before, the domain is scanned. Private domains have
no index and are scanned, under the caller's grants.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import date
from functools import lru_cache

import orjson
from django.db import connection, transaction

from retrieval import statements, vector_indexes
from retrieval.ranking import ANONYMOUS, DomainScope, Query
from retrieval.selection import Selection, chunks_left, chunks_of

FEW = 10_000  # vectors left of a large domain that are sooner compared one by one than found by its index
REACH = 4_000  # vectors that its index brings at least, passed or not: at 3,000 of 300,000 it missed one near in 30
SCANNED, INDEXED, ENDED, UNINDEXED = (
    "exact",
    "by index",
    "exact, as the index ended",
    "exact, without an index",
)

Hit = tuple[int, int, float]  # section, chunk, cosine distance

SCAN = """
SELECT section_id, chunk_id, vector <=> %s AS distance FROM retrieval_chunkvector
WHERE model_id = %s AND domain_id = ANY(%s) AND section_id IN ({readable}){left}
ORDER BY distance, chunk_id LIMIT %s
"""
# The cast and the conditions are those of the index (`vector_indexes.make`), which a scan must not use.
FOLLOW = """
SELECT section_id, chunk_id, vector::halfvec({dims}) <=> %s AS distance FROM retrieval_chunkvector
WHERE model_id = %s AND domain_id = %s AND NOT private AND section_id IN ({readable}){left}
ORDER BY distance LIMIT %s
"""
COUNT = """
SELECT count(*) FROM retrieval_chunkvector WHERE model_id = %s AND domain_id = %s AND NOT private{filters}
"""
# Questions lie far from all law, so that much is about as near. Relaxed, since a strict order leaves out what comes
# late. Sorting is what every plan but the index's needs.
FOLLOWING = {
    "hnsw.iterative_scan": "relaxed_order",
    "hnsw.ef_search": "1000",
    "hnsw.max_scan_tuples": "40000",
    "enable_sort": "off",
}


def nearest(query: Query, limit: int) -> tuple[list[Hit], str]:
    """The nearest hits, ties by chunk, and how each domain was searched."""
    ways = {domain: way_of(query, domain) for domain in query.domains}
    hits: list[Hit] = []
    for domain in [domain for domain, way in ways.items() if way == INDEXED]:
        found = followed(query, domain, limit)
        if len(found) < limit:
            ways[domain] = ENDED
        else:
            hits += found
    if scanned := [domain.id for domain, way in ways.items() if way != INDEXED]:
        hits += scan(query, scanned, limit)
    return sorted(hits, key=nearness)[:limit], account(ways)


def account(ways: dict[DomainScope, str]) -> str:
    """ "exact", or domain by domain where they differ."""
    if len(set(ways.values())) == 1:
        return next(iter(ways.values()))
    return "; ".join(f"{domain.slug} {way}" for domain, way in ways.items())


def way_of(query: Query, domain: DomainScope) -> str:
    if domain.private or size_in(query, domain) <= vector_indexes.LARGE or left_in(query, domain) <= FEW:
        return SCANNED
    return INDEXED if vector_indexes.exists(query.embedded_by, domain.id) else UNINDEXED


def size_in(query: Query, domain: DomainScope) -> int:
    return size_of(query.embedded_by, domain.id, domain.corpus_version)


def left_in(query: Query, domain: DomainScope) -> int:
    asked = (query.as_of, query.only, query.never)
    return left_of(query.embedded_by, domain.id, domain.corpus_version, *asked)


@lru_cache(maxsize=1_000)
def size_of(model: int, domain: int, corpus_version: int) -> int:
    """Vectors of a public domain at this version of its corpus."""
    return count(model, domain, "", ())


@lru_cache(maxsize=1_000)
def left_of(
    model: int,
    domain: int,
    corpus_version: int,
    day: date | None,
    only: Selection | None,
    never: Selection | None,
) -> int:
    """Those that day and rules leave. Counting takes about as long as a scan, once for each filter and version."""
    readable, scope = statements.readable(ANONYMOUS, day, "id")
    left, among = chunks_of(only, never)
    return count(model, domain, f" AND section_id IN ({readable}){left}", (*scope, *among))


def count(model: int, domain: int, filters: str, parameters: Sequence) -> int:
    [(found,)] = statements.rows(COUNT.format(filters=filters), [model, domain, *parameters])
    return found


def scan(query: Query, domains: list[int], limit: int) -> list[Hit]:
    readable, scope = statements.readable(query.caller, query.as_of, "id")
    left, among = chunks_left(query)
    asked = (as_text(query), query.embedded_by, domains)
    return statements.rows(SCAN.format(readable=readable, left=left), [*asked, *scope, *among, limit])


def followed(query: Query, domain: DomainScope, limit: int) -> list[Hit]:
    """Of one public domain, by its index: the nearest of as many as pass of the vectors that it is to reach."""
    readable, scope = statements.readable(ANONYMOUS, query.as_of, "id")
    left, among = chunks_left(query)
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
    """PostgreSQL's settings for the statements inside, and no others of the transaction."""
    with transaction.atomic(), connection.cursor() as cursor:
        for name, value in settings.items():
            cursor.execute(f"SET LOCAL {name} = '{value}'")
        yield
        for name in settings:
            cursor.execute(f"SET LOCAL {name} TO DEFAULT")
