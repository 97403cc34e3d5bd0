"""Reads USLM, the XML in which the House publishes law, into a tree of provisions.

Files come with and without a namespace, with and without identifiers. What is operative is decided by element
names alone. Numbers and identifiers stay as the law writes them; only their dashes become hyphens (2000e-5),
so that a provision has one locator however it was typed.
"""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import date
from enum import StrEnum
from io import SEEK_END, BytesIO
from pathlib import Path
from typing import BinaryIO

from lxml import etree

from retrieval.errors import SourceRefused, gettext_noop
from retrieval.parsing.run_in import with_run_in
from retrieval.parsing.tree import Node, SourceDocument, iso_day, unused_locator
from retrieval.parsing.uslm.content import Place, Writer, plain_text, write_element
from retrieval.parsing.uslm.elements import (
    BELOW_SECTION,
    LEAVES,
    LEVELS,
    NOT_WRAPPERS,
    ROOTS,
    SAFELY,
    SET_ASIDE,
    check_entities,
    children_named,
    document_language,
    holds,
    hyphenated,
    is_foreign,
    language_of,
    name_of,
)

MAX_BYTES = 200 * 2**20  # the largest title of the Code has about 110 MB
MAX_DEPTH = 100  # real files stay under 30; keeps recursion far from Python's limit


class LeafPolicy(StrEnum):
    """The lowest level that is a node of its own; what is deeper are anchors in its text."""

    LOWEST = "lowest"
    SECTION = "section"


def read(source: Path | str | bytes, *, leaf: LeafPolicy, max_bytes: int = MAX_BYTES) -> SourceDocument:
    """The document in a file or in bytes. SourceRefused where it is no USLM file, or not a safe one.

    Sections are turned into nodes as they end and their elements dropped, so memory grows with the text.
    """
    with _opened(source) as file:
        _check_size(file, max_bytes)
        return _Reader(LeafPolicy(leaf)).read(file)


def _opened(source: Path | str | bytes) -> BinaryIO:
    if isinstance(source, bytes):
        return BytesIO(source)
    try:
        return Path(source).open("rb")
    except OSError as error:
        raise SourceRefused(gettext_noop("The file cannot be read: %(why)s."), why=error.strerror) from error


def _check_size(file: BinaryIO, max_bytes: int) -> None:
    size = file.seek(0, SEEK_END)
    file.seek(0)
    if not size:
        raise SourceRefused(gettext_noop("The file is empty."))
    if size > max_bytes:
        raise SourceRefused(gettext_noop("The file is larger than %(most)s bytes."), most=max_bytes)


class _Reader:
    """One reading of one file."""

    def __init__(self, leaf: LeafPolicy):
        self.leaf = leaf
        self.done: dict[etree._Element, Node] = {}

    def read(self, file: BinaryIO) -> SourceDocument:
        try:
            root = self._parse(file)
        except etree.XMLSyntaxError as error:
            why = " ".join(error.msg.split())  # some have a line break inside
            raise SourceRefused(gettext_noop("The file is not well-formed XML: %(why)s."), why=why) from error
        document = document_of(root, self._root_node(root))
        if not any(node.text or node.status for node in document.root.walk() if self._is_result(node)):
            raise SourceRefused(gettext_noop("The file holds no sections."))
        return document

    def _parse(self, file: BinaryIO) -> etree._Element:
        """The document's element, with every finished section already in `self.done` and emptied."""
        events = etree.iterparse(file, ("start", "end"), huge_tree=False, collect_ids=False, **SAFELY)
        depth = shielded = 0
        for event, element in events:
            name = name_of(element)
            if event == "start":
                depth += 1
                check_start(element, name, depth)
                shielded += name in LEAVES or name in SET_ASIDE or name == "quotedContent"
                continue
            depth -= 1
            shielded -= name in LEAVES or name in SET_ASIDE or name == "quotedContent"
            if not shielded and name in LEAVES and self.leaf is LeafPolicy.SECTION:
                self.done[element] = leaf_of(element)
                element.clear(keep_tail=True)
        return events.root

    def _root_node(self, root: etree._Element) -> Node:
        own = Writer(place_of)
        tops = self._children(root, own)
        if not tops:
            raise SourceRefused(gettext_noop("The file holds no sections."))
        single = len(tops) == 1 and not own.text()
        return with_unique_locators(tops[0] if single else top_of(root, own, tops), set())

    def _children(self, element: etree._Element, own: Writer) -> tuple[Node, ...]:
        """The nodes below, through elements that merely wrap them; other text goes to `own`."""
        nodes: list[Node] = []
        for child in element:
            name = name_of(child)
            if name in LEVELS:
                nodes.append(self._level(child))
            elif name not in NOT_WRAPPERS and holds(child, LEVELS):
                nodes.extend(self._children(child, own))
            elif name not in ("num", "heading"):
                write_element(child, own)
        return tuple(nodes)

    def _level(self, element: etree._Element) -> Node:
        if element in self.done:
            return self.done[element]
        is_below = name_of(element) in BELOW_SECTION and not holds(element, LEAVES)
        if is_below and self.leaf is LeafPolicy.SECTION:
            return leaf_of(element)
        own = Writer(place_of)
        return node_of(element, own, self._children(element, own))

    def _is_result(self, node: Node) -> bool:
        return self.leaf is LeafPolicy.LOWEST or node.level in LEAVES or node.level in BELOW_SECTION


