"""Filtered vector search brings what brute force brings: exactly where it scans, nearly where it follows an index, and
always as many as there are.
"""

import random
from dataclasses import replace
from datetime import timedelta

import numpy as np
import pytest
from django.db import connection, transaction
from django.test.utils import CaptureQueriesContext

from evaluation.benchmarks import vectors as made_corpus
from retrieval.access.caller import Caller
from retrieval.access.row_security import as_caller
from retrieval.checks import vector_index
from retrieval.corpus.filters import in_selection
from retrieval.indexes import hnsw, nearest
from retrieval.models import Chunk, ChunkVector, Domain, EmbeddingModel, Section
from retrieval.ranking import DomainScope, Query
from retrieval.targets import Part, Selection
from tests.builders import a_chunk, a_document, a_domain, a_section, a_vector, grant

SIZE, LIMIT = 3_000, 50
ANA = Caller(("key:901",))


@pytest.fixture(scope="module")
def made(django_db_setup, django_db_blocker):
    """An indexed domain of vectors like the Constitution's, for the tests of this file; it is never committed."""
    with django_db_blocker.unblock(), transaction.atomic():
        source = list(ChunkVector.objects.order_by("pk").values_list("vector", flat=True))
        model = EmbeddingModel.objects.get()
        domain, vectors = made_corpus.make(np.array(source, dtype=np.float32), SIZE, model, seed=3)
        connection.check_constraints()  # else they wait for a commit, and no index is made of rows that wait
        hnsw.make(model, domain)
        yield domain, vectors
        transaction.set_rollback(True)


@pytest.fixture
def large(made, db, monkeypatch):
    """The same, where such a domain counts as large."""
    monkeypatch.setattr(hnsw, "LARGE", 1_000)
    monkeypatch.setattr(nearest, "FEW", 600)
    forget()
    yield made
    forget()


def forget():
    nearest.count_of.cache_clear()
    nearest.beginnings.cache_clear()


def scope_of(domain):
    domain.refresh_from_db()
    return DomainScope(domain.pk, domain.slug, domain.corpus_version, domain.is_private, ("en",))


def query_for(vector, *domains, **fields):
    model = EmbeddingModel.objects.get(status="active")
    scopes = tuple(map(scope_of, domains))
    return Query("", "", "", "en", scopes, vector=vector.astype(np.float32), embedded_by=model.pk, **fields)


def brute_force(query, domain, vectors):
    """{chunk: cosine distance} of all that the filters leave."""
    ids = np.array(Chunk.objects.filter(domain=domain).order_by("pk").values_list("pk", flat=True))
    left = Chunk.objects.filter(
        domain=domain, section__in=Section.objects.readable(query.caller, query.as_of)
    )
    if query.include is not None:
        left = left.filter(in_selection(query.include))
    if query.exclude is not None:
        left = left.exclude(pk__in=Chunk.objects.filter(in_selection(query.exclude)).values("pk"))
    kept = np.isin(ids, list(left.values_list("pk", flat=True)))
    return dict(zip(ids[kept].tolist(), (1 - vectors[kept] @ query.vector).tolist(), strict=True))


def is_exact(hits, distances):
    """As near as the nearest, all of them readable; float16 rounds the question."""
    nearest_first = sorted(distances.values())[: len(hits)]
    found = [distances[chunk] for _, chunk, _ in hits]
    return len(set(found)) > 0 and np.allclose(found, nearest_first, atol=1e-3)


