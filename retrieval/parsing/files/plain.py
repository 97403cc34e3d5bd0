"""Reads plain text: hard-wrapped lines, pages divided by form feeds."""

from dataclasses import replace

from retrieval.errors import SourceRefused, gettext_noop
from retrieval.parsing.files.blocks import Blocks, Line, Page, printable
from retrieval.parsing.files.limits import MAX_CHARACTERS, MAX_PAGES, TOO_LONG, TOO_MANY_PAGES
from retrieval.parsing.files.pages import blocks_of

LINE, LETTER = 12.0, 6.0  # points of a typewriter, so that one set of rules serves all pages
BYTE_ORDER = ((b"\xff\xfe", "utf-16"), (b"\xfe\xff", "utf-16"), (b"\xef\xbb\xbf", "utf-8-sig"))


def read(content: bytes) -> Blocks:
    text = decoded(content)
    if len(text) > MAX_CHARACTERS:
        raise SourceRefused(TOO_LONG, most=MAX_CHARACTERS)
    sheets = text.split("\f")
    if len(sheets) > MAX_PAGES:
        raise SourceRefused(TOO_MANY_PAGES, pages=len(sheets), most=MAX_PAGES)
    if len(sheets) > 1 and not sheets[-1].strip():
        sheets.pop()  # after the last form feed
    pages = [page(number, sheet) for number, sheet in enumerate(sheets, start=1)]
    blocks = blocks_of(pages)
    if len(pages) < 2:
        return Blocks(
            tuple(replace(block, pages=()) for block in blocks)
        )  # without form feeds there are no pages
    return Blocks(tuple(blocks), pages=len(pages))


def decoded(content: bytes) -> str:
    """UTF-8, UTF-16 with its mark, or else Windows' western letters; what is binary is never taken for text."""
    encoding = next((name for mark, name in BYTE_ORDER if content.startswith(mark)), None)
    if encoding is None and b"\x00" in content:
        raise SourceRefused(gettext_noop("The file is binary, not text."))
    for name in (encoding,) if encoding else ("utf-8", "cp1252"):
        try:
            text = content.decode(name)
            break
        except UnicodeDecodeError:
            continue
    else:
        raise SourceRefused(gettext_noop("The file is in no encoding that is known: save it as UTF-8."))
    return text.replace("\r\n", "\n").replace("\r", "\n")


def page(number: int, sheet: str) -> Page:
    rows = [(row, printable(line.expandtabs(8)).rstrip()) for row, line in enumerate(sheet.split("\n"))]
    lines = tuple(line(number, row, words) for row, words in rows if words.strip())
    return Page(number, LINE * len(rows), lines)


def line(number: int, row: int, words: str) -> Line:
    indent, text = len(words) - len(words.lstrip()), " ".join(words.split())
    return Line(
        text=text[:-1].replace("\xad", "") + text[-1],  # at its end it divides a word
        page=number,
        left=indent * LETTER,
        right=len(words) * LETTER,
        top=row * LINE,
        bottom=(row + 1) * LINE,
        size=LINE,
    )
