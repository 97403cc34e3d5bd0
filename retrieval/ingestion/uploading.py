"""Files that people hand in become documents: read in a process apart, staged and published like any source.

A file is kept in the database, under the row-level security of its domain, until it has been read; then only its
name and SHA-256 stay, on the document. Each file is a job of its own, which may do what the person or key may who
handed it in, and no more; jobs of the corpus take turns.
"""

import hashlib
import json
import secrets
from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from datetime import timedelta
from pathlib import PurePath

from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from retrieval import jobs
from retrieval.access import matters
from retrieval.access.caller import Caller
from retrieval.access.row_security import as_caller, as_system
from retrieval.access.sharing import check_owner, checked_principal, grant, may_edit
from retrieval.citations.citation import cite_plain
from retrieval.corpus import changes
from retrieval.database import has_room
from retrieval.errors import Forbidden, NoRoom, SourceRefused, TooManyWaiting, gettext_noop
from retrieval.indexes import cited
from retrieval.ingestion import publishing, reembedding
from retrieval.ingestion.embedding import chunk_some, context_of, enter_some
from retrieval.ingestion.ingest import drop_staged
from retrieval.ingestion.staging import checked_rows, stage_some
from retrieval.jobs import CORPUS, Job, Progress
from retrieval.models import Chunk, Citation, Document, DocumentGrant, Domain, JobRun, Matter, Section, Upload
from retrieval.parsing.files.formats import check, suffix_of
from retrieval.parsing.files.structure import slug
from retrieval.parsing.sources import extract
from retrieval.parsing.tree import SHAPE, SourceDocument

KEPT = timedelta(days=7)  # a file whose job failed; it may be resumed so long
MOST_WAITING = 100  # files of one person or key; who has more to hand in does so by and by
SLUG = 60  # characters of a file's name in its document's locator


# -- Handing in


def accept(
    domain: Domain,
    filename: str,
    content: bytes,
    *,
    principal: str,
    title: str = "",
    tags: Sequence[str] = (),
    grants: Sequence[str] = (),
    by=None,
) -> Upload:
    """Takes a file and enqueues its reading; `principal` becomes the owner of a new document, `grants` name its
    readers. Raises Unprocessable for what can be told at once to be no use, TooManyWaiting for one file too many,
    NoRoom on a full disk.
    """
    if not has_room():
        raise NoRoom(gettext_noop("The server's disk is full: hand the file in again when there is room."))
    name = checked_name(domain, filename, content)
    check_grants(domain, grants)
    names = sorted(set(grants))
    with acting_for(principal):
        check_waiting(principal)
        upload = Upload.objects.create(
            domain=domain,
            filename=name,
            title=title[:500],
            tags=list(tags),
            grants=names,
            readers=[checked_principal(name) for name in names],
            principal=principal,
            private=domain.is_private,
            content=content,
            content_hash=hashlib.sha256(content).hexdigest(),
            size=len(content),
        )
        params = {"domain": domain.slug, "upload": upload.pk, "principal": principal}
        upload.run = jobs.enqueue("upload", key=CORPUS, params=params, by=by, queues=True)
        upload.save(update_fields=["run"])
    return upload


def accept_into(
    matter: Matter, domain: Domain, filename: str, content: bytes, caller: Caller, **said
) -> Upload:
    """Takes a file into a matter, which owns it: a name that the matter has used makes a new version. Raises as
    `accept` does, and Forbidden for readers.
    """
    if not domain.is_private:
        raise SourceRefused(
            gettext_noop("%(name)s is public: a matter takes private documents."), name=domain.name
        )
    with matters.changing(matter, caller, matters.WRITERS) as now:
        return accept(domain, filename, content, principal=now.principal, **said)


def acting_for(principal: str) -> AbstractContextManager[None]:
    """As this person or key alone, without groups: what they own, they change."""
    return as_caller(Caller((principal,)))


def checked_name(domain: Domain, filename: str, content: bytes) -> str:
    """The file's name without folders."""
    if not domain.takes_uploads:
        raise SourceRefused(
            gettext_noop("%(name)s comes from its own source: it takes no files."), name=domain.name
        )
    name = "".join(letter for letter in PurePath(filename).name if letter.isprintable())[-255:]
    check(content, suffix_of(name))
    return name


def check_waiting(principal: str) -> None:
    """Raises TooManyWaiting."""
    if Upload.objects.filter(principal=principal, status=Upload.Status.WAITING).count() >= MOST_WAITING:
        raise TooManyWaiting(
            gettext_noop("%(most)s files of yours wait to be read: hand in more when some are through."),
            most=MOST_WAITING,
        )


def check_grants(domain: Domain, grants: Sequence[str]) -> None:
    if grants and not domain.is_private:
        raise SourceRefused(
            gettext_noop("%(name)s is public: its documents need no grants."), name=domain.name
        )
    for name in grants:
        checked_principal(name)


# -- The job


