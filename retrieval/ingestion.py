"""Brings a source into a domain: read and compare, chunk and embed in short steps, publish at once.

What is new or changed is staged beside what is live; readers see nothing of it until the last step, which
publishes the whole document in one transaction. Text that did not change keeps its rows and ids.
"""

import hashlib
import json
from collections.abc import Iterable, Iterator
from datetime import date
from pathlib import Path

import numpy as np
from django.conf import settings
from django.db import connection
from django.db.models import Max
from django.utils import timezone

from retrieval import jobs, serving, vector_indexes, vocabulary
from retrieval.bluebook import cite, cite_plain
from retrieval.chunking import chunk, chunk_context
from retrieval.citations import find_citations
from retrieval.embedders import Embedder
from retrieval.errors import ArfError, SourceRefused
from retrieval.jobs import Job, Progress
from retrieval.models import (
    Anchor,
    Chunk,
    ChunkVector,
    Citation,
    Document,
    Domain,
    EmbeddingModel,
    JobRun,
    Section,
)
from retrieval.row_access import as_system
from retrieval.sources import read_source
from retrieval.tree import Node, SourceDocument, page_at

CORPUS = "corpus"  # the key of every job that writes chunks: one at a time
BATCH = 32  # sections a step: well under a minute at 20 chunks/s
BATCH_TEXT = 100_000  # characters a step: about 800 sentences and chunks to embed
SHORTEST = 0.5  # a source with less than half of the sections known is taken for a broken download
MAX_TOKENS, MIN_TOKENS = 200, 40  # of a chunk: leaves the embedder's 256 room for the context


class Ingest(Job):
    """params: domain (slug), source (path; empty means the domain's own), force (accept a short source)."""

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
        if document := run.state.get("document"):
            Section.objects.staged().filter(document=document).delete()


def request(domain: Domain, source: str = "", *, force: bool = False) -> dict:
    """What to hand to `jobs.enqueue`: kind, key and params of this domain's ingestion."""
    params = {"domain": domain.slug, "source": source, "force": force}
    return {"kind": "ingest", "key": CORPUS, "params": params}


# -- Step 1: read and compare


def read(run: JobRun) -> Progress:
    """Reads a domain's source and stages it. Raises SourceRefused before anything is written."""
    domain = Domain.objects.get(slug=run.params["domain"])
    path = source_path(run.params.get("source") or domain.source)
    source = read_source(path, domain)
    check_identity(domain, source)
    rows = list(section_rows(domain, source))
    known = Section.objects.filter(document__domain=domain, document__locator=source.identifier)
    check_length(known, rows, force=run.params.get("force", False))
    return begin(run, domain, source, rows, path.name, file_hash(path))


def begin(
    run: JobRun, domain: Domain, source: SourceDocument, rows: list["Row"], filename: str, digest: str
) -> Progress:
    """Stages what is new or changed; what a failed job staged of the document is dropped, and it must read again."""
    described = description(source, filename, digest)
    document, _ = Document.objects.get_or_create(
        domain=domain, locator=source.identifier, defaults=described | {"private": domain.is_private}
    )
    Section.objects.staged().filter(document=document).delete()
    failed = JobRun.objects.filter(status=JobRun.Status.FAILED, key=run.key, state__document=document.pk)
    failed.update(state={})
    staged = stage(document, rows)
    state = {
        "phase": "chunk", "document": document.pk, "after": 0, "units": staged,
        "present": [row.locator for row, _ in rows], "description": described,
    }  # fmt: skip
    return Progress(
        0, staged, f"{shown_name(document)}: {staged} of {len(rows)} sections are new or changed", state
    )


def shown_name(document: Document) -> str:
    """For the messages of jobs, which more people read than private documents."""
    return f"Document {document.pk}" if document.private else document.title


def source_path(name: str) -> Path:
    if not name:
        raise SourceRefused("This domain has no source: name one.")
    path = Path(name)
    return path if path.is_absolute() else settings.BASE_DIR / path


def check_identity(domain: Domain, source: SourceDocument) -> None:
    prefix = domain.locator_prefix
    if source.identifier != prefix and not source.identifier.startswith(f"{prefix}/"):
        raise SourceRefused(
            f"This is {source.title or 'a document'} ({source.identifier}); {domain.name} holds only {prefix}."
        )


