"""Writes an element's content as text, a line for each numbered level, and marks places and references in it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace

from lxml import etree

from retrieval.parsing.tree import Anchor, Ref, unused_locator
from retrieval.parsing.uslm.elements import (
    CELLS,
    INLINE,
    LEFT_OUT,
    LEVELS,
    ROWS,
    SET_ASIDE,
    children_named,
    hyphenated,
    is_foreign,
    name_of,
)

OPENING = frozenset("([{“‘—–-/$")  # nothing is missing after these where a file was re-indented
CLOSING = frozenset(")]}”’.,;:?!—–-/%")  # nor before these
BREAK, SPACE, SOFT = "\n", " ", "\t"  # SOFT: indentation, a space unless punctuation says otherwise
NUMBERED, HEADED, JOINED, LETTERED = "numbered", "headed", "joined", "lettered"  # what was written last


@dataclass(frozen=True, slots=True)
class Place:
    """What names a numbered level of the law."""

    level: str
    number: str
    locator: str


@dataclass(slots=True)
class Mark:
    """A stretch of text still being written; `start` is known once its first word is."""

    start: int = -1
    end: int = -1
    place: Place | None = None
    parent: Mark | None = None


@dataclass(slots=True)
class Writer:
    """Text as it grows, with blanks made single, lines where the law has them, and the places marked in it.

    Files are re-indented by tools, so a line end in running text is a blank only between words. `place_of` gives the
    place of a level's element, if it has one; without it no places are kept.
    """

    place_of: Callable[[etree._Element], Place | None] | None = None
    flat: int = 0
    quoting: int = 0
    notes: list[Writer] = field(default_factory=list)
    _parts: list[str] = field(default_factory=list)
    _length: int = 0
    _gap: str = ""
    _after: str = ""
    _waiting: list[Mark] = field(default_factory=list)
    _open: list[Mark] = field(default_factory=list)
    _levels: list[Mark] = field(default_factory=list)
    _references: list[tuple[Mark, str]] = field(default_factory=list)

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

    def begin_mark(self) -> Mark:
        mark = Mark()
        self._waiting.append(mark)
        return mark

    def end_reference(self, mark: Mark, href: str) -> None:
        mark.end = self._length
        self._references.append((mark, href))

    def begin_level(self, place: Place | None, *, own_line: bool) -> Mark:
        if own_line:
            self.begin_line()
        mark = self.begin_mark()
        if place is not None:
            mark.place, mark.parent = place, self._open[-1] if self._open else None
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

    def end_level(self, mark: Mark) -> None:
        mark.end = self._length
        self._waiting = [each for each in self._waiting if each is not mark]
        if self._open and self._open[-1] is mark:
            self._open.pop()
        self.end_line()
        self._after = ""

    def anchors(self) -> tuple[Anchor, ...]:
        """In the text's order, outer before inner. A locator already taken in this text is told apart."""
        final: dict[int, str] = {}
        seen: set[str] = set()
        for mark in self._levels:
            above, locator = mark.parent, mark.place.locator
            if above is not None and locator.startswith(above.place.locator + "/"):
                locator = final[id(above)] + locator.removeprefix(above.place.locator)
            final[id(mark)] = unused_locator(locator, seen)
        return tuple(
            Anchor(final[id(mark)], mark.place.number, mark.place.level, mark.start, mark.end)
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


SUPERSCRIPTS = str.maketrans("0123456789-−", "⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁻")


def plain_text(element: etree._Element) -> str:
    writer = Writer(flat=True)
    write_content(element, writer)
    return writer.text()


def write_content(element: etree._Element, writer: Writer) -> None:
    """Everything in an element, its own text first."""
    writer.write(element.text)
    for child in element:
        write_element(child, writer)
        writer.write(child.tail)


def write_element(element: etree._Element, writer: Writer) -> None:
    name = name_of(element)
    if name not in LEFT_OUT:
        WRITERS.get(name, write_block)(element, writer)


def write_note(element: etree._Element, writer: Writer) -> None:
    """A note of its own, or each of several."""
    inner = [each for each in element if name_of(each) in SET_ASIDE]
    if name_of(element) == "notes" and inner:
        for each in inner:
            write_note(each, writer)
        return
    note = Writer(quoting=1)
    write_content(element, note)
    writer.notes.extend(each for each in (note, *note.notes) if each.text())


def write_block(element: etree._Element, writer: Writer) -> None:
    writer.begin_line()
    write_content(element, writer)
    writer.end_line()


def write_level(element: etree._Element, writer: Writer) -> None:
    """A numbered level on its own line, "(a) Heading.— text"; without words it shares its first child's."""
    place = writer.place_of(element) if writer.place_of and not writer.quoting else None
    mark = writer.begin_level(place, own_line=not children_named(element, "num"))
    for child in element:
        name = name_of(child)
        if name == "num":
            writer.number(plain_text(child))
        elif name == "heading":
            write_heading(child, writer)
        else:
            write_element(child, writer)
            writer.write(child.tail)
    writer.end_level(mark)


def write_heading(element: etree._Element, writer: Writer) -> None:
    if is_foreign(element):
        return
    write_content(element, writer)
    writer.end_heading()


def write_quoted(element: etree._Element, writer: Writer) -> None:
    """Words of another law: text, but no places in this one."""
    writer.quoting += 1
    write_block(element, writer)
    writer.quoting -= 1


def write_row(element: etree._Element, writer: Writer) -> None:
    cells = [each for each in element if name_of(each) in CELLS]
    if not "".join(element.itertext()).strip():
        return
    writer.begin_line()
    writer.flat += 1
    for place, cell in enumerate(cells or [element]):
        if place:
            writer.put("|", before=SPACE, after=SPACE)
        write_content(cell, writer)
    writer.flat -= 1
    writer.end_line()


def write_reference(element: etree._Element, writer: Writer) -> None:
    if href := hyphenated(element.get("href") or ""):
        mark = writer.begin_mark()
        write_content(element, writer)
        writer.end_reference(mark, href)
    elif element.get("idref"):
        write_superscript(element, writer)
    else:
        write_content(element, writer)


def write_italic(element: etree._Element, writer: Writer) -> None:
    """The letters l and o of section numbers are set in italics, lest 78o be read as 780."""
    letter = "".join(element.itertext()).strip()
    if len(letter) == 1 and writer.ends_in_digit():
        writer.put_letter(letter)
    else:
        write_content(element, writer)


def write_superscript(element: etree._Element, writer: Writer) -> None:
    """Footnote marks and powers stay what they are: "1432" with the mark 1 must not read 1432 1 or 14321."""
    text = "".join(element.itertext()).strip()
    raised = text.translate(SUPERSCRIPTS)
    writer.put(raised if text.strip("0123456789-−") == "" else text, before="")


WRITERS = {
    **dict.fromkeys(SET_ASIDE, write_note),
    **dict.fromkeys(LEVELS, write_level),
    **dict.fromkeys(ROWS, write_row),
    **dict.fromkeys(INLINE, write_content),
    "quotedContent": write_quoted,
    "ref": write_reference,
    "sup": write_superscript,
    "i": write_italic,
    "br": lambda _, writer: writer.end_line(),
}  # any other element is a block