class ReadUpload(Job):
    """params: domain (slug), upload (id), principal (for whom)."""

    def step(self, run: JobRun) -> Progress:
        with acting_for(run.params["principal"]):
            set_status(run, Upload.Status.FAILED, to=Upload.Status.WAITING)  # somebody resumed it
            match run.state.get("phase", "read"):
                case "read":
                    return read(run)
                case "chunk":
                    return chunk_some(run)
                case "enter":
                    return enter_some(run)
                case _:
                    return publish(run)

    def undo(self, run: JobRun) -> None:
        """Nothing of the file stays: neither what was staged, nor a document made for it."""
        with acting_for(run.params["principal"]):
            drop(run)
            close(upload_of(run), Upload.Status.CANCELLED)

    def failed(self, run: JobRun) -> None:
        """Says so to whoever handed the file in, which is kept for a while."""
        with acting_for(run.params["principal"]):
            set_status(run, Upload.Status.WAITING, to=Upload.Status.FAILED)


def set_status(run: JobRun, status: Upload.Status, *, to: Upload.Status) -> None:
    """With why the job stopped, if it did."""
    waiting = Upload.objects.filter(pk=run.params["upload"], status=status)
    waiting.update(status=to, reason=run.error, refusal=run.refusal)


def upload_of(run: JobRun) -> Upload:
    return Upload.objects.select_related("domain").get(pk=run.params["upload"])


def close(upload: Upload, status: Upload.Status, **fields) -> None:
    """Says what became of a file, and forgets it."""
    Upload.objects.filter(pk=upload.pk).update(status=status, content=None, **fields)


def drop(run: JobRun) -> None:
    """Deletes what was staged, and a document made for it."""
    drop_staged(run)
    Document.objects.filter(pk=run.state.get("document"), sections=None).delete()


def why(refused: SourceRefused) -> dict:
    """What an upload keeps of a refusal."""
    return {"reason": refused.message, "refusal": refused.refusal}


def read(run: JobRun) -> Progress:
    """Stages the next portion of the file, which is read once. One that cannot be read is refused with the reason, and
    nothing of it stays.
    """
    upload = upload_of(run)
    if upload.content is None:
        raise SourceRefused(gettext_noop("The file is no longer kept: hand it in again."))
    try:
        source = document_in(upload)
        rows = checked_rows(upload.domain, source, upload.filename)
    except SourceRefused as refused:
        drop(run)
        close(upload, Upload.Status.REFUSED, **why(refused))
        return Progress(1, 1, f"Refused: {refused.message}", finished=True)
    digest, owner = upload.content_hash, upload.principal
    progress = stage_some(run, upload.domain, source, rows, upload.filename, digest, owner=owner)
    if progress.state.get("phase") != "chunk":
        if is_file(upload):
            Upload.objects.filter(pk=upload.pk).update(content=f"{SHAPE}\n{source.to_json()}".encode())
        return progress
    document = Document.objects.get(pk=progress.state["document"])
    for name, reader in zip(upload.grants, upload.readers, strict=True):
        grant(document, name, reader, DocumentGrant.Role.READER, Caller((upload.principal,)))
    matters.share_new(upload.principal, document)
    found = {"sections": len(rows), "pages": source.pages, "scanned_pages": list(source.scanned_pages)}
    Upload.objects.filter(pk=upload.pk).update(document=document, **found)
    return progress


def document_in(upload: Upload) -> SourceDocument:
    """What was read of the file, which takes its place until all of it is staged. Its title is the one given now, else
    the one that people gave the document, else the file's own. Raises SourceRefused.
    """
    content = bytes(upload.content)
    if is_file(upload):
        place, stem = place_of(upload), PurePath(upload.filename).stem
        source = extract(content, filename=upload.filename, identifier=place, name=stem)
    else:
        source = read_before(content)
    known = Document.objects.filter(domain=upload.domain, locator=source.identifier, title_given=True)
    title = upload.title or known.values_list("title", flat=True).first()
    return replace(source, title=title) if title else source


def is_file(upload: Upload) -> bool:
    """Whether the file is still kept, not what was read of it."""
    return hashlib.sha256(upload.content).hexdigest() == upload.content_hash


def read_before(content: bytes) -> SourceDocument:
    shape, _, said = content.partition(b"\n")
    if shape != SHAPE.encode():
        raise SourceRefused(
            gettext_noop("The server was updated while it stored the file: hand the file in again.")
        )
    return SourceDocument.of_file(json.loads(said))


def publish(run: JobRun) -> Progress:
    upload = upload_of(run)
    changed = bool(run.state["units"]) or removes(run)
    progress = publishing.publish(run)
    if upload.tags:
        Document.objects.filter(pk=run.state["document"]).update(tags=upload.tags)
    close(upload, Upload.Status.STORED if changed else Upload.Status.UNCHANGED)
    return progress


def removes(run: JobRun) -> bool:
    """Whether the file lacks sections that the document has."""
    document = Document.objects.get(pk=run.state["document"])
    current = document.sections.live().filter(valid_to=None)
    return current.filter(pk__in=run.state["gone"]).exists()


