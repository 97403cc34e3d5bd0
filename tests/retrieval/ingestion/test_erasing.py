"""After an erasure no table, file or log holds a word of the matter; a backup that brings it back is erased again."""

import json
import logging
from datetime import date
from functools import partial
from uuid import uuid4

import pytest
from django.conf import settings
from django.contrib.admin.models import CHANGE, LogEntry
from django.contrib.auth.models import User
from django.contrib.contenttypes.models import ContentType
from django.db import connection
from django.http import HttpResponse
from django.test import RequestFactory

from evaluation.models import Judgment, Topic
from retrieval import jobs
from retrieval.access import matters
from retrieval.access.row_security import as_caller, as_system
from retrieval.errors import ArfError, Forbidden, NotFound, Unprocessable
from retrieval.ingestion import erasing, uploading
from retrieval.models import Domain, Erasure, JobRun, LLMVerdict, Matter, SearchLog, Section, Trace
from retrieval.models.packed import unpack
from retrieval.request import SearchRequest
from retrieval.search import cache, log
from retrieval.search.afterwards import after_answer, write_after_answer
from retrieval.search.log import give_feedback, note_click
from retrieval.search.service import search
from rules.models import Alias
from tests.matters import CLIENT, PAPER, REFERENCE, SECRETS, handed_in

pytestmark = pytest.mark.django_db

PACKED = ("retrieval_trace", "detail"), ("retrieval_cacheentry", "answer")
COLUMNS = """
SELECT table_name,
    string_agg(quote_ident(column_name), ', ') FILTER (WHERE udt_name NOT IN ('bytea', 'vector')),
    coalesce(array_agg(column_name::text) FILTER (WHERE udt_name = 'bytea'), '{}')
FROM information_schema.columns WHERE table_schema = 'public' GROUP BY table_name
"""
SAYS = """
SELECT EXISTS (SELECT FROM "{}", lower(ROW({})::text) said, unnest(%s::text[]) word WHERE strpos(said, word) > 0)
"""
WORKED_ON = ("retrieval_matter", "retrieval_deadline", "retrieval_section", "retrieval_chunk")


def opened(column: tuple[str, str], value: memoryview | bytes | None) -> str:
    content = bytes(value or b"")
    return str(unpack(content)) if column in PACKED and content else content.decode("latin-1")


def tables_with(*words: str) -> set[str]:
    """Of every row of every table, as text; packed columns opened, bytes read as Latin-1. Vectors have no words."""
    with as_system(), connection.cursor() as cursor:
        cursor.execute(COLUMNS)
        tables = cursor.fetchall()
        return {table for table, told, binary in tables if says(cursor, table, told, binary, words)}


def says(cursor, table: str, told: str, binary: list[str], words: tuple[str, ...]) -> bool:
    cursor.execute(SAYS.format(table, told), [list(words)])
    if cursor.fetchone()[0]:
        return True
    if binary:
        cursor.execute(f'SELECT {", ".join(binary)} FROM "{table}"')
    texts = (opened((table, name), value) for row in cursor.fetchall() for name, value in zip(binary, row, strict=True))
    return any(word in text.lower() for text in texts for word in words)


def files_with(*words: str) -> list[str]:
    """Files that the node keeps beside its database: its index, its logs and whatever else is in its folder."""
    kept = [
        path
        for folder in (settings.ARF_LEXICAL_DIR, settings.VAR_DIR)
        for path in folder.rglob("*")
        if path.is_file() and not {"cluster", "onnx", "tests"} & {*path.parts}  # tables, and models
    ]
    assert any("lexical" in path.parts for path in kept)
    return [str(path) for path in kept if any(word.encode() in path.read_bytes().lower() for word in words)]


def worked_on(firm):
    """A document with a search, an opinion, a click, a judgment, a name, a verdict and an edit of it."""
    document = handed_in(firm.matter, firm.contributor)
    answer = search(SearchRequest("doubloons at Michaelmas", domains=("client_cases",)), firm.reader)
    place = answer["results"][0]["locator"] if answer["results"] else answer["near_misses"][0]["locator"]
    give_feedback(answer["trace_id"], firm.reader, locator=place, verdict="helpful", comment="")
    note_click(answer["trace_id"], firm.reader, locator=place)
    search(SearchRequest("doubloons", domains=("client_cases",)), matters.caller_in(firm.matter, firm.lead))
    with as_system():
        section = Section.objects.get(locator=place)
        topic = Topic.objects.create(name="due", domain=document.domain, query="What is due?")
        Judgment.objects.create(
            topic=topic, locator=place, judge="ann", grade=3, explanation="Doubloons are due."
        )
        Alias.objects.create(domain=document.domain, text="the Zzyzx rent", locator=place)
    LLMVerdict.objects.create(
        query_hash="x",
        section_id=section.pk,
        model="m",
        prompt_version="1",
        score=9,
        reason="It names doubloons.",
    )
    LogEntry.objects.create(
        user=User.objects.get(username="root"), content_type=ContentType.objects.get_for_model(type(document)),
        object_id=str(document.pk), object_repr="Lease of Bartholomew Zzyzx", action_flag=CHANGE,
    )  # fmt: skip
    uploading.rename(document, "The Zzyzx lease", firm.lead)
    return document


