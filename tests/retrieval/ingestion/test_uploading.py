"""Uploads: a file becomes a document once, changes into a new version, is withdrawn; private from the first byte."""

import json
from datetime import timedelta

import pytest
from django.core.management import call_command
from django.db import connection, transaction
from django.test.utils import CaptureQueriesContext
from django.utils import timezone, translation

from retrieval import jobs
from retrieval.access.caller import ANONYMOUS, Caller
from retrieval.access.row_security import as_caller, as_system
from retrieval.corpus.changes import Span, changes
from retrieval.errors import ArfError, Forbidden, NoRoom, SourceRefused, TooManyWaiting
from retrieval.ingestion import staging, uploading
from retrieval.models import ApiKey, Chunk, Document, DocumentGrant, Domain, JobRun, Section, Upload
from retrieval.models.uploads import in_words
from retrieval.parsing.sources import extract
from retrieval.request import SearchRequest
from retrieval.search.service import search
from tests import files
from tests.builders import a_domain

pytestmark = pytest.mark.django_db

FEES = "2. Fees. The buyer pays ninety doubloons each Tuesday."
LAW = "3. Governing Law. The laws of Ruritania apply to this lease of lighthouses."


def lease(*lines):
    """A lease of two pages: the first line on the first, the rest on the second."""
    return files.pdf(
        files.column("1. Term. The lease of the lighthouse runs for a year."), files.column(*lines)
    )


def handed_in(domain, content, filename="lease.pdf", principal="user:1", **fields):
    """The upload, read to its end."""
    upload = uploading.accept(domain, filename, content, principal=principal, **fields)
    for _step in jobs.run_here(upload.run):
        pass
    with as_system():
        upload.refresh_from_db()
    return upload


def current(document):
    return {
        s.locator.removeprefix(document.locator): s for s in document.sections.live().filter(valid_to=None)
    }


def test_a_file_becomes_a_document_whose_chunks_know_their_pages():
    domain = a_domain()
    upload = handed_in(domain, lease(FEES, LAW), "Lease (signed).pdf", tags=["lease"])
    document = upload.document
    assert (upload.status, upload.reason, upload.sections, upload.pages) == ("stored", "", 3, 2)
    assert document.locator == f"/{domain.slug}/lease-signed"
    assert (document.filename, document.tags, document.content_hash) == (
        "Lease (signed).pdf",
        ["lease"],
        upload.content_hash,
    )
    chunks = Chunk.objects.filter(section__document=document).order_by("section__position")
    assert [(c.page_start, c.page_end) for c in chunks] == [(1, 1), (2, 2), (2, 2)]
    assert chunks[1].section.citation == "Lease (signed), § 2"
    assert all(c.text == c.section.text[c.start : c.end] for c in chunks)


def test_the_own_words_of_a_section_with_others_below_it_are_found(reindex):
    domain = a_domain()
    text = b"# 2. Fees\n\nThe buyer pays ninety doubloons.\n\n## 2.1 Late fees\n\nWho is late pays more.\n"
    document = handed_in(domain, text, "lease.md").document
    reindex()
    found = search(SearchRequest(text="doubloons", domains=(domain.slug,)), ANONYMOUS)["results"]
    assert found[0]["locator"] == f"{document.locator}/2"


def test_numbers_at_the_beginning_of_lines_are_places_of_their_section(client):
    words = ["Sec. 4-12. Dogs.", "(a) No dog runs at large.", "(b) An officer", "(1) tells the owner;", "(2) holds it."]
    document = handed_in(a_domain(), "\n\n".join(words).encode(), "code.txt").document
    section = f"/law{document.locator}/4-12"
    assert client.get(f"{section}/b/2").url == f"{section}#b-2"
    assert client.get(f"{section}/c").status_code == 404