def check_start(element: etree._Element, name: str, depth: int) -> None:
    if depth > MAX_DEPTH:
        raise SourceRefused(gettext_noop("The file nests elements more than %(most)s deep."), most=MAX_DEPTH)
    if depth > 1:
        return
    check_entities(element)
    if name not in ROOTS:
        raise SourceRefused(
            gettext_noop("This is not a USLM document: it begins with <%(name)s>."), name=name[:40]
        )


STATUSES = ("repealed", "omitted", "transferred", "renumbered", "reserved")


def date_of(element: etree._Element, attribute: str, *roles: str) -> date | None:
    """The date of the nearest level that has one, from this one upwards."""
    for each in (element, *element.iterancestors()):
        text = each.get(attribute) or property_of(each, *roles)
        if text:
            return iso_day(text)
    return None


def property_of(element: etree._Element, *roles: str) -> str:
    found = (each for each in children_named(element, "property") if each.get("role") in roles)
    return next((plain_text(each) for each in found), "")


def document_of(root: etree._Element, top: Node) -> SourceDocument:
    return SourceDocument(
        title=meta_of(root, "title") or top.heading,
        language=document_language(root),
        identifier=locator_of(root) if root.get("identifier") else top.locator,
        source_url=meta_of(root, "source"),
        publication=meta_of(root, "docPublicationName") or meta_of(root, "docReleasePoint"),
        root=top,
    )


def meta_of(root: etree._Element, name: str) -> str:
    """What the file's meta says, in the file's language."""
    said = (
        each
        for meta in children_named(root, "meta")
        for each in children_named(meta, name)
        if not is_foreign(each)
    )
    return next((plain_text(each) for each in said), "")


def top_of(root: etree._Element, own: Writer, children: tuple[Node, ...]) -> Node:
    titles = [each for meta in children_named(root, "meta") for each in children_named(meta, "title")]
    heading, headings = by_language(titles)
    return replace(node_of(root, own, children), level="document", heading=heading, headings=headings)


def leaf_of(element: etree._Element) -> Node:
    """A node whose text is everything in it, a line for each numbered level."""
    writer = Writer(place_of)
    for child in element:
        if name_of(child) not in ("num", "heading"):
            write_element(child, writer)
    return node_of(element, writer, ())


def node_of(element: etree._Element, writer: Writer, children: tuple[Node, ...]) -> Node:
    heading, headings = by_language(children_named(element, "heading"))
    names = [each for each in children_named(element, "property") if each.get("role") == "plainName"]
    locator, text, anchors = locator_of(element), writer.text(), writer.anchors()
    return Node(
        level=level_of(element),
        number=number_of(element),
        heading=heading.rstrip("— "),
        headings=headings,
        names={language_of(each): plain_text(each) for each in names},
        locator=locator,
        text=text,
        anchors=with_run_in(text, locator, anchors) if locator.startswith(CODES) else anchors,
        refs=writer.refs(),
        children=children,
        valid_from=date_of(element, "startPeriod", "ratified", "validFrom"),
        valid_to=date_of(element, "endPeriod", "repealed", "validTo"),
        notes=tuple(note.text() for note in writer.notes),
        source_url=property_of(element, "sourceUrl"),
        status=status_of(element, heading),
    )


def by_language(elements: list[etree._Element]) -> tuple[str, dict[str, str]]:
    """The text in the file's language, and those in others."""
    own = next((plain_text(each) for each in elements if not is_foreign(each)), "")
    return own, {language_of(each): plain_text(each) for each in elements if is_foreign(each)}


