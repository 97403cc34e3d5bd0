"""One provision as the API shows it: its words, its place in the hierarchy, and what cites what."""

from datetime import date

from retrieval.errors import NotFound
from retrieval.models import Anchor, Citation, Document, Section
from retrieval.models.corpus import SectionQuerySet
from retrieval.ranking import Caller

MAX_EDGES = 250  # citations shown each way; the most cited sections have thousands


def section_account(locator: str, caller: Caller, as_of: date | None) -> dict:
    """The provision as this caller may read it on that day. Raises NotFound."""
    readable = Section.objects.readable(caller, as_of)
    section, pin = find(readable, locator)
    neighbours = readable.results().filter(document=section.document_id)
    before = neighbours.filter(position__lt=section.position).order_by("-position")
    after = neighbours.filter(position__gt=section.position).order_by("position")
    children = readable.filter(document=section.document_id, parent_locator=section.locator).in_order()
    above = readable.filter(document=section.document_id, locator=section.parent_locator)
    return {
        "locator": section.locator,
        "pin": pin,
        "citation": section.citation,
        "title": title_of(section),
        "title_es": section.heading_es,
        "plain_name": section.plain_name,
        "plain_name_es": section.plain_name_es,
        "level": section.level,
        "number": section.number,
        "breadcrumb": section.breadcrumb,
        "domain": section.domain.slug,
        "text": text_of(section, readable),
        "notes": section.notes,
        "status": section.status,
        "valid_from": iso(section.valid_from),
        "valid_to": iso(section.valid_to),
        "source_url": section.source_url or section.document.source_url,
        "url": f"/law/{section.path}",
        "is_result": section.is_result,
        "parent": reference(above.first()),
        "children": [reference(child) for child in children],
        "previous": reference(before.first()),
        "next": reference(after.first()),
        "anchors": list(section.anchors.values("locator", "level", "number", "start", "end")),
        "citations": {
            "made": citations_made(section, readable),
            "received": citations_received(section, readable),
        },
        "document": document_account(section.document, section.domain.slug),
    }


def find(readable: SectionQuerySet, locator: str) -> tuple[Section, str | None]:
    """The section of this locator, or the one that holds it as an anchor and the pin. Raises NotFound."""
    readable = readable.select_related("domain", "document")
    if section := readable.filter(locator=locator).first():
        return section, None
    if section := readable.filter(anchors__locator=locator).first():
        return section, locator
    raise NotFound("There is no such provision.")


def text_of(section: Section, readable: SectionQuerySet) -> str:
    """Its own words and, above the result level, those of all below it in order."""
    if section.is_leaf:
        return section.text
    parts = readable.filter(document=section.document_id).below(section.locator).in_order()
    return "\n\n".join(text for text in parts.values_list("text", flat=True) if text)


def citations_made(section: Section, readable: SectionQuerySet) -> list[dict]:
    edges = Citation.objects.filter(source=section, target__locator__in=readable.values("locator"))
    return [
        {
            "text": edge.text,
            "start": edge.start,
            "end": edge.end,
            "pin": edge.target_locator,
            **reference(edge.target),
        }
        for edge in edges.select_related("target").order_by("start", "pk")[:MAX_EDGES]
    ]


def citations_received(section: Section, readable: SectionQuerySet) -> list[dict]:
    edges = Citation.objects.filter(target__locator=section.locator, source__in=readable)
    return [
        {"text": edge.text, "pin": edge.target_locator, **reference(edge.source)}
        for edge in edges.select_related("source").order_by("source", "start", "pk")[:MAX_EDGES]
    ]


def reference(section: Section | None) -> dict | None:
    if section is None:
        return None
    return {"locator": section.locator, "citation": section.citation, "title": title_of(section)}


def title_of(section: Section) -> str:
    return section.heading or section.citation


def iso(day: date | None) -> str | None:
    return day.isoformat() if day else None


def document_account(document: Document, domain: str) -> dict:
    return {
        "locator": document.locator,
        "title": document.title,
        "domain": domain,
        "language": document.language,
        "publication": document.publication,
        "source_url": document.source_url,
        "retrieved_at": document.retrieved_at.isoformat(),
    }


def existing(locators: list[str], caller: Caller) -> set[str]:
    """Those of the locators that name a provision, or a place in one, that this caller may read now."""
    readable = Section.objects.readable(caller)
    sections = readable.filter(locator__in=locators).values_list("locator", flat=True)
    anchors = Anchor.objects.filter(locator__in=locators, section__in=readable)
    return {*sections, *anchors.values_list("locator", flat=True)}
