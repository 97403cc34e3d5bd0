"""Reads USLM, the XML in which the House publishes law, into a tree of provisions. Pure but for the file.

Files come with and without a namespace, with and without identifiers. What is operative is decided by element
names alone. Numbers and identifiers stay as the law writes them; only their dashes become hyphens (2000e-5),
so that a provision has one locator whoever typed it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from datetime import date
from enum import StrEnum
from io import SEEK_END, BytesIO
from pathlib import Path
from typing import BinaryIO

from lxml import etree

from retrieval.errors import SourceRefused
from retrieval.tree import Anchor, Node, Ref, SourceDocument

MAX_BYTES = 200 * 2**20  # the largest title of the Code has about 110 MB
MAX_DEPTH = 100  # real files stay under 30; keeps recursion far from Python's limit
MAX_LOCATOR = 300  # what a locator column holds

ROOTS = {"uscDoc", "lawDoc", "document", "doc", "constitution", "statuteDoc", "cfrDoc"}
LEAVES = {"section", "courtRule", "reorganizationPlan", "presidentialDoc"}
BELOW_SECTION = {
    *(
        "subsection",
        "paragraph",
        "subparagraph",
        "clause",
        "subclause",
        "item",
        "subitem",
        "subsubitem",
        "level",
    ),
}
LEVELS = {
    *("title", "subtitle", "chapter", "subchapter", "part", "subpart", "division", "subdivision"),
    *("article", "subarticle", "amendment", "preamble", "appendix", "compiledAct"),
    *("courtRules", "reorganizationPlans", "presidentialDocs"),
    *LEAVES,
    *BELOW_SECTION,
}
SET_ASIDE = {"note", "notes", "sourceCredit", "footnote"}
LEFT_OUT = {"toc", "meta", "property", "colgroup"}
NOT_WRAPPERS = {
    *("chapeau", "content", "continuation", "text", "p", "quotedContent", "table", "layout"),
    *SET_ASIDE,
    *LEFT_OUT,
}
INLINE = {
    *("ref", "date", "i", "b", "u", "em", "strong", "small", "inline", "span", "term", "def", "sub", "sup"),
    *("shortTitle", "entity", "quotedText", "person", "role", "location", "organization"),
    *("amendingAction", "ins", "del", "a", "num"),
}
ROWS = {"tr", "row", "header", "tocItem"}
CELLS = {"td", "th", "column"}

# How a locator goes on below a parent, where the file gives none: /us/usc/t8/ch12/schII, /us/usc/t8/s1101/a.
CODE_STEPS = {
    "title": "t",
    "subtitle": "st",
    "chapter": "ch",
    "subchapter": "sch",
    "part": "pt",
    "subpart": "spt",
    "division": "d",
    "article": "art",
    "section": "s",
}
CODES = ("/us/usc", "/us/cfr")
CODE_TITLE = re.compile(r"/us/(usc|cfr)/t[^/]+")

LANG = "{http://www.w3.org/XML/1998/namespace}lang"
STATUSES = ("repealed", "omitted", "transferred", "reserved")
DASHES = str.maketrans("–‑‐−", "----")
SUPERSCRIPTS = str.maketrans("0123456789-−", "⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁻")
OPENING = frozenset("([{“‘—–-/$")  # nothing is missing after these where a file was re-indented
CLOSING = frozenset(")]}”’.,;:?!—–-/%")  # nor before these
BREAK, SPACE, SOFT = "\n", " ", "\t"  # SOFT: indentation, a space unless punctuation says otherwise
NUMBERED, HEADED, JOINED, LETTERED = "numbered", "headed", "joined", "lettered"  # what was written last


class SourceError(SourceRefused):
    """Not a USLM file that can be read; the message is safe to show."""


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
        document = _document(root, self._root_node(root))
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
            name = _name(element)
            if event == "start":
                depth += 1
                _check(element, name, depth)
                shielded += name in LEAVES or name in SET_ASIDE or name == "quotedContent"
                continue
            depth -= 1
            shielded -= name in LEAVES or name in SET_ASIDE or name == "quotedContent"
            if not shielded and name in LEAVES and self.leaf is LeafPolicy.SECTION:
                self.done[element] = _leaf(element)
                element.clear(keep_tail=True)
        return events.root

    def _root_node(self, root: etree._Element) -> Node:
        own = _Writer()
        tops = self._children(root, own)
        if not tops:
            raise SourceError("The file holds no sections.")
        single = len(tops) == 1 and not own.text()
        return _unique(tops[0] if single else _top(root, own, tops), set())

    def _children(self, element: etree._Element, own: _Writer) -> tuple[Node, ...]:
        """The nodes below, through elements that merely wrap them; other text goes to `own`."""
        nodes: list[Node] = []
        for child in element:
            name = _name(child)
            if name in LEVELS:
                nodes.append(self._level(child))
            elif name not in NOT_WRAPPERS and _holds_levels(child):
                nodes.extend(self._children(child, own))
            elif name not in ("num", "heading"):
                _element(child, own)
        return tuple(nodes)

    def _level(self, element: etree._Element) -> Node:
        if element in self.done:
            return self.done[element]
        if self.leaf is LeafPolicy.SECTION and _name(element) in BELOW_SECTION and not _holds_leaves(element):
            return _leaf(element)
        own = _Writer()
        return _node(element, own, self._children(element, own))

    def _is_result(self, node: Node) -> bool:
        return self.leaf is LeafPolicy.LOWEST or node.level in LEAVES or node.level in BELOW_SECTION


def _check(element: etree._Element, name: str, depth: int) -> None:
    if depth > MAX_DEPTH:
        raise SourceError(f"The file nests elements more than {MAX_DEPTH} deep.")
    if depth > 1:
        return
    dtd = element.getroottree().docinfo.internalDTD
    if dtd is not None and any(dtd.iterentities()):
        raise SourceError("The file declares XML entities, which are not read.")
    if name not in ROOTS:
        raise SourceError(f"This is not a USLM document: it begins with <{name[:40]}>.")


# elements


def _name(element: etree._Element) -> str:
    """The tag without its namespace."""
    if element.tag is etree.Entity:
        raise SourceError(f"The file refers to an entity it does not define: {str(element.text)[:40]}")
    return element.tag.rpartition("}")[2]


def _holds_levels(element: etree._Element) -> bool:
    return any(_name(below) in LEVELS for below in element.iterdescendants())


def _holds_leaves(element: etree._Element) -> bool:
    return any(_name(below) in LEAVES for below in element.iterdescendants())


def _named(element: etree._Element, name: str) -> list[etree._Element]:
    return [child for child in element if _name(child) == name]


def _plain(element: etree._Element) -> str:
    writer = _Writer(flat=True)
    _flow(element, writer)
    return writer.text()


def _language(element: etree._Element) -> str:
    """The language an element is written in; English where the file does not say."""
    marked = next((each for each in (element, *element.iterancestors()) if each.get(LANG)), None)
    return "en" if marked is None else marked.get(LANG).partition("-")[0].lower()


def _document_language(element: etree._Element) -> str:
    return _language(element.getroottree().getroot())


# numbers, locators, dates


def _number(element: etree._Element) -> str:
    """`num@value`, or what the number's text says without its marks: "§ 1101." is 1101, "[(e)" is e."""
    num = next(iter(_named(element, "num")), None)
    if num is None:
        return ""
    return _hyphenated(num.get("value") or _bare_number(_plain(num)))


