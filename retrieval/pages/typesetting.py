"""A provision's text laid out for reading: paragraphs of runs, each plain, linked or marked. Pure."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from retrieval.parsing.tree import PageStart

PARAGRAPH = re.compile(r"[^\n]*\S[^\n]*")
DEEPEST = 6  # levels of indentation; a phone has room for no more


@dataclass(frozen=True, slots=True)
class Link:
    """A citation in the text, by character offsets, and where it leads."""

    start: int
    end: int
    url: str


@dataclass(frozen=True, slots=True)
class Place:
    """A numbered place in the text that can be linked to by its name."""

    start: int
    end: int
    name: str


@dataclass(frozen=True, slots=True)
class Run:
    """A piece of text set in one way. `names` are the places that begin with it, `page` the page of the file."""

    text: str
    url: str = ""
    in_passage: bool = False
    opens_passage: bool = False
    is_hit: bool = False
    names: tuple[str, ...] = ()
    page: int | None = None


@dataclass(frozen=True, slots=True)
class Paragraph:
    """A line of the law and how deep it stands in its numbering."""

    runs: tuple[Run, ...]
    depth: int = 0


Offsets = tuple[int, int]


def paragraphs(
    text: str,
    *,
    links: Sequence[Link] = (),
    places: Sequence[Place] = (),
    passage: Offsets | None = None,
    hits: Sequence[Offsets] = (),
    pages: Sequence[PageStart] = (),
) -> list[Paragraph]:
    """The text in order, every letter of it but line breaks; overlapping links keep the first."""
    names = _names_by_start(text, places)
    opening = _first_letter(text, *passage) if passage else None
    marks = [passage, *hits] if passage else [*hits]
    edges = {edge for span in (*links, *places) for edge in (span.start, span.end)}
    edges |= {edge for mark in marks for edge in mark}
    turned = {_first_letter(text, start, len(text)): page for start, page in pages}
    edges |= turned.keys() | names.keys() | ({opening} if passage else set())

    def runs(start: int, end: int) -> Iterator[Run]:
        for a, b in pairwise(sorted({start, end} | {edge for edge in edges if start < edge < end})):
            yield Run(
                text[a:b],
                url=next((link.url for link in links if link.start <= a and b <= link.end), ""),
                in_passage=bool(passage) and passage[0] <= a and b <= passage[1],
                opens_passage=a == opening,
                is_hit=any(s <= a and b <= e for s, e in hits),
                names=names.get(a, ()),
                page=turned.get(a),
            )

    return [
        Paragraph(tuple(runs(line.start(), line.end())), _depth(places, line.start()))
        for line in PARAGRAPH.finditer(text)
    ]


def _names_by_start(text: str, places: Sequence[Place]) -> dict[int, tuple[str, ...]]:
    """A place that begins with blanks or a line break is named where its words begin."""
    names: dict[int, tuple[str, ...]] = {}
    for place in places:
        start = _first_letter(text, place.start, place.end)
        names[start] = (*names.get(start, ()), place.name)
    return names


def _first_letter(text: str, start: int, end: int) -> int:
    words = text[start:end]
    return start + len(words) - len(words.lstrip())


def _depth(places: Sequence[Place], offset: int) -> int:
    around = sum(place.start <= offset < place.end for place in places)
    return min(max(around - 1, 0), DEEPEST)


def linked(note: str, urls: dict[str, str]) -> list[Run]:
    """A note whose citations, known by their words alone, lead to their provisions; each where it stands first."""
    found = [(note.find(words), words) for words in urls if words in note]
    links = [Link(start, start + len(words), urls[words]) for start, words in sorted(found)]
    return [run for paragraph in paragraphs(note, links=links) for run in paragraph.runs]


def marked(text: str, marks: Sequence[Offsets]) -> Iterator[tuple[str, bool]]:
    """(piece, is marked) of a snippet, in order; marks that overlap or lie outside are cut to fit."""
    at = 0
    for start, end in sorted(marks):
        start, end = max(start, at), min(end, len(text))
        if start < end:
            yield text[at:start], False
            yield text[start:end], True
            at = end
    yield text[at:], False
