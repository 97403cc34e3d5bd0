"""Parts of the corpus picked while a rule is written, as their caller may read them: values offered while staff type,
and the corpus browsed: documents by name, their sections as a tree that opens where it is asked to, pages of files,
and the chunks within. Beside the rows of a rule's form the browser is a panel; without scripts it stands alone, and
what is ticked there opens a form.

What can be ticked is named by a *tick*: "section LOCATOR", "document LOCATOR", "page LOCATOR NUMBER" or "chunk ID".
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import NamedTuple

from django import forms
from django.db import models
from django.db.models import Exists, OuterRef, Q
from django.http import Http404, HttpRequest, HttpResponse
from django.utils.translation import gettext as _

from retrieval.access.caller import Caller
from retrieval.access.middleware import caller_of
from retrieval.admin import picker
from retrieval.admin.base import PRIMARY_KEY
from retrieval.admin.picker import Offer
from retrieval.models import Chunk, Document, Domain, Section
from retrieval.models.corpus import SectionQuerySet
from retrieval.pages.reader import BRIEF, ancestors
from retrieval.search import places
from rules.engine.clauses import LOCATOR, MAX_CHUNKS, MAX_TARGETS
from rules.models import LANGUAGES

OFFERED = 30
LOCATED = ("section", "cites", "definitions", "citation", "redirect")
FOUND = 40  # documents listed; more are found by typing more of a name
SHOWN = 100  # rows of one list; the next are fetched when they are asked for
LEAVES = 40  # pages of a file listed at once, each with the beginning of its text
BEGINNING = 200  # characters
OPENED = r"\A(/\S+)?( [0-9]{1,6})?\Z"
PAGES = {"required": False, "min_value": 1, "max_value": 100_000}


# -- Values offered while staff type


def values_for(request: HttpRequest) -> HttpResponse:
    """For the row of a rule's form whose boxes were sent."""
    boxes = {name.rsplit("-", 1)[-1]: value for name, value in request.GET.items()}
    words = (boxes.get("value") or boxes.get("text") or "").strip()
    return picker.offered(request, options(boxes.get("kind", ""), words, caller_of(request)))


def options(kind: str, words: str, caller: Caller) -> list[Offer]:
    """For a kind of criterion, target or action; none for free text."""
    if kind in LOCATED:
        return picker.offers_of(places.offered(words, caller))
    documents, sections = Document.objects.visible_to(caller), Section.objects.readable(caller)
    if kind == "heading":
        found = (
            sections.filter(heading__icontains=words).order_by("heading").values_list("heading", flat=True)
        )
        return [Offer(heading, heading) for heading in found.distinct()[:OFFERED]]
    if kind in ("document", "filename"):
        field = "locator" if kind == "document" else "filename"
        found = documents.filter(Q(title__icontains=words) | Q(filename__icontains=words))
        return [Offer(*row) for row in found.exclude(**{field: ""}).values_list(field, "title")[:OFFERED]]
    if kind == "tag":
        tags = {tag for tags in documents.exclude(tags=[]).values_list("tags", flat=True) for tag in tags}
        return [Offer(tag, tag) for tag in sorted(tags) if words.lower() in tag.lower()][:OFFERED]
    if kind == "domain":
        return [Offer(domain.slug, domain.local_name) for domain in Domain.objects.visible_to(caller)]
    return [Offer(*language) for language in LANGUAGES] if kind == "language" else []


# -- The corpus as a tree


class Page(NamedTuple):
    """A page of a file."""

    number: int
    beginning: str
    is_scanned: bool


@dataclass(frozen=True, slots=True)
class Row:
    """What can be ticked; `under` is None until it is opened."""

    tick: str
    shown: Section | Page | Chunk
    under: "Rows | None" = None


@dataclass(frozen=True, slots=True)
class Rows:
    """Pages of a file in order, or what stands under a place (a locator; empty for the document): sections, then the
    chunks of its own text. `more`: the number of the next page or how many rows stand before the next, None where
    these are the last.
    """

    rows: tuple[Row, ...] = ()
    chunks: tuple[Row, ...] = ()
    more: int | None = None
    place: str = ""

    def ticks(self) -> Iterator[str]:
        """Of all that is shown."""
        for row in (*self.rows, *self.chunks):
            yield row.tick
            yield from row.under.ticks() if row.under else ()


