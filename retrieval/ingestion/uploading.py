"""Files that people hand in become documents: read in a process apart, staged and published like any source.

A file is kept in the database, under the row-level security of its domain, until it has been read; then only its
name and SHA-256 stay, on the document. Each file is a job of its own; jobs of the corpus take turns.
"""

import hashlib
import re
import secrets
from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from pathlib import PurePath

from django.contrib.auth import get_user_model
from django.utils import timezone

from retrieval import jobs
from retrieval.access.caller import Caller
from retrieval.access.row_security import as_system
from retrieval.errors import SourceRefused, gettext_noop
from retrieval.ingestion import publishing
from retrieval.ingestion.embedding import chunk_some
from retrieval.ingestion.ingest import Ingest
from retrieval.ingestion.staging import begin, section_rows
from retrieval.jobs import CORPUS, Job, Progress
from retrieval.models import ApiKey, Document, DocumentGrant, Domain, JobRun, Upload
from retrieval.models.access import caller_for
from retrieval.parsing.files.formats import check, suffix_of
from retrieval.parsing.files.structure import slug
from retrieval.parsing.sources import extract
from retrieval.parsing.tree import SourceDocument

KEPT = timedelta(days=7)  # a file whose job failed; it may be resumed so long
PRINCIPAL = re.compile(r"(user|group|key):[0-9]{1,18}")
SLUG = 60  # characters of a file's name in its document's locator


# -- Handing in


@as_system()
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
    """Takes a file and enqueues its reading. Raises SourceRefused for what can be told at once to be no use."""
    name = checked_name(domain, filename, content)
    check_grants(domain, grants)
    upload = Upload.objects.create(
        domain=domain,
        filename=name,
        title=title[:500],
        tags=list(tags),
        grants=sorted({principal, *grants}) if domain.is_private else [],
        principal=principal,
        private=domain.is_private,
        content=content,
        content_hash=hashlib.sha256(content).hexdigest(),
        size=len(content),
    )
    params = {"domain": domain.slug, "upload": upload.pk}
    upload.run = jobs.enqueue("upload", key=CORPUS, params=params, by=by, queues=True)
    upload.save(update_fields=["run"])
    return upload


def checked_name(domain: Domain, filename: str, content: bytes) -> str:
    """The file's name without folders."""
    if not domain.takes_uploads:
        raise SourceRefused(
            gettext_noop("%(name)s comes from its own source: it takes no files."), name=domain.name
        )
    name = "".join(letter for letter in PurePath(filename).name if letter.isprintable())[-255:]
    check(content, suffix_of(name))
    return name


def check_grants(domain: Domain, grants: Sequence[str]) -> None:
    if grants and not domain.is_private:
        raise SourceRefused(
            gettext_noop("%(name)s is public: its documents need no grants."), name=domain.name
        )
    for principal in grants:
        if not PRINCIPAL.fullmatch(principal) or DocumentGrant(principal=principal).holder is None:
            raise SourceRefused(
                gettext_noop("“%(name)s” is no user, group or key: user:ID, group:ID, key:ID."),
                name=principal[:60],
            )


# -- The job


class ReadUpload(Job):
    """params: domain (slug), upload (id)."""

    @as_system()
    def step(self, run: JobRun) -> Progress:
        match run.state.get("phase", "read"):
            case "read":
                return read(run)
            case "chunk":
                return chunk_some(run)
            case _:
                return publish(run)

    @as_system()
    def undo(self, run: JobRun) -> None:
        """Nothing of the file stays: neither what was staged, nor a document made for it."""
        Ingest().undo(run)
        Document.objects.filter(pk=run.state.get("document"), sections=None).delete()
        close(upload_of(run), Upload.Status.CANCELLED)


def upload_of(run: JobRun) -> Upload:
    return Upload.objects.select_related("domain").get(pk=run.params["upload"])


def close(upload: Upload, status: Upload.Status, **fields) -> None:
    """Says what became of a file, and forgets it."""
    Upload.objects.filter(pk=upload.pk).update(status=status, content=None, **fields)


def why(refused: SourceRefused) -> dict:
    """What an upload keeps of a refusal."""
    return {"reason": refused.message, "refusal": refused.refusal}


def read(run: JobRun) -> Progress:
    """Reads the file and stages it. One that cannot be read is refused with the reason; nothing of it stays."""
    upload = upload_of(run)
    if upload.content is None:
        raise SourceRefused(gettext_noop("The file is no longer kept: hand it in again."))
    try:
        source = document_in(upload)
    except SourceRefused as refused:
        close(upload, Upload.Status.REFUSED, **why(refused))
        return Progress(1, 1, f"Refused: {refused.message}", finished=True)
    rows = list(section_rows(upload.domain, source))
    progress = begin(run, upload.domain, source, rows, upload.filename, upload.content_hash)
    document = Document.objects.get(pk=progress.state["document"])
    grant(document, upload)
    found = {"sections": len(rows), "pages": source.pages, "scanned_pages": list(source.scanned_pages)}
    Upload.objects.filter(pk=upload.pk).update(document=document, **found)
    return progress


def document_in(upload: Upload) -> SourceDocument:
    """Its title is the one given, else the file's own."""
    stem = PurePath(upload.filename).stem
    source = extract(bytes(upload.content), filename=upload.filename, identifier=place_of(upload), name=stem)
    return replace(source, title=upload.title) if upload.title else source


def grant(document: Document, upload: Upload) -> None:
    """Opens a private document to who handed it in and to whom they named."""
    DocumentGrant.objects.bulk_create(
        [DocumentGrant(document=document, principal=principal) for principal in upload.grants],
        ignore_conflicts=True,
    )


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
    return current.exclude(locator__in=run.state["present"]).exists()


# -- Where a file's document stands


def place_of(upload: Upload) -> str:
    """The locator of the document that the file is a new version of, or one that is free.

    A private document is found only by who may read it; its locator tells nothing, for those who grant see it.
    """
    known = Document.objects.filter(domain=upload.domain, filename=upload.filename)
    if upload.private:
        known = known.visible_to(Caller(principals=principals_of(upload))).filter(private=True)
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


def principals_of(upload: Upload) -> tuple[str, ...]:
    """Of who handed the file in: a key alone, a person with their groups."""
    kind, _, number = upload.principal.partition(":")
    if kind == "key":
        return ApiKey(pk=int(number)).caller.principals
    user = get_user_model().objects.filter(pk=number).first()
    return caller_for(user).principals if user else (upload.principal,)


# -- Taking back


@as_system()
def withdraw(document: Document) -> int:
    """Closes every section of a document today: its past stays readable. Gives how many were in force."""
    current = document.sections.live().filter(valid_to=None)
    return current.update(valid_to=timezone.localdate())


@as_system()
def erase(document: Document) -> None:
    """Deletes a document with every version of its text, and the record of the files it came from."""
    Upload.objects.filter(document=document).delete()
    document.delete()


@as_system()
def forget_files(now=None) -> int:
    """Every night: files whose jobs failed and were not taken up again."""
    old = Upload.objects.filter(content__isnull=False, created_at__lt=(now or timezone.now()) - KEPT)
    late = SourceRefused(gettext_noop("It could not be read in time."))
    return old.update(content=None, status=Upload.Status.REFUSED, **why(late))