def filters(draw):
    share = draw.choice(made_corpus.SHARES)
    day = made_corpus.day_of(draw.choice(made_corpus.SHARES), SIZE // made_corpus.EACH)
    documents = [f"/made/{draw.randrange(SIZE // made_corpus.EACH)}" for _ in range(draw.randint(1, 40))]
    return draw.choice(
        [
            {},
            {"as_of": day},
            {"include": Selection((Part("tag", made_corpus.tag_of(share)),))},
            {"exclude": Selection((Part("tag", made_corpus.tag_of(share)),))},
            {"include": Selection(tuple(Part("section", locator) for locator in documents))},
            {"as_of": day, "exclude": Selection(tuple(Part("document", locator) for locator in documents))},
        ]
    )


@pytest.mark.parametrize("seed", range(12))
def test_a_scan_is_brute_force(made, db, seed):
    domain, vectors = made
    draw = random.Random(seed)
    query = query_for(vectors[draw.randrange(len(vectors))], domain, **filters(draw))
    hits, way = nearest.nearest(query, LIMIT)
    distances = brute_force(query, domain, vectors)
    assert way == nearest.SCANNED
    assert len(hits) == min(LIMIT, len(distances))
    assert not hits or is_exact(hits, distances)


@pytest.mark.parametrize("seed", range(12))
def test_a_large_domain_brings_as_many_as_there_are(large, seed):
    domain, vectors = large
    draw = random.Random(seed)
    query = query_for(vectors[draw.randrange(len(vectors))], domain, **filters(draw))
    hits, way = nearest.nearest(query, LIMIT)
    distances = brute_force(query, domain, vectors)
    assert len({chunk for _, chunk, _ in hits}) == len(hits) == min(LIMIT, len(distances))
    assert way == (nearest.INDEXED if len(distances) > nearest.FEW else nearest.SCANNED)
    tenth = sorted(distances.values())[:10][-1:]
    found = [distances[chunk] for _, chunk, _ in hits[:10]]
    assert sum(distance <= tenth[0] + 1e-3 for distance in found) >= 9 * len(found) / 10


def test_the_index_is_followed_only_where_it_is_meant_to_be(large):
    domain, vectors = large
    query = query_for(vectors[0], domain, include=Selection((Part("tag", made_corpus.tag_of(0.5)),)))
    with CaptureQueriesContext(connection) as sent:
        nearest.followed(query, query.domains[0], LIMIT)
        nearest.scan(query, nearest.in_force(query, [domain.pk]), LIMIT)
    follow, scan = (sql for one in sent for sql in one["sql"].split("; ") if "<=>" in sql)
    assert "vector_hnsw" in plan_of(follow)
    assert "vector_hnsw" not in plan_of(scan)


def plan_of(sql):
    return str(nearest.planned(nearest.FOLLOWING, f"EXPLAIN {sql}", ()))


def test_an_index_that_ends_too_early_is_made_up_for(large, monkeypatch):
    domain, vectors = large
    monkeypatch.setattr(
        nearest, "FOLLOWING", nearest.FOLLOWING | {"hnsw.iterative_scan": "off", "hnsw.ef_search": "10"}
    )
    include = Selection((Part("tag", made_corpus.tag_of(0.5)),))
    query = query_for(vectors[0], domain, include=include)
    hits, way = nearest.nearest(query, LIMIT)
    assert way == nearest.ENDED
    assert is_exact(hits, brute_force(query, domain, vectors))


def test_without_its_index_a_large_domain_is_scanned_and_told_of(large):
    domain, vectors = large
    drop_index(domain)
    query = query_for(vectors[0], domain)
    hits, way = nearest.nearest(query, LIMIT)
    assert way == nearest.UNINDEXED and is_exact(hits, brute_force(query, domain, vectors))
    [warning] = vector_index(None, databases=["default"])
    assert warning.id == "arf.W010" and domain.slug in warning.msg


def drop_index(domain):
    with connection.cursor() as cursor:
        cursor.execute(f"DROP INDEX {hnsw.name_of(EmbeddingModel.objects.get().pk, domain.pk)}")


def test_settings_of_a_search_end_with_it(large):
    domain, vectors = large
    nearest.nearest(query_for(vectors[0], domain), LIMIT)
    with connection.cursor() as cursor:
        cursor.execute("SELECT current_setting('enable_sort'), current_setting('hnsw.iterative_scan')")
        assert cursor.fetchone() == ("on", "off")


def test_domains_are_merged_and_told_apart(large):
    domain, vectors = large
    constitution = Domain.objects.get(slug="us_constitution")
    own = ChunkVector.objects.filter(domain=constitution).first()
    hits, way = nearest.nearest(query_for(np.array(own.vector), constitution, domain), LIMIT)
    assert hits[0][1] == own.chunk_id
    assert hits == sorted(hits, key=lambda hit: (hit[2], hit[1]))
    assert way == "us_constitution exact; made by index"


def test_a_small_domain_costs_one_statement(made, db, django_assert_num_queries):
    domain, vectors = made
    query = query_for(vectors[0], domain)
    nearest.nearest(query, LIMIT)
    on_a_day = replace(query, as_of=made_corpus.FIRST_DAY + timedelta(days=3))
    nearest.nearest(on_a_day, LIMIT)
    with django_assert_num_queries(1):
        nearest.nearest(query, LIMIT)
    with django_assert_num_queries(2):  # texts in force, and those that were then
        nearest.nearest(on_a_day, LIMIT)


def test_a_whole_domain_is_one_term_of_the_statement(made, db):
    domain, vectors = made
    whole, place = Part("subtree", domain=domain.pk), Part("subtree", document=1)
    within = Selection((whole, place))
    query = query_for(vectors[0], domain, within=within)
    everything, _ = nearest.nearest(replace(query, within=None), LIMIT)
    assert nearest.nearest(query, LIMIT)[0] == everything
    sql, parameters = nearest.left_by(query)
    assert len(parameters) == sql.count("%s") == len(nearest.left_by(replace(query, within=Selection((place,))))[1]) + 2


# Private vectors


def test_private_vectors_are_in_no_index_and_found_exactly(large, monkeypatch):
    domain, _ = large
    monkeypatch.setattr(hnsw, "LARGE", 2)
    private = a_domain(visibility="private")
    document = a_document(private)
    rng = np.random.default_rng(1)
    chunks = [a_chunk(a_section(document, "text")) for _ in range(5)]
    for chunk in chunks:
        a_vector(chunk, unit(rng.normal(size=384)))
    grant(document, ANA)
    assert private not in [lacking for _, lacking in hnsw.missing()]
    with connection.cursor() as cursor:
        cursor.execute("SELECT indexdef FROM pg_indexes WHERE indexname LIKE 'vector_hnsw%'")
        assert all("NOT private" in definition for (definition,) in cursor.fetchall())
    query = query_for(unit(rng.normal(size=384)), private, domain, caller=ANA)
    with as_caller(ANA):
        hits, way = nearest.nearest(query, SIZE)
        assert {chunk.pk for chunk in chunks} <= {chunk for _, chunk, _ in hits}
    hits, _ = nearest.nearest(replace(query, caller=Caller()), SIZE)
    assert not {chunk.pk for chunk in chunks} & {chunk for _, chunk, _ in hits}


def unit(vector):
    return vector / np.linalg.norm(vector)


def test_a_day_is_not_counted_anew(large):
    """What had begun by a day is added up from what was counted once for the version of the corpus."""
    domain, vectors = large
    days = [made_corpus.day_of(share, SIZE // made_corpus.EACH) for share in made_corpus.SHARES]
    queries = [query_for(vectors[0], domain, as_of=day) for day in days]
    left = [nearest.left_in(query, query.domains[0]) for query in queries]
    current = Section.objects.filter(domain=domain, live=True, valid_to=None)
    assert left == [Chunk.objects.filter(section__in=current.begun_by(day)).count() for day in days]
    with CaptureQueriesContext(connection) as sent:
        nearest.left_in(replace(queries[0], as_of=days[0] + timedelta(days=1)), queries[0].domains[0])
    assert not sent.captured_queries