def status_of(element: etree._Element, heading: str) -> str:
    """By @status or a `repealed` property; else by brackets: "[§ 1. Repealed…", "CIVIL RIGHTS [REPEALED]"."""
    if element.get("status") in STATUSES:
        return element.get("status")
    if property_of(element, "repealed"):
        return "repealed"
    num = next((plain_text(each) for each in children_named(element, "num")), "")
    bracketed = heading if num.startswith("[") else heading.partition("[")[2]
    first = bracketed.strip("[ ").partition(" ")[0].rstrip(".,;]").lower()
    return first if first in STATUSES else ""


def with_unique_locators(node: Node, seen: set[str]) -> Node:
    """The same tree with every locator its own."""
    locator = unused_locator(node.locator, seen)
    moved = tuple(replace(each, locator=locator + each.locator[len(node.locator) :]) for each in node.anchors)
    anchors = node.anchors if locator == node.locator else moved
    children = tuple(with_unique_locators(child, seen) for child in node.children)
    return replace(node, locator=locator, anchors=anchors, children=children)


MAX_LOCATOR = 300  # what a locator column holds
# How a locator goes on below a parent, where the file gives none: /us/usc/t8/ch12/schII, /us/usc/t8/s1101/a.
CODE_STEPS = {
    "title": "t", "subtitle": "st", "chapter": "ch", "subchapter": "sch", "part": "pt", "subpart": "spt",
    "division": "d", "article": "art", "section": "s", "courtRule": "rule",
}  # fmt: skip
CODES = ("/us/usc", "/us/cfr")
CODE_TITLE = re.compile(r"/us/(usc|cfr)/t[^/]+")
NUMBERED_THROUGH = {"courtRules", "compiledAct", "reorganizationPlan"}  # in an appendix, whatever divides them


def number_of(element: etree._Element) -> str:
    """`num@value`, or what the number's text says without its marks: "§ 1101." is 1101, "[(e)" is e."""
    num = next(iter(children_named(element, "num")), None)
    if num is None:
        return ""
    return hyphenated(num.get("value") or bare_number(plain_text(num)))


def bare_number(text: str) -> str:
    word = re.sub(r"^[\[\s]*(?:[^\W\d_]{3,}\s+)*(?:§+\s*)?\(?", "", text)
    return word.rstrip("]:.—– ").removesuffix(")")


def level_of(element: etree._Element) -> str:
    return element.get("name") or name_of(element)


def locator_of(element: etree._Element) -> str:
    """The identifier, or one built from the parent's; the bankruptcy rules have some that name no title."""
    locator = hyphenated(element.get("identifier") or "").rstrip("/")
    if not locator or (locator.startswith("/us/usc/") and not CODE_TITLE.match(locator)):
        locator = built_locator(element)
    if len(locator) > MAX_LOCATOR:
        raise SourceRefused(
            gettext_noop("An identifier is longer than %(most)s characters."), most=MAX_LOCATOR
        )
    return locator


def built_locator(element: etree._Element) -> str:
    parent = next((each for each in element.iterancestors() if is_place(each)), None)
    if parent is None:
        raise SourceRefused(gettext_noop("The document has no identifier."))
    above, step = locator_of(parent), step_of(element, locator_of(parent))
    if name_of(element) in ("section", "courtRule") and (title := CODE_TITLE.match(above)):
        whole = next((each for each in element.iterancestors() if name_of(each) in NUMBERED_THROUGH), None)
        above = title.group() if whole is None else locator_of(whole)  # found by its number alone, whatever its chapter
    return above + step


def is_place(element: etree._Element) -> bool:
    return bool(element.get("identifier")) or name_of(element) in LEVELS or element.getparent() is None


def place_of(element: etree._Element) -> Place | None:
    """The place that a level's element is; None where nothing names it."""
    number = number_of(element)
    named = number or element.get("identifier")
    return Place(level_of(element), number, locator_of(element)) if named else None


def step_of(element: etree._Element, parent: str) -> str:
    level, number = level_of(element), number_of(element).replace("/", "-")
    if not number:
        return f"/{level}"
    if not parent.startswith(CODES):
        return f"/{level}/{number}"
    if level == "section":
        return f"/s{number}"
    return f"/{CODE_STEPS.get(level, '')}{number}"
