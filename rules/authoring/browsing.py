"""The corpus looked at while a rule is written: documents by name, their sections as a tree that opens where it is
asked to, pages of files, and the chunks within. Everything as its caller may read it.

What can be ticked is named by a *tick*: "section LOCATOR", "document LOCATOR", "page LOCATOR NUMBER" or "chunk ID".
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from django.db.models import Exists, OuterRef, Q
from django.utils.translation import gettext as _

from retrieval.access.caller import Caller
from retrieval.errors import NotFound
from retrieval.models import Chunk, Document, Domain, Section
from retrieval.models.corpus import SectionQuerySet
from retrieval.pages.reader import BRIEF, ancestors
from rules.engine.clauses import LOCATOR, MAX_CHUNKS, MAX_TARGETS

FOUND = 40  # documents listed; more are found by typing more of a name
SHOWN = 100  # rows of one list; the next are fetched when they are asked for
LEAVES = 40  # pages of a file listed at once, each with the beginning of its text
BEGINNING = 200  # characters
NUMBER = re.compile("[0-9]{1,18}")


@dataclass(frozen=True, slots=True)
class Passage:
    """A chunk that can be ticked."""

    chunk: Chunk

    @property
    def tick(self) -> str:
        return f"chunk {self.chunk.pk}"


@dataclass(frozen=True, slots=True)
class Branch:
    """A section that can be ticked; `under` is None until it is opened."""

    section: Section
    under: "Under | None" = None

    @property
    def tick(self) -> str:
        return f"section {self.section.locator}"


@dataclass(frozen=True, slots=True)
class Under:
    """What stands under a place (a locator; empty for the document): sections, then the chunks of its own text.
    `more`: how many rows stand before the next, None where these are the last.
    """

    place: str
    sections: tuple[Branch, ...]
    chunks: tuple[Passage, ...]
    more: int | None

    def ticks(self) -> Iterator[str]:
        """Of all that is shown."""
        for branch in self.sections:
            yield branch.tick
            yield from branch.under.ticks() if branch.under else ()
        yield from (passage.tick for passage in self.chunks)


@dataclass(frozen=True, slots=True)
class Leaf:
    """A page of a file that can be ticked; `chunks` is None until it is opened."""

    document: Document
    number: int
    beginning: str
    chunks: tuple[Passage, ...] | None = None

    @property
    def tick(self) -> str:
        return f"page {self.document.locator} {self.number}"

    @property
    def is_scanned(self) -> bool:
        return self.number in self.document.scanned_pages


@dataclass(frozen=True, slots=True)
class Leaves:
    """Some pages of a file in order; `more` is the first of the next, None where these are the last."""

    pages: tuple[Leaf, ...]
    more: int | None

    def ticks(self) -> Iterator[str]:
        for leaf in self.pages:
            yield leaf.tick
            yield from (passage.tick for passage in leaf.chunks or ())


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


def document_of(number: int, caller: Caller) -> Document:
    """Raises NotFound, too for one that the caller may not read."""
    found = Document.objects.visible_to(caller).select_related("domain").filter(pk=number).first()
    if found is None:
        raise NotFound(_("There is no such document."))
    return found


def readable_in(document: Document, caller: Caller) -> SectionQuerySet:
    return Section.objects.readable(caller).filter(document=document)


# -- Its sections


def under(place: str, readable: SectionQuerySet, *, start: int = 0, way: Sequence[Section] = ()) -> Under:
    """The rows under a place from `start` on. Along `way`, sections from here downwards, they are opened: `start` then
    counts in the last of these.
    """
    sections = readable.filter(parent_locator=place).only(*BRIEF).in_order()
    chunks = Chunk.objects.filter(section__in=readable.filter(locator=place)).order_by("position")
    first = sections.filter(position__lt=way[0].position).count() // SHOWN * SHOWN if way else start
    number, end = sections.count(), first + SHOWN

    def branch(section: Section) -> Branch:
        if not way or section.locator != way[0].locator:
            return Branch(section)
        return Branch(section, under(section.locator, readable, start=start, way=way[1:]))

    return Under(
        place=place,
        sections=tuple(branch(section) for section in sections[first:end]),
        chunks=tuple(Passage(chunk) for chunk in chunks[max(first - number, 0) : max(end - number, 0)]),
        more=end if number + chunks.count() > end else None,
    )


def way_to(place: str, readable: SectionQuerySet) -> list[Section]:
    """The sections above a place and its own, outermost first; none where it cannot be read."""
    section = readable.filter(locator=place).first() if place else None
    return [*ancestors(section, readable), section] if section else []


# -- Its pages


def leaves(
    document: Document, readable: SectionQuerySet, *, first: int = 1, opened: int | None = None
) -> Leaves:
    """Pages from the first of their window on, the opened one with its chunks."""
    first = ((opened or first) - 1) // LEAVES * LEAVES + 1
    last = min(first + LEAVES - 1, document.pages or 0)
    begins = beginnings(range(first, last + 1), readable)
    return Leaves(
        pages=tuple(
            Leaf(
                document,
                number,
                begins.get(number, ""),
                chunks_on(number, readable) if number == opened else None,
            )
            for number in range(first, last + 1)
        ),
        more=last + 1 if last < (document.pages or 0) else None,
    )


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


def chunks_on(number: int, readable: SectionQuerySet) -> tuple[Passage, ...]:
    on_page = Chunk.objects.filter(section__in=readable, page_start__lte=number, page_end__gte=number)
    return tuple(Passage(chunk) for chunk in on_page.order_by("section__position", "position"))


# -- What was ticked


def targets_of(ticks: Iterable[str]) -> list[dict]:
    """A rule's targets: pages of a document in one, chunks in one. What is no tick is passed over."""
    targets, pages, chunks = [], defaultdict(set), []
    for tick in dict.fromkeys(ticks):
        match tick.split(" "):
            case ["section" | "document" as kind, place] if LOCATOR.fullmatch(place):
                targets.append({"kind": kind, "value": place})
            case ["page", place, number] if LOCATOR.fullmatch(place) and NUMBER.fullmatch(number):
                pages[place].add(int(number))
            case ["chunk", number] if NUMBER.fullmatch(number):
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
