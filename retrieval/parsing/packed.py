"""Packed files of lines, read on from where their last reader stopped: a source of many documents is unpacked once by a
process that reads it document by document, in however many steps.
"""

import gzip
import lzma
from pathlib import Path
from typing import BinaryIO

OPENERS = {".xz": lzma.open, ".gz": gzip.open}
Identity = tuple[str, int, int, int, int]


def identity(path: Path) -> Identity:
    """Which file this is, and which state of it."""
    told = path.stat()
    return str(path), told.st_dev, told.st_ino, told.st_size, told.st_mtime_ns


class PackedLines:
    """A packed file that is read line by line and can go back by the last line. Further back it is unpacked anew."""

    def __init__(self, path: Path):
        self.identity = identity(path)
        self._file: BinaryIO = OPENERS[path.suffix.lower()](path, "rb")
        self._line, self._again = b"", False

    def seek(self, offset: int) -> None:
        at = self._file.tell()
        self._again = bool(self._line) and offset == at - len(self._line)
        if offset != at and not self._again:
            self._file.seek(offset)
            self._line = b""

    def readline(self, size: int) -> bytes:
        if not self._again:
            self._line = self._file.readline(size)
        self._again = False
        return self._line

    def close(self) -> None:
        self._file.close()


_kept: dict[Identity, PackedLines] = {}  # at most one: unpacking takes up to 64 MiB


def taken(path: Path) -> PackedLines:
    """The file where its last reader stopped, if this process has it; who takes it alone has it."""
    return _kept.pop(identity(path), None) or PackedLines(path)


def keep(lines: PackedLines) -> None:
    """For the next reader, in place of any other file."""
    while _kept:
        _kept.popitem()[1].close()
    _kept[lines.identity] = lines
