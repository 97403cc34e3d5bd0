"""The tree of provisions that every reader of files gives, whatever the format. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date

PageStart = tuple[int, int]  # offset into a node's text, page (1-based) that begins there


@dataclass(frozen=True, slots=True)
class Anchor:
    """A numbered level inside a node's text; `text[start:end]` begins with its number."""

    locator: str
    number: str
    level: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Ref:
    """A cross-reference, at `text[start:end]`; start and end are -1 in a note."""

    text: str
    locator: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Node:
    """A provision with its own text. Where a file gives two provisions one identifier (there are two sections
    1932 in title 28), the later ones' locators end in ~2, ~3; their numbers stay.

    `pages` says where in the text pages begin, in order, the first at 0; empty where a file has none.
    """

    level: str
    number: str
    heading: str
    headings: Mapping[str, str]
    names: Mapping[str, str]
    locator: str
    text: str
    anchors: tuple[Anchor, ...]
    refs: tuple[Ref, ...]
    children: tuple[Node, ...]
    valid_from: date | None
    valid_to: date | None
    notes: tuple[str, ...]
    source_url: str
    status: str
    pages: tuple[PageStart, ...] = ()

    def walk(self) -> Iterator[Node]:
        """This node and all below it, in the law's order."""
        yield self
        for child in self.children:
            yield from child.walk()


@dataclass(frozen=True, slots=True)
class SourceDocument:
    """`root` is the document's only top level (a title), or a node of level "document" holding several."""

    title: str
    language: str
    identifier: str
    source_url: str
    publication: str
    root: Node
    pages: int | None = None
    scanned_pages: tuple[int, ...] = ()


def page_at(pages: Sequence[Sequence[int]], offset: int) -> int | None:
    """The page on which the character at an offset stands; None where a text has no pages."""
    return next((page for start, page in reversed(pages) if start <= offset), None)
