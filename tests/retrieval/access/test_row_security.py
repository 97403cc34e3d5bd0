"""PostgreSQL shows private rows to those they were granted to, whatever the code forgets."""

import json
from concurrent.futures import ThreadPoolExecutor

import psycopg
import pytest
from django.conf import settings
from django.core.exceptions import ValidationError
from django.db import DatabaseError, IntegrityError, ProgrammingError, connection, transaction

from arf_site.management.commands.restore import known_migrations
from arf_site.node.backup import backup, restore
from arf_site.node.postgres.server import Postgres
from retrieval.access.caller import ANONYMOUS, Caller
from retrieval.access.row_security import as_caller, as_system
from retrieval.corpus import statements
from retrieval.errors import NotFound
from retrieval.models import (
    Anchor,
    Chunk,
    ChunkVector,
    Citation,
    Document,
    DocumentGrant,
    Domain,
    IndexChange,
    Section,
    SectionTerms,
    Summary,
    WrittenSummary,
)
from retrieval.models.corpus import DocumentQuerySet, DomainQuerySet, SectionQuerySet
from retrieval.request import SearchRequest
from retrieval.search.log import trace_for
from retrieval.search.service import search
from retrieval.stages import legs
from tests.builders import a_case_file, a_chunk, a_domain, a_section, grant

ANA, BEN = Caller(("key:901",)), Caller(("user:902", "group:7"))


STAFF = Caller(("user:903",), frozenset({"search", "pipelines", "staff"}), is_staff=True)


TABLES = (Document, Section, Chunk, ChunkVector, Anchor, Citation, SectionTerms, Summary, WrittenSummary)


ANAS_TITLE = "Matter of Quetzalli Ibarreche"


ANAS = (
    "Quetzalli Ibarreche told the asylum officer that the Zamorano brigade burned her bakery in Tegucigalpa.",
    "She crossed at Nogales with a saxophone and two witnesses, Wyszynski and Okonkwo-Lindqvist.",
    "Counsel will argue under 8 U.S.C. § 1158 that the threats were political; see the affidavit of Dr. Vandermolen.",
)


BENS = (
    "Bogdan Pfefferkorn overstayed his student visa and was arrested for selling counterfeit accordions.",
    "The removal hearing before Judge Abernathy was continued because the Kashubian interpreter was ill.",
)


@pytest.fixture
def bens_file(db):
    return a_case_file("Matter of Pfefferkorn", *BENS, granted_to=BEN)


@pytest.fixture
def anas_file(db):
    return a_case_file(ANAS_TITLE, *ANAS, granted_to=ANA)


def ask(text, caller=ANONYMOUS, **options):
    return search(SearchRequest(text, **options), caller, fresh=True)


def locators(answer):
    return [result["locator"] for result in answer["results"] or answer["near_misses"]]


def own(document):
    """The locators of a document's sections."""
    with as_system():
        return set(document.sections.values_list("locator", flat=True))


def test_nothing_told_means_public_rows_alone(anas_file):
    for model in TABLES:
        assert not model.objects.filter(private=True).exists()
    assert Section.objects.exists()
    with connection.cursor() as cursor:
        cursor.execute("SELECT count(*) FROM retrieval_chunk WHERE text LIKE '%Zamorano%'")
        assert cursor.fetchone() == (0,)


def test_each_caller_sees_the_rows_of_granted_documents(anas_file, bens_file):
    for caller, document in ((ANA, anas_file), (BEN, bens_file), (STAFF, None)):
        with as_caller(caller):
            for model in (Section, Chunk, ChunkVector, SectionTerms, Summary):
                seen = set(model.objects.filter(private=True).values_list("document_id", flat=True))
                assert seen == ({document.pk} if document else set())


@pytest.fixture
def statements_written_anew():
    statements.written.cache_clear()
    yield
    statements.written.cache_clear()


def test_row_security_hides_when_every_filter_is_forgotten(
    anas_file, bens_file, monkeypatch, statements_written_anew
):
    for queryset in (SectionQuerySet, DocumentQuerySet, DomainQuerySet):
        monkeypatch.setattr(queryset, "visible_to", lambda self, caller: self)
    monkeypatch.setattr(legs, "granted_documents", lambda query: Document.objects.values("id"))
    for caller in (BEN, STAFF, ANONYMOUS):
        for text in (*ANAS, "Zamorano brigade"):
            answer = ask(text, caller, domains=("client_cases",), k=100)
            assert not set(locators(answer)) & own(anas_file)
            assert anas_file.locator not in json.dumps(trace_for(answer["trace_id"], caller))


def test_the_filters_hide_without_row_security(anas_file, bens_file):
    with connection.cursor() as cursor:
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
        for model in TABLES:
            cursor.execute(f"ALTER TABLE {model._meta.db_table} DISABLE ROW LEVEL SECURITY")
    for caller in (BEN, STAFF, ANONYMOUS):
        answer = ask("Zamorano brigade", caller, k=100)
        assert not set(locators(answer)) & own(anas_file)


def test_every_table_forces_row_security_on_its_owner(db):
    names = [model._meta.db_table for model in TABLES]
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT count(*) FROM pg_class WHERE relrowsecurity AND relforcerowsecurity AND relname = ANY(%s)",
            [names],
        )
        assert cursor.fetchone() == (len(TABLES),)
        cursor.execute("SELECT rolsuper OR rolbypassrls FROM pg_roles WHERE rolname = current_user")
        assert cursor.fetchone() == (False,)