def _hyphenated(text: str) -> str:
    return text.strip().translate(DASHES)


def _bare_number(text: str) -> str:
    word = re.sub(r"^[\[\s]*(?:[^\W\d_]{3,}\s+)*(?:§+\s*)?\(?", "", text)
    return word.rstrip("]:.—– ").removesuffix(")")


def _level_name(element: etree._Element) -> str:
    return element.get("name") or _name(element)


def _locator(element: etree._Element) -> str:
    """The identifier, or one built from the parent's."""
    locator = _hyphenated(element.get("identifier") or "").rstrip("/")
    if not locator:
        locator = _built_locator(element)
    if len(locator) > MAX_LOCATOR:
        raise SourceError(f"An identifier is longer than {MAX_LOCATOR} characters.")
    return locator


def _built_locator(element: etree._Element) -> str:
    parent = next((each for each in element.iterancestors() if _is_place(each)), None)
    if parent is None:
        raise SourceError("The document has no identifier.")
    above, step = _locator(parent), _step(element, _locator(parent))
    if step.startswith("/s") and _name(element) == "section" and (title := CODE_TITLE.match(above)):
        above = title.group()  # a section of a code is found by its number alone, whatever its chapter
    return above + step


def _is_place(element: etree._Element) -> bool:
    return bool(element.get("identifier")) or _name(element) in LEVELS or element.getparent() is None


def _step(element: etree._Element, parent: str) -> str:
    level, number = _level_name(element), _number(element).replace("/", "-")
    if not number:
        return f"/{level}"
    if not parent.startswith(CODES):
        return f"/{level}/{number}"
    if level == "section":
        return f"/s{number}"
    return f"/{CODE_STEPS.get(level, '')}{number}"


