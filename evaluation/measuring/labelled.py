"""A folder of files with labelled quotes as a corpus, and its labels as judged topics; made for measuring alone.

`page_labels.jsonl` lies beside the files: pdf, category, pages (1-based) and quotes of each label, as lawyers marked
them in CUAD (Hendrycks et al., 2021). What is asked of a file is the name of the category.
"""

import json
import re
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from evaluation.measuring.corpora import rolled_back
from evaluation.topics.topic import BadTopics, Topic
from retrieval.ingestion.embedding import embedding_in_use, save_chunks
from retrieval.ingestion.staging import section_rows
from retrieval.models import Document, Domain, Section
from retrieval.parsing.sources import extract

LABELS = "page_labels.jsonl"
OMITTED = "<omitted>"  # joins the passages of one label
RELEVANT = 2
TYPOGRAPHY = str.maketrans("“”‘’–—‐\xad", "\"\"''----")


@dataclass(frozen=True, slots=True)
class Label:
    """A category that is in a file: on which pages, in which words."""

    filename: str
    category: str
    pages: frozenset[int]
    quotes: tuple[str, ...]


def read_labels(folder: Path) -> list[Label]:
    """Raises BadTopics, OSError."""
    try:
        rows = [json.loads(line) for line in (folder / LABELS).read_text(encoding="utf-8").splitlines()]
        return [
            Label(row["pdf"], row["category"], frozenset(row["pages"]), tuple(pieces(row["quotes"])))
            for row in rows
        ]
    except (ValueError, KeyError, TypeError) as problem:
        raise BadTopics(f"{LABELS}: {problem!r}") from problem


def pieces(quotes: Sequence[str]) -> Iterator[str]:
    for quote in quotes:
        yield from (piece for piece in quote.split(OMITTED) if re.search(r"\w", piece))


@contextmanager
def corpus_for(folder: Path, *, show: Callable = iter) -> Iterator[list[Topic]]:
    """The files searchable as domain labelled-NAME, with their topics; a label whose words stand in no section, such
    as a title, makes none.
    """
    labels = read_labels(folder)
    with rolled_back(lambda: load(folder, sorted({label.filename for label in labels}), show)) as domain:
        sections = sections_of(domain)
        topics = [topic(label, domain, sections[label.filename]) for label in labels]
        yield [topic for topic in topics if topic.relevant]


def load(folder: Path, filenames: Sequence[str], show: Callable) -> Domain:
    slug = f"labelled-{folder.name}"
    domain = Domain.objects.create(slug=slug, name=folder.name, locator_prefix=f"/{slug}", languages=["en"])
    model, embedder = embedding_in_use()
    for filename in show(filenames):
        save_chunks(stored(domain, folder / filename), model, embedder)
    return domain


def stored(domain: Domain, path: Path) -> list[Section]:
    """The file's sections, live at once."""
    identifier = f"{domain.locator_prefix}/{path.stem}"
    source = extract(path.read_bytes(), filename=path.name, identifier=identifier, name=path.stem)
    document = Document.objects.create(
        domain=domain, locator=identifier, title=source.title, filename=path.name, pages=source.pages
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
