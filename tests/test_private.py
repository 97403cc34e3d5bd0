"""Private documents: who was granted one finds it exactly; for everybody else it does not exist, in any way."""

import json
import logging
import random
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import date

import numpy as np
import psycopg
import pytest
from django.conf import settings
from django.core.exceptions import ValidationError
from django.db import DatabaseError, IntegrityError, ProgrammingError, connection, transaction

from arf_site import postgres
from arf_site.backup import backup, restore
from retrieval import cache, pipeline, retrievers, serving, statements, vocabulary
from retrieval.errors import NotFound
from retrieval.models import (
    Anchor,
    CacheEntry,
    Chunk,
    ChunkVector,
    Citation,
    Click,
    Document,
    DocumentGrant,
    Domain,
    Feedback,
    JobRun,
    SearchLog,
    Section,
    SectionTerms,
    Trace,
    Vocabulary,
)
from retrieval.models.corpus import DocumentQuerySet, DomainQuerySet, SectionQuerySet
from retrieval.ranking import ANONYMOUS, Caller
from retrieval.row_access import as_caller, as_system
from retrieval.search import SearchRequest, run, search, visible_domains
from retrieval.searchlog import give_feedback, note_click, trace_for
from retrieval.versions import current
from rules import embedding
from rules.models import Alias
from tests.builders import a_case_file, a_chunk, a_domain, a_section, grant

