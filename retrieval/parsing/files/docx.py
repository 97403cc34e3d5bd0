"""Reads Word files: paragraphs in order with tracked insertions, content controls, footnotes and the numbers that
Word counts itself; headings by their styles.
"""

import zlib
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from io import BytesIO
from itertools import dropwhile, takewhile
from types import MappingProxyType
from zipfile import BadZipFile, ZipFile

from docx import Document
from docx.document import Document as WordDocument
from docx.opc.exceptions import PackageNotFoundError
from docx.oxml.ns import qn
from lxml import etree

from retrieval.errors import SourceRefused, gettext_noop
from retrieval.parsing.designators import in_roman
from retrieval.parsing.files.blocks import Block, Blocks, single_spaced, whole
from retrieval.parsing.files.limits import MAX_CHARACTERS, MAX_UNPACKED, TOO_LONG

CONTAINER = b"\xd0\xcf\x11\xe0"  # of OLE: an encrypted file, or one of Word before 2007
PACKAGE = "EncryptedPackage".encode("utf-16-le")  # what the first holds
LOCKED = 1  # flag of a part that a password locks
ENCRYPTED = gettext_noop("The file is encrypted: save it without a password.")
MAX_PARTS = 5_000
BROKEN = gettext_noop("The file is broken: it cannot be read as DOCX.")
MALFORMED = (  # AttributeError: python-docx takes it for granted that each part has the root that its name promises
    PackageNotFoundError, BadZipFile, zlib.error, EOFError, NotImplementedError,
    etree.XMLSyntaxError, KeyError, ValueError, AttributeError,
)  # fmt: skip
FALLBACK = "{http://schemas.openxmlformats.org/markup-compatibility/2006}Fallback"  # what is said twice
PARAGRAPH, TABLE, ROW, CELL = qn("w:p"), qn("w:tbl"), qn("w:tr"), qn("w:tc")
LEFT_OUT = {qn("w:del"), qn("w:moveFrom"), qn("w:instrText"), qn("w:pPr"), qn("w:rPr"), FALLBACK}
NOTES = {qn(f"w:{name}Reference"): name for name in ("footnote", "endnote")}
SAFE = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False)
WORDS = {
    qn("w:tab"): " ", qn("w:br"): " ", qn("w:cr"): " ", qn("w:noBreakHyphen"): "-", qn("w:softHyphen"): "",
}  # fmt: skip


def read(content: bytes) -> Blocks:
    """Raises SourceRefused for what is locked, broken, or unpacks to more than it may."""
    check_package(content)
    try:
        word = Document(BytesIO(content))
        reader = _Reader(word)
        blocks = tuple(reader.blocks())
        title = reader.title() or single_spaced(word.core_properties.title or "")
    except MALFORMED as error:
        raise SourceRefused(BROKEN) from error
    if sum(len(block.text) for block in blocks) > MAX_CHARACTERS:
        raise SourceRefused(TOO_LONG, most=MAX_CHARACTERS)
    return Blocks(blocks, title=title, pages=reader.page if reader.paged else None)


def check_package(content: bytes) -> None:
    if content.startswith(CONTAINER):
        old = gettext_noop("The file is older than Word 2007: save it as DOCX.")
        raise SourceRefused(ENCRYPTED if PACKAGE in content else old)
    try:
        parts = ZipFile(BytesIO(content)).infolist()
    except (BadZipFile, ValueError, NotImplementedError) as error:
        raise SourceRefused(BROKEN) from error
    if any(part.flag_bits & LOCKED for part in parts):
        raise SourceRefused(ENCRYPTED)
    if len(parts) > MAX_PARTS or sum(part.file_size for part in parts) > MAX_UNPACKED:
        raise SourceRefused(
            gettext_noop("The file unpacks to more than %(bytes)s bytes or %(parts)s parts."),
            bytes=MAX_UNPACKED,
            parts=MAX_PARTS,
        )
    if "word/document.xml" not in {part.filename for part in parts}:
        raise SourceRefused(gettext_noop("The file is no Word document."))


