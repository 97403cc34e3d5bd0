"""The text of a brief that comes as a file: text as it is, other formats read in a process apart as uploads are, with
less time. The file is kept nowhere.
"""

from collections.abc import Iterator
from pathlib import PurePath
from threading import BoundedSemaphore
from typing import NamedTuple

from retrieval.briefs.checking import MAX_TEXT
from retrieval.errors import SourceRefused, Unprocessable, gettext_noop
from retrieval.parsing.files import formats, plain
from retrieval.parsing.sources import extract
from retrieval.parsing.tree import Node

SECONDS = 15  # in which a file of this little text is read
READERS = BoundedSemaphore(2)  # processes at once that one of ours begins for whoever asks
TEXT = (".txt", ".text", ".md", ".markdown")


class TooManyReaders(Unprocessable):
    status = 503
    code = "too_busy"


class Read(NamedTuple):
    """The text of a file; `scanned_pages` are those of which nothing could be read."""

    text: str
    scanned_pages: tuple[int, ...] = ()


def read_brief(filename: str, content: bytes) -> Read:
    """Raises SourceRefused for what cannot be read, Unprocessable for too long a text, TooManyReaders."""
    suffix = formats.suffix_of(PurePath(filename).name)
    formats.check(content, suffix)
    read = Read(plain.decoded(content)) if suffix in TEXT else extracted(f"brief{suffix}", content)
    if not read.text.strip():
        raise SourceRefused(gettext_noop("The file holds no text."))
    checked_length(read.text)
    return read


def checked_length(text: str) -> str:
    if len(text) > MAX_TEXT:
        raise Unprocessable(
            gettext_noop("A brief of at most %(most)s characters is checked: divide it."),
            most=MAX_TEXT,
        )
    return text


def extracted(filename: str, content: bytes) -> Read:
    if not READERS.acquire(blocking=False):
        raise TooManyReaders(gettext_noop("Other files are being read: try again in a few seconds."))
    try:
        read = extract(content, filename=filename, identifier="/brief", name="", seconds=SECONDS)
    finally:
        READERS.release()
    return Read("\n\n".join(paragraphs(read.root)), read.scanned_pages)


def paragraphs(root: Node) -> Iterator[str]:
    for node in root.walk():
        if node.heading and node is not root and not node.text.startswith(node.heading):
            yield node.heading
        if node.text.strip():
            yield node.text
