"""A BEIR data set as a corpus of its own: chunked, embedded and indexed by the ordinary code, then rolled back."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from evaluation.corpora import rolled_back
from evaluation.topics import BeirSet
from retrieval.ingestion import BATCH, embedding_in_use, save_chunks
from retrieval.models import Document, Domain, Section
from retrieval.ranking import ANONYMOUS, Caller


@contextmanager
def corpus_for(data: BeirSet, *, show: Callable = iter) -> Iterator[Caller]:
    """The data set searchable as domain beir-NAME."""
    with rolled_back(lambda: load(data, show)):
        yield ANONYMOUS


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
