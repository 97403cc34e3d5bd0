"""Packed files of lines, and archives, read on from where their last reader stopped: a source of many documents is
unpacked once by a process that reads it document by document, in however many steps.
"""

import gzip
import lzma
import tarfile
import zipfile
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from typing import BinaryIO, TypeVar

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


class PackedArchive:
    """An archive with its list of files, for which a tar has to be read to its end. Of a packed tar what stands further
    on is read on from where the last file ended; further back it is unpacked anew.
    """

    def __init__(self, path: Path):
        self.identity = identity(path)
        opened = zipfile.ZipFile if path.suffix.lower() == ".zip" else tarfile.open
        self.files: zipfile.ZipFile | tarfile.TarFile = opened(path)

    def close(self) -> None:
        self.files.close()


Packed = PackedLines | PackedArchive
P = TypeVar("P", PackedLines, PackedArchive)
_kept: dict[Identity, Packed] = {}  # at most one: unpacking takes up to 64 MiB


def taken(path: Path, opened: type[P] = PackedLines) -> P:
    """The file where its last reader stopped, if this process has it; who takes it alone has it."""
    return _kept.pop(identity(path), None) or opened(path)


def keep(file: Packed) -> None:
    """For the next reader, in place of any other file."""
    close_kept()
    _kept[file.identity] = file


def close_kept() -> None:
    while _kept:
        _kept.popitem()[1].close()


@contextmanager
def archive_at(path: Path) -> Iterator[zipfile.ZipFile | tarfile.TarFile]:
    """Kept for the next reader, unless it cannot be read."""
    with ExitStack() as on_failure:
        archive = on_failure.enter_context(closing(taken(path, PackedArchive)))
        yield archive.files
        on_failure.pop_all()
        keep(archive)