def check_length(known, rows: list, *, force: bool) -> None:
    """Refuses a source that would remove most of what is known: a cut download is no repeal."""
    before = known.live().filter(valid_to=None).count()
    if before and len(rows) < before * SHORTEST and not force:
        raise SourceRefused(
            f"The source has {len(rows)} sections where {before} are known; nothing was changed. "
            "If this is right, ingest it with --force."
        )


def description(source: SourceDocument, filename: str, digest: str) -> dict:
    """What is said of a document; it takes effect with its text."""
    return {
        "title": source.title,
        "language": source.language,
        "publication": source.publication,
        "source_url": source.source_url,
        "content_hash": digest,
        "filename": filename,
        "pages": source.pages,
        "scanned_pages": list(source.scanned_pages),
    }


def file_hash(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


Row = tuple[Section, Node]


def section_rows(domain: Domain, source: SourceDocument) -> Iterator[Row]:
    """An unsaved section for every node, in the law's order."""
    position = 0

    def walk(node: Node, above: tuple[Node, ...]) -> Iterator[Row]:
        nonlocal position
        if node.level != "document":
            position += 1
            yield section_row(domain, source, node, above, position), node
            above = (*above, node)
        for child in node.children:
            yield from walk(child, above)

    yield from walk(source.root, ())


def section_row(
    domain: Domain, source: SourceDocument, node: Node, above: tuple[Node, ...], position: int
) -> Section:
    section = Section(
        domain=domain,
        private=domain.is_private,
        level=node.level,
        number=node.number,
        heading=node.heading,
        heading_es=node.headings.get("es", ""),
        plain_name=node.names.get("en", ""),
        plain_name_es=node.names.get("es", ""),
        locator=node.locator,
        parent_locator=above[-1].locator if above else "",
        citation=cite(node.locator) or cite_plain(source.title, node.level, node.number, node.heading),
        breadcrumb=" › ".join([source.title, *(label(parent) for parent in above)]),
        text=node.text,
        position=position,
        depth=len(above),
        is_result=is_result(domain, node),
        is_leaf=not node.children,
        valid_from=node.valid_from,
        status=node.status or ("repealed" if node.valid_to else ""),
        notes=list(node.notes),
        pages=[list(start) for start in node.pages],
        source_url=node.source_url,
    )
    section.content_hash = content_hash(section, node)
    return section


def is_result(domain: Domain, node: Node) -> bool:
    """A node with words of its own is ranked; where the level is the statutory section, only what has none below."""
    if domain.result_level == Domain.ResultLevel.SECTION and node.children:
        return False
    has_status = bool(node.status) and not node.children
    return bool(node.text) or (has_status and domain.result_level != Domain.ResultLevel.LOWEST)


def label(node: Node) -> str:
    """ "Article I: The Legislative Branch"."""
    name = f"{node.level.title()} {node.number}".strip()
    return f"{name}: {node.heading}" if node.heading and node.number else node.heading or name


def content_hash(section: Section, node: Node) -> str:
    """Of everything of a section that a reader or an index sees, apart from its place in the order."""
    shown = [
        section.citation, section.number, section.heading, section.heading_es, section.plain_name,
        section.plain_name_es, section.breadcrumb, section.text, section.status, section.notes, section.level,
        section.is_result, section.is_leaf, section.source_url,
        [[a.locator, a.start, a.end] for a in node.anchors],
        [[r.locator, r.text, r.start] for r in node.refs],
        *([section.pages] if section.pages else []),  # else as before there were pages: nothing is made anew
    ]  # fmt: skip
    return hashlib.sha256(json.dumps(shown, ensure_ascii=False).encode()).hexdigest()


def stage(document: Document, rows: list[Row]) -> int:
    """Saves what differs from the live version; only the order of the rest is brought up to date."""
    live = {s.locator: s for s in document.sections.live().filter(valid_to=None).defer("text")}
    changed = [row for row in rows if differs(live.get(row[0].locator), row[0])]
    for section, _ in changed:
        section.document = document
    Section.objects.bulk_create([section for section, _ in changed], batch_size=500)
    save_parts(changed)
    reorder(live, [section for section, _ in rows])
    return len(changed)


def differs(old: Section | None, new: Section) -> bool:
    return old is None or old.content_hash != new.content_hash


def save_parts(changed: list[Row]) -> None:
    """Anchors, and citations by the source's own references and by what the text says."""
    Anchor.objects.bulk_create(
        [
            Anchor(section=s, locator=a.locator, level=a.level, number=a.number, start=a.start, end=a.end)
            for s, node in changed
            for a in node.anchors
        ],
        batch_size=2000,
    )
    Citation.objects.bulk_create(
        [edge for section, node in changed for edge in citations_of(section, node)], batch_size=2000
    )


def citations_of(section: Section, node: Node) -> list[Citation]:
    marked = {(ref.start, ref.locator): (ref.text, ref.end) for ref in node.refs}
    spans = [(start, end) for (start, _), (_, end) in marked.items()]
    for found in find_citations(node.text):
        if all(found.end <= start or found.start >= end for start, end in spans):
            marked[found.start, found.locator] = (found.text, found.end)
    return [
        Citation(source=section, target_locator=locator, text=text[:300], start=start, end=end)
        for (start, locator), (text, end) in marked.items()
        if locator != section.locator and len(locator) <= 300
    ]


def reorder(live: dict[str, Section], rows: list[Section]) -> None:
    moved = []
    for row in rows:
        old = live.get(row.locator)
        place = (row.position, row.depth, row.parent_locator)
        if old and (old.position, old.depth, old.parent_locator) != place:
            old.position, old.depth, old.parent_locator = place
            moved.append(old)
    Section.objects.bulk_update(moved, ["position", "depth", "parent_locator"], batch_size=500)


# -- Step 2, repeated: chunk and embed


def chunk_some(run: JobRun) -> Progress:
    """Chunks and embeds the next staged sections."""
    state = run.state
    staged = Section.objects.staged().filter(document=state["document"], pk__gt=state["after"])
    batch = short_enough(staged.order_by("pk").select_related("document")[:BATCH])
    if not batch:
        return Progress(run.position, run.total, "publishing", state | {"phase": "publish"})
    model, embedder = embedding_in_use()
    save_chunks(batch, model, embedder)
    done = run.position + len(batch)
    message = f"{done} of {run.total} sections chunked and embedded"
    return Progress(done, run.total, message, state | {"after": batch[-1].pk})


def short_enough(sections: Iterable[Section]) -> list[Section]:
    """As many of the next sections as a step may take, but at least one."""
    batch, length = [], 0
    for section in sections:
        length += len(section.text)
        if batch and length > BATCH_TEXT:
            break
        batch.append(section)
    return batch


def embedding_in_use() -> tuple[EmbeddingModel, Embedder]:
    """The active embedding model, or the one that settings name when this is the first corpus."""
    active = EmbeddingModel.objects.filter(status=EmbeddingModel.Status.ACTIVE).first()
    spec = active.spec if active else serving.settings_spec()
    embedder = serving.embedder_from(spec)
    if active is None:
        active = EmbeddingModel.objects.create(
            name=embedder.name,
            fingerprint=embedder.fingerprint,
            dims=embedder.dims,
            spec=spec,
            status=EmbeddingModel.Status.ACTIVE,
        )
    if embedder.fingerprint != active.fingerprint:
        raise ArfError(f"{active.name} cannot be loaded as it was: run `manage.py reembed`.")
    return active, embedder


def save_chunks(sections: list[Section], model: EmbeddingModel, embedder: Embedder) -> None:
    chunks = [piece for section in sections for piece in chunks_of(section, embedder)]
    Chunk.objects.bulk_create(chunks, batch_size=500)
    save_vectors(chunks, model, embedder)
    vocabulary.save_terms(sections)


def save_vectors(chunks: list[Chunk], model: EmbeddingModel, embedder: Embedder) -> None:
    """Embeds what the index reads of each chunk: its context, then its text."""
    if not chunks:
        return
    vectors = embedder.embed_documents([piece.indexed_text for piece in chunks])
    ChunkVector.objects.bulk_create(
        [vector_row(piece, model, vector) for piece, vector in zip(chunks, vectors, strict=True)],
        batch_size=500,
    )


def vector_row(piece: Chunk, model: EmbeddingModel, vector: np.ndarray) -> ChunkVector:
    return ChunkVector(
        chunk=piece,
        section_id=piece.section_id,
        domain_id=piece.domain_id,
        model=model,
        vector=vector,
        private=piece.private,
    )


def chunks_of(section: Section, embedder: Embedder) -> Iterable[Chunk]:
    """A section's chunks; one without words of its own has none."""
    if not section.is_result or not section.text:
        return
    context = chunk_context(
        "",
        section.breadcrumb.split(" › "),  # begins with the document's title, as it will be once published
        section.heading,
        (section.plain_name, section.citation),
    )
    spans = chunk(
        section.text,
        embed=embedder.embed_documents,
        count_tokens=embedder.count_tokens,
        max_tokens=MAX_TOKENS,
        min_tokens=MIN_TOKENS,
    )
    for position, span in enumerate(spans):
        yield Chunk(
            section=section,
            domain_id=section.domain_id,
            position=position,
            text=section.text[span.start : span.end],
            context=context,
            start=span.start,
            end=span.end,
            page_start=page_at(section.pages, span.start),
            page_end=page_at(section.pages, span.end - 1),
            token_count=span.tokens,
            private=section.private,
        )


# -- Step 3: publish


def publish(run: JobRun) -> Progress:
    """In one transaction: new text goes live, what it changes is closed, what is gone is tombstoned."""
    document = Document.objects.get(pk=run.state["document"])
    today = timezone.localdate()
    described = run.state["description"] | {"retrieved_at": timezone.now()}
    Document.objects.filter(pk=document.pk).update(**described)
    staged = {section.locator: section for section in document.sections.staged()}
    current = document.sections.live().filter(valid_to=None)
    gone = current.exclude(locator__in=run.state["present"])
    removed = gone.update(valid_to=today)
    for old in current.filter(locator__in=list(staged)):
        supersede(old, staged[old.locator], today)
    return_removed(document, staged)
    document.sections.staged().update(live=True)
    link_parents(document)
    link_citations()
    vocabulary.count_again()
    index_what_has_grown()
    message = f"{shown_name(document)}: {len(staged)} sections published, {removed} removed"
    return Progress(run.total, run.total, message, {"phase": "done", "document": document.pk}, finished=True)


def index_what_has_grown() -> None:
    """Orders the indexes of vectors that domains have come to need."""
    if vector_indexes.missing() and not JobRun.objects.unfinished().filter(kind="index_vectors").exists():
        jobs.enqueue(**indexing_request(), queues=True)


def indexing_request() -> dict:
    return {"kind": "index_vectors", "key": CORPUS}


def supersede(old: Section, new: Section, today: date) -> None:
    """Changed law is closed on the day the new text begins; a mere correction of headings replaces the row."""
    if old.text == new.text:
        Section.objects.filter(pk=old.pk).update(live=False, replaced_at=timezone.now())
        Section.objects.filter(pk=new.pk).update(valid_from=old.valid_from or new.valid_from)
        return
    begins = new.valid_from if new.valid_from and new.valid_from > (old.valid_from or date.min) else today
    Section.objects.filter(pk=old.pk).update(valid_to=begins)
    Section.objects.filter(pk=new.pk).update(valid_from=begins)


def return_removed(document: Document, staged: dict[str, Section]) -> None:
    """What was removed and comes back is in force from the day on which it had ended: no day has two texts."""
    closed = document.sections.live().filter(valid_to__isnull=False, locator__in=list(staged))
    for locator, ended in closed.values_list("locator").annotate(Max("valid_to")).order_by():
        new = Section.objects.filter(pk=staged[locator].pk)
        new.filter(valid_from=None).update(valid_from=ended)


def link_parents(document: Document) -> None:
    """Every current section under the current version of the section above it."""
    with connection.cursor() as cursor:
        cursor.execute(
            """
            UPDATE retrieval_section child SET parent_id = above.id
            FROM retrieval_section above
            WHERE child.document_id = %s AND above.document_id = child.document_id
              AND above.locator = child.parent_locator AND above.live AND above.valid_to IS NULL
              AND child.live AND child.valid_to IS NULL AND child.parent_id IS DISTINCT FROM above.id
            """,
            [document.pk],
        )


def link_citations() -> None:
    """Resolves citations to the current section that has, or holds, the cited place."""
    with connection.cursor() as cursor:
        cursor.execute(
            """
            UPDATE retrieval_citation edge SET target_id = place.section_id
            FROM (
                SELECT locator, id AS section_id FROM retrieval_section WHERE live AND valid_to IS NULL
                UNION ALL
                SELECT anchor.locator, section.id FROM retrieval_anchor anchor
                JOIN retrieval_section section ON section.id = anchor.section_id
                WHERE section.live AND section.valid_to IS NULL
            ) place
            WHERE place.locator = edge.target_locator AND edge.target_id IS DISTINCT FROM place.section_id
            """
        )