def erased(firm) -> JobRun:
    """The matter erased, and the job that deletes its text run to its end."""
    run = erasing.erase(firm.matter, f" {REFERENCE} ", firm.lead)
    *_, ended = jobs.run_here(run)
    assert ended.status == JobRun.Status.DONE
    return ended


def test_the_clients_name_is_in_its_matter_alone(firm, caplog):
    caplog.set_level(logging.DEBUG)
    worked_on(firm)
    matters.add_deadline(firm.matter, "File", date(2030, 1, 2), firm.lead)
    matters.rename(firm.matter, firm.lead, client=CLIENT.upper())
    matters.close(firm.matter, firm.lead)
    matters.reopen(firm.matter, firm.lead)
    assert tables_with("xiomara", "quetzalcoatlus") == {"retrieval_matter"}
    assert tables_with(REFERENCE.lower()) == {"retrieval_matter"}
    assert not files_with("xiomara", "quetzalcoatlus")
    assert not [word for word in SECRETS if word in caplog.text.lower()]


def test_an_erased_matter_leaves_neither_words_nor_names_behind(firm):
    handed_in(other := matters.open_matter("Other", "", firm.stranger), firm.stranger, "1. Fee. A guinea.")
    document = worked_on(firm)
    waiting = uploading.accept_into(firm.matter, document.domain, "b.txt", PAPER.encode(), firm.lead)
    matters.add_deadline(firm.matter, "Collect the doubloons", date(2030, 1, 2), firm.lead)
    before = tables_with(*SECRETS)
    assert {*WORKED_ON, "retrieval_upload", "retrieval_llmverdict", "django_admin_log"} <= before
    assert {
        "rules_alias",
        "rules_historicalalias",
        "evaluation_judgment",
        "evaluation_historicaljudgment",
    } <= before
    names = document.locator, f"matter:{firm.matter.pk}"
    public_id = str(firm.matter.public_id)

    erased(firm)

    assert tables_with(*SECRETS) == set()
    assert tables_with(*names) == set()
    assert tables_with(public_id) == {"retrieval_erasure"}
    assert not files_with(*SECRETS)
    assert not SearchLog.objects.filter(private=True).exists() and not Trace.objects.filter(log__private=True)
    assert not JobRun.objects.filter(pk=waiting.run.pk).exists()
    with as_caller(firm.stranger):
        assert Matter.objects.get() == other
        assert Section.objects.filter(private=True, live=True).count() == 1
    search(SearchRequest("freedom of speech", domains=("us_constitution",)))
    with pytest.raises(NotFound):
        search(SearchRequest("doubloons", domains=("client_cases",)), firm.reader)
    search(SearchRequest("guinea"), firm.stranger)
    kept = json.dumps([unpack(packed) for _, packed in cache.private_answers.answers.values()]).lower()
    assert not [word for word in SECRETS if word in kept]


def test_only_a_lead_who_writes_its_reference_erases_a_matter(firm):
    document = handed_in(firm.matter, firm.contributor)
    for caller, reference, refusal in (
        (firm.lead, "vermilion", Unprocessable),
        (firm.lead, "", Unprocessable),
        (firm.contributor, REFERENCE, Forbidden),
        (firm.reader, REFERENCE, Forbidden),
        (firm.stranger, REFERENCE, NotFound),
        (firm.staff, REFERENCE, NotFound),
    ):
        with pytest.raises(refusal):
            erasing.erase(firm.matter, reference, caller)
    with as_system():
        assert document.sections.exists() and not Erasure.objects.exists()


def test_a_closed_matter_can_be_erased(firm):
    handed_in(firm.matter, firm.lead)
    matters.close(firm.matter, firm.lead)
    erased(firm)
    assert tables_with(*SECRETS) == set()


def test_from_the_first_moment_nobody_finds_what_is_still_to_be_deleted(firm):
    document = handed_in(firm.matter, firm.contributor)
    erasing.erase(firm.matter, REFERENCE, firm.lead)
    assert "retrieval_chunk" in tables_with(*SECRETS)
    assert tables_with(REFERENCE.lower(), CLIENT.lower()) == set()
    for caller in (firm.lead, firm.contributor, firm.reader, firm.stranger, firm.staff):
        assert not firm.can_read(caller)
        with as_caller(caller):
            assert not Section.objects.visible_to(caller).filter(document=document).exists()
        with pytest.raises(NotFound):
            matters.matter_of(firm.matter.public_id, caller)


