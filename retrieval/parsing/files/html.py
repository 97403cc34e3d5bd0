"""Reads HTML into blocks: its own headings, paragraphs, list items, a line for a table's row."""

import codecs
import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from lxml import etree
from lxml.html import HtmlElement, HTMLParser, document_fromstring

from retrieval.errors import SourceRefused, gettext_noop
from retrieval.parsing.files.blocks import Block, Blocks, single_spaced, whole
from retrieval.parsing.files.limits import MAX_CHARACTERS, TOO_LONG
from retrieval.parsing.files.plain import decoded
from retrieval.parsing.uslm.content import SUPERSCRIPTS

DEEPEST = 200  # levels of elements; real pages stay under 60
LEFT_OUT = {
    "head", "script", "style", "template", "noscript", "nav", "aside", "footer", "form", "button", "select",
    "iframe", "object", "svg", "math", "canvas", "audio", "video", "dialog",
    "del", "s", "strike",
}  # fmt: skip
INLINE = {
    "a", "abbr", "b", "bdi", "bdo", "big", "cite", "code", "data", "dfn", "em", "font", "i", "ins",
    "kbd", "label", "mark", "q", "samp", "small", "span", "strong", "sub", "sup", "time", "tt",
    "u", "var",
}  # fmt: skip
STRONG = {"b", "strong"}
HEADINGS = {f"h{level}": level for level in range(1, 7)}
CHARSET = re.compile(rb"<meta[^>]{0,200}charset\s*=\s*[\"']?\s*([A-Za-z0-9_:.-]{1,40})", re.I)
WINDOWS = {"cp874", *(f"cp125{page}" for page in range(9))}
# Those of the WHATWG's Encoding Standard by the names of Python's codecs: others (utf-7, unicode-escape) give halves of
# characters, at which lxml stops without a word.
CHARSETS = {
    *WINDOWS, "utf-8", "koi8-r", "koi8-u", "mac-roman", "mac-cyrillic", "cp866",
    *(f"iso8859-{part}" for part in (2, 3, 4, 5, 6, 7, 8, 10, 13, 14, 15, 16)),
    "gb18030", "big5", "big5hkscs", "euc_jp", "iso2022_jp", "cp932", "cp949",
}  # fmt: skip
# As that standard reads them: who can read that a page is UTF-16 reads no UTF-16, and others are Windows' letters.
READ_AS = {
    "utf-16": "utf-8", "utf-16-le": "utf-8", "utf-16-be": "utf-8",
    "ascii": "cp1252", "iso8859-1": "cp1252", "iso8859-9": "cp1254", "iso8859-11": "cp874", "tis-620": "cp874",
    "gb2312": "gb18030", "gbk": "gb18030", "shift_jis": "cp932", "euc_kr": "cp949",
}  # fmt: skip
UNKNOWN_TO_PYTHON = {
    "windows-874": "cp874", "windows-31j": "cp932", "x-sjis": "cp932", "x-gbk": "gb18030", "x-mac-roman": "mac-roman",
}  # fmt: skip
MARKS = (b"\xff\xfe", b"\xfe\xff", b"\xef\xbb\xbf")


def read(content: bytes) -> Blocks:
    """Raises SourceRefused for what is binary, nested too deep or empty."""
    return blocks_of(text_of(content))


def blocks_of(text: str) -> Blocks:
    if not text.strip():
        return Blocks(())
    try:
        root = document_fromstring(
            text, parser=HTMLParser(remove_comments=True, remove_pis=True, no_network=True)
        )
    except (etree.ParserError, etree.XMLSyntaxError, ValueError) as error:
        raise SourceRefused(
            gettext_noop("The file is broken or too large: it cannot be read as HTML.")
        ) from error
    check_depth(root)
    raise_digits(root)
    blocks = tuple(_Reader().read(root))
    if sum(len(block.text) for block in blocks) > MAX_CHARACTERS:
        raise SourceRefused(TOO_LONG, most=MAX_CHARACTERS)
    return Blocks(blocks, title=single_spaced(root.findtext(".//title") or ""))


def text_of(content: bytes) -> str:
    """By its byte order mark, its own charset, else as plain text. An XML declaration has then been heeded."""
    codec = declared(content)
    if codec and not content.startswith(MARKS):
        # To browsers bytes that Windows gives no letter are controls, which are not printed.
        errors = "ignore" if codec in WINDOWS and not is_utf8(content) else "strict"
        try:
            return without_declaration(content.decode(codec, errors))
        except UnicodeDecodeError:
            pass  # a wrong charset: the letters themselves tell
    return without_declaration(decoded(content))


