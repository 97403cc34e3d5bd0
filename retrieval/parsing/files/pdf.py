"""Reads the lines of a PDF, page by page, with PDFium."""

import ctypes
import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass, field
from statistics import median

import pypdfium2
from pypdfium2 import raw

from retrieval.errors import SourceRefused, gettext_noop
from retrieval.parsing.files.blocks import Blocks, Line, Page, single_spaced
from retrieval.parsing.files.limits import MAX_CHARACTERS, MAX_PAGES, TOO_LONG, TOO_MANY_PAGES
from retrieval.parsing.files.pages import blocks_of
from retrieval.parsing.uslm.content import SUPERSCRIPTS
from retrieval.text.normalization import RAISED_DIGITS

Box = tuple[float, float, float, float]  # left, top, right, bottom
Letter = tuple[int, str, Box | None]  # its place in the page's content; blanks have no box

BLANK = (-1, " ", None)
SMALLER = 0.9  # times the height of the letters beside it: a mark of a note, or a power
RAISED = 0.15  # of their height, that its foot stands above theirs
BEHIND = 0.1  # of their height: it stands right behind them; what comes farther behind, after a blank
WIDE = 0.3  # of the letters' height: a gap this wide divides words
HEAVY = 600  # font weights from semibold on
# What PDFium calls a letter: it ends lines itself, stands 2 for the hyphen that ends one, and a soft hyphen in a
# PDF is a drawn one.
LETTERS = {2: "-", 10: "\n", 13: "\n", 0xAD: "-", 0xFFFE: "-"}
# One that is set raised, whole or but for what stands under its stroke, and a digit right before it.
FRACTION = re.compile(rf"(\d?)([{RAISED_DIGITS}]+[/⁄](?=[\d{RAISED_DIGITS}])[{RAISED_DIGITS}]*)")
FEW = 20  # letters; a page with an image and fewer in its body may be a scan, with perhaps a stamped number
COVERED = 0.5  # of a page by images, for one with words at its edges to be a scan and not a figure
MARGIN = 0.1  # of a page's height: what stands closer to its edge is a running head or foot, stamps of courts too
# What programs write where there is no title, a number behind it or not: "Microsoft Word - lease.doc", "doc1".
JUNK_TITLE = re.compile(r"(?:microsoft (?:word|powerpoint)\b.*|(?:untitled|document|doc|printing)[\s\d.()-]*)", re.I)


def read(content: bytes) -> Blocks:
    """Raises SourceRefused for a file that is broken, locked by a password or too long."""
    document = opened(content)
    if len(document) > MAX_PAGES:
        raise SourceRefused(TOO_MANY_PAGES, pages=len(document), most=MAX_PAGES)
    pages, characters = [], 0
    for number in range(1, len(document) + 1):
        pages.append(read_page(document, number))
        characters += sum(len(line.text) for line in pages[-1].lines)
        if characters > MAX_CHARACTERS:
            raise SourceRefused(TOO_LONG, most=MAX_CHARACTERS)
    return Blocks(
        blocks=tuple(blocks_of(pages)),
        title=title_of(document),
        pages=len(pages),
        scanned_pages=tuple(page.number for page in pages if page.scanned),
    )


def opened(content: bytes) -> pypdfium2.PdfDocument:
    try:
        document = pypdfium2.PdfDocument(content)
        if not len(document):
            raise SourceRefused(gettext_noop("The file has no pages."))
    except pypdfium2.PdfiumError as error:
        if error.err_code in (raw.FPDF_ERR_PASSWORD, raw.FPDF_ERR_SECURITY):
            raise SourceRefused(gettext_noop("The file is encrypted: save it without a password.")) from error
        raise SourceRefused(gettext_noop("The file is broken: it cannot be read as PDF.")) from error
    return document


def title_of(document: pypdfium2.PdfDocument) -> str:
    """Its own, but for what a program wrote there, or nobody can read."""
    try:
        title = single_spaced(document.get_metadata_value("Title"))
    except UnicodeDecodeError:
        return ""
    return "" if JUNK_TITLE.fullmatch(title) else title


def read_page(document: pypdfium2.PdfDocument, number: int) -> Page:
    try:
        page = document[number - 1]
        textpage = page.get_textpage()
    except pypdfium2.PdfiumError as error:
        raise SourceRefused(
            gettext_noop("The file is broken: its page %(number)s cannot be read."), number=number
        ) from error
    height = page.get_height()
    lines = tuple(_Letters(textpage.raw, height, number).lines())
    body = [line for line in lines if MARGIN * height < line.bottom and line.top < (1 - MARGIN) * height]
    few = sum(len(line.text) for line in body) < FEW
    scanned = few and is_scan(page, least=COVERED if lines else 0.0)
    textpage.close()
    page.close()
    return Page(number, height, lines, scanned)


def is_scan(page: pypdfium2.PdfPage, *, least: float) -> bool:
    """Whether it has images that cover this share of it; what draws an image counts whole."""
    places = set()
    for image in page.get_objects(filter=[raw.FPDF_PAGEOBJ_IMAGE], max_depth=3):
        while image.container:
            image = image.container
        places.add(image.get_bounds())
    covered = sum((right - left) * (top - bottom) for left, bottom, right, top in places)
    return bool(places) and covered >= least * page.get_width() * page.get_height()


