"""One provision as the API shows it: its words, its place in the hierarchy, and what cites what."""

from datetime import date

from retrieval.errors import NotFound
from retrieval.models import Anchor, Citation, Document, Section
from retrieval.models.corpus import SectionQuerySet
from retrieval.ranking import Caller
from retrieval.reading import end_of_subtree

MAX_EDGES = 250  # citations shown each way; the most cited sections have thousands
NAMED_BY = ("locator", "citation", "heading")  # what a reference to a section is made of


def section_account(locator: str, caller: Caller, as_of: date | None) -> dict:
    """The provision as this caller may read it on that day. Raises NotFound."""
    readable = Section.objects.readable(caller, as_of)
    section, pin = find(readable, locator)
    in_document = readable.filter(document=section.document_id).order_by("position", "pk")
    before, after = neighbours(section, in_document)
    return {
        "locator": section.locator,
        "pin": pin,
        "citation": section.citation,
        "title": section.heading or section.citation,
        "title_es": section.heading_es,
        "plain_name": section.plain_name,
        "plain_name_es": section.plain_name_es,
        "level": section.level,
        "number": section.number,
        "breadcrumb": section.breadcrumb,
        "domain": section.domain.slug,
        "text": text_of(section, in_document),
        "notes": section.notes,
        "status": section.status,
        "valid_from": iso(section.valid_from),
        "valid_to": iso(section.valid_to),
        "source_url": section.source_url or section.document.source_url,
        "url": f"/law/{section.path}",
        "is_result": section.is_result,
        "parent": first(in_document.filter(locator=section.parent_locator))
        if section.parent_locator
        else None,
        "children": references(in_document.filter(parent_locator=section.locator)),
        "previous": first(before),
        "next": first(after),
        "anchors": anchors_of(section),
        "citations": {
            "made": citations_made(section, readable),
            "received": citations_received(section, readable),
        },
        "document": document_account(section.document, section.domain.slug),
    }


def find(readable: SectionQuerySet, locator: str) -> tuple[Section, str | None]:
    """The section of this locator, or the one that holds it as an anchor and the pin. Raises NotFound."""
    readable = readable.select_related("domain", "document").order_by("pk")
    if section := readable.filter(locator=locator).first():
        return section, None
    if section := readable.filter(anchors__locator=locator).first():
        return section, locator
    raise NotFound("There is no such provision.")


def neighbours(section: Section, in_document: SectionQuerySet) -> tuple[SectionQuerySet, SectionQuerySet]:
    """The results before a provision, nearest first, and those after all that it holds."""
    results = in_document.results()
    before = results.filter(position__lt=section.position).order_by("-position", "-pk")
    end = section.position + 1 if section.is_leaf else end_of_subtree(section, in_document)
    return before, results.filter(position__gte=end) if end is not None else results.none()


def text_of(section: Section, in_document: SectionQuerySet) -> str:
    """Its own words and, above the result level, those of all below it in order."""
    if section.is_leaf:
        return section.text
    texts = in_document.below(section.locator).values_list("text", flat=True)
    return "\n\n".join(text for text in texts if text)


def anchors_of(section: Section) -> list[dict]:
    rows = section.anchors.order_by("start", "-end", "pk")
    return list(rows.values("locator", "level", "number", "start", "end"))


def citations_made(section: Section, readable: SectionQuerySet) -> list[dict]:
    edges = Citation.objects.filter(source=section, target__locator__in=readable.values("locator"))
    rows = edges.order_by("start", "pk").values_list("text", "start", "end", *cited("target"))[:MAX_EDGES]
    return [
        {"text": text, "start": start, "end": end, "pin": pin, **reference(*place)}
        for text, start, end, pin, *place in rows
    ]


def citations_received(section: Section, readable: SectionQuerySet) -> list[dict]:
    edges = Citation.objects.filter(target__locator=section.locator, source__in=readable)
    in_order = edges.order_by("source__document_id", "source__position", "start", "pk")
    rows = in_order.values_list("text", *cited("source"))[:MAX_EDGES]
    return [{"text": text, "pin": pin, **reference(*place)} for text, pin, *place in rows]


def cited(end: str) -> list[str]:
    return ["target_locator", *(f"{end}__{name}" for name in NAMED_BY)]


def references(sections: SectionQuerySet) -> list[dict]:
    return [reference(*row) for row in sections.values_list(*NAMED_BY)]


def first(sections: SectionQuerySet) -> dict | None:
    return next(iter(references(sections[:1])), None)


def reference(locator: str, citation: str, heading: str) -> dict:
    return {"locator": locator, "citation": citation, "title": heading or citation}


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
        "filename": document.filename,
        "sha256": document.content_hash,
        "pages": document.pages,
        "scanned_pages": document.scanned_pages,
        "tags": document.tags,
        "retrieved_at": document.retrieved_at.isoformat(),
    }


def existing(locators: list[str], caller: Caller) -> set[str]:
    """Those of the locators that name a provision, or a place in one, that this caller may read now."""
    readable = Section.objects.readable(caller)
    sections = readable.filter(locator__in=locators).values_list("locator", flat=True)
    anchors = Anchor.objects.filter(locator__in=locators, section__in=readable)
    return {*sections, *anchors.values_list("locator", flat=True)}