def test_the_same_file_again_keeps_every_row_and_a_changed_one_makes_new_versions():
    domain = a_domain()
    first = handed_in(domain, lease(FEES, LAW))
    before = current(first.document)
    again = handed_in(domain, lease(FEES, LAW))
    assert (again.status, again.document) == ("unchanged", first.document)
    assert {s.pk for s in current(first.document).values()} == {s.pk for s in before.values()}
    changed = handed_in(domain, lease(FEES.replace("ninety", "eighty"), LAW))
    after = current(first.document)
    assert (changed.status, changed.document) == ("stored", first.document)
    assert [after[place].pk == before[place].pk for place in ("/1", "/2", "/3")] == [True, False, True]
    assert Section.objects.get(pk=before["/2"].pk).valid_to == timezone.localdate()


def test_what_a_further_version_adds_is_in_force_from_its_day_on_and_told_as_new():
    domain = a_domain()
    document = handed_in(domain, lease(FEES)).document
    assert {s.valid_from for s in current(document).values()} == {None}
    handed_in(domain, lease(FEES, LAW))
    today = timezone.localdate()
    assert [current(document)[place].valid_from for place in ("/1", "/2", "/3")] == [None, None, today]
    before = Section.objects.readable(ANONYMOUS, today - timedelta(days=1)).filter(document=document)
    assert before.count() == 2
    told, _ = changes(ANONYMOUS, Span(), domains=[domain], page=1, size=9)
    assert [(one.kind, one.section.locator) for one in told] == [("new", f"{document.locator}/3")]


def test_a_file_that_cannot_be_read_leaves_only_the_reason():
    domain = a_domain()
    locked = handed_in(domain, files.encrypted_pdf())
    scan = handed_in(domain, files.pdf("scan"))
    assert "encrypted" in locked.reason and "scans" in scan.reason
    assert {locked.status, scan.status} == {"refused"}
    assert locked.content is None
    assert not Document.objects.filter(domain=domain).exists()


def test_on_a_full_disk_a_file_is_refused_and_taken_when_there_is_room(monkeypatch):
    domain = a_domain()
    with monkeypatch.context() as full:
        full.setattr(uploading, "has_room", lambda: False)
        with pytest.raises(NoRoom, match="disk is full"), transaction.atomic():
            uploading.accept(domain, "lease.pdf", lease(FEES), principal="user:1")
    assert not Upload.objects.exists() and not JobRun.objects.filter(kind="upload").exists()
    assert handed_in(domain, lease(FEES)).status == Upload.Status.STORED


def test_the_reason_is_told_in_the_readers_language():
    domain = a_domain()
    scan = handed_in(domain, files.pdf("scan", "scan"))
    assert scan.local_reason == scan.reason and "All 2 pages" in scan.reason
    with translation.override("es"):
        assert "Las 2 páginas son imágenes" in scan.local_reason
        with pytest.raises(SourceRefused) as refused:
            uploading.accept(domain, "virus.exe", b"MZ", principal="user:1")
        assert "ningún formato conocido: .pdf" in in_words(refused.value.refusal)


def test_what_can_be_told_at_once_is_refused_at_once():
    domain = a_domain()
    with pytest.raises(SourceRefused, match="known format"):
        uploading.accept(domain, "virus.exe", b"MZ", principal="user:1")
    with pytest.raises(SourceRefused, match="own source"):
        uploading.accept(Domain.objects.get(slug="us_constitution"), "a.txt", b"x", principal="user:1")
    with pytest.raises(SourceRefused, match="public"):
        uploading.accept(domain, "a.txt", b"x", principal="user:1", grants=["user:2"])
    assert not Upload.objects.filter(domain=domain).exists()


def test_the_file_is_not_kept_once_it_was_read_or_given_up():
    domain = a_domain()
    assert handed_in(domain, lease(FEES)).content is None
    waiting = uploading.accept(domain, "b.pdf", lease(LAW), principal="user:1")
    jobs.cancel(waiting.run)
    jobs.take_step(waiting.run.pk, 0)
    waiting.refresh_from_db()
    assert (waiting.status, waiting.content) == ("cancelled", None)
    failed = uploading.accept(domain, "c.pdf", lease(LAW), principal="user:1")
    assert uploading.forget_files() == 0
    assert uploading.forget_files(timezone.now() + uploading.KEPT * 2) == 1
    failed.refresh_from_db()
    assert failed.content is None