def passages(chunks: Iterable[Chunk]) -> tuple[Row, ...]:
    return tuple(Row(f"chunk {chunk.pk}", chunk) for chunk in chunks)


# -- What there is


def documents_like(words: str, domain: str, caller: Caller) -> list[Document]:
    """Documents with something to read whose title, file name or locator holds the words; one more than are listed."""
    readable = Section.objects.readable(caller).filter(document=OuterRef("pk"))
    named = Q(title__icontains=words) | Q(filename__icontains=words) | Q(locator__icontains=words)
    found = Document.objects.visible_to(caller).filter(
        named, Exists(readable), domain__in=Domain.objects.visible_to(caller)
    )
    found = found.filter(domain__slug=domain) if domain else found
    return list(found.select_related("domain").order_by("domain__position", "title", "pk")[: FOUND + 1])


def readable_in(document: Document, caller: Caller) -> SectionQuerySet:
    return Section.objects.readable(caller).filter(document=document)


# -- Its sections


def under(place: str, readable: SectionQuerySet, *, start: int = 0, way: Sequence[Section] = ()) -> Rows:
    """The rows under a place from `start` on. Along `way`, sections from here downwards, they are opened: `start` then
    counts in the last of these.
    """
    sections = readable.filter(parent_locator=place).only(*BRIEF).in_order()
    chunks = Chunk.objects.filter(section__in=readable.filter(locator=place)).order_by("position")
    first = sections.filter(position__lt=way[0].position).count() // SHOWN * SHOWN if way else start
    number, end = sections.count(), first + SHOWN

    def branch(section: Section) -> Row:
        is_on_way = way and section.locator == way[0].locator
        opened = under(section.locator, readable, start=start, way=way[1:]) if is_on_way else None
        return Row(f"section {section.locator}", section, opened)

    return Rows(
        rows=tuple(branch(section) for section in sections[first:end]),
        chunks=passages(chunks[max(first - number, 0) : max(end - number, 0)]),
        more=end if number + chunks.count() > end else None,
        place=place,
    )


def way_to(place: str, readable: SectionQuerySet) -> list[Section]:
    """The sections above a place and its own, outermost first; none where it cannot be read."""
    section = readable.filter(locator=place).first() if place else None
    return [*ancestors(section, readable), section] if section else []


# -- Its pages


def leaves(
    document: Document, readable: SectionQuerySet, *, first: int = 1, opened: int | None = None
) -> Rows:
    """Pages from the first of their window on, the opened one with its chunks."""
    first = ((opened or first) - 1) // LEAVES * LEAVES + 1
    last = min(first + LEAVES - 1, document.pages or 0)
    begins = beginnings(range(first, last + 1), readable)

    def leaf(number: int) -> Row:
        page = Page(number, begins.get(number, ""), number in document.scanned_pages)
        inside = Rows(chunks=chunks_on(number, readable)) if number == opened else None
        return Row(f"page {document.locator} {number}", page, inside)

    more = last + 1 if last < (document.pages or 0) else None
    return Rows(tuple(map(leaf, range(first, last + 1))), more=more)


def beginnings(numbers: range, readable: SectionQuerySet) -> dict[int, str]:
    """How the text of each page begins, read from the chunks that hold its first letters."""
    found: dict[int, str] = {}
    chunks = Chunk.objects.filter(
        section__in=readable, page_start__lt=numbers.stop, page_end__gte=numbers.start
    )
    rows = chunks.order_by("section__position", "position").values_list("section__pages", "start", "text")
    for pages, start, text in rows:
        for offset, page in pages:
            if page in numbers and start <= offset < start + len(text):
                found.setdefault(page, text[offset - start :][:BEGINNING])
    return found