def _dated(element: etree._Element, attribute: str, *roles: str) -> date | None:
    """The date of the nearest level that has one, from this one upwards."""
    for each in (element, *element.iterancestors()):
        text = each.get(attribute) or _property(each, *roles)
        if text:
            return _date(text)
    return None


def _date(text: str) -> date:
    try:
        return date.fromisoformat(text)
    except ValueError as error:
        raise SourceError(f"“{text[:40]}” is not a date.") from error


def _property(element: etree._Element, *roles: str) -> str:
    found = (each for each in _named(element, "property") if each.get("role") in roles)
    return next((_plain(each) for each in found), "")


# nodes


def _document(root: etree._Element, top: Node) -> SourceDocument:
    return SourceDocument(
        title=_meta(root, "title") or top.heading,
        language=_document_language(root),
        identifier=_locator(root) if root.get("identifier") else top.locator,
        source_url=_meta(root, "source"),
        publication=_meta(root, "docPublicationName") or _meta(root, "docReleasePoint"),
        root=top,
    )


def _meta(root: etree._Element, name: str) -> str:
    """What the file's meta says, in the file's language."""
    said = (each for meta in _named(root, "meta") for each in _named(meta, name) if not _is_foreign(each))
    return next((_plain(each) for each in said), "")


def _top(root: etree._Element, own: _Writer, children: tuple[Node, ...]) -> Node:
    titles = [each for meta in _named(root, "meta") for each in _named(meta, "title")]
    heading, headings = _by_language(titles)
    return replace(_node(root, own, children), level="document", heading=heading, headings=headings)


def _leaf(element: etree._Element) -> Node:
    """A node whose text is everything in it, a line for each numbered level."""
    writer = _Writer()
    for child in element:
        if _name(child) not in ("num", "heading"):
            _element(child, writer)
    return _node(element, writer, ())


def _node(element: etree._Element, writer: _Writer, children: tuple[Node, ...]) -> Node:
    heading, headings = _by_language(_named(element, "heading"))
    names = [each for each in _named(element, "property") if each.get("role") == "plainName"]
    return Node(
        level=_level_name(element),
        number=_number(element),
        heading=heading.rstrip("— "),
        headings=headings,
        names={_language(each): _plain(each) for each in names},
        locator=_locator(element),
        text=writer.text(),
        anchors=writer.anchors(),
        refs=writer.refs(),
        children=children,
        valid_from=_dated(element, "startPeriod", "ratified", "validFrom"),
        valid_to=_dated(element, "endPeriod", "repealed", "validTo"),
        notes=tuple(note.text() for note in writer.notes),
        source_url=_property(element, "sourceUrl"),
        status=_status(element, heading),
    )


def _by_language(elements: list[etree._Element]) -> tuple[str, dict[str, str]]:
    """The text in the file's language, and those in others."""
    own = next((_plain(each) for each in elements if not _is_foreign(each)), "")
    return own, {_language(each): _plain(each) for each in elements if _is_foreign(each)}


def _is_foreign(element: etree._Element) -> bool:
    return bool(element.get(LANG)) and _language(element) != _document_language(element)


def _status(element: etree._Element, heading: str) -> str:
    """By @status or a `repealed` property; else by brackets: "[§ 1. Repealed…", "CIVIL RIGHTS [REPEALED]"."""
    if element.get("status") in STATUSES:
        return element.get("status")
    if _property(element, "repealed"):
        return "repealed"
    num = next((_plain(each) for each in _named(element, "num")), "")
    bracketed = heading if num.startswith("[") else heading.partition("[")[2]
    first = bracketed.strip("[ ").partition(" ")[0].rstrip(".,;]").lower()
    return first if first in STATUSES else ""


def _unique(node: Node, seen: set[str]) -> Node:
    """The same tree with every locator its own."""
    locator = _unused(node.locator, seen)
    moved = tuple(replace(each, locator=locator + each.locator[len(node.locator) :]) for each in node.anchors)
    anchors = node.anchors if locator == node.locator else moved
    children = tuple(_unique(child, seen) for child in node.children)
    return replace(node, locator=locator, anchors=anchors, children=children)


def _unused(locator: str, seen: set[str]) -> str:
    unused, count = locator, 1
    while unused in seen:
        count += 1
        unused = f"{locator}~{count}"
    seen.add(unused)
    return unused


# text


def _flow(element: etree._Element, writer: _Writer) -> None:
    """Everything in an element, its own text first."""
    writer.write(element.text)
    for child in element:
        _element(child, writer)
        writer.write(child.tail)