def test_a_cancelled_upload_leaves_nothing_half_stored():
    domain = a_domain()
    upload = uploading.accept(domain, "lease.pdf", lease(FEES), principal="user:1")
    run = jobs.take_step(upload.run.pk, 0)
    assert Section.objects.staged().filter(document__domain=domain).exists()
    jobs.cancel(run)
    jobs.take_step(run.pk, run.ticket)
    assert not Document.objects.filter(domain=domain).exists()


def test_an_upload_whose_job_failed_says_so_and_why_and_may_be_resumed(monkeypatch):
    domain = a_domain()
    upload = uploading.accept(domain, "lease.pdf", lease(FEES), principal="user:1")
    with monkeypatch.context() as broken:
        broken.setattr(uploading, "chunk_some", lambda run: (_ for _ in ()).throw(ArfError("No embedder.")))
        *_, run = jobs.run_here(upload.run)
    upload.refresh_from_db()
    assert (upload.status, upload.local_reason, upload.percent) == ("failed", "No embedder.", 0)
    assert uploading.forget_files() == 0 and upload.content is not None
    jobs.resume(run)
    run = jobs.take_step(run.pk, run.ticket)
    upload.refresh_from_db()
    assert (upload.status, upload.reason) == ("waiting", "")
    for _step in jobs.run_here(run):
        pass
    upload.refresh_from_db()
    assert upload.status == "stored"


def test_a_failed_upload_stays_failed_when_its_file_is_forgotten():
    failed = uploading.accept(a_domain(), "lease.pdf", lease(FEES), principal="user:1")
    uploading.ReadUpload().failed(JobRun(params=failed.run.params, error="No embedder."))
    assert uploading.forget_files(timezone.now() + uploading.KEPT * 2) == 1
    failed.refresh_from_db()
    assert (failed.status, failed.reason, failed.content) == ("failed", "No embedder.", None)


def test_one_person_has_a_limited_number_of_files_waiting(monkeypatch):
    monkeypatch.setattr(uploading, "MOST_WAITING", 2)
    domain = a_domain()
    first, _ = (uploading.accept(domain, f"{n}.txt", b"Words.", principal="user:1") for n in (1, 2))
    with pytest.raises(TooManyWaiting, match="2 files of yours wait"):
        uploading.accept(domain, "3.txt", b"Words.", principal="user:1")
    for _step in jobs.run_here(first.run):
        pass
    assert uploading.accept(domain, "3.txt", b"Words.", principal="user:1")
    assert uploading.accept(domain, "3.txt", b"Words.", principal="key:1")


@pytest.fixture
def in_portions(monkeypatch):
    """Each step has time for one portion of three sections."""
    monkeypatch.setattr(staging, "PORTION", 3)
    monkeypatch.setattr(jobs, "STEP_SECONDS", 0)


TEN = "".join(f"{number}. Part. Words of part {number}.\n\n" for number in range(1, 11)).encode()


def test_a_long_file_is_staged_in_portions(in_portions):
    domain = a_domain()
    upload = uploading.accept(domain, "ten.txt", TEN, principal="user:1")
    told = [(run.state.get("phase"), run.state.get("compared")) for run in jobs.run_here(upload.run)]
    assert told[:5] == [(None, 3), (None, 6), (None, 9), ("chunk", None), ("chunk", None)]
    upload.refresh_from_db()
    assert (upload.status, upload.sections) == ("stored", 10)
    assert len(current(upload.document)) == 10
    changed = handed_in(domain, TEN.replace(b"Words of part 7", b"Deeds of part 7"), "ten.txt")
    assert changed.run.message.endswith("1 sections published, 0 removed")


def test_a_file_is_read_once_for_all_its_portions(in_portions, monkeypatch):
    read = []
    monkeypatch.setattr(uploading, "extract", lambda *given, **said: read.append(given) or extract(*given, **said))
    upload = handed_in(a_domain(), TEN, "ten.txt", title="Of Ten Parts")
    assert len(read) == 1
    assert (upload.status, upload.document.title, upload.content) == ("stored", "Of Ten Parts", None)
    assert [section.text for section in upload.document.sections.in_order()][9].endswith("of part 10.")