def test_it_is_erased_in_steps_and_goes_on_after_a_failure_or_a_cancel(firm, monkeypatch):
    handed_in(firm.matter, firm.lead, "\n\n".join(f"{n}. Rent. {n} doubloons." for n in range(1, 7)))
    monkeypatch.setattr(erasing, "BATCH", 2)
    with as_system():
        left = Section.objects.filter(document__owner=firm.matter.principal)
        assert left.count() >= 6
        run, before = erasing.erase(firm.matter, REFERENCE, firm.lead), left.count()
    run = jobs.take_step(jobs.take_step(run.pk, 0).pk, 1)
    with as_system(), monkeypatch.context() as broken:
        assert left.count() == before - 2 and (run.position, run.total) == (2, before + 1)
        broken.setattr(erasing, "forget_edits", lambda rows: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            jobs.take_step(run.pk, 2)
        assert left.count() == before - 2
    assert (erasing.try_again(), erasing.try_again()) == (1, 0)
    jobs.cancel(jobs.take_step(run.pk, 2))
    *_, cancelled = jobs.run_here(JobRun.objects.get(pk=run.pk))
    assert cancelled.status == JobRun.Status.CANCELLED and tables_with("doubloons")
    *_, ended = jobs.run_here(JobRun.objects.unfinished().get(kind="erase_matter"))
    assert ended.status == JobRun.Status.DONE
    assert tables_with(*SECRETS, firm.matter.principal) == set()


def test_searches_are_gone_through_some_a_step(firm, monkeypatch):
    monkeypatch.setattr(log, "READ", 1)
    handed_in(firm.matter, firm.contributor)
    handed_in(other := matters.open_matter("Other", "", firm.stranger), firm.stranger)
    for matter, caller in ((firm.matter, firm.reader), (other, firm.stranger)):
        for question in ("doubloons", "Michaelmas"):
            search(SearchRequest(question, domains=("client_cases",)), caller)
        search(SearchRequest("doubloons", domains=("client_cases",)), matters.caller_in(matter, caller))
    erased(firm)
    log.write_now()
    assert set(SearchLog.objects.values_list("caller", flat=True)) == {
        firm.stranger.scope_key, other.principal,
    }  # fmt: skip
    assert SearchLog.objects.count() == Trace.objects.count() == 3


def test_what_waits_to_be_written_of_searches_is_written_before_the_job_looks_for_it(firm):
    written = []

    def view(request):
        after_answer(partial(written.append, "a search"))
        erasing.erase(firm.matter, REFERENCE, firm.lead)
        assert written
        return HttpResponse()

    write_after_answer(view)(RequestFactory().get("/"))


def test_a_file_in_the_making_goes_too_and_others_have_their_turn(firm, django_capture_on_commit_callbacks):
    cases = Domain.objects.get(slug="client_cases")
    upload = uploading.accept_into(firm.matter, cases, "a.txt", PAPER.encode(), firm.lead)
    run = jobs.take_step(upload.run.pk, 0)
    others = uploading.accept(cases, "b.txt", b"1. Fee. A guinea.", principal=firm.stranger.principals[0])
    with django_capture_on_commit_callbacks() as after:
        erasing.erase(firm.matter, REFERENCE, firm.lead)
    assert jobs.take_step(run.pk, run.ticket) is None
    assert jobs.next_of(jobs.CORPUS) == others.run and after
    list(jobs.run_here(JobRun.objects.get(kind="erase_matter")))
    assert tables_with(*SECRETS) == set()


def test_what_a_restore_brings_back_is_erased_again(firm):
    handed_in(firm.matter, firm.lead)
    assert firm.matter.public_id not in erasing.recorded()
    assert erasing.erase_again({firm.matter.public_id}) == 1
    assert tables_with(*SECRETS) == set()
    assert firm.matter.public_id in erasing.recorded()
    assert erasing.erase_again(erasing.recorded()) == 0


def test_a_matter_that_could_not_be_erased_again_is_whole_until_it_is(firm, monkeypatch):
    document = handed_in(firm.matter, firm.lead)
    with monkeypatch.context() as broken:
        broken.setattr(erasing, "forget_documents", lambda owner: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            erasing.erase_again({firm.matter.public_id})
    with as_system():
        assert Matter.objects.filter(pk=firm.matter.pk).exists()
        assert Section.objects.filter(document=document).exists()
    assert erasing.erase_again({firm.matter.public_id}) == 1
    assert tables_with(*SECRETS) == set()


def test_erasures_are_noted_beside_the_database_once_they_are_sure(
    firm, settings, tmp_path, django_capture_on_commit_callbacks
):
    settings.ARF_ERASURES = tmp_path / "erasures"
    with django_capture_on_commit_callbacks(execute=True):
        erasing.erase(firm.matter, REFERENCE, firm.lead)
        assert not settings.ARF_ERASURES.exists()
    Erasure.objects.all().delete()
    assert erasing.recorded() == {firm.matter.public_id}
    assert not [word for word in SECRETS if word in settings.ARF_ERASURES.read_text().lower()]


def test_blank_lines_among_erasures_are_passed_over_and_one_cut_short_is_named(db, settings, tmp_path):
    settings.ARF_ERASURES = tmp_path / "erasures"
    number = uuid4()
    settings.ARF_ERASURES.write_text(f"\n{number} 2026-01-31\n \n")
    assert erasing.recorded() == {number}
    settings.ARF_ERASURES.write_text(f"{number} 2026-01-31\n{str(number)[:9]}\n")
    with pytest.raises(ArfError, match=f"{settings.ARF_ERASURES}, line 2"):
        erasing.recorded()