class _Reader:
    """One reading. Pages are those of the last time that Word laid the file out, if it says where they begin."""

    def __init__(self, word: WordDocument):
        self.body = word.element.body
        self.levels = heading_levels(word)
        names = {style.style_id: (style.name or "").lower() for style in word.styles}
        self.contents = {style for style, name in names.items() if name.startswith("toc")}
        self.titles = {style for style, name in names.items() if name == "title"}
        self.styled: list[tuple[str, str]] = []
        self.numbering = Numbering(part_of(word, "numbering"), word.styles.element)
        self.notes = {name: notes_of(word, f"{name}s") for name in NOTES.values()}
        self.noted = 0
        self.paged = next(self.body.iter(qn("w:lastRenderedPageBreak")), None) is not None
        self.page = 1

    def blocks(self) -> Iterator[Block]:
        for element in top_level(self.body):
            if element.tag == PARAGRAPH:
                yield from self.paragraph(element)
            else:
                yield from (row for row in map(self.row, rows(element)) if row)

    def paragraph(self, paragraph: etree._Element) -> Iterator[Block]:
        style, label = style_of(paragraph), self.numbering.label(paragraph)
        first = self.page
        notes = self.notes_in(paragraph)
        text, starts = self.words(paragraph, marked(paragraph, notes))
        if text and style not in self.contents:
            before = f"{label} " if label else ""
            starts = [(len(before) + start, page) for start, page in starts]
            pages = ((0, first), *starts) if self.paged else ()
            last = tuple(sorted(dict(pages).items()))  # of pages that begin at one offset the last
            self.styled.append((style, before + text))
            yield Block(before + text, last, self.levels.get(style, 0), is_strong(paragraph))
            pages = ((0, self.page),) if self.paged else ()
            yield from (Block(note, pages) for _, note in notes.values())

    def title(self) -> str:
        """The paragraphs of the style Title that stand together before all headings, once the blocks are read."""
        front = takewhile(lambda each: not self.levels.get(each[0]), self.styled)
        titled = dropwhile(lambda each: each[0] not in self.titles, front)
        return " ".join(text for _, text in takewhile(lambda each: each[0] in self.titles, titled))

    def notes_in(self, paragraph: etree._Element) -> dict[etree._Element, tuple[str, str]]:
        """By where a paragraph calls a footnote or endnote, its mark, "[1]", and the line that it is after it."""
        notes = {}
        for call in (each for each in shown(paragraph) if each.tag in NOTES):
            note = self.notes[NOTES[call.tag]].get(call.get(qn("w:id")))
            if text := self.words(note)[0] if note is not None else "":
                self.noted += 1
                notes[call] = f"[{self.noted}]", f"[{self.noted}] {text}"
        return notes

    def row(self, row: etree._Element) -> Block | None:
        first = self.page
        cells = [self.words(cell)[0] for cell in row.iterchildren(CELL)]
        text = " | ".join(cell for cell in cells if cell)
        return Block(text, ((0, first),) if self.paged else ()) if text else None

    def words(
        self, element: etree._Element, marks: Mapping[etree._Element, str] = MappingProxyType({})
    ) -> tuple[str, list[tuple[int, int]]]:
        """The text under an element, with the marks of notes, and where in it pages begin."""
        parts, starts, length = [], [], 0
        for each in shown(element):
            if each.tag == qn("w:lastRenderedPageBreak"):
                self.page += 1
                starts.append((len(single_spaced("".join(parts)) + " ") if length else 0, self.page))
            word = each.text or "" if each.tag == qn("w:t") else marks.get(each) or WORDS.get(each.tag, "")
            word = " " if each.tag == PARAGRAPH and parts else word
            parts.append(word)
            length += len(word)
        text = single_spaced("".join(parts).replace("\xad", ""))
        return text, [(min(start, max(len(text) - 1, 0)), page) for start, page in starts]


def part_of(word: WordDocument, name: str) -> etree._Element | None:
    """The root of one of Word's own parts, where the file has it."""
    part = next(
        (rel.target_part for rel in word.part.rels.values() if rel.reltype.endswith(f"/{name}")), None
    )
    return None if part is None else etree.fromstring(part.blob, parser=SAFE)


def notes_of(word: WordDocument, name: str) -> dict[str, etree._Element]:
    root = part_of(word, name)
    return {} if root is None else {note.get(qn("w:id")): note for note in root}


def top_level(body: etree._Element) -> Iterator[etree._Element]:
    """Paragraphs and tables in order, those inside content controls too."""
    for element in body.iter(PARAGRAPH, TABLE):
        if not any(above.tag in (PARAGRAPH, TABLE) for above in element.iterancestors() if above is not body):
            yield element


def rows(table: etree._Element) -> Iterator[etree._Element]:
    """Of this table; those of one inside a cell are the cell's text."""
    for row in table.iter(ROW):
        if next(row.iterancestors(TABLE)) is table:
            yield row


def shown(element: etree._Element) -> Iterator[etree._Element]:
    """Everything under an element but what was deleted and what only tells Word something."""
    hidden = 0
    for event, each in etree.iterwalk(element, events=("start", "end")):
        if each.tag in LEFT_OUT:
            hidden += 1 if event == "start" else -1
        elif event == "start" and not hidden:
            yield each


def marked(
    paragraph: etree._Element, notes: Mapping[etree._Element, tuple[str, str]]
) -> dict[etree._Element, str]:
    """The marks that a paragraph shows: none where it ends with its only one, as headings do."""
    said = [each for each in shown(paragraph) if each in notes or (each.text or "").strip()]
    return {} if list(notes) == said[-1:] else {call: mark for call, (mark, _) in notes.items()}


def style_of(paragraph: etree._Element) -> str:
    return value(paragraph, "w:pPr/w:pStyle")


def is_strong(paragraph: etree._Element) -> bool:
    """Whether all its words are set bold by hand."""
    runs = [
        run for run in paragraph.iter(qn("w:r")) if "".join(t.text or "" for t in run.iter(qn("w:t"))).strip()
    ]
    return bool(runs) and all(run.find(f"{qn('w:rPr')}/{qn('w:b')}") is not None for run in runs)