def test_what_was_read_is_written_once(in_portions):
    upload = uploading.accept(a_domain(), "ten.txt", TEN, principal="user:1")
    run = jobs.take_step(upload.run.pk, 0)
    with CaptureQueriesContext(connection) as asked:
        jobs.take_step(run.pk, run.ticket)
    assert not [query for query in asked if 'SET "content" =' in query["sql"]]


def test_what_a_release_with_other_fields_read_is_refused_and_nothing_of_it_stays(in_portions, monkeypatch):
    upload = uploading.accept(a_domain(), "ten.txt", TEN, principal="user:1")
    run = jobs.take_step(upload.run.pk, 0)
    monkeypatch.setattr(uploading, "SHAPE", "of other fields")
    jobs.take_step(run.pk, run.ticket)
    upload.refresh_from_db()
    assert (upload.status, upload.content) == ("refused", None)
    assert not Document.objects.filter(domain=upload.domain).exists()
    with translation.override("es"):
        assert upload.local_reason == "El servidor se actualizó mientras guardaba el archivo: vuelva a entregarlo."


def test_a_file_cancelled_between_two_portions_leaves_nothing(in_portions):
    domain = a_domain()
    upload = uploading.accept(domain, "ten.txt", TEN, principal="user:1")
    run = jobs.take_step(upload.run.pk, 0)
    jobs.cancel(run)
    jobs.take_step(run.pk, run.ticket)
    assert not Document.objects.filter(domain=domain).exists()


def test_two_persons_replace_one_public_document_one_after_the_other(in_portions):
    """They take turns, but the second lets the first through before it stages anything."""
    domain = a_domain()
    handed_in(domain, TEN, "ten.txt")
    uploads = [
        uploading.accept(domain, "ten.txt", TEN.replace(b"Words", said), principal=f"user:{n}")
        for n, said in enumerate((b"Deeds", b"Songs"), 1)
    ]
    ended = []
    while turn := jobs.next_of(jobs.CORPUS):
        run = jobs.take_step(turn.pk, turn.ticket)
        ended += [run.pk] if run.is_finished else []
    assert ended == [upload.run.pk for upload in uploads]
    document = Document.objects.get(domain=domain)
    assert {s.text.split()[-4] for s in current(document).values()} == {"Songs"}
    assert {upload.status for upload in Upload.objects.filter(domain=domain)} == {"stored"}


def test_uploads_wait_for_one_another_and_take_turns_in_order():
    domain = a_domain()
    first, second = (
        uploading.accept(domain, f"{n}.txt", b"1. Term. A year.", principal="user:1") for n in (1, 2)
    )
    assert jobs.take_step(second.run.pk, 0) is None
    for _step in jobs.run_here(first.run):
        pass
    assert jobs.next_of(first.run.key) == second.run
    assert [run.status for run in jobs.run_here(second.run)][-1] == JobRun.Status.DONE


def test_a_withdrawn_document_is_gone_today_and_comes_back_without_a_second_past():
    domain = a_domain()
    document = handed_in(domain, lease(FEES)).document
    assert uploading.withdraw(document, Caller(("user:1",))) == 2
    assert not Section.objects.readable(ANONYMOUS).filter(document=document).exists()
    handed_in(domain, lease(FEES))
    assert {s.valid_from for s in current(document).values()} == {timezone.localdate()}
    uploading.withdraw(document, Caller(("user:1",)))
    handed_in(domain, lease(FEES, LAW))
    assert {s.valid_from for s in current(document).values()} == {timezone.localdate()}


def test_other_files_of_one_name_get_places_of_their_own():
    domain = a_domain()
    first, second = handed_in(domain, b"Words.", "a b.txt"), handed_in(domain, b"Others.", "a-b.md")
    assert [u.document.locator for u in (first, second)] == [f"/{domain.slug}/a-b", f"/{domain.slug}/a-b-2"]


