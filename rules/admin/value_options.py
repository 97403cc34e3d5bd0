"""Values offered while staff type a locator, a heading, a document, a file or a tag: options of a `<datalist>`."""

from collections.abc import Iterable

from django.db.models import Q, QuerySet
from django.http import HttpRequest, HttpResponse
from django.utils.html import format_html_join

from retrieval.admin.base import caller_of
from retrieval.models import Document, Domain, Section
from rules.models.aliases import LANGUAGES

OFFERED = 30
LOCATED = ("section", "cites", "definitions", "citation")
Option = tuple[str, str]  # a value, and what it is


def datalist(options: Iterable[Option]) -> HttpResponse:
    return HttpResponse(format_html_join("", '<option value="{}">{}</option>', options))


def provisions(words: str, among: QuerySet[Section]) -> list[Option]:
    """Those whose locator, citation or name holds the words."""
    named = Q(locator__icontains=words) | Q(citation__icontains=words)
    named |= Q(heading__icontains=words) | Q(plain_name__icontains=words)
    found = among.filter(named).in_order()[:OFFERED]
    return [(section.locator, f"{section.citation} {section.heading}".strip()) for section in found]


def values_for(request: HttpRequest) -> HttpResponse:
    """For the row of a rule's form whose boxes were sent."""
    boxes = {name.rsplit("-", 1)[-1]: value for name, value in request.GET.items()}
    return datalist(options(boxes.get("kind", ""), boxes.get("value", "").strip(), request))


def options(kind: str, words: str, request: HttpRequest) -> list[Option]:
    """For a kind of criterion or target; none for free text."""
    caller = caller_of(request)
    documents, sections = Document.objects.visible_to(caller), Section.objects.readable(caller)
    if kind in LOCATED:
        return provisions(words, sections)
    if kind == "heading":
        headings = (
            sections.filter(heading__icontains=words).order_by("heading").values_list("heading", "heading")
        )
        return list(headings.distinct()[:OFFERED])
    if kind == "document":
        return list(documents.filter(title__icontains=words).values_list("locator", "title")[:OFFERED])
    if kind == "filename":
        named = documents.exclude(filename="").filter(filename__icontains=words)
        return list(named.values_list("filename", "title")[:OFFERED])
    if kind == "tag":
        tags = {tag for tags in documents.exclude(tags=[]).values_list("tags", flat=True) for tag in tags}
        return [(tag, tag) for tag in sorted(tags) if words.lower() in tag.lower()][:OFFERED]
    if kind == "domain":
        return list(Domain.objects.visible_to(caller).values_list("slug", "name"))
    return LANGUAGES if kind == "language" else []