def _element(element: etree._Element, writer: _Writer) -> None:
    name = _name(element)
    if name in LEFT_OUT:
        return
    if name in SET_ASIDE:
        writer.set_aside(element)
    elif name in LEVELS:
        _level(element, writer)
    elif name in ROWS:
        _row(element, writer)
    elif name == "quotedContent":
        _quoted(element, writer)
    elif name == "ref":
        _reference(element, writer)
    elif name == "sup":
        _superscript(element, writer)
    elif name == "i":
        _italic(element, writer)
    elif name == "br":
        writer.end_line()
    elif name in INLINE:
        _flow(element, writer)
    else:
        _block(element, writer)


def _block(element: etree._Element, writer: _Writer) -> None:
    writer.begin_line()
    _flow(element, writer)
    writer.end_line()


def _level(element: etree._Element, writer: _Writer) -> None:
    """A numbered level on its own line, "(a) Heading.— text"; without words it shares its first child's."""
    mark = writer.begin_level(element)
    for child in element:
        name = _name(child)
        if name == "num":
            writer.number(_plain(child))
        elif name == "heading":
            _heading(child, writer)
        else:
            _element(child, writer)
            writer.write(child.tail)
    writer.end_level(mark)


def _heading(element: etree._Element, writer: _Writer) -> None:
    if _is_foreign(element):
        return
    _flow(element, writer)
    writer.end_heading()


def _quoted(element: etree._Element, writer: _Writer) -> None:
    """Words of another law: text, but no places in this one."""
    writer.quoting += 1
    _block(element, writer)
    writer.quoting -= 1


def _row(element: etree._Element, writer: _Writer) -> None:
    cells = [each for each in element if _name(each) in CELLS]
    if not "".join(element.itertext()).strip():
        return
    writer.begin_line()
    writer.flat += 1
    for place, cell in enumerate(cells or [element]):
        if place:
            writer.put("|", before=SPACE, after=SPACE)
        _flow(cell, writer)
    writer.flat -= 1
    writer.end_line()


def _reference(element: etree._Element, writer: _Writer) -> None:
    href = _hyphenated(element.get("href") or "")
    if not href:
        return _superscript(element, writer) if element.get("idref") else _flow(element, writer)
    mark = writer.begin_mark()
    _flow(element, writer)
    writer.end_reference(mark, href)
    return None


def _italic(element: etree._Element, writer: _Writer) -> None:
    """The letters l and o of section numbers are set in italics, lest 78o be read as 780."""
    letter = "".join(element.itertext()).strip()
    if len(letter) == 1 and writer.ends_in_digit():
        writer.put_letter(letter)
    else:
        _flow(element, writer)


def _superscript(element: etree._Element, writer: _Writer) -> None:
    """Footnote marks and powers stay what they are: "1432" with the mark 1 must not read 1432 1 or 14321."""
    text = "".join(element.itertext()).strip()
    raised = text.translate(SUPERSCRIPTS)
    writer.put(raised if text.strip("0123456789-−") == "" else text, before="")


@dataclass(slots=True)
class _Mark:
    """A place in text still being written; `start` is known once its first word is."""

    start: int = -1
    end: int = -1
    level: str = ""
    number: str = ""
    locator: str = ""
    parent: _Mark | None = None


