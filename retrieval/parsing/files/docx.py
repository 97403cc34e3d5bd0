"""Reads Word files: paragraphs in order with tracked insertions, content controls, footnotes and the numbers that
Word counts itself; headings by their styles.
"""

from collections.abc import Iterator
from io import BytesIO
from zipfile import BadZipFile, ZipFile

from docx import Document
from docx.document import Document as WordDocument
from docx.opc.exceptions import PackageNotFoundError
from docx.oxml.ns import qn
from lxml import etree

from retrieval.errors import SourceRefused, gettext_noop
from retrieval.parsing.files.blocks import Block, Blocks, single_spaced
from retrieval.parsing.files.limits import MAX_CHARACTERS, MAX_UNPACKED, TOO_LONG
from retrieval.parsing.files.numbering import Numbering

LOCKED = b"\xd0\xcf\x11\xe0"  # an OLE container: an encrypted file, or one of Word before 2007
MAX_PARTS = 5_000
BROKEN = gettext_noop("The file is broken: it cannot be read as DOCX.")
FALLBACK = "{http://schemas.openxmlformats.org/markup-compatibility/2006}Fallback"  # what is said twice
PARAGRAPH, TABLE, ROW, CELL = qn("w:p"), qn("w:tbl"), qn("w:tr"), qn("w:tc")
LEFT_OUT = {qn("w:del"), qn("w:moveFrom"), qn("w:instrText"), qn("w:pPr"), qn("w:rPr"), FALLBACK}
NOTES = ("footnote", "endnote")
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
    except (PackageNotFoundError, BadZipFile, KeyError, ValueError, etree.XMLSyntaxError) as error:
        raise SourceRefused(BROKEN) from error
    if sum(len(block.text) for block in blocks) > MAX_CHARACTERS:
        raise SourceRefused(TOO_LONG, most=f"{MAX_CHARACTERS:,}")
    return Blocks(
        blocks,
        title=single_spaced(word.core_properties.title or ""),
        pages=reader.page if reader.paged else None,
    )


def check_package(content: bytes) -> None:
    if content.startswith(LOCKED):
        raise SourceRefused(
            gettext_noop(
                "The file is encrypted, or older than Word 2007: save it as DOCX, without a password."
            )
        )
    try:
        parts = ZipFile(BytesIO(content)).infolist()
    except (BadZipFile, ValueError, NotImplementedError) as error:
        raise SourceRefused(BROKEN) from error
    if len(parts) > MAX_PARTS or sum(part.file_size for part in parts) > MAX_UNPACKED:
        raise SourceRefused(
            gettext_noop("The file unpacks to more than %(bytes)s bytes or %(parts)s parts."),
            bytes=f"{MAX_UNPACKED:,}",
            parts=f"{MAX_PARTS:,}",
        )
    if "word/document.xml" not in {part.filename for part in parts}:
        raise SourceRefused(gettext_noop("The file is no Word document."))


class _Reader:
    """One reading. Pages are those of the last time that Word laid the file out, if it says where they begin."""

    def __init__(self, word: WordDocument):
        self.body = word.element.body
        self.levels = heading_levels(word)
        self.contents = {
            style.style_id for style in word.styles if (style.name or "").lower().startswith("toc")
        }
        self.numbering = Numbering(part_of(word, "numbering"), word.styles.element)
        self.notes = {name: notes_of(word, f"{name}s") for name in NOTES}
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
        text, starts = self.words(paragraph)
        if text and style not in self.contents:
            before = f"{label} " if label else ""
            starts = [(len(before) + start, page) for start, page in starts]
            pages = ((0, first), *starts) if self.paged else ()
            yield Block(before + text, tidy(pages), self.levels.get(style, 0), is_strong(paragraph))
            yield from self.notes_under(paragraph)

    def notes_under(self, paragraph: etree._Element) -> Iterator[Block]:
        """The footnotes and endnotes of a paragraph, each a line of its own after it."""
        pages = ((0, self.page),) if self.paged else ()
        for mark in paragraph.iter(*(qn(f"w:{name}Reference") for name in NOTES)):
            note = self.notes[mark.tag.rpartition("}")[2].removesuffix("Reference")].get(mark.get(qn("w:id")))
            if text := self.words(note)[0] if note is not None else "":
                self.noted += 1
                yield Block(f"[{self.noted}] {text}", pages)

    def row(self, row: etree._Element) -> Block | None:
        first = self.page
        cells = [self.words(cell)[0] for cell in row.iterchildren(CELL)]
        text = " | ".join(cell for cell in cells if cell)
        return Block(text, ((0, first),) if self.paged else ()) if text else None

    def words(self, element: etree._Element) -> tuple[str, list[tuple[int, int]]]:
        """The text under an element, and where in it pages begin."""
        parts, starts, length = [], [], 0
        for each in shown(element):
            if each.tag == qn("w:lastRenderedPageBreak"):
                self.page += 1
                starts.append((len(single_spaced("".join(parts)) + " ") if length else 0, self.page))
            word = each.text or "" if each.tag == qn("w:t") else WORDS.get(each.tag, "")
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


def tidy(pages: tuple) -> tuple:
    """One page for each offset: the last of those that begin there."""
    return tuple(sorted(dict(pages).items()))


def style_of(paragraph: etree._Element) -> str:
    found = paragraph.find(f"{qn('w:pPr')}/{qn('w:pStyle')}")
    return found.get(qn("w:val")) if found is not None else ""


def is_strong(paragraph: etree._Element) -> bool:
    """Whether all its words are set bold by hand."""
    runs = [
        run for run in paragraph.iter(qn("w:r")) if "".join(t.text or "" for t in run.iter(qn("w:t"))).strip()
    ]
    return bool(runs) and all(run.find(f"{qn('w:rPr')}/{qn('w:b')}") is not None for run in runs)


def heading_levels(word: WordDocument) -> dict[str, int]:
    """The level of each paragraph style that is a heading, by its outline level or that of the style it rests on."""
    return {style.style_id: level for style in word.styles if (level := outline_level(style.element, word))}


def outline_level(style: etree._Element, word: WordDocument) -> int:
    for _ in range(10):  # styles rest on one another in short chains; a ring must not hold us
        found = style.find(f"{qn('w:pPr')}/{qn('w:outlineLvl')}")
        if found is not None and (found.get(qn("w:val")) or "").isdigit():
            level = int(found.get(qn("w:val"))) + 1
            return level if level <= 6 else 0
        based = style.find(qn("w:basedOn"))
        base = word.styles.element.get_by_id(based.get(qn("w:val"))) if based is not None else None
        if base is None:
            return 0
        style = base
    return 0
