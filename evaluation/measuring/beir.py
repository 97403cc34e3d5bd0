"""A BEIR data set as a corpus of its own: chunked, embedded and indexed by the ordinary code, then rolled back."""

import csv
import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from evaluation.measuring.corpora import rolled_back
from evaluation.topics.topic import Topic
from retrieval.access.caller import ANONYMOUS, Caller
from retrieval.ingestion.embedding import BATCH, embedding_in_use, save_chunks
from retrieval.models import Document, Domain, Section


@dataclass(frozen=True, slots=True)
class BeirSet:
    """A data set in BEIR layout: documents (id, title, text) and judged topics."""

    name: str
    documents: tuple[tuple[str, str, str], ...]
    topics: tuple[Topic, ...]


def read_beir(folder: Path, *, domain: str, split: str = "test") -> BeirSet:
    """corpus.jsonl, queries.jsonl and qrels/<split>.tsv; queries without a judgment are left out."""
    documents = tuple(
        (row["_id"], row.get("title", ""), row["text"]) for row in _json_lines(folder / "corpus.jsonl")
    )
    grades: dict[str, dict[str, int]] = {}
    with (folder / "qrels" / f"{split}.tsv").open(encoding="utf-8") as file:
        for row in csv.DictReader(file, delimiter="\t"):
            grades.setdefault(row["query-id"], {})[f"/{domain}/{row['corpus-id']}"] = int(row["score"])
    topics = tuple(
        Topic.graded(grades[row["_id"]], id=row["_id"], query=row["text"], domain=domain)
        for row in _json_lines(folder / "queries.jsonl")
        if row["_id"] in grades
    )
    return BeirSet(folder.name, documents, topics)


def _json_lines(path: Path) -> Iterator[dict]:
    with path.open(encoding="utf-8") as lines:
        yield from (json.loads(line) for line in lines if line.strip())


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
