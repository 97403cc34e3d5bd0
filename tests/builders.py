"""The smallest valid rows, for tests: each builder fills in what the test does not say."""

from itertools import count

import numpy as np
from django.db import connection

from retrieval.access.caller import Caller
from retrieval.access.row_security import as_system
from retrieval.ingestion.embedding import embedding_in_use, save_chunks
from retrieval.models import Chunk, ChunkVector, Document, DocumentGrant, Domain, Section

numbers = count(1)


def a_domain(**fields) -> Domain:
    name = f"domain-{next(numbers)}"
    defaults = {
        "slug": name,
        "name": name,
        "locator_prefix": f"/{name}",
        "languages": ["en"],
        "visibility": "public",
    }
    return Domain.objects.create(**defaults | fields)


@as_system()
def a_document(domain: Domain, **fields) -> Document:
    name = f"document-{next(numbers)}"
    defaults = {"locator": f"{domain.locator_prefix}/{name}", "title": name}
    return Document.objects.create(domain=domain, **defaults | fields)


@as_system()
def a_section(document: Document, text: str = "", **fields) -> Section:
    """Live and ranked, but neither chunked nor embedded: see `embedded`."""
    number = next(numbers)
    defaults = {
        "level": "section",
        "locator": f"{document.locator}/{number}",
        "citation": f"{document.title}, part {number}",
        "position": number,
        "is_result": True,
        "live": True,
    }
    return Section.objects.create(document=document, domain=document.domain, text=text, **defaults | fields)


@as_system()
def a_chunk(section: Section, **fields) -> Chunk:
    text = section.text
    defaults = {"position": 0, "text": text, "context": "", "start": 0, "end": len(text), "token_count": 1}
    return Chunk.objects.create(section=section, domain_id=section.domain_id, **defaults | fields)


@as_system()
def a_vector(chunk: Chunk, vector: np.ndarray | None = None) -> ChunkVector:
    model, embedder = embedding_in_use()
    vector = np.eye(1, embedder.dims)[0] if vector is None else vector
    return ChunkVector.objects.create(
        chunk=chunk, section_id=chunk.section_id, domain_id=chunk.domain_id, model=model, vector=vector
    )


@as_system()
def embedded(*sections: Section) -> tuple[Section, ...]:
    """The sections, chunked and embedded by the serving embedder."""
    if sections:
        save_chunks(list(sections), *embedding_in_use())
    return sections


def a_case_file(title: str, *texts: str, granted_to: Caller | None = None) -> Document:
    """A private document of client_cases that can be searched: one section a text."""
    document = a_document(Domain.objects.get(slug="client_cases"), title=title)
    embedded(*(a_section(document, text) for text in texts))
    if granted_to:
        grant(document, granted_to)
    return document


@as_system()
def grant(document: Document, caller: Caller) -> DocumentGrant:
    principal = caller.principals[0]
    return DocumentGrant.objects.create(document=document, name=principal, principal=principal)


def nothing_judged() -> None:
    """No topics and judgments, not even those that ship. Were they deleted, each row's references would be checked when
    the test ends: that takes seven times as long.
    """
    connection.check_constraints()  # checks that wait would keep the tables from being emptied
    with connection.cursor() as cursor:
        cursor.execute("TRUNCATE evaluation_topic, evaluation_judgment CASCADE")
