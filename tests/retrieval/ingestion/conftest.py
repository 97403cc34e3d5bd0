"""A small manual to ingest: a domain, its source files, and the job run to its end."""

import pytest

from retrieval import jobs
from retrieval.ingestion import ingest
from retrieval.models import (
    Anchor,
    Chunk,
    ChunkVector,
    Citation,
    Domain,
    IndexChange,
    JobRun,
    Section,
    SectionTerms,
    Vocabulary,
)

DOCUMENT = """<lawDoc xmlns="http://xml.house.gov/schemas/uslm/1.0" identifier="/manual/{name}">
<meta><dc:title xmlns:dc="http://purl.org/dc/elements/1.1/">A manual</dc:title></meta>
<main>{sections}</main></lawDoc>"""
SECTION = (
    '<section identifier="/manual/{name}/s{n}"><num value="{n}">§ {n}.</num><heading>Part {n}</heading>'
    "<content>{text}</content></section>"
)


def manual(sections: str, name: str = "a") -> str:
    """A document of the manual in USLM."""
    return DOCUMENT.format(name=name, sections=sections)


@pytest.fixture
def domain():
    return Domain.objects.create(
        slug="manual", name="Manual", locator_prefix="/manual", result_level="section", languages=["en"],
        visibility="public",
    )


@pytest.fixture
def write(tmp_path):
    """Writes a source file of numbered sections: write(First words, second words)."""

    def source(*texts: str, name: str = "a"):
        numbered = [(n, text) for n, text in enumerate(texts, start=1) if text]
        path = tmp_path / f"{name}.xml"
        path.write_text(manual("".join(SECTION.format(name=name, n=n, text=text) for n, text in numbered), name))
        return path

    return source


def ingested(domain: Domain, source, **params) -> JobRun:
    *_, last = jobs.run_here(jobs.create(**ingest.request(domain, str(source), **params)))
    return last


def current(domain: Domain) -> dict[str, str]:
    return dict(domain.sections.live().filter(valid_to=None).values_list("locator", "text"))


def rows() -> dict[str, list]:
    """Everything that an ingestion writes."""
    models = (Section, Chunk, ChunkVector, Anchor, Citation, IndexChange, SectionTerms, Vocabulary)
    return {model.__name__: list(model.objects.order_by("pk").values()) for model in models}
