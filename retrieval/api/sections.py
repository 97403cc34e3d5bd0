"""One provision as the API shows it: its words, its place in the hierarchy, and what cites what."""

from datetime import date

from django.http import Http404, HttpResponse
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request

from retrieval.access.caller import Caller
from retrieval.api.authentication import caller_of
from retrieval.api.base import ApiView, answers, as_stored, reply
from retrieval.api.parameters import Day, Parameters
from retrieval.api.serializers import Provision
from retrieval.corpus import history
from retrieval.errors import NotFound
from retrieval.models import Anchor, Citation, Document, Section
from retrieval.models.corpus import SectionQuerySet
from retrieval.pages.reader import end_of_subtree, neighbours
from retrieval.search.response import iso

MAX_EDGES = 250  # citations shown each way; the most cited sections have thousands
NAMED_BY = ("locator", "citation", "heading")  # what a reference to a section is made of
AS_STORED = (
    "locator",
    "citation",
    "plain_name",
    "plain_name_es",
    "level",
    "number",
    "breadcrumb",
    "is_result",
)


class SectionParameters(Parameters):
    as_of = Day(required=False, help_text="As the law was on that day.")


class SectionView(ApiView):
    @extend_schema(
        operation_id="section",
        parameters=[
            OpenApiParameter("path", str, "path", description="A locator without its leading slash."),
            SectionParameters,
        ],
        responses=answers(Provision, 401, 404, 429),
    )
    def get(self, request: Request, path: str) -> HttpResponse:
        """Read one provision by its locator; a deeper place answers its section, with the place as `pin`."""
        values = SectionParameters.from_url(request)
        if not path.isprintable():
            raise Http404
        return reply(section_account(f"/{path}", caller_of(request), values.get("as_of")))


def section_account(locator: str, caller: Caller, as_of: date | None) -> dict:
    """The provision as this caller may read it on that day. Raises NotFound."""
    readable = Section.objects.readable(caller, as_of)
    section, pin = find(readable, locator)
    in_document = readable.filter(document=section.document_id).order_by("position", "pk")
    before, after = neighbours(section, in_document, end_of_subtree(section, in_document))
    stands = history.standing(section.locator, as_of)
    above = (
        in_document.filter(locator=section.parent_locator) if section.parent_locator else in_document.none()
    )
    return as_stored(section, *AS_STORED) | {
        "pin": pin,
        "title": stands.heading(section.heading) or section.citation,
        "title_es": stands.heading(section.heading_es),
        "domain": section.domain.slug,
        "text": text_of(section, in_document),
        "valid_from": iso(section.valid_from),
        "valid_to": iso(stands.end(section.valid_to)),
        "status": stands.status(section.status),
        "history": [change.to_dict() for change in stands.made],
        "notes": stands.notes(section.notes),
        "source_url": section.source_url or section.document.source_url,
        "url": f"/law/{section.path}",
        "parent": first(above),
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


def document_account(document: Document, domain: str) -> dict:
    account = as_stored(
        document, "locator", "title", "language", "publication", "source_url", "filename", "pages"
    )
    return account | {
        "domain": domain,
        "sha256": document.content_hash,
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
