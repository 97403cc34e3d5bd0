"""Corpora for measuring alone, made by the ordinary code, searchable to one transaction, then rolled back: a data set
in BEIR layout, documents that topics of a file ask of, or a folder of files with labelled quotes, whose labels are the
judged topics.

In such a folder `page_labels.jsonl` lies beside the files: pdf, category, pages (1-based) and quotes of each label, as
lawyers marked them in CUAD (Hendrycks et al., 2021). What is asked of a file is the name of the category.
"""

import csv
import json
import re
import tempfile
import unicodedata
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from django.db import transaction
from django.test import override_settings

from evaluation.topics.reading import LONGEST
from evaluation.topics.topic import Topic
from retrieval.errors import ArfError
from retrieval.indexes.lexical import LexicalWriter
from retrieval.indexes.lexical_sync import indexed_chunks
from retrieval.ingestion.embedding import BATCH, embedding_in_use, save_chunks
from retrieval.ingestion.publishing import add_language
from retrieval.ingestion.staging import section_rows
from retrieval.models import Chunk, Document, Domain, Section
from retrieval.parsing.sources import Place, extract, read_next
from retrieval.parsing.tree import SourceDocument

LABELS = "page_labels.jsonl"
OMITTED = "<omitted>"  # joins the passages of one label
QRELS = {"query-id", "corpus-id", "score"}
RELEVANT = 2
TYPOGRAPHY = str.maketrans("“”‘’–—‐\xad", "\"\"''----")


@contextmanager
def rolled_back(load: Callable[[], Domain]) -> Iterator[Domain]:
    """What `load` makes, with an index of its own."""
    with (
        tempfile.TemporaryDirectory(prefix="arf-corpus-") as folder,
        override_settings(ARF_LEXICAL_DIR=Path(folder)),
        transaction.atomic(),
    ):
        try:
            domain = load()
            build_index(Path(folder), domain)
            yield domain
        finally:
            transaction.set_rollback(True)


def build_index(path: Path, domain: Domain) -> None:
    writer = LexicalWriter(path)
    writer.apply(
        [], indexed_chunks(list(Chunk.objects.filter(domain=domain).values_list("pk", flat=True))), 0
    )
    writer.complete()
    writer.close()


def empty_domain(slug: str, name: str) -> Domain:
    return Domain.objects.create(
        slug=slug, name=name, locator_prefix=f"/{slug}", languages=["en"], visibility="public"
    )


def json_lines(path: Path) -> Iterator[dict]:
    with path.open(encoding="utf-8") as lines:
        yield from (json.loads(line) for line in lines if line.strip())


# -- A data set in BEIR layout


@contextmanager
def beir_corpus(folder: Path, *, show: Callable = iter) -> Iterator[list[Topic]]:
    """corpus.jsonl searchable as domain beir-NAME, with the topics of queries.jsonl that qrels/test.tsv judges."""
    texts, queries = (beir_rows(folder / f"{name}.jsonl") for name in ("corpus", "queries"))
    qrels = beir_qrels(folder / "qrels" / "test.tsv")
    if long := next((name for name in qrels if len(name) > LONGEST["topic"]), ""):
        raise ArfError(f"The query-id {long} has more than {LONGEST['topic']} characters.")
    with rolled_back(lambda: load_beir(folder, texts, show)) as domain:
        yield [
            beir_topic(name, row["text"], qrels[name], domain)
            for name, row in queries.items()
            if name in qrels
        ]


def beir_topic(name: str, query: str, qrels: Mapping[str, int], domain: Domain) -> Topic:
    grades = {f"{domain.locator_prefix}/{text}": grade for text, grade in qrels.items()}
    return Topic.graded(grades, id=name, query=query, domain=domain.slug)


def beir_rows(path: Path) -> dict[str, dict]:
    """Rows by `_id`. Raises ArfError."""
    found: dict[str, dict] = {}
    try:
        for row in json_lines(path):
            name, _text = str(row["_id"]), row["text"]
            if name in found:
                raise ArfError(f"{path.name}: two lines have the _id {name}.")
            found[name] = row
    except (ValueError, KeyError, TypeError) as problem:
        raise ArfError(f"{path.name}: {problem!r}") from problem
    return found


def beir_qrels(path: Path) -> dict[str, dict[str, int]]:
    """Grades by query and text. Raises ArfError."""
    grades: dict[str, dict[str, int]] = {}
    with path.open(encoding="utf-8") as file:
        rows = csv.DictReader(file, delimiter="\t")
        if not QRELS.issubset(rows.fieldnames or ()):
            raise ArfError(f"{path.name} needs the header query-id, corpus-id, score, with tabs between.")
        try:
            for row in rows:
                grades.setdefault(row["query-id"], {})[row["corpus-id"]] = int(row["score"])
        except (ValueError, TypeError) as problem:
            raise ArfError(f"{path.name}, line {rows.line_num}: {problem}") from problem
    return grades


def load_beir(folder: Path, texts: Mapping[str, dict], show: Callable) -> Domain:
    domain = empty_domain(f"beir-{folder.name}", folder.name)
    document = Document.objects.create(domain=domain, locator=domain.locator_prefix, title="")
    rows = enumerate(texts.values())
    sections = Section.objects.bulk_create([beir_section(document, row, n) for n, row in rows])
    model, embedder = embedding_in_use()
    for start in show(range(0, len(sections), BATCH)):
        save_chunks(sections[start : start + BATCH], model, embedder)
    return domain


