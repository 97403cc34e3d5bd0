"""Chunks staged sections and embeds the chunks, in batches that fit in one step of a job."""

from collections.abc import Iterable

import numpy as np

from retrieval.engines import loaded
from retrieval.engines.embedders import Embedder
from retrieval.errors import ArfError, gettext_noop
from retrieval.indexes import hnsw, terms
from retrieval.ingestion.chunking import chunk, chunk_context
from retrieval.jobs import Progress, time_for_more
from retrieval.models import Chunk, ChunkVector, Document, EmbeddingModel, JobRun, Section
from retrieval.parsing.tree import page_at
from retrieval.summaries import upkeep

BATCH = 32  # sections a step: well under a minute at 20 chunks/s
ENTERED = 500  # vectors entered in the index at a time
BATCH_TEXT = 100_000  # characters a step: about 800 sentences and chunks to embed


def chunk_some(run: JobRun) -> Progress:
    """Chunks and embeds the next staged sections."""
    state = run.state
    staged = Section.objects.staged().filter(document=state["document"], pk__gt=state["after"])
    batch = short_enough(staged.order_by("pk").select_related("document")[:BATCH])
    if not batch:
        phase = "enter" if is_indexed(state["document"]) else "publish"
        return Progress(run.position, run.total, "publishing", state | {"phase": phase})
    model, embedder = embedding_in_use()
    save_chunks(batch, model, embedder)
    done = run.position + len(batch)
    message = f"{done} of {run.total} sections chunked and embedded"
    return Progress(done, run.total, message, state | {"after": batch[-1].pk})


def is_indexed(document: int) -> bool:
    """Whether its domain's vectors have an index."""
    models = EmbeddingModel.objects.filter(status=EmbeddingModel.Status.ACTIVE).values_list("pk", flat=True)
    domain = Document.objects.values_list("domain", flat=True).get(pk=document)
    return any(hnsw.exists(model, domain) for model in models)


def enter_some(run: JobRun) -> Progress:
    """Enters the next staged vectors in their domain's index, which takes some milliseconds for each: publishing them
    takes no longer for it. Searches pass over them until their sections are live.
    """
    staged = Section.objects.staged().filter(document=run.state["document"])
    waiting = ChunkVector.objects.filter(document=run.state["document"], section__in=staged.values("pk"), live=False)
    has_time = time_for_more(run)
    while entered := list(waiting.values_list("chunk_id", flat=True)[:ENTERED]):
        ChunkVector.objects.filter(document=run.state["document"], chunk__in=entered).update(live=True)
        if not has_time():
            break
    phase = "enter" if entered else "publish"
    return Progress(run.position, run.total, "entering the index of vectors", run.state | {"phase": phase})


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
    spec = active.spec if active else loaded.settings_spec()
    embedder = loaded.embedder_from(spec)
    if active is None:
        active = EmbeddingModel.objects.create(
            name=embedder.name,
            fingerprint=embedder.fingerprint,
            dims=embedder.dims,
            spec=spec,
            status=EmbeddingModel.Status.ACTIVE,
        )
    if embedder.fingerprint != active.fingerprint:
        raise ArfError(
            gettext_noop("%(name)s cannot be loaded as it was: run `manage.py reembed`."), name=active.name
        )
    return active, embedder


def save_chunks(sections: list[Section], model: EmbeddingModel, embedder: Embedder) -> None:
    chunks = [piece for section in sections for piece in chunks_of(section, embedder)]
    Chunk.objects.bulk_create(chunks, batch_size=500)
    save_vectors(chunks, model, embedder)
    terms.save_terms(sections)
    upkeep.save_provisions(sections)


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
        document_id=piece.document_id,
        chunk=piece,
        section_id=piece.section_id,
        domain_id=piece.domain_id,
        model=model,
        vector=vector,
        private=piece.private,
    )


def context_of(section: Section) -> str:
    """What is indexed before the text of each of its chunks."""
    crumbs = section.breadcrumb.split(" › ")  # begins with the document's title, as it will be once published
    return chunk_context(crumbs, section.heading, (section.plain_name, section.citation))


def chunks_of(section: Section, embedder: Embedder) -> Iterable[Chunk]:
    """A section's chunks; one without words of its own has none."""
    if not section.is_result or not section.text:
        return
    context = context_of(section)
    spans = chunk(section.text, embed=embedder.embed_documents, count_tokens=embedder.count_tokens)
    for position, span in enumerate(spans):
        yield Chunk(
            document_id=section.document_id,
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