ANA, BEN = Caller(("key:901",)), Caller(("user:902", "group:7"))
STAFF = Caller(("user:903",), frozenset({"search", "pipelines", "staff"}), is_staff=True)
TABLES = (Document, Section, Chunk, ChunkVector, Anchor, Citation, SectionTerms)

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
WORDS = (
    "asylum",
    "visa",
    "court",
    "hearing",
    "judge",
    "threat",
    "border",
    "student",
    "family",
    "police",
    "lawyer",
)
SECRETS = (
    "quetzalli",
    "ibarreche",
    "zamorano",
    "tegucigalpa",
    "nogales",
    "saxophone",
    "vandermolen",
    "okonkwo",
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


def everything_kept():
    """All that searches leave behind in the database, as one text."""
    rows = [list(model.objects.values()) for model in (SearchLog, Trace, Feedback, Click, CacheEntry, JobRun)]
    return json.dumps(rows, default=str, ensure_ascii=False).lower()


# Who was granted a document finds it


@pytest.mark.parametrize(
    "words", ["Zamorano brigade", ANAS[0], "Who burned the bakery?", "¿Quién quemó la panadería?"]
)
def test_who_was_granted_a_document_finds_it(anas_file, words):
    found = set(locators(ask(words, ANA, domains=("client_cases",))))
    assert found & own(anas_file)


def test_the_dense_leg_ranks_private_chunks_as_brute_force_does(db):
    draw = random.Random(5)
    texts = [" ".join(draw.choices(WORDS, k=12)) + "." for _ in range(40)]
    a_case_file("Matter of forty parts", *texts, granted_to=ANA)
    embedder = serving.active_embedder().embedder
    with as_system():
        rows = list(ChunkVector.objects.filter(private=True).values_list("section__locator", "vector"))
    vectors = np.array([vector for _, vector in rows], dtype=np.float32)
    for question in ("a student lost the visa", "the police threatened a family", "judge"):
        similar = vectors @ embedder.embed_query(question)
        nearest = {rows[i][0] for i in np.argsort(-similar)[:10]}
        assert set(locators(ask(question, ANA, domains=("client_cases",), pipeline="dense"))) == nearest


# For everybody else it does not exist


def probe(draw, parts):
    """A random question about the private text, and a random way to ask it."""
    words = " ".join(parts).split()
    kind = draw.randrange(6)
    if kind == 0:
        text = " ".join(draw.sample(words, draw.randint(1, 6)))
    elif kind == 1:
        text = draw.choice(parts)
    elif kind == 2:
        start = draw.randrange(len(words))
        text = f'"{" ".join(words[start : start + draw.randint(2, 5)])}"'
    elif kind == 3:
        text = (
            draw.choice(["Can police search my", "freedom of", "who may", "la ley y"])
            + " "
            + draw.choice(words)
        )
    elif kind == 4:
        text = (
            draw.choice(["8 USC 1158", "Amendment XIV and", "client_cases", "in re"])
            + " "
            + draw.choice(words)
        )
    else:
        text = f"{draw.choice(words)[:4]} {draw.choice(words).upper()}?"
    options = {
        "k": draw.choice([1, 3, 10, 100]),
        "page": draw.choice([1, 1, 1, 2]),
        "language": draw.choice([None, "en", "es"]),
        "as_of": draw.choice([None, None, date(1950, 1, 1), date(2999, 1, 1)]),
        "pipeline": draw.choice(pipeline.names()),
        "domains": draw.choice(
            [(), (), ("client_cases",), ("us_constitution",), ("client_cases", "us_constitution")]
        ),
    }
    return text, options


def without_times(answer):
    stages = [stage | {"ms": 0} for stage in answer["stages"]]
    return answer | {"trace_id": "", "took_ms": 0, "stages": stages}


def outcome(text, caller, options):
    """All that a caller can learn from one question, but for the time it took."""
    try:
        answer = ask(text, caller, **options)
    except NotFound as refusal:
        return refusal.message
    account = trace_for(answer["trace_id"], caller)
    return without_times(answer), [
        account[name] for name in ("candidates", "dropped", "top_locators", "probability")
    ]


@pytest.mark.slow
def test_a_thousand_questions_are_answered_as_if_the_document_were_not_there(bens_file):
    draw = random.Random(20_260_101)
    parts = [ANAS_TITLE, *ANAS]
    probes = [(*probe(draw, parts), draw.choice([ANONYMOUS, BEN, STAFF])) for _ in range(1_000)]
    before = [outcome(text, caller, options) for text, options, caller in probes]
    a_case_file(ANAS_TITLE, *ANAS, granted_to=ANA)
    after = [outcome(text, caller, options) for text, options, caller in probes]
    assert [probe for probe, one, other in zip(probes, before, after, strict=True) if one != other] == []


@pytest.mark.parametrize("caller", [ANONYMOUS, STAFF])
def test_a_private_domain_is_refused_like_one_that_does_not_exist(anas_file, caller):
    with pytest.raises(NotFound) as private:
        ask("bakery", caller, domains=("client_cases",))
    with pytest.raises(NotFound) as absent:
        ask("bakery", caller, domains=("client_casez",))
    assert private.value.message == absent.value.message.replace("casez", "cases")


def test_another_client_cannot_address_a_section_by_its_locator_or_citation(anas_file, bens_file):
    for locator in own(anas_file):
        for caller in (BEN, STAFF, ANONYMOUS):
            with as_caller(caller):
                assert not Section.objects.readable(caller).filter(locator=locator).exists()
                assert not Document.objects.visible_to(caller).filter(locator=anas_file.locator).exists()
    assert not set(locators(ask(f"{ANAS_TITLE}, part 1", BEN))) & own(anas_file)


def test_the_shared_index_and_its_statistics_know_nothing_private(anas_file, bens_file, reindex):
    index = serving.lexical_index()
    reindex()
    before = index.open().searcher().num_docs
    a_case_file(ANAS_TITLE, *ANAS, "Congress shall make no law about bakeries, Congress, Congress.")
    reindex()
    searcher = index.open().searcher()
    terms = {term for secret in SECRETS for term in index.terms(secret, "en")}
    assert len(terms) == len(SECRETS)
    for field in ("head_en", "body_en", "head_es", "body_es"):
        assert {searcher.doc_freq(field, term) for term in terms} == {0}
    assert searcher.num_docs == before


# What searches leave behind


def test_a_private_search_leaves_neither_words_nor_names_behind(anas_file, caplog):
    caplog.set_level(logging.INFO)
    words = "Did the Zamorano brigade burn the bakery of Quetzalli Ibarreche?"
    request = SearchRequest(words, domains=("client_cases",))
    for _ in range(2):
        answer = search(request, ANA)
    locator = answer["results"][0]["locator"]
    give_feedback(answer["trace_id"], ANA, locator=locator, verdict="helpful", comment="")
    note_click(answer["trace_id"], ANA, locator=locator)
    assert answer["cached"]
    kept = everything_kept() + caplog.text.lower()
    assert [secret for secret in (*SECRETS, anas_file.locator) if secret in kept] == []


def test_a_trace_shows_each_reader_what_that_reader_may_see(anas_file, bens_file):
    answer = ask(
        "Zamorano brigade and the freedom of speech", ANA, domains=("client_cases", "us_constitution")
    )
    of_ana, of_staff = trace_for(answer["trace_id"], ANA), trace_for(answer["trace_id"], STAFF)
    assert own(anas_file) <= {candidate["locator"] for candidate in of_ana["candidates"] + of_ana["dropped"]}
    assert of_staff["candidates"] + of_staff["dropped"]
    assert all(name.startswith("/us/const") for name in places_in(of_staff))
    with pytest.raises(NotFound):
        trace_for(answer["trace_id"], BEN)
    grant(anas_file, STAFF)
    assert own(anas_file) & set(places_in(trace_for(answer["trace_id"], STAFF)))
    DocumentGrant.objects.filter(document=anas_file).delete()
    assert not own(anas_file) & set(places_in(trace_for(answer["trace_id"], ANA)))


def places_in(account):
    weighed = account.get("candidates", []) + account.get("dropped", [])
    return [*account["top_locators"], *(candidate["locator"] for candidate in weighed)]


def test_feedback_on_a_private_section_names_it_by_number(anas_file):
    answer = ask("Zamorano brigade", ANA, domains=("client_cases",))
    locator = locators(answer)[0]
    give_feedback(answer["trace_id"], ANA, locator=locator, verdict="helpful", comment="")
    assert Feedback.objects.get().locator == f"private:{section_id(locator)}"
    for caller in (BEN, ANONYMOUS):
        with pytest.raises(NotFound):
            give_feedback(answer["trace_id"], caller, locator=locator, verdict="helpful", comment="")


def test_a_click_on_a_private_section_names_it_by_number_and_is_its_readers(anas_file):
    answer = ask("Zamorano brigade", ANA, domains=("client_cases",))
    locator = locators(answer)[0]
    note_click(answer["trace_id"], ANA, locator=locator)
    for caller in (BEN, ANONYMOUS):
        with pytest.raises(NotFound):
            note_click(answer["trace_id"], caller, locator=locator)
    assert Click.objects.get().locator == f"private:{section_id(locator)}"


def test_neither_a_comment_nor_a_sign_of_the_words_is_kept_of_a_private_search(anas_file):
    answer = ask("Zamorano brigade", ANA, domains=("client_cases",))
    said = "It misses the saxophone."
    kept = give_feedback(answer["trace_id"], ANA, locator="", verdict="unhelpful", comment=said)
    assert (kept.comment, SearchLog.objects.get().query_hash) == ("", None)
    public = ask("freedom of speech")
    kept = give_feedback(public["trace_id"], ANONYMOUS, locator="", verdict="unhelpful", comment=said)
    assert kept.comment == said


def test_names_of_what_a_caller_may_not_read_are_in_no_note(anas_file, bens_file):
    named = Alias(domain=anas_file.domain, text="the Zamorano arson", locator=min(own(anas_file)))
    named.save()
    embedding.embed_all()
    for text in ("the Zamorano arson", "Was there arson by the Zamorano?"):
        of_ana, of_ben = (str(ask(text, who, domains=("client_cases",))["stages"]) for who in (ANA, BEN))
        assert "the Zamorano arson" in of_ana and named.locator in of_ana
        assert "the Zamorano arson" not in of_ben and named.locator not in of_ben


def section_id(locator):
    with as_system():
        return Section.objects.get(locator=locator).pk


# Answers shown again


def test_a_kept_answer_is_shown_again_only_to_the_same_scope(anas_file, bens_file):
    request = SearchRequest("Zamorano brigade")
    assert not search(request, ANA)["cached"]
    assert search(request, ANA)["cached"]
    for caller in (BEN, ANONYMOUS):
        answer = search(request, caller)
        assert not answer["cached"]
        assert not set(locators(answer)) & own(anas_file)


@pytest.mark.parametrize("end", ["revoke", "regrant", "delete"])
def test_what_is_taken_back_is_gone_at_once_from_kept_answers_too(anas_file, bens_file, end):
    grant(bens_file, ANA)
    request, names = SearchRequest("Zamorano brigade", domains=("client_cases",)), own(anas_file)
    search(request, ANA)
    assert set(locators(search(request, ANA))) & names
    if end == "revoke":
        anas_file.grants.all().delete()
    elif end == "regrant":
        anas_file.grants.update(principal="key:999")
    else:
        anas_file.delete()
    answer = search(request, ANA)
    assert not answer["cached"]
    assert not set(locators(answer)) & names
    kept = json.dumps([answer for _, answer in cache.private_answers.answers.values()]).lower()
    assert "zamorano brigade burned" not in kept


def test_the_words_of_private_documents_are_neither_kept_nor_counted(anas_file):
    answer = ask("Zamorano brigade", ANA, domains=("client_cases",), pipeline="pool")
    assert set(locators(answer)) & own(anas_file)
    with as_caller(ANA):
        scopes = visible_domains(ANA, ("client_cases",))
        ranking = run(SearchRequest("Zamorano brigade", pipeline="pool"), ANA, scopes, current(scopes))
        texts = vocabulary.texts_of(ranking.query, ranking.candidates)
        stranger = vocabulary.texts_of(replace(ranking.query, caller=BEN), ranking.candidates)
    assert sum(len(words.body) for words in texts.words) > 20
    assert not any(len(words.body) for words in stranger.words)
    assert not {candidate.section_id for candidate in ranking.candidates} & set(vocabulary._kept)
    vocabulary.count_again()
    assert not Vocabulary.objects.filter(domain=anas_file.domain).exists()


def test_answers_of_private_searches_are_never_written_down(anas_file):
    search(SearchRequest("Zamorano brigade"), ANA)
    assert not CacheEntry.objects.exists()


def test_grants_leave_public_answers_alone(anas_file):
    request = SearchRequest("freedom of speech")
    search(request)
    grant(anas_file, BEN)
    assert search(request)["cached"]


# The database alone, without any filter of ours


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
            for model in (Section, Chunk, ChunkVector, SectionTerms):
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
    monkeypatch.setattr(retrievers, "granted_documents", lambda query: Document.objects.values("id"))
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


# A row is as private as its document, whatever is said of it


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


def test_deleting_a_document_deletes_all_of_it_and_only_what_the_reader_sees(anas_file, bens_file):
    with as_caller(BEN):
        Document.objects.filter(domain__slug="client_cases").delete()
    with as_system():
        assert not Section.objects.filter(document_id=bens_file.pk).exists()
        assert Section.objects.filter(document_id=anas_file.pk).count() == len(ANAS)
    assert not DocumentGrant.objects.filter(document_id=bens_file.pk).exists()


# What is told to a connection ends with the transaction


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


# Backups


@pytest.mark.skipif("settings.DATABASE_URL_GIVEN", reason="needs the embedded server")
def test_a_backup_holds_private_rows_and_their_guard(db, tmp_path):
    server = postgres.Postgres(postgres.default_data_dir())
    name = settings.DATABASES["default"]["NAME"]
    document = in_a_thread(lambda: a_case_file(ANAS_TITLE, *ANAS, granted_to=ANA).pk)
    copy = f"{name}_restored"
    try:
        backup(server.owner_url(name), tmp_path / "all.backup")
        execute(
            server.app_url(), f'DROP DATABASE IF EXISTS "{copy}" WITH (FORCE)', f'CREATE DATABASE "{copy}"'
        )
        restore(server.app_url(copy), tmp_path / "all.backup")
        count = "SELECT count(*) FROM retrieval_chunk WHERE private"
        assert execute(server.app_url(copy), count) == [(0,)]
        assert execute(server.app_url(copy), "SET arf.principals = 'key:901'", count)[0][0] >= len(ANAS)
    finally:
        execute(server.app_url(), f'DROP DATABASE IF EXISTS "{copy}" WITH (FORCE)')
        in_a_thread(lambda: delete(document))


def delete(document):
    with as_system():
        Document.objects.get(pk=document).delete()


def execute(url, *statements):
    with psycopg.connect(url, autocommit=True) as own_connection:
        for statement in statements:
            found = own_connection.execute(statement)
        return found.fetchall() if found.description else None
