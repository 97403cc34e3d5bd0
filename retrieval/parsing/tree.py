"""The tree of provisions that every reader of files gives, whatever the format, also as JSON. Pure."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from datetime import date

from retrieval.errors import SourceRefused, gettext_noop

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

    `pages` says where in the text pages begin, in order, the first at 0; empty where a file has none. What is not
    `given` only stands above what is: a source of one part names its title. `citation` is given where the locator does
    not tell how it is cited.
    """

    level: str
    heading: str
    locator: str
    number: str = ""
    headings: Mapping[str, str] = field(default_factory=dict)
    names: Mapping[str, str] = field(default_factory=dict)
    text: str = ""
    anchors: tuple[Anchor, ...] = ()
    refs: tuple[Ref, ...] = ()
    children: tuple[Node, ...] = ()
    valid_from: date | None = None
    valid_to: date | None = None
    notes: tuple[str, ...] = ()
    source_url: str = ""
    status: str = ""
    pages: tuple[PageStart, ...] = ()
    given: bool = True
    citation: str = ""

    def walk(self) -> Iterator[Node]:
        """This node and all below it, in the law's order."""
        yield self
        for child in self.children:
            yield from child.walk()


@dataclass(frozen=True, slots=True)
class SourceDocument:
    """`root` is the document's only top level (a title), or a node of level "document" holding several.

    `scope` names the places below which a source is whole, so that what it does not have is gone; None: everywhere.
    `shares` names, in place of many provisions, what it has of a place that other sources have too. `edition` is the
    day on which what changed took effect, where the source tells; `court` and `year` are a decision's.
    """

    title: str
    language: str
    identifier: str
    root: Node
    source_url: str = ""
    publication: str = ""
    pages: int | None = None
    scanned_pages: tuple[int, ...] = ()
    scope: tuple[str, ...] | None = None
    shares: tuple[str, ...] = ()
    edition: date | None = None
    court: str = ""
    year: int | None = None

    def to_json(self) -> str:
        """On its way from the process that read a file to whoever asked."""
        return json.dumps(asdict(self), ensure_ascii=False)

    @classmethod
    def of_file(cls, said: dict) -> SourceDocument:
        """From that JSON: files have no references, dates or notes of their own."""
        pages, shares = (tuple(said.pop(name)) for name in ("scanned_pages", "shares"))
        return cls(root=_node_of_file(said.pop("root")), scanned_pages=pages, shares=shares, **said)


SHAPE = hashlib.sha256(  # of that JSON: other in a release whose fields have other names
    repr([field.name for kept in (SourceDocument, Node, Anchor) for field in fields(kept)]).encode()
).hexdigest()


def _node_of_file(said: dict) -> Node:
    pages = tuple((start, page) for start, page in said.pop("pages"))
    children = tuple(_node_of_file(child) for child in said.pop("children"))
    anchors = tuple(Anchor(**anchor) for anchor in said.pop("anchors"))
    return Node(**(said | {"anchors": anchors, "refs": (), "notes": (), "pages": pages, "children": children}))


def iso_day(said: object) -> date | None:
    """None where nothing is said. Raises SourceRefused for what is no day."""
    try:
        return date.fromisoformat(said) if said else None
    except (TypeError, ValueError) as error:
        raise SourceRefused(gettext_noop("“%(words)s” is not a date."), words=str(said)[:40]) from error


def page_at(pages: Sequence[Sequence[int]], offset: int) -> int | None:
    """The page on which the character at an offset stands; None where a text has no pages."""
    return next((page for start, page in reversed(pages) if start <= offset), None)


def unused_locator(locator: str, used: set[str]) -> str:
    """Where two sections share a locator, the later ones end in ~2, ~3. The one given is added to `used`."""
    unused, count = locator, 1
    while unused in used:
        count += 1
        unused = f"{locator}~{count}"
    used.add(unused)
    return unused