def is_utf8(content: bytes) -> bool:
    try:
        return bool(content.decode())
    except UnicodeDecodeError:
        return False


def declared(content: bytes) -> str | None:
    """The codec of the charset that a page says it has, if pages have that charset."""
    found = CHARSET.search(content[:2048])
    charset = found[1].decode().lower() if found else ""
    try:
        name = codecs.lookup(UNKNOWN_TO_PYTHON.get(charset, charset)).name
    except LookupError:
        return None
    name = READ_AS.get(name, name)
    return name if name in CHARSETS else None


def without_declaration(text: str) -> str:
    return re.sub(r"^\s*<\?xml[^>]{0,200}\?>", "", text)


def check_depth(root: HtmlElement) -> None:
    depth = 0
    for event, _ in etree.iterwalk(root, events=("start", "end")):
        depth += 1 if event == "start" else -1
        if depth > DEEPEST:
            raise SourceRefused(gettext_noop("The file is nested too deep."))


def raise_digits(root: HtmlElement) -> None:
    """Marks of notes are no part of the word before them: "officer.¹", "m²"."""
    for mark in root.iter("sup"):
        if mark.text_content().strip().isdecimal():
            for part in mark.iter():
                part.text = part.text and part.text.translate(SUPERSCRIPTS)
                if part is not mark:
                    part.tail = part.tail and part.tail.translate(SUPERSCRIPTS)


@dataclass(slots=True)
class _Reader:
    """One reading: the words of the block being read, and how many of their letters are strong."""

    words: list[str] = field(default_factory=list)
    plain: bool = False
    strong: int = 0

    def read(self, root: HtmlElement) -> Iterator[Block]:
        yield from self.element(root, 0)
        yield from self.end()

    def element(self, element: HtmlElement, level: int) -> Iterator[Block]:
        name = element.tag
        if not isinstance(name, str) or left_out(element):
            return
        if name == "br":
            yield from self.end(level)
        elif name == "tr":
            yield from self.row(element)
        elif name in INLINE:
            self.strong += name in STRONG
            yield from self.inside(element, level)
            self.strong -= name in STRONG
        else:
            yield from self.end()
            self.begin(element)
            yield from self.inside(element, HEADINGS.get(name, level))
            yield from self.end(HEADINGS.get(name, level))

    def begin(self, element: HtmlElement) -> None:
        """The number of a list's item, which a browser counts itself."""
        if element.tag == "li" and (parent := element.getparent()) is not None and parent.tag == "ol":
            before = sum(1 for _ in element.itersiblings("li", preceding=True))
            self.words.append(f"{before + whole(parent.get('start'), 1)}. ")

    def inside(self, element: HtmlElement, level: int) -> Iterator[Block]:
        self.write(element.text)
        for child in element:
            yield from self.element(child, level)
            self.write(child.tail)

    def write(self, text: str | None) -> None:
        if text:
            self.words.append(text)
            self.plain = self.plain or bool(text.strip() and not self.strong)

    def row(self, row: HtmlElement) -> Iterator[Block]:
        yield from self.end()
        cells = [cell_text(cell) for cell in row.iterchildren("td", "th")]
        text = " | ".join(cell for cell in cells if cell)
        if text:
            yield Block(text)

    def end(self, level: int = 0) -> Iterator[Block]:
        text = single_spaced("".join(self.words).replace("\xad", ""))
        if text:
            yield Block(text, level=level, strong=not self.plain)
        self.words, self.plain = [], False


def cell_text(cell: HtmlElement) -> str:
    """Everything in a cell, its blocks parted by blanks."""
    return " ".join(block.text for block in _Reader().read(cell))


def left_out(element: HtmlElement) -> bool:
    """What is no part of the text: menus, banners, what is hidden, a table of contents made of links."""
    if element.tag in LEFT_OUT or element.get("hidden") is not None:
        return True
    if re.search(r"display\s*:\s*none", element.get("style") or "", re.I):
        return True
    if element.tag == "header":
        return next(element.iter(*HEADINGS), None) is None
    return element.tag in ("ul", "ol", "table", "div", "p") and is_contents(element)


def is_contents(element: HtmlElement) -> bool:
    """At least three links within the page, and nothing else but numbers and dots."""
    links = [link for link in element.iter("a") if (link.get("href") or "").startswith("#")]
    if len(links) < 3:
        return False
    said = sum(len("".join(link.itertext()).strip()) for link in links)
    letters = len(re.sub(r"[\W\d_]", "", "".join(element.itertext())))
    return letters <= said
