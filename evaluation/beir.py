"""A BEIR data set as a corpus of its own: chunked, embedded and indexed by the ordinary code, then rolled back."""

import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from django.conf import settings
from django.db import transaction

from evaluation.topics import BeirSet
from retrieval.indexing import indexed_chunks
from retrieval.ingestion import BATCH, embedding_in_use, save_chunks
from retrieval.lexical import LexicalWriter
from retrieval.models import Chunk, Document, Domain, Section
from retrieval.ranking import ANONYMOUS, Caller


@contextmanager
def corpus_for(data: BeirSet, *, show: Callable = iter) -> Iterator[Caller]:
    """The data set searchable as domain beir-NAME, to this transaction alone and by an index of its own."""
    kept = settings.ARF_LEXICAL_DIR
    with tempfile.TemporaryDirectory(prefix="arf-beir-") as folder, transaction.atomic():
        settings.ARF_LEXICAL_DIR = Path(folder)
        try:
            domain = load(data, show)
            build_index(Path(folder), domain)
            yield ANONYMOUS
        finally:
            settings.ARF_LEXICAL_DIR = kept
            transaction.set_rollback(True)


def load(data: BeirSet, show: Callable) -> Domain:
    slug = f"beir-{data.name}"
    domain = Domain.objects.create(slug=slug, name=data.name, locator_prefix=f"/{slug}", languages=["en"])
    document = Document.objects.create(domain=domain, locator=f"/{slug}", title="")
    sections = Section.objects.bulk_create(
        [section_row(document, *row, position) for position, row in enumerate(data.documents)]
    )
    model, embedder = embedding_in_use()
    for start in show(range(0, len(sections), BATCH)):
        save_chunks(sections[start : start + BATCH], model, embedder)
    return domain


def section_row(document: Document, name: str, title: str, text: str, position: int) -> Section:
    locator = f"{document.locator}/{name}"
    return Section(
        domain=document.domain,
        document=document,
        level="document",
        heading=title,
        locator=locator,
        citation=title or name,
        text=text,
        position=position,
        is_result=True,
        live=True,
    )


def build_index(path: Path, domain: Domain) -> None:
    writer = LexicalWriter(path)
    writer.apply(
        [], indexed_chunks(list(Chunk.objects.filter(domain=domain).values_list("pk", flat=True))), 0
    )
    writer.close()
