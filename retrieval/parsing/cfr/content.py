"""Writes what a regulation says as text, a line for each paragraph and row, with its designators; notes stand apart."""

import re
from dataclasses import dataclass, field, replace
from pathlib import PurePosixPath

from lxml import etree

from retrieval.parsing.designators import Designator, leading
from retrieval.parsing.uslm.content import SUPERSCRIPTS

# A volume's own lists and running heads, and the title's name.
LEFT_OUT = {"CONTENTS", "EAR", "PRTPAGE", "TOC", "SECHD", "LRH", "RRH", "CFRTITLE"}
SET_ASIDE = {
    *("AUTH", "SOURCE", "CITA", "SECAUTH", "PARAUTH", "APPRO"),
    *("EDNOTE", "EFFDNOT", "EFFDNOTP", "FTNT", "CROSSREF"),
}
# Numbers in these are rarely places of the section.
QUOTING = {"EXTRACT", "NOTE", "EXAMPLE", "TABLE", "GPOTABLE"}
INLINE = {"E", "I", "B", "SU", "FR", "FTREF", "AC", "a", "sup", "sub", "br", "EXT-XREF", "PRTPAGE", "STARS"}
ITALIC = {"I", "E"}
RAISED = {"SU", "sup"}
ROWS, CELLS = {"TR", "ROW", "BOXHD"}, {"TD", "TH", "ENT", "CHED"}
OPEN, CLOSE = "\ue000", "\ue001"  # around italics, until the places they mark are known


@dataclass(slots=True)
class Content:
    """The text as it grows, the designators in it, and the notes beside it."""

    lines: list[str] = field(default_factory=list)
    length: int = 0
    numbered: list[Designator] = field(default_factory=list)
    quoted: list[Designator] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    quoting: int = 0

    def text(self) -> str:
        return "\n".join(self.lines)

    def line(self, marked: str) -> None:
        """One line, of text in which italics are marked."""
        text, italics = unmarked(marked)
        if not text:
            return
        start = self.length + (1 if self.lines else 0)
        self.lines.append(text)
        self.length = start + len(text)
        found = self.quoted if self.quoting else self.numbered
        found += [replace(one, start=one.start + start) for one in designators_of(text, italics)]

    def designators(self) -> list[Designator]:
        """Those of the section itself; of what it quotes and tabulates where it has no others, as lists of fees."""
        return self.numbered or self.quoted


def unmarked(marked: str) -> tuple[str, list[tuple[int, int]]]:
    """Text with single blanks and without the marks of italics, and where these were."""
    text, italics, begun = "", [], 0
    single = re.sub(rf"( [{OPEN}{CLOSE}]+) +", r"\1", " ".join(marked.split()))
    for piece in re.split(f"([{OPEN}{CLOSE}])", single):
        if piece == OPEN:
            begun = len(text)
        elif piece == CLOSE:
            italics.append((begun, len(text)))
        else:
            text += piece
    shift = len(text) - len(text.lstrip())
    return text.strip(), [(start - shift, end - shift) for start, end in italics if end > start]


BETWEEN = re.compile(r"[\s.:;,—–-]*")


def designators_of(text: str, italics: list[tuple[int, int]]) -> list[Designator]:
    """Those a line begins with, and those behind a heading in italics: "(b) Exceptions—(1) Coast Guard. This part"."""
    found = leading(text, 0, len(text), italics)
    while found:
        place = end_of(found[-1], text)
        heading = next((end for start, end in italics if place <= start <= place + 1), None)
        if heading is None:
            break
        more = leading(text, BETWEEN.match(text, heading).end(), len(text), italics)
        if not more:
            break
        found += [Designator(one.number, one.start, True, one.italic, one.last) for one in more]
    return found


def end_of(designator: Designator, text: str) -> int:
    closing = text.index(")", designator.start)
    if designator.last:
        closing = text.index(")", closing + 1)
    return closing + 1


def inline(element: etree._Element) -> str:
    """Running text, italics marked. A break and a picture are words of their own."""
    said = [element.text or ""]
    for child in element:
        if child.tag == "br":
            said.append(" ")
        elif child.tag in ("img", "GID"):
            said.append(f" {image(child)} ")
        elif child.tag not in LEFT_OUT:
            said.append(raised(inline(child)) if is_raised(child) else slanted(child))
        said.append(child.tail or "")
    return "".join(said)


def is_raised(element: etree._Element) -> bool:
    return element.tag in RAISED or (element.tag == "E" and element.get("T") == "51")


def raised(text: str) -> str:
    """A mark of a footnote or a power: 10² must not read 102."""
    return text.translate(SUPERSCRIPTS) if text.strip().isdecimal() else text


def slanted(element: etree._Element) -> str:
    text = inline(element)
    return f"{OPEN}{text}{CLOSE}" if element.tag in ITALIC and OPEN not in text else text


def image(element: etree._Element) -> str:
    name = PurePosixPath(element.get("src") or "").stem if element.tag == "img" else element.text
    return f"[Image: {name}]"


def plain(element: etree._Element) -> str:
    return unmarked(inline(element))[0]


def write(element: etree._Element, content: Content) -> None:
    """Everything in an element that is a block: a paragraph, a table, a note, or several of these."""
    name = element.tag
    if name in LEFT_OUT:
        return
    if name in SET_ASIDE:
        content.notes += [note for note in [note_of(element)] if note]
    elif name in ("img", "GID"):
        content.line(image(element))
    elif name in ROWS:
        cells = [each for each in element if each.tag in CELLS]
        content.quoting += 1
        content.line(" | ".join(plain(cell) for cell in cells) if "".join(element.itertext()).strip() else "")
        content.quoting -= 1
    elif all(child.tag in INLINE or child.tag in ("img", "GID") for child in element):
        content.line(inline(element))
    else:
        write_blocks(element, content)


def write_blocks(element: etree._Element, content: Content) -> None:
    content.quoting += element.tag in QUOTING
    running = element.text or ""
    for child in element:
        if child.tag in INLINE:
            running += slanted(child) + (child.tail or "")
            continue
        content.line(running)
        write(child, content)
        running = child.tail or ""
    content.line(running)
    content.quoting -= element.tag in QUOTING


def note_of(element: etree._Element) -> str:
    """A note in one paragraph, or in as many as it has."""
    inner = Content(quoting=1)
    write_blocks(element, inner)
    heads = [plain(child) for child in element if child.tag in ("HED", "HD")]
    if heads and inner.lines[:1] == heads[:1] and len(inner.lines) > 1:
        inner.lines[:2] = [" ".join(inner.lines[:2])]
    return "\n".join([inner.text(), *inner.notes]).strip()
