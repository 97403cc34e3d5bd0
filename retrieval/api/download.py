"""A body of law as JSON lines, in the form that ingestion reads (docs/corpora.md), sent as it is read."""

from collections import defaultdict
from collections.abc import Iterator, Sequence

import orjson
from django.http import StreamingHttpResponse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request

from retrieval.access.caller import Caller
from retrieval.access.row_security import as_caller
from retrieval.api.authentication import caller_of
from retrieval.api.base import ApiView, Error
from retrieval.api.parameters import Nothing
from retrieval.api.sections import documents_in_force
from retrieval.errors import NotFound
from retrieval.models import Citation, Document, Domain, Section

PORTION = 500  # sections read by one statement
AS_STORED = ("locator", "heading", "text", "level", "number", "status", "notes", "source_url")
LINES = {(200, "application/x-ndjson"): OpenApiTypes.STR} | dict.fromkeys((400, 401, 404, 429), Error)


class DownloadView(ApiView):
    counts_as = 60  # requests of the budget a minute

    @extend_schema(operation_id="download", responses=LINES)
    def get(self, request: Request, slug: str) -> StreamingHttpResponse:
        """All of a domain that the caller may read today, a provision a line."""
        Nothing.from_url(request)
        caller = caller_of(request)
        domain = Domain.objects.visible_to(caller).filter(slug=slug).first()
        if domain is None:
            raise NotFound(f"There is no domain named “{slug}”.")
        headers = {"Cache-Control": "no-store", "Content-Disposition": f'attachment; filename="{slug}.jsonl"'}
        return StreamingHttpResponse(
            lines(domain, caller), content_type="application/x-ndjson", headers=headers
        )


def lines(domain: Domain, caller: Caller) -> Iterator[bytes]:
    """Read in portions, each under the caller's scope: the request is over when they are sent."""
    with as_caller(caller):
        documents = list(documents_in_force(caller).filter(domain=domain).order_by("locator", "pk"))
    for document in documents:
        after = (-1, 0)
        while portion := read(document, caller, after):
            after = portion[-1][0].position, portion[-1][0].pk
            yield b"".join(orjson.dumps(row_of(*one, document)) + b"\n" for one in portion)


def read(document: Document, caller: Caller, after: tuple[int, int]) -> list[tuple[Section, list[str]]]:
    """The next sections, each with the locators that it cites."""
    with as_caller(caller):
        in_document = Section.objects.readable(caller).filter(document=document, position__gte=after[0])
        rest = in_document.exclude(position=after[0], pk__lte=after[1])
        sections = list(rest.order_by("position", "pk")[:PORTION])
        cited = cited_by(sections)
    return [(section, cited[section.pk]) for section in sections]


def cited_by(sections: Sequence[Section]) -> dict[int, list[str]]:
    cited: dict[int, list[str]] = defaultdict(list)
    edges = Citation.objects.filter(source__in=sections).order_by("source_id", "start", "pk")
    for source, locator in edges.values_list("source_id", "target_locator"):
        if locator not in cited[source]:
            cited[source].append(locator)
    return cited


def row_of(section: Section, cited: list[str], document: Document) -> dict:
    """What is empty is left out. The levels above are the path, of a level its own."""
    row = {name: getattr(section, name) for name in AS_STORED} | {
        "path": section.parent_locator if section.is_leaf else section.locator,
        "refs": cited,
        "summary_of_decision": section.is_summary,
        "valid_from": section.valid_from,
        "document": document.title,
        "language": document.language,
    }
    return {name: value for name, value in row.items() if value}
