"""What readers hand on: lines as they stand on pages, and blocks, which are whole paragraphs. Pure."""

import re
import unicodedata
from dataclasses import dataclass

from retrieval.parsing.tree import PageStart

LIGATURES = {code: unicodedata.normalize("NFKC", chr(code)) for code in range(0xFB00, 0xFB07)}
BULLETS = dict.fromkeys([0xF0B7, 0xF0A7, 0xF0D8, 0x25CF, 0x25AA], "•")  # symbol fonts' private letters
SPACES = dict.fromkeys([0x09, 0x0B, 0xA0, 0x1680, *range(0x2000, 0x200B), 0x202F, 0x205F, 0x3000], " ")
TYPOGRAPHY = {**LIGATURES, **BULLETS, **SPACES}
# Controls, invisible marks, and halves of characters; a soft hyphen (00AD) is dealt with where lines meet.
UNPRINTABLE = re.compile(
    "[\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f"
    "\u200b-\u200f\u2028-\u202e\u2060-\u2064\ufeff\ufffe\uffff\ud800-\udfff]"
)


@dataclass(frozen=True, slots=True)
class Line:
    """A line on a page (1-based): its box in points from the page's top left, its letters' size and weight."""

    text: str
    page: int
    left: float
    right: float
    top: float
    bottom: float
    size: float
    strong: bool = False


@dataclass(frozen=True, slots=True)
class Page:
    """A page's lines in reading order. `scanned`: an image without a text layer."""

    number: int
    height: float
    lines: tuple[Line, ...]
    scanned: bool = False


@dataclass(frozen=True, slots=True)
class Block:
    """A paragraph, or a heading: `level` 1-6 where the format says so, 0 where only its look can tell."""

    text: str
    pages: tuple[PageStart, ...] = ()
    level: int = 0
    strong: bool = False
    size: float = 0.0


@dataclass(frozen=True, slots=True)
class Blocks:
    """A file as read: its own title, if it has one, and what is in it in reading order."""

    blocks: tuple[Block, ...]
    title: str = ""
    pages: int | None = None
    scanned_pages: tuple[int, ...] = ()


def printable(text: str) -> str:
    """Ligatures as letters, every blank a space, nothing that cannot be printed or stored."""
    return UNPRINTABLE.sub("", text.translate(TYPOGRAPHY))


def single_spaced(text: str) -> str:
    return " ".join(printable(text).split())


def whole(text: str | None, default: int) -> int:
    """A number that a file says in an attribute; what is none, or longer than six digits, is not heeded."""
    return int(text) if text and text.isdecimal() and len(text) < 7 else default