@dataclass(slots=True)
class _Writer:
    """Text as it grows, with blanks made single, lines where the law has them, and the places marked in it.

    Files are re-indented by tools, so a line end in running text is a blank only between words.
    """

    flat: int = 0
    quoting: int = 0
    notes: list[_Writer] = field(default_factory=list)
    _parts: list[str] = field(default_factory=list)
    _length: int = 0
    _gap: str = ""
    _after: str = ""
    _waiting: list[_Mark] = field(default_factory=list)
    _open: list[_Mark] = field(default_factory=list)
    _levels: list[_Mark] = field(default_factory=list)
    _references: list[tuple[_Mark, str]] = field(default_factory=list)

    def text(self) -> str:
        return "".join(self._parts)

    def write(self, raw: str | None) -> None:
        """Running text as it stands in the file."""
        if not raw:
            return
        words = raw.split()
        self._blank(raw[: len(raw) - len(raw.lstrip())])
        if words:
            self.put(" ".join(words), before=self._gap)
            self._blank(raw[len(raw.rstrip()) :])

    def put(self, words: str, *, before: str, after: str = "") -> None:
        if not words:
            return
        between = self._between(before, words[0])
        for mark in self._waiting:
            mark.start = self._length + len(between)
        self._waiting.clear()
        self._append(between + words)
        self._gap, self._after = after, ""

    def ends_in_digit(self) -> bool:
        return bool(self._parts) and self._gap in ("", SOFT) and self._parts[-1][-1].isdigit()

    def put_letter(self, letter: str) -> None:
        """The last letter of a number; what is in parentheses after it belongs to it too."""
        self.put(letter, before="")
        self._after = LETTERED

    def begin_line(self) -> None:
        if self._after in (HEADED, JOINED):
            self._join_heading()
        elif self.flat:
            self._gap = self._gap or SOFT
        else:
            self._gap = SOFT if self._after == NUMBERED else BREAK

    def end_line(self) -> None:
        self._gap = SOFT if self.flat else BREAK

    def begin_mark(self) -> _Mark:
        mark = _Mark()
        self._waiting.append(mark)
        return mark

    def end_reference(self, mark: _Mark, href: str) -> None:
        mark.end = self._length
        self._references.append((mark, href))

    def begin_level(self, element: etree._Element) -> _Mark:
        if not _named(element, "num"):
            self.begin_line()
        mark = self.begin_mark()
        if not self.quoting and (_number(element) or element.get("identifier")):
            mark.level, mark.number, mark.locator = _level_name(element), _number(element), _locator(element)
            mark.parent = self._open[-1] if self._open else None
            self._levels.append(mark)
            self._open.append(mark)
        return mark

    def number(self, text: str) -> None:
        chained = self._after == NUMBERED
        self.put(text, before="" if chained else SOFT if self.flat else BREAK, after=SOFT)
        self._after = NUMBERED

    def end_heading(self) -> None:
        self._trim("— ")
        self._gap, self._after = BREAK, HEADED

    def end_level(self, mark: _Mark) -> None:
        mark.end = self._length
        self._waiting = [each for each in self._waiting if each is not mark]
        if self._open and self._open[-1] is mark:
            self._open.pop()
        self.end_line()
        self._after = ""

    def set_aside(self, element: etree._Element) -> None:
        """A note of its own, or each of several."""
        inner = [each for each in element if _name(each) in SET_ASIDE]
        if _name(element) == "notes" and inner:
            for each in inner:
                self.set_aside(each)
            return
        note = _Writer(quoting=1)
        _flow(element, note)
        self.notes.extend(each for each in (note, *note.notes) if each.text())

    def anchors(self) -> tuple[Anchor, ...]:
        """In the text's order, outer before inner. A locator already taken in this text is told apart."""
        final: dict[int, str] = {}
        seen: set[str] = set()
        for mark in self._levels:
            above = mark.parent
            below_renamed = above is not None and mark.locator.startswith(above.locator + "/")
            locator = final[id(above)] + mark.locator[len(above.locator) :] if below_renamed else mark.locator
            final[id(mark)] = _unused(locator, seen)
        return tuple(
            Anchor(final[id(mark)], mark.number, mark.level, mark.start, mark.end)
            for mark in self._levels
            if mark.start >= 0
        )

    def refs(self) -> tuple[Ref, ...]:
        """Those in the text, then those in notes."""
        text = self.text()
        found = ((mark.start, mark.end, href) for mark, href in self._references if mark.start >= 0)
        inside = (Ref(text[start:end], href, start, end) for start, end, href in found)
        noted = (replace(ref, start=-1, end=-1) for note in self.notes for ref in note.refs())
        return (*inside, *noted)

    def _blank(self, run: str) -> None:
        if run and self._gap not in (BREAK, SPACE):
            self._gap = SOFT if "\n" in run else SPACE

    def _between(self, gap: str, first: str) -> str:
        """What stands between the last word and the next."""
        if not self._parts:
            return ""
        if gap == BREAK:
            return "" if first in ".,;:)" else BREAK
        if gap == SOFT and first == "(" and self._after == LETTERED:
            return ""
        if gap == SOFT and (first in CLOSING or self._parts[-1][-1] in OPENING):
            return ""
        return SPACE if gap else ""

    def _append(self, words: str) -> None:
        self._parts.append(words)
        self._length += len(words)

    def _join_heading(self) -> None:
        """The text after a heading goes on in its line."""
        if self._after == JOINED:
            self._gap = SPACE
            return
        self._trim(".")
        self._append("—" if self._parts and self._parts[-1][-1] in "?!" else ".—")
        self._gap, self._after = SPACE, JOINED

    def _trim(self, characters: str) -> None:
        while self._parts:
            kept = self._parts[-1].rstrip(characters)
            self._length -= len(self._parts[-1]) - len(kept)
            self._parts[-1] = kept
            if kept:
                return
            self._parts.pop()
