"""Reads USLM, the XML in which the House publishes law, into a tree of provisions.

Files come with and without a namespace, with and without identifiers. What is operative is decided by element
names alone. Numbers and identifiers stay as the law writes them; only their dashes become hyphens (2000e-5),
so that a provision has one locator however it was typed.
"""

from __future__ import annotations

from enum import StrEnum
from io import SEEK_END, BytesIO
from pathlib import Path
from typing import BinaryIO

from lxml import etree

from retrieval.parsing.tree import Node, SourceDocument
from retrieval.parsing.uslm.content import write_element
from retrieval.parsing.uslm.elements import SourceError, holds_leaves, holds_levels, name_of
from retrieval.parsing.uslm.identifiers import place_of
from retrieval.parsing.uslm.names import BELOW_SECTION, LEAVES, LEVELS, NOT_WRAPPERS, ROOTS, SET_ASIDE
from retrieval.parsing.uslm.nodes import document_of, leaf_of, node_of, top_of, with_unique_locators
from retrieval.parsing.uslm.writer import Writer

MAX_BYTES = 200 * 2**20  # the largest title of the Code has about 110 MB
MAX_DEPTH = 100  # real files stay under 30; keeps recursion far from Python's limit


class LeafPolicy(StrEnum):
    """The lowest level that is a node of its own; what is deeper are anchors in its text."""

    LOWEST = "lowest"
    SECTION = "section"


def read(source: Path | str | bytes, *, leaf: LeafPolicy, max_bytes: int = MAX_BYTES) -> SourceDocument:
    """The document in a file or in bytes. SourceError where it is no USLM file, or not a safe one.

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
        raise SourceError(f"The file cannot be read: {error.strerror}.") from error


def _check_size(file: BinaryIO, max_bytes: int) -> None:
    size = file.seek(0, SEEK_END)
    file.seek(0)
    if not size:
        raise SourceError("The file is empty.")
    if size > max_bytes:
        raise SourceError(f"The file is larger than {max_bytes:,} bytes.")


class _Reader:
    """One reading of one file."""

    def __init__(self, leaf: LeafPolicy):
        self.leaf = leaf
        self.done: dict[etree._Element, Node] = {}

    def read(self, file: BinaryIO) -> SourceDocument:
        try:
            root = self._parse(file)
        except etree.XMLSyntaxError as error:
            raise SourceError(f"The file is not well-formed XML: {error.msg}.") from error
        document = document_of(root, self._root_node(root))
        if not any(node.text or node.status for node in document.root.walk() if self._is_result(node)):
            raise SourceError("The file holds no sections.")
        return document

    def _parse(self, file: BinaryIO) -> etree._Element:
        """The document's element, with every finished section already in `self.done` and emptied."""
        events = etree.iterparse(
            file,
            events=("start", "end"),
            resolve_entities=False,
            load_dtd=False,
            no_network=True,
            huge_tree=False,
            remove_comments=True,
            remove_pis=True,
            collect_ids=False,
        )
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
            raise SourceError("The file holds no sections.")
        single = len(tops) == 1 and not own.text()
        return with_unique_locators(tops[0] if single else top_of(root, own, tops), set())

    def _children(self, element: etree._Element, own: Writer) -> tuple[Node, ...]:
        """The nodes below, through elements that merely wrap them; other text goes to `own`."""
        nodes: list[Node] = []
        for child in element:
            name = name_of(child)
            if name in LEVELS:
                nodes.append(self._level(child))
            elif name not in NOT_WRAPPERS and holds_levels(child):
                nodes.extend(self._children(child, own))
            elif name not in ("num", "heading"):
                write_element(child, own)
        return tuple(nodes)

    def _level(self, element: etree._Element) -> Node:
        if element in self.done:
            return self.done[element]
        if (
            self.leaf is LeafPolicy.SECTION
            and name_of(element) in BELOW_SECTION
            and not holds_leaves(element)
        ):
            return leaf_of(element)
        own = Writer(place_of)
        return node_of(element, own, self._children(element, own))

    def _is_result(self, node: Node) -> bool:
        return self.leaf is LeafPolicy.LOWEST or node.level in LEAVES or node.level in BELOW_SECTION


def check_start(element: etree._Element, name: str, depth: int) -> None:
    if depth > MAX_DEPTH:
        raise SourceError(f"The file nests elements more than {MAX_DEPTH} deep.")
    if depth > 1:
        return
    dtd = element.getroottree().docinfo.internalDTD
    if dtd is not None and any(dtd.iterentities()):
        raise SourceError("The file declares XML entities, which are not read.")
    if name not in ROOTS:
        raise SourceError(f"This is not a USLM document: it begins with <{name[:40]}>.")
