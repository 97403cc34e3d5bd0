"""Which reader a file needs, by its name, and whether it is what its name says. Pure."""

from importlib import import_module
from pathlib import PurePath

from retrieval.errors import SourceRefused, gettext_noop
from retrieval.parsing.files.blocks import Blocks
from retrieval.parsing.files.limits import MAX_BYTES

READERS = {
    ".pdf": "pdf", ".docx": "docx", ".html": "html", ".htm": "html", ".xhtml": "html",
    ".md": "markdown", ".markdown": "markdown", ".txt": "plain", ".text": "plain",
}  # fmt: skip
BINARY = {b"%PDF-": ".pdf", b"PK\x03\x04": ".docx", b"\xd0\xcf\x11\xe0": ".docx"}


def read(content: bytes, filename: str) -> Blocks:
    """Raises SourceRefused with the reason. Readers are imported as they are needed."""
    suffix = suffix_of(filename)
    check(content, suffix)
    blocks = import_module(f"retrieval.parsing.files.{READERS[suffix]}").read(content)
    only_scans = 0 < len(blocks.scanned_pages) == blocks.pages
    if only_scans or not any(block.text.strip() for block in blocks.blocks):
        raise without_text(blocks)
    return blocks


def suffix_of(filename: str) -> str:
    suffix = PurePath(filename).suffix.lower()
    if suffix not in READERS:
        known = ", ".join(READERS)
        raise SourceRefused(gettext_noop("The file is in no known format: %(known)s are read."), known=known)
    return suffix


def check(content: bytes, suffix: str) -> None:
    if not content:
        raise SourceRefused(gettext_noop("The file is empty."))
    if len(content) > MAX_BYTES:
        raise SourceRefused(gettext_noop("The file is larger than %(most)s bytes."), most=MAX_BYTES)
    if kind_of(content) != (suffix if suffix in BINARY.values() else ""):
        raise SourceRefused(
            gettext_noop("The file is not what its name says: no %(suffix)s file."), suffix=suffix
        )


def kind_of(content: bytes) -> str:
    """The binary format that a file's first bytes tell; PDF may begin a little later. "" for text."""
    if b"%PDF-" in content[:1024]:
        return ".pdf"
    return next((suffix for magic, suffix in BINARY.items() if content.startswith(magic)), "")


def without_text(blocks: Blocks) -> SourceRefused:
    if blocks.scanned_pages:
        return SourceRefused(
            gettext_noop(
                "All %(pages)s pages are scans without a text layer: recognise their text (OCR) first."
            ),
            pages=len(blocks.scanned_pages),
        )
    return SourceRefused(gettext_noop("The file holds no text."))