def chunks_on(number: int, readable: SectionQuerySet) -> tuple[Row, ...]:
    on_page = Chunk.objects.filter(section__in=readable, page_start__lte=number, page_end__gte=number)
    return passages(on_page.order_by("section__position", "position"))


# -- What was ticked


def targets_of(ticks: Iterable[str]) -> list[dict]:
    """A rule's targets: pages of a document in one, chunks in one. What is no tick is passed over."""
    targets, pages, chunks = [], defaultdict(set), []
    for tick in dict.fromkeys(ticks):
        match tick.split(" "):
            case ["section" | "document" as kind, place] if LOCATOR.fullmatch(place):
                targets.append({"kind": kind, "value": place})
            case ["page", place, number] if LOCATOR.fullmatch(place) and PRIMARY_KEY.fullmatch(number):
                pages[place].add(int(number))
            case ["chunk", number] if PRIMARY_KEY.fullmatch(number):
                chunks.append(int(number))
    targets += [
        {"kind": "document", "value": place, "pages": as_ranges(numbers)} for place, numbers in pages.items()
    ]
    targets += [{"kind": "chunk", "value": chunks[:MAX_CHUNKS]}] if chunks else []
    return targets[:MAX_TARGETS]


def as_ranges(numbers: Iterable[int]) -> str:
    """{3, 4, 5, 8} as "3-5, 8"."""
    runs = groupby(enumerate(sorted(numbers)), key=lambda pair: pair[1] - pair[0])
    ends = [[number for _place, number in run] for _key, run in runs]
    return ", ".join(f"{run[0]}-{run[-1]}" if len(run) > 1 else str(run[0]) for run in ends)


def tick_label(tick: str) -> str:
    """A tick in words, where its box is not shown."""
    match tick.split(" "):
        case ["page", place, number]:
            return _("page %(number)s of %(place)s") % {"number": number, "place": place}
        case ["chunk", number]:
            return _("passage %s") % number
        case [_kind, place]:
            return place
    return tick


# -- What the page shows


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
    if number is None:
        return None
    document = Document.objects.visible_to(caller).select_related("domain").filter(pk=number).first()
    if document is None:
        raise Http404(_("There is no such document."))
    return document


def found(asked: dict, caller: Caller) -> dict:
    documents = documents_like(asked["words"], asked["domain"], caller)
    return {
        "asked": asked,
        "domains": Domain.objects.visible_to(caller),
        "documents": documents[:FOUND],
        "has_more": len(documents) > FOUND,
    }


def inside(document: Document, asked: dict, caller: Caller) -> dict:
    """The document, opened where it was asked to be."""
    readable = readable_in(document, caller)
    place, start = place_and_start(asked["open"])
    return {
        "document": document,
        "under": under("", readable, start=start, way=way_to(place, readable)),
        "leaves": leaves(document, readable, first=asked["first"] or 1, opened=asked["page"]),
    }


def part_of(document: Document, asked: dict, caller: Caller) -> tuple[str, dict]:
    """The rows that a script puts into the page."""
    readable = readable_in(document, caller)
    if asked["open"]:
        place, start = place_and_start(asked["open"])
        template, rows = "_under", {"under": under(place, readable, start=start)}
    elif asked["page"]:
        template, rows = "_passages", {"chunks": chunks_on(asked["page"], readable)}
    else:
        template, rows = "_leaves", {"leaves": leaves(document, readable, first=asked["first"])}
    return f"admin/rules/{template}.html", {"document": document, **rows}


def ticks(ticked: list[str], context: dict) -> dict:
    """What is ticked, and what of it (with its words) is kept although its box is not shown."""
    shown = {f"document {context['document'].locator}"} if "document" in context else set()
    for name in ("under", "leaves"):
        shown |= set(context[name].ticks()) if name in context else set()
    kept = [tick for tick in dict.fromkeys(ticked) if tick not in shown]
    return {"ticked": ticked, "kept": [(tick, tick_label(tick)) for tick in kept]}


def place_and_start(opened: str) -> tuple[str, int]:
    place, _blank, start = opened.partition(" ")
    return place, int(start or 0)
