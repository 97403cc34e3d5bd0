"""Makes nodes of the tree: from an element, the text written for it, and the nodes below."""

from __future__ import annotations

from dataclasses import replace
from datetime import date

from lxml import etree

from retrieval.parsing.tree import Node, SourceDocument, unused_locator
from retrieval.parsing.uslm.content import plain_text, write_element
from retrieval.parsing.uslm.elements import (
    SourceError,
    children_named,
    document_language,
    is_foreign,
    language_of,
    name_of,
)
from retrieval.parsing.uslm.identifiers import level_of, locator_of, number_of, place_of
from retrieval.parsing.uslm.writer import Writer

STATUSES = ("repealed", "omitted", "transferred", "reserved")


def date_of(element: etree._Element, attribute: str, *roles: str) -> date | None:
    """The date of the nearest level that has one, from this one upwards."""
    for each in (element, *element.iterancestors()):
        text = each.get(attribute) or property_of(each, *roles)
        if text:
            return parsed_date(text)
    return None


def parsed_date(text: str) -> date:
    try:
        return date.fromisoformat(text)
    except ValueError as error:
        raise SourceError(f"“{text[:40]}” is not a date.") from error


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
    return Node(
        level=level_of(element),
        number=number_of(element),
        heading=heading.rstrip("— "),
        headings=headings,
        names={language_of(each): plain_text(each) for each in names},
        locator=locator_of(element),
        text=writer.text(),
        anchors=writer.anchors(),
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