def heading_levels(word: WordDocument) -> dict[str, int]:
    """The level of each paragraph style that is a heading, by its outline level or that of the style it rests on."""
    styles = word.styles.element
    return {
        style.style_id: level for style in word.styles if (level := outline_level(styles, style.style_id))
    }


def outline_level(styles: etree._Element, style: str) -> int:
    said = (value(each, "w:pPr/w:outlineLvl") for each in rested_on(styles, style))
    level = next((int(outline) + 1 for outline in said if outline.isdigit()), 0)
    return level if level <= 6 else 0


LEVELS = 9
NAMESPACES = {"w": qn("w:p")[1:-2]}
BULLETED = "•"


@dataclass(slots=True)
class Numbering:
    """Counts along as paragraphs are read in order. `numbering`, `styles`: the roots of Word's own parts."""

    numbering: etree._Element | None
    styles: etree._Element
    counts: dict[str, list[int]] = field(default_factory=lambda: defaultdict(lambda: [0] * LEVELS))
    begun: set[tuple[str, int]] = field(default_factory=set)

    def label(self, paragraph: etree._Element) -> str:
        """What Word writes before a paragraph; "" before one that it does not number."""
        number, level = self.place(paragraph)
        found = self.found(f"w:num[@w:numId='{number}']") if number.isdigit() else None
        if found is None or number == "0" or level >= LEVELS:
            return ""
        abstract = value(found, "w:abstractNumId")
        if not abstract.isdigit():
            return ""
        said = self.level(abstract, level)
        if said is None:
            return ""
        self.count(abstract, number, level, found)
        return self.written(abstract, level, said)

    def place(self, paragraph: etree._Element) -> tuple[str, int]:
        """(list, level) of a paragraph: its own, else its style's or that of the style it rests on."""
        number, level = numbered(paragraph)
        for style in rested_on(self.styles, style_of(paragraph)):
            of_style = numbered(style)
            number, level = number or of_style[0], level or of_style[1]
        return number, int(level) if level.isdigit() else 0

    def found(self, path: str) -> etree._Element | None:
        return None if self.numbering is None else first(self.numbering, path)

    def level(self, abstract: str, level: int) -> etree._Element | None:
        return self.found(f"w:abstractNum[@w:abstractNumId='{abstract}']/w:lvl[@w:ilvl='{level}']")

    def count(self, abstract: str, number: str, level: int, found: etree._Element) -> None:
        """One more at this level; what is deeper begins again. A list may begin anew where it is told to."""
        counts = self.counts[abstract]
        again = first(found, f"w:lvlOverride[@w:ilvl='{level}']/w:startOverride")
        if again is not None and (number, level) not in self.begun:
            counts[level] = whole(again.get(qn("w:val")), 1) - 1
        elif counts[level] == 0:
            counts[level] = self.start(abstract, level) - 1
        self.begun.add((number, level))
        counts[level] += 1
        counts[level + 1 :] = [0] * (LEVELS - level - 1)

    def start(self, abstract: str, level: int) -> int:
        return whole(value(self.level(abstract, level), "w:start"), 1)

    def written(self, abstract: str, level: int, said: etree._Element) -> str:
        """The level's pattern, "%1.%2", with its numbers in their forms."""
        if value(said, "w:numFmt") == "bullet":
            return BULLETED
        text = value(said, "w:lvlText")
        for each in range(level + 1):
            outer = self.level(abstract, each)
            form = value(outer, "w:numFmt") if outer is not None else "decimal"
            number = self.counts[abstract][each] or self.start(abstract, each)
            text = text.replace(f"%{each + 1}", in_form(number, form))
        return text.strip()


def numbered(element: etree._Element) -> tuple[str, str]:
    """(list, level) as the properties of a paragraph or a style say them, "" where they do not."""
    return value(element, "w:pPr/w:numPr/w:numId"), value(element, "w:pPr/w:numPr/w:ilvl")


def rested_on(styles: etree._Element, style: str) -> Iterator[etree._Element]:
    """A style and those it rests on: short chains; a ring must not hold us."""
    for _ in range(10):
        element = first(styles, "w:style[@w:styleId=$style]", style=style) if style else None
        if element is None:
            return
        yield element
        style = value(element, "w:basedOn")


def first(element: etree._Element, path: str, **values: str) -> etree._Element | None:
    return next(iter(etree._Element.xpath(element, path, namespaces=NAMESPACES, **values)), None)


def value(element: etree._Element | None, path: str) -> str:
    found = None if element is None else element.find(path, NAMESPACES)
    return (found.get(qn("w:val")) or "") if found is not None else ""


def in_form(number: int, form: str) -> str:
    match form:
        case "lowerLetter" | "upperLetter":
            letter = chr(97 + (number - 1) % 26) * ((number - 1) // 26 + 1)
            return letter[:9].upper() if form == "upperLetter" else letter[:9]
        case "lowerRoman" | "upperRoman":
            return in_roman(number) if form == "upperRoman" else in_roman(number).lower()
        case "none":
            return ""
        case _:
            return str(number)
