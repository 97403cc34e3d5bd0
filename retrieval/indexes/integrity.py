"""Whether the files of a tantivy index are whole: each ends with a checksum of what stands before it."""

import json
import struct
import zlib
from functools import lru_cache
from pathlib import Path

PARTS = ("fast", "fieldnorm", "idx", "pos", "store", "term")  # files of every segment
ENDING = struct.Struct("<II")  # the footer's length in bytes, and a number that ends every file
BLOCK = 1_000_000  # bytes read at a time
TRIES = 3  # the writer may merge segments while they are looked at


class Integrity:
    """Looks at an index again and again, and reads a file only once until its size or time of change is another."""

    def __init__(self, path: Path):
        self.path = path
        # By file: size and time of change, and whether whole. Each search looks at all files, some seventy.
        self.seen: dict[Path, tuple[tuple[int, int], bool]] = {}

    def damaged(self) -> str:
        """The name of a file that is missing or not as it was written; empty where all are well."""
        for _ in range(TRIES):
            listed = self._listed()
            bad = next((file.name for file in files_of(self.path, listed) if not self._is_whole(file)), "")
            if not bad or listed == self._listed():
                return bad
        return ""

    def _listed(self) -> bytes:
        try:
            return (self.path / "meta.json").read_bytes()
        except OSError:
            return b""

    def _is_whole(self, file: Path) -> bool:
        try:
            found = file.stat()
            stamp = found.st_size, found.st_mtime_ns
            if self.seen.get(file, (None,))[0] != stamp:
                self.seen[file] = stamp, is_whole(file)
        except OSError:
            return False
        return self.seen[file][1]


@lru_cache(maxsize=4)
def files_of(path: Path, listed: bytes) -> tuple[Path, ...]:
    """What belongs to the index there: its two lists and the files of its segments."""
    names = ["meta.json", ".managed.json"]
    try:
        for segment in json.loads(listed)["segments"]:
            name = segment["segment_id"].replace("-", "")
            names += [f"{name}.{part}" for part in PARTS]
            if segment["deletes"]:
                names.append(f"{name}.{segment['deletes']['opstamp']}.del")
    except (ValueError, KeyError, TypeError):
        pass  # a list that cannot be read is itself found not to be whole
    return tuple(path / name for name in names)


def is_whole(file: Path) -> bool:
    """Raises OSError where there is no such file."""
    if file.suffix == ".json":
        return is_json(file)
    with file.open("rb") as opened:
        left = file.stat().st_size - ENDING.size
        if left < 0:
            return False
        opened.seek(left)
        length, _ = ENDING.unpack(opened.read(ENDING.size))
        left -= length
        if left < 0:
            return False
        opened.seek(left)
        expected = checksum_in(opened.read(length))
        opened.seek(0)
        found = 0
        while block := opened.read(min(BLOCK, left)):
            found, left = zlib.crc32(block, found), left - len(block)
    return found == expected


def is_json(file: Path) -> bool:
    try:
        json.loads(file.read_bytes())
    except ValueError:
        return False
    return True


def checksum_in(footer: bytes) -> int | None:
    try:
        return json.loads(footer)["crc"]
    except (ValueError, KeyError, TypeError):
        return None
