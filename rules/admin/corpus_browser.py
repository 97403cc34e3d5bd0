"""What the page shows on which staff pick a rule's targets by looking. Beside the rows of a rule's form it is a panel;
without scripts it stands alone, and what is ticked there opens a form.
"""

from django import forms
from django.db import models
from django.http import Http404, HttpRequest

from retrieval.access.caller import Caller
from retrieval.admin.base import caller_of
from retrieval.errors import NotFound
from retrieval.models import Document, Domain
from rules.authoring import browsing

OPENED = r"\A(/\S+)?( [0-9]{1,6})?\Z"
PAGES = {"required": False, "min_value": 1, "max_value": 100_000}


class LookForm(forms.Form):
    """`open`: a section's locator and from which row on, parted by a blank; `page` is opened, `first` begins a list."""

    domain = forms.CharField(required=False, max_length=50)
    words = forms.CharField(required=False, max_length=200)
    document = forms.IntegerField(required=False, min_value=1, max_value=models.BigIntegerField.MAX_BIGINT)
    open = forms.RegexField(OPENED, required=False, max_length=320, strip=False)
    page = forms.IntegerField(**PAGES)
    first = forms.IntegerField(**PAGES)


def look(request: HttpRequest) -> tuple[str, dict]:
    """The template for what is asked, and its context; for a script the part alone that it asks for.

    Raises Http404 for what this person may not read, as for what is not there.
    """
    form, caller = LookForm(request.GET), caller_of(request)
    if not form.is_valid():
        raise Http404
    asked = form.cleaned_data
    document = chosen(asked["document"], caller)
    if document and request.htmx and (asked["open"] or asked["page"] or asked["first"]):
        return part_of(document, asked, caller)
    context = found(asked, caller) | (inside(document, asked, caller) if document else {})
    context |= ticks(request.GET.getlist("target"), context)
    return "admin/rules/_browser.html" if request.htmx else "admin/rules/browser.html", context


def chosen(number: int | None, caller: Caller) -> Document | None:
    try:
        return browsing.document_of(number, caller) if number else None
    except NotFound as problem:
        raise Http404(problem.message) from problem


def found(asked: dict, caller: Caller) -> dict:
    documents = browsing.documents_like(asked["words"], asked["domain"], caller)
    return {
        "asked": asked,
        "domains": Domain.objects.visible_to(caller),
        "documents": documents[: browsing.FOUND],
        "has_more": len(documents) > browsing.FOUND,
    }


def inside(document: Document, asked: dict, caller: Caller) -> dict:
    """The document, opened where it was asked to be."""
    readable = browsing.readable_in(document, caller)
    place, start = place_and_start(asked["open"])
    way = browsing.way_to(place, readable)
    leaves = browsing.leaves(document, readable, first=asked["first"] or 1, opened=asked["page"])
    return {
        "document": document,
        "under": browsing.under("", readable, start=start, way=way),
        "leaves": leaves,
    }


def part_of(document: Document, asked: dict, caller: Caller) -> tuple[str, dict]:
    """The rows that a script puts into the page."""
    readable = browsing.readable_in(document, caller)
    if asked["open"]:
        place, start = place_and_start(asked["open"])
        under = browsing.under(place, readable, start=start)
        return "admin/rules/_under.html", {"document": document, "under": under}
    if asked["page"]:
        chunks = browsing.chunks_on(asked["page"], readable)
        return "admin/rules/_passages.html", {"document": document, "chunks": chunks}
    leaves = browsing.leaves(document, readable, first=asked["first"])
    return "admin/rules/_leaves.html", {"document": document, "leaves": leaves}


def ticks(ticked: list[str], context: dict) -> dict:
    """What is ticked, and what of it (with its words) is kept although its box is not shown."""
    shown = {f"document {context['document'].locator}"} if "document" in context else set()
    for name in ("under", "leaves"):
        shown |= set(context[name].ticks()) if name in context else set()
    kept = [tick for tick in dict.fromkeys(ticked) if tick not in shown]
    return {"ticked": ticked, "kept": [(tick, browsing.tick_label(tick)) for tick in kept]}


def place_and_start(opened: str) -> tuple[str, int]:
    place, _blank, start = opened.partition(" ")
    return place, int(start or 0)