def test_the_database_makes_private_what_belongs_to_a_private_document(anas_file):
    with as_system():
        section = a_section(anas_file, "text", private=False)
        chunk = a_chunk(section, private=False)
        section.refresh_from_db()
        chunk.refresh_from_db()
        assert section.private and chunk.private and chunk.document_id == anas_file.pk
        Section.objects.filter(pk=section.pk).update(private=False)
        assert Section.objects.get(pk=section.pk).private


def test_who_does_not_see_a_document_adds_nothing_to_it(anas_file):
    section = Section(document=anas_file, domain=anas_file.domain, level="x", locator="/x", citation="x")
    for caller in (ANONYMOUS, BEN):
        with pytest.raises(DatabaseError), as_caller(caller):
            section.save(force_insert=True)


def test_a_domain_with_documents_stays_private(anas_file):
    domain = anas_file.domain
    domain.visibility = Domain.Visibility.PUBLIC
    with pytest.raises(ValidationError) as refused:
        domain.full_clean()
    assert list(refused.value.error_dict) == ["visibility"]
    with pytest.raises(IntegrityError, match="stays"), transaction.atomic():
        domain.save()
    empty = a_domain()
    empty.visibility = Domain.Visibility.PRIVATE
    empty.full_clean()
    empty.save()


def test_deleting_documents_deletes_all_of_those_that_one_owns_and_no_other(anas_file, bens_file):
    grant(anas_file, BEN)
    with as_caller(BEN):
        Document.objects.filter(domain__slug="client_cases").delete()
    with as_system():
        assert Section.objects.filter(document=bens_file).count() == len(BENS)
        Document.objects.filter(pk=bens_file.pk).update(owner=BEN.principals[0])
    with as_caller(BEN):
        Document.objects.filter(domain__slug="client_cases").delete()
    with as_system():
        assert not Section.objects.filter(document_id=bens_file.pk).exists()
        assert Section.objects.filter(document_id=anas_file.pk).count() == len(ANAS)
    assert not DocumentGrant.objects.filter(document_id=bens_file.pk).exists()


def told():
    with connection.cursor() as cursor:
        cursor.execute("SELECT current_setting('arf.principals', true)")
        return cursor.fetchone()[0] or ""


def in_a_thread(work):
    """Runs it on a connection of its own, outside any transaction, as a web thread does."""

    def closing():
        try:
            return work()
        finally:
            connection.close()

    with ThreadPoolExecutor(1) as thread:
        return thread.submit(closing).result()


def test_nothing_told_survives_the_transaction(db):
    def work():
        seen = [told()]
        with as_caller(ANA):
            seen.append(told())
            with as_caller(BEN):
                seen.append(told())
            with as_caller(ANONYMOUS):
                seen.append(told())
            with pytest.raises(ZeroDivisionError), as_system():
                seen.append(told())
                1 / 0  # noqa: B018
            seen.append(told())
        with pytest.raises(ProgrammingError), as_system(), connection.cursor() as cursor:
            cursor.execute("SELECT nonsense")
        with pytest.raises(NotFound):
            search(SearchRequest("x", domains=("none",)), ANA)
        return [*seen, told(), connection.in_atomic_block]

    assert in_a_thread(work) == ["", "key:901", "group:7,user:902", "", "*", "key:901", "", False]


def test_anonymous_searches_tell_the_database_nothing(db, django_assert_num_queries):
    with django_assert_num_queries(0), as_caller(ANONYMOUS):
        pass


@pytest.mark.parametrize("principal", ["*", "user:1,key:2", "", "user:x", "key:1 ", "key:1\n", "user:١"])
def test_only_principals_are_told(principal):
    with pytest.raises(ValueError, match="principal"), as_caller(Caller((principal,))):
        pass


@pytest.mark.skipif("settings.DATABASE_URL_GIVEN", reason="needs the embedded server")
def test_a_backup_holds_private_rows_and_their_guard(db, tmp_path):
    server = Postgres()
    name = settings.DATABASES["default"]["NAME"]
    document = in_a_thread(lambda: a_case_file(ANAS_TITLE, *ANAS, granted_to=ANA).pk)
    copy = f"{name}_restored"
    try:
        backup(server.owner_url(name), tmp_path / "all.backup")
        execute(
            server.app_url(), f'DROP DATABASE IF EXISTS "{copy}" WITH (FORCE)', f'CREATE DATABASE "{copy}"'
        )
        restore(server.app_url(copy), tmp_path / "all.backup", known_migrations())
        count = "SELECT count(*) FROM retrieval_chunk WHERE private"
        assert execute(server.app_url(copy), count) == [(0,)]
        assert execute(server.app_url(copy), "SET arf.principals = 'key:901'", count)[0][0] >= len(ANAS)
    finally:
        execute(server.app_url(), f'DROP DATABASE IF EXISTS "{copy}" WITH (FORCE)')
        in_a_thread(lambda: delete(document))


def delete(document):
    """With what the index was told of it: other tests count on an index that lacks nothing."""
    with as_system():
        chunks = list(Chunk.objects.filter(document=document).values_list("pk", flat=True))
        Document.objects.get(pk=document).delete()
    IndexChange.objects.filter(chunk_id__in=chunks).delete()


def execute(url, *statements):
    with psycopg.connect(url, autocommit=True) as own_connection:
        for statement in statements:
            found = own_connection.execute(statement)
        return found.fetchall() if found.description else None
