"""The sections that a rule's targets name, as this caller may read them."""

from collections.abc import Sequence

from retrieval.corpus.filters import chosen, in_selection
from retrieval.models import Chunk, Section
from retrieval.ranking import Candidate, Query
from retrieval.targets import Selection


def candidates_of(query: Query, selection: Selection, *, most: int) -> list[Candidate]:
    """The sections of a selection that this caller could have found, each by its first chunk in it, in the order of
    the documents: in the domains searched, on the day asked for, and where rules leave it to be searched.
    """
    readable = Section.objects.readable(query.caller, query.as_of).filter(domain__in=query.domain_ids)
    left = chosen(query)
    firsts = (
        (Chunk.objects.all() if left is None else left)
        .filter(in_selection(selection), section__in=readable)
        .order_by("section_id", "position")
        .distinct("section_id")
        .values("pk")
    )
    rows = (
        Chunk.objects.filter(pk__in=firsts)
        .order_by("section__domain__position", "section__document_id", "section__position", "section_id")
        .values_list("section_id", "pk", "section__domain", "section__locator")[:most]
    )
    return [
        Candidate(
            section_id=section,
            chunk_id=chunk,
            domain_id=domain,
            locator=locator,
            pin=deeper_place(locator, selection),
        )
        for section, chunk, domain, locator in rows
    ]


def deeper_place(locator: str, selection: Selection) -> str | None:
    """The place inside the section that the selection names, if it names one."""
    named_places = (str(part.value) for part in selection.parts if part.kind == "section")
    return next((place for place in named_places if place.startswith(f"{locator}/")), None)


def sections_among(sections: Sequence[int], selection: Selection) -> set[int]:
    chunks = Chunk.objects.filter(in_selection(selection), section__in=sections)
    return set(chunks.values_list("section_id", flat=True))


def is_readable(query: Query, locator: str) -> bool:
    readable = Section.objects.readable(query.caller, query.as_of).filter(domain__in=query.domain_ids)
    return readable.filter(locator=locator).exists() or readable.filter(anchors__locator=locator).exists()