# -- Where a file's document stands


def place_of(upload: Upload) -> str:
    """The locator of the document that the file is a new version of, or one that is free. Names match among one's
    own documents alone; where a domain is public, its staff keep all of its documents together.

    A private document's locator tells nothing, for those whom it is offered to see it.
    """
    known = Document.objects.filter(domain=upload.domain, filename=upload.filename)
    if upload.private or not upload.principal.startswith("user:"):
        known = known.filter(owner=upload.principal)
    if document := known.order_by("pk").first():
        return document.locator
    prefix = upload.domain.locator_prefix
    if upload.private:
        return f"{prefix}/{secrets.token_hex(8)}"
    return unused(
        upload.domain, f"{prefix}/{slug(PurePath(upload.filename).stem)[:SLUG].strip('-.') or 'document'}"
    )


def unused(domain: Domain, base: str) -> str:
    taken = set(
        Document.objects.filter(domain=domain, locator__startswith=base).values_list("locator", flat=True)
    )
    count, locator = 1, base
    while locator in taken:
        count += 1
        locator = f"{base}-{count}"
    return locator


# -- Renaming


@as_system()
def rename(document: Document, title: str, caller: Caller) -> None:
    """Gives a document a title, which its citations and breadcrumbs say at once and later versions of its file keep;
    vectors follow by a job. Raises Forbidden for who may not edit it.
    """
    if not may_edit(document, caller):
        raise Forbidden(gettext_noop("Only the owner of this document may do that."))
    former = Document.objects.values_list("title", flat=True).get(pk=document.pk)
    sections = document.sections.in_bulk()
    chunks = list(Chunk.objects.filter(document=document))
    for section in sections.values():
        section.citation = cite_plain(title, section.level, section.number, section.heading)
        section.breadcrumb = title + section.breadcrumb.removeprefix(former)
    for chunk in chunks:
        chunk.context = context_of(sections[chunk.section_id])
    Section.objects.bulk_update(sections.values(), ["citation", "breadcrumb"], batch_size=500)
    Chunk.objects.bulk_update(chunks, ["context"], batch_size=500)
    document.title, document.title_given = title, True
    document.save(update_fields=["title", "title_given"])
    if chunks:
        jobs.enqueue(**reembedding.request_for(document))


# -- Taking back


@transaction.atomic
def withdraw(document: Document, caller: Caller) -> int:
    """Closes every section of a document today: its past stays readable, and what has yet to begin never does, nor is
    a file read that is to become its next version: a running step of ingestion is waited for where there is one.
    Gives how many were current. Raises Forbidden for who does not own it, nor leads the matter that does.
    """
    with as_system():
        if is_awaited := files_for(document).exists():
            jobs.hold(CORPUS)  # before the row of the matter, as a step does
    with matters.owning(document, caller) as owner:
        check_owner(document, owner)
        if is_awaited:
            stop_reading(document)
        current = document.sections.live().filter(valid_to=None)
        closed = list(current.values_list("pk", flat=True))
        publishing.end(document, closed, timezone.localdate())
        changes.keep(document.pk)
        publishing.forget_fetched(document.domain)
        cited.count_again(changed=closed)
    return len(closed)


def files_for(document: Document) -> QuerySet[Upload]:
    """Of its name, whose jobs are to go on, or may be resumed."""
    unread = Upload.objects.filter(status__in=[Upload.Status.WAITING, Upload.Status.FAILED], run__isnull=False)
    return unread.filter(domain=document.domain, filename=document.filename)


@as_system()
def stop_reading(document: Document) -> None:
    """Cancels the jobs of files that are to become versions of a document."""
    for upload in files_for(document).defer("content").select_related("run"):
        if place_of(upload) == document.locator:
            jobs.cancel(upload.run)
    if turn := jobs.next_of(CORPUS):
        jobs.hand_on(turn)


def erase(document: Document, caller: Caller) -> None:
    """Deletes a document with every version of its text, and the record of the files it came from. Raises Forbidden
    for who does not own it.
    """
    check_owner(document, caller)
    Upload.objects.filter(document=document).delete()
    made = Citation.objects.filter(document=document, target__isnull=False).exclude(target__document=document)
    targets = list(made.values_list("target", flat=True).distinct())
    publishing.forget_fetched(document.domain)
    document.delete()
    cited.count_again(changed=targets)


@as_system()
def forget_files(now=None) -> int:
    """Every night: files whose jobs failed and were not taken up again, or never had their turn."""
    old = Upload.objects.filter(content__isnull=False, created_at__lt=(now or timezone.now()) - KEPT)
    late = SourceRefused(gettext_noop("It could not be read in time."))
    never_read = old.filter(status=Upload.Status.WAITING)
    return never_read.update(content=None, status=Upload.Status.REFUSED, **why(late)) + old.update(
        content=None
    )
