"""Chunks staged sections and embeds the chunks, in portions that fit in one step of a job."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np

from retrieval.engines import loaded
from retrieval.engines.embedders import Embedder
from retrieval.errors import ArfError, gettext_noop
from retrieval.indexes import hnsw, terms
from retrieval.ingestion.chunking import chunk, chunk_context
from retrieval.ingestion.in_english import embedded_texts
from retrieval.jobs import Progress, time_for_more
from retrieval.models import Chunk, ChunkVector, Document, EmbeddingModel, JobRun, Section
from retrieval.parsing.tree import page_at
from retrieval.summaries import upkeep

Vector = np.ndarray | Sequence[float]
Piece = tuple[Section, int, int]  # a stretch of its text
BATCH = 32  # sections begun together
BATCH_TEXT = 100_000  # characters cut at a time: about 800 sentences to embed where a text has no divisions
PORTION = 128  # chunks embedded at a time: two seconds at 60 a second
ENTERED = 500  # vectors entered in the index at a time


def chunk_some(run: JobRun) -> Progress:
    """Chunks the next staged sections and embeds the chunks, as far as the step has time. A killed worker loses what it
    did in the step; the next one goes on inside the section.

    1. What is cut and has no vector is embedded, a portion at a time.
    2. Then the next piece of the text is cut, and so on to the sections' end.
    3. Sections that are through get their terms and summaries, and the job goes on behind them.
    """
    state, has_time = run.state, time_for_more(run)
    staged = Section.objects.staged().filter(document=state["document"], pk__gt=state["after"])
    batch = short_enough(staged.order_by("pk").select_related("document")[:BATCH])
    if not batch:
        phase = "enter" if is_indexed(state["document"]) else "publish"
        return Progress(run.position, run.total, "publishing", state | {"phase": phase})
    model, embedder = embedding_in_use()
    uncut = [(section, start, end) for section in batch for start, end in pieces(section.text)]
    cut, done = state.get("cut", 0), run.position
    while True:
        if waiting := without_vector(batch, model):
            save_vectors(waiting, model, embedder, known=vectors_of_former(waiting, model))
        elif cut < len(uncut):
            cut += cut_some(uncut[cut:], embedder)
        else:
            save_read(batch)
            done, state, cut = done + len(batch), state | {"after": batch[-1].pk}, 0
            break
        if not has_time():
            break
    return Progress(done, run.total, f"{done} of {run.total} sections chunked and embedded", state | {"cut": cut})


def without_vector(sections: Sequence[Section], model: EmbeddingModel) -> list[Chunk]:
    """The next of their chunks to embed."""
    chunks = Chunk.objects.filter(document=sections[0].document_id, section__in=sections)
    return list(chunks.exclude(vectors__model=model).select_related("section").order_by("pk")[:PORTION])


def cut_some(uncut: Sequence[Piece], embedder: Embedder) -> int:
    """Saves the chunks of the next pieces, in their order; gives of how many."""
    count, length = 0, 0
    chunks: list[Chunk] = []
    for section, start, end in uncut:
        length += end - start
        if count and length > BATCH_TEXT:
            break
        before = start and section.chunks.count() + sum(chunk.section_id == section.pk for chunk in chunks)
        chunks += chunks_of(section, embedder, (start, end), before)
        count += 1
    Chunk.objects.bulk_create(chunks, batch_size=500)
    return count


def pieces(text: str) -> Iterator[tuple[int, int]]:
    """A text as it is cut: whole, or of a long one so many of its lines, else sentences or words, at a time."""
    start = 0
    while len(text) - start > BATCH_TEXT:
        last = start + BATCH_TEXT
        ends = (place + len(mark) for mark in ("\n", ". ", " ") if (place := text.rfind(mark, start, last)) >= start)
        yield start, (end := next(ends, last))
        start = end
    if text:
        yield start, len(text)


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
    """All of them at once."""
    uncut = [(section, start, end) for section in sections for start, end in pieces(section.text)]
    while uncut:
        uncut = uncut[cut_some(uncut, embedder) :]
    while waiting := without_vector(sections, model):
        save_vectors(waiting, model, embedder)
    save_read(sections)


def save_read(sections: Sequence[Section]) -> None:
    """What else is kept of sections that are read: their words as numbers, and what tells most of them."""
    terms.save_terms(sections)
    upkeep.save_provisions(sections)


def save_vectors(
    chunks: list[Chunk],
    model: EmbeddingModel,
    embedder: Embedder,
    *,
    known: Mapping[int, Vector] | None = None,
) -> None:
    """Embeds what the index reads of each chunk, its context, then its text, where no vector of it is `known`; Spanish
    in English.
    """
    known = known or {}
    new = [piece for piece in chunks if piece.pk not in known]
    made = embedder.embed_documents(embedded_texts(new)) if new else ()
    vectors = {**known, **{piece.pk: vector for piece, vector in zip(new, made, strict=True)}}
    rows = [vector_row(piece, model, vectors[piece.pk]) for piece in chunks]
    ChunkVector.objects.bulk_create(rows, batch_size=500)


def vectors_of_former(chunks: Sequence[Chunk], model: EmbeddingModel) -> dict[int, Vector]:
    """By chunk, the vector of the same words in another version of its section: one that only has other notes, links or
    numbered places, or comes back, is not embedded again.
    """
    former = ChunkVector.objects.filter(
        model=model,
        document=chunks[0].document_id,
        section__in=Section.objects.live().filter(
            document=chunks[0].document_id, locator__in={chunk.section.locator for chunk in chunks}
        ),
        chunk__text__in=[chunk.text for chunk in chunks],
    )
    known = {
        (locator, context, text): vector
        for locator, context, text, vector in former.values_list(
            "section__locator", "chunk__context", "chunk__text", "vector"
        )
    }
    wanted = {chunk.pk: (chunk.section.locator, chunk.context, chunk.text) for chunk in chunks}
    return {pk: known[words] for pk, words in wanted.items() if words in known}


def vector_row(piece: Chunk, model: EmbeddingModel, vector: Vector) -> ChunkVector:
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


def chunks_of(section: Section, embedder: Embedder, piece: tuple[int, int], before: int) -> Iterator[Chunk]:
    """The chunks of a piece of a section's text, of which there are so many before it; what is no result has none."""
    if not section.is_result:
        return
    context, (first, last) = context_of(section), piece
    found = chunk(section.text[first:last], embed=embedder.embed_documents, count_tokens=embedder.count_tokens)
    spans = [replace(span, start=first + span.start, end=first + span.end) for span in found]
    for position, span in enumerate(spans, start=before):
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