def beir_section(document: Document, row: dict, position: int) -> Section:
    return Section(
        domain=document.domain,
        document=document,
        level="document",
        heading=row.get("title", ""),
        locator=f"{document.locator}/{row['_id']}",
        citation=row.get("title") or row["_id"],
        text=row["text"],
        position=position,
        is_result=True,
        live=True,
    )


# -- Documents, with the topics of a file


@contextmanager
def documents_corpus(folder: Path, slug: str) -> Iterator[Domain]:
    """The documents of a source searchable in this domain, which is made where there is none. Raises ArfError where it
    holds some: their places may be called the same.
    """
    if Section.objects.filter(domain__slug=slug).exists():
        raise ArfError(f"The domain {slug} holds documents: topics are measured on them without others.")
    with rolled_back(lambda: load_documents(folder, slug)) as domain:
        yield domain


def load_documents(folder: Path, slug: str) -> Domain:
    domain = Domain.objects.filter(slug=slug).first() or empty_domain(slug, folder.name)
    model, embedder = embedding_in_use()
    place: Place | None = Place()
    while place:
        found = read_next(folder, domain, place)
        sections = stored(domain, found.document, found.filename)
        save_chunks(sections, model, embedder)
        add_language(sections[0].document, found.document.language)
        place = found.following
    return domain


# -- A folder with labelled quotes


@dataclass(frozen=True, slots=True)
class Label:
    """A category that is in a file: on which pages, in which words."""

    filename: str
    category: str
    pages: frozenset[int]
    quotes: tuple[str, ...]


def read_labels(folder: Path) -> list[Label]:
    """Raises ArfError, OSError."""
    try:
        return [
            Label(row["pdf"], row["category"], frozenset(row["pages"]), tuple(pieces(row["quotes"])))
            for row in json_lines(folder / LABELS)
        ]
    except (ValueError, KeyError, TypeError) as problem:
        raise ArfError(f"{LABELS}: {problem!r}") from problem


def pieces(quotes: Sequence[str]) -> Iterator[str]:
    for quote in quotes:
        yield from (piece for piece in quote.split(OMITTED) if re.search(r"\w", piece))


@contextmanager
def labelled_corpus(folder: Path, *, show: Callable = iter) -> Iterator[list[Topic]]:
    """The files searchable as domain labelled-NAME, with their topics; a label whose words stand in no section, such
    as a title, makes none.
    """
    labels = read_labels(folder)
    with rolled_back(
        lambda: load_labelled(folder, sorted({label.filename for label in labels}), show)
    ) as domain:
        sections = sections_of(domain)
        topics = [topic(label, domain, sections[label.filename]) for label in labels]
        yield [topic for topic in topics if topic.relevant]


def load_labelled(folder: Path, filenames: Sequence[str], show: Callable) -> Domain:
    domain = empty_domain(f"labelled-{folder.name}", folder.name)
    model, embedder = embedding_in_use()
    for filename in show(filenames):
        path = folder / filename
        identifier = f"{domain.locator_prefix}/{path.stem}"
        source = extract(path.read_bytes(), filename=path.name, identifier=identifier, name=path.stem)
        save_chunks(stored(domain, source, path.name), model, embedder)
    return domain


def stored(domain: Domain, source: SourceDocument, filename: str) -> list[Section]:
    """The document's sections, live at once."""
    document = Document.objects.create(
        domain=domain,
        locator=source.identifier,
        title=source.title,
        language=source.language,
        filename=filename,
        pages=source.pages,
    )
    sections = [section for section, _ in section_rows(domain, source)]
    for section in sections:
        section.document, section.live = document, True
    return Section.objects.bulk_create(sections)


def sections_of(domain: Domain) -> dict[str, list[Section]]:
    """What is ranked, by file, in order."""
    found: dict[str, list[Section]] = {}
    for section in domain.sections.filter(is_result=True).select_related("document").in_order():
        found.setdefault(section.document.filename, []).append(section)
    return found


def topic(label: Label, domain: Domain, sections: Sequence[Section]) -> Topic:
    places = [place for quote in label.quotes if (place := place_of(quote, label.pages, sections))]
    return Topic(
        id=f"{label.filename}: {label.category}",
        query=label.category,
        domain=domain.slug,
        relevant=dict.fromkeys(places, RELEVANT),
        tags=(label.category,),
        group=label.filename,
    )


def place_of(quote: str, pages: frozenset[int], sections: Sequence[Section]) -> str | None:
    """The first section with the words on a labelled page, or else anywhere."""
    words = normalised(quote)
    having = [section for section in sections if words in normalised(section.text)]
    labelled = [section for section in having if pages & {page for _, page in section.pages}]
    return next((section.locator for section in (*labelled, *having)), None)


def normalised(text: str) -> str:
    """Letters as typed, single blanks, no blank after a hyphen: labels broke lines there."""
    typed = unicodedata.normalize("NFKC", text.translate(TYPOGRAPHY)).casefold()
    return re.sub(r"- (?=[a-z])", "-", " ".join(typed.split()))