def test_a_file_is_ingested_from_the_command_line_too(tmp_path):
    path = tmp_path / "Lease of 2020.md"
    path.write_text("# Lease\n\n## Term\n\nA year.\n")
    domain = a_domain()
    call_command("ingest", domain.slug, str(path), verbosity=0)
    (section,) = Section.objects.filter(domain=domain)
    assert (section.locator, section.citation) == (f"/{domain.slug}/lease-of-2020/term", "Lease, “Term”")


def test_an_uploaded_document_is_found_with_its_page(reindex):
    domain = a_domain()
    handed_in(domain, lease(FEES, LAW))
    reindex()
    answer = search(
        SearchRequest("which law governs the lease of lighthouses?", domains=(domain.slug,)), ANONYMOUS
    )
    best = answer["results"][0]
    assert (best["title"], best["page_start"], best["page_end"]) == ("Governing Law", 2, 2)


# -- Private


@pytest.fixture
def key():
    return ApiKey.issue(name="a client", scopes=["search", "documents"])[0]


def test_a_private_file_is_seen_by_who_handed_it_in_and_whom_they_named_from_the_first_byte(key):
    cases, other = Domain.objects.get(slug="client_cases"), ApiKey.issue(name="other", scopes=["search"])[0]
    ours, theirs, stranger = key.caller, other.caller, Caller(("key:987654",))
    upload = uploading.accept(
        cases, "secret.pdf", lease(FEES), principal=ours.principals[0], grants=[f"key:{other.public_id}"]
    )
    for caller, count in ((ours, 1), (theirs, 0), (stranger, 0), (ANONYMOUS, 0)):
        with as_caller(caller):
            assert Upload.objects.filter(pk=upload.pk).count() == count
    run = jobs.take_step(upload.run.pk, 0)
    with as_system():
        assert "secret" not in f"{run.message}{run.params}{run.error}{Document.objects.latest('pk').locator}"
    for caller, count in ((ours, 1), (theirs, 1), (stranger, 0), (ANONYMOUS, 0)):
        with as_caller(caller):
            assert Document.objects.filter(filename="secret.pdf").count() == count
            assert Upload.objects.filter(pk=upload.pk).count() == int(caller == ours)


def test_a_private_file_of_a_strangers_name_neither_changes_nor_betrays_theirs(key):
    cases, stranger = (
        Domain.objects.get(slug="client_cases"),
        ApiKey.issue(name="other", scopes=["search"])[0],
    )
    first = handed_in(cases, lease(FEES), principal=f"key:{key.pk}")
    second = handed_in(cases, lease(LAW), principal=f"key:{stranger.pk}")
    third = handed_in(cases, lease(LAW), principal=f"key:{key.pk}")
    with as_system():
        assert len({first.document_id, second.document_id}) == 2
        assert third.document_id == first.document_id
        assert first.document.owner == f"key:{key.pk}"
        assert not DocumentGrant.objects.filter(document=first.document).exists()


def test_erasing_leaves_neither_text_nor_file_name(key):
    upload = handed_in(Domain.objects.get(slug="client_cases"), lease(FEES), "secret.pdf", f"key:{key.pk}")
    with as_system():
        uploading.erase(upload.document, key.caller)
        assert not Document.objects.filter(filename="secret.pdf").exists()
        assert not Upload.objects.filter(filename="secret.pdf").exists()
        assert not Section.objects.filter(text__contains="doubloons").exists()


def test_a_domain_with_a_file_that_waits_cannot_be_opened():
    domain = a_domain(visibility="private")
    uploading.accept(domain, "a.txt", b"Words.", principal="user:1")
    with pytest.raises(Exception, match="stays as public or private"), transaction.atomic():
        Domain.objects.filter(pk=domain.pk).update(visibility="public")
    with connection.cursor() as cursor:
        cursor.execute("SELECT relforcerowsecurity FROM pg_class WHERE relname = 'retrieval_upload'")
        assert cursor.fetchone() == (True,)


# -- Titles and languages