@dataclass(slots=True)
class _Letters:
    """The letters of one page in the order of its content."""

    textpage: raw.FPDF_TEXTPAGE
    height: float
    page: int
    box: raw.FS_RECTF = field(default_factory=raw.FS_RECTF)

    def lines(self) -> Iterator[Line]:
        """PDFium ends a line too where a mark is raised, and where the words behind it stand lower again."""
        line: list[Letter] = []
        for piece in self.pieces():
            if line and (gap := gap_on_line(line, piece)) is not None:
                line += [BLANK, *piece] if gap > BEHIND else piece
                continue
            yield from self.line(line)
            line = piece
        yield from self.line(line)

    def pieces(self) -> Iterator[list[Letter]]:
        """PDFium breaks lines itself: it adds a line end, or marks the hyphen that stands for one."""
        piece: list[Letter] = []
        for index in range(raw.FPDFText_CountChars(self.textpage)):
            letter = LETTERS.get(code := raw.FPDFText_GetUnicode(self.textpage, index)) or chr(
                code & 0x1FFFFF
            )
            if letter != "\n":
                piece.append((index, letter, None if letter.isspace() else self.bounds(index)))
            if letter == "\n" or (code < 32 and raw.FPDFText_IsHyphen(self.textpage, index) == 1):
                yield from [piece] if boxes(piece) else []
                piece = []
        yield from [piece] if boxes(piece) else []

    def line(self, letters: list[Letter]) -> Iterator[Line]:
        raised = self.raised(letters)
        text = FRACTION.sub(upright_fraction, single_spaced("".join(spaced(letters, raised))))
        if not text:
            return
        visible = [index for index, _, box in letters if box]
        upright = boxes([each for each in letters if each[0] not in raised]) or boxes(letters)
        yield Line(
            text=text,
            page=self.page,
            left=min(box[0] for box in boxes(letters)),
            top=min(box[1] for box in upright),
            right=max(box[2] for box in boxes(letters)),
            bottom=max(box[3] for box in upright),
            size=max(round(height_of(upright[0]), 1), 1.0),
            strong=all(self.is_heavy(index) for index in visible[:: max(1, len(visible) // 8)]),
        )

    def raised(self, letters: list[Letter]) -> set[int]:
        """Digits that are smaller than their line and stand above its foot: marks of notes, and powers."""
        usual = median(map(height_of, boxes(letters))) if letters else 0.0
        small = {n for n, letter, box in letters if box and letter.isdigit() and height_of(box) < SMALLER * usual}
        foot = median(self.foot(index) for index, _, box in letters if box) if small else 0.0
        return {index for index in small if self.foot(index) - foot > RAISED * usual}

    def foot(self, index: int) -> float:
        """How high the line on which a letter stands is above the page's bottom, whatever its font."""
        x, y = ctypes.c_double(), ctypes.c_double()
        raw.FPDFText_GetCharOrigin(self.textpage, index, ctypes.byref(x), ctypes.byref(y))
        return y.value

    def bounds(self, index: int) -> Box:
        """Left, top, right, bottom from the page's top left; as high as its font, whatever the letter."""
        raw.FPDFText_GetLooseCharBox(self.textpage, index, ctypes.byref(self.box))
        box = self.box
        return box.left, self.height - box.top, box.right, self.height - box.bottom

    def is_heavy(self, index: int) -> bool:
        if raw.FPDFText_GetFontWeight(self.textpage, index) >= HEAVY:
            return True
        name, flags = ctypes.create_string_buffer(128), ctypes.c_int()
        raw.FPDFText_GetFontInfo(self.textpage, index, name, 128, ctypes.byref(flags))
        return b"bold" in name.value.lower() or b"black" in name.value.lower()


def boxes(letters: list[Letter]) -> list[Box]:
    return [box for _, _, box in letters if box]


def height_of(box: Box) -> float:
    return box[3] - box[1]


def gap_on_line(line: list[Letter], piece: list[Letter]) -> float | None:
    """How far behind a line a piece goes on with it, in heights of letters; None where it is on another, or neither is
    smaller, as marks are.
    """
    before, after = boxes(line)[-1], boxes(piece)[0]
    small, large = sorted(map(height_of, (before, after)))
    if not 0 < small < SMALLER * large or min(before[3], after[3]) - max(before[1], after[1]) < small / 2:
        return None
    gap = (after[0] - before[2]) / large
    return gap if -BEHIND < gap < 1 else None


def upright_fraction(found: re.Match[str]) -> str:
    """``8¹/²`` and ``8¹/2`` give ``8 1/2``."""
    return (found[1] and f"{found[1]} ") + unicodedata.normalize("NFKC", found[2])


def spaced(letters: list[Letter], raised: set[int]) -> Iterator[str]:
    """The letters, with a space where a wide gap stands for one that the file leaves out (a tab)."""
    before = None
    for index, letter, box in letters:
        if box and before and box[0] - before[2] > WIDE * height_of(box):
            yield " "
        yield letter.translate(SUPERSCRIPTS) if index in raised else letter
        before = box