def test_a_title_that_people_gave_is_said_everywhere_and_survives_the_next_version_of_the_file():
    domain = a_domain()
    document = handed_in(domain, lease(FEES), "scan.pdf").document
    owner = Caller((document.owner,))
    uploading.rename(document, "Lease of the lighthouse", owner)
    section = current(document)["/2"]
    assert section.citation == "Lease of the lighthouse, § 2"
    assert section.breadcrumb.startswith("Lease of the lighthouse")
    assert section.chunks.get().context.startswith("Lease of the lighthouse")
    handed_in(domain, lease(FEES, LAW), "scan.pdf")
    document.refresh_from_db()
    assert document.title == "Lease of the lighthouse"
    assert {s.citation.partition(",")[0] for s in current(document).values()} == {"Lease of the lighthouse"}


def test_a_title_that_is_also_a_word_of_its_headings_changes_alone():
    text = b"# Article 2: Lease term\n\n## 2.1 Beginning\n\nIt runs for a year.\n\n# Article 3: Rent\n\nNinety.\n"
    document = handed_in(a_domain(), text, "lease.md", title="Lease").document
    uploading.rename(document, "Sublease", Caller((document.owner,)))
    chunk = Chunk.objects.select_related("section").get(document=document, text__contains="for a year")
    way, about = chunk.context.splitlines()
    assert way.startswith("Sublease > ") and way.endswith("Lease term")
    assert about.endswith(chunk.section.citation) and "Sublease" in chunk.section.citation


def test_a_file_numbered_deeper_than_a_locator_holds_is_refused_with_the_reason():
    numbers = [".".join("1" * depth) for depth in range(1, 26)]
    text = "\n".join(f"{number}. Part of it.\n\nWords are here." for number in numbers)
    upload = handed_in(a_domain(), text.encode(), "deep.txt")
    assert (upload.status, upload.run.status) == ("refused", "done")
    assert "longer than 300 characters" in upload.reason


def test_only_who_may_edit_a_document_renames_it():
    document = handed_in(a_domain(), lease(FEES)).document
    with pytest.raises(Forbidden):
        uploading.rename(document, "Mine", Caller(("user:2",)))
    document.refresh_from_db()
    assert document.title == "lease"


SPANISH = "1. Renta. El arrendatario pagará noventa doblones cada martes al faro de Ruritania.\n"


def test_a_spanish_upload_is_found_in_a_domain_that_was_made_for_english(reindex):
    domain = a_domain(languages=[])
    document = handed_in(domain, SPANISH.encode(), "contrato.txt").document
    reindex()
    domain.refresh_from_db()
    assert (document.language, domain.languages) == ("es", ["es"])
    asked = SearchRequest(text="¿cuándo pagará el arrendatario los doblones?", domains=(domain.slug,))
    answer = search(asked, ANONYMOUS)
    found = [*answer["results"], *answer["near_misses"]]
    assert "lexical" in {reason["code"] for reason in found[0]["reasons"]}


def test_the_languages_of_private_documents_are_told_to_nobody():
    domain = a_domain(visibility="private")
    handed_in(domain, SPANISH.encode(), "contrato.txt")
    domain.refresh_from_db()
    assert domain.languages == ["en"]


def test_a_new_domain_is_private():
    assert Domain().is_private


def test_a_job_keeps_no_title_and_no_file_name_of_a_private_document():
    domain = a_domain(visibility="private")
    said = {"principal": "user:1", "title": "Matter of Quetzal"}
    run = uploading.accept(domain, "settlement-of-quetzal.pdf", lease(FEES), **said).run
    seen = []
    for step in jobs.run_here(run):
        seen.append(json.dumps([step.state, step.params, step.message, step.key]).lower())
    assert len(seen) >= 3 and not [each for each in seen if "quetzal" in each]
    with as_system():
        document = Document.objects.get(domain=domain)
        assert (document.title, document.filename) == ("Matter of Quetzal", "settlement-of-quetzal.pdf")
        assert document.staged_description == {}


def test_of_private_documents_of_one_title_ones_own_alone_are_told():
    cases, told = a_domain(visibility="private"), []
    for principal, name in (("user:1", "a.md"), ("user:2", "a.md"), ("user:2", "b.md")):
        upload = handed_in(cases, b"# Lease\n\nThe rent.", name, principal)
        with as_caller(Caller((principal,))):
            told.append(len(upload.same_title))
    assert told == [0, 0, 1]
