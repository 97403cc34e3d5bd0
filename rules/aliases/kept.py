"""What is made of the names of much public law, in files that all processes of a machine map: one makes it, the others
have it at once, and its arrays are in memory once.
"""

import fcntl
import logging
import mmap
import os
import struct
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import fields, is_dataclass
from errno import ENOSPC
from functools import cache, cached_property
from hashlib import sha256
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Any, TypeVar, get_type_hints
from zlib import crc32

import numpy as np
import orjson

from retrieval.database import has_room
from retrieval.text import analyzer

logger = logging.getLogger(__name__)

T = TypeVar("T")
SIZE = struct.Struct("<Q")
ALIGNED = 64  # bytes: where an array begins


@contextmanager
def one_at_a_time(folder: Path) -> Iterator[None]:
    """Processes that begin together wait for the first, and find what it wrote; none do without a folder."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        lock = os.open(folder, os.O_RDONLY)
    except OSError:
        yield
        return
    try:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
    finally:
        os.close(lock)


def load(path: Path, kind: type[T]) -> tuple[dict, T] | None:
    """What is said of it, and what is there, its arrays read-only and mapped; None where there is nothing, or not what
    this code wrote whole: what is damaged is made anew.
    """
    try:
        with path.open("rb") as file:
            written = memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))
    except (OSError, ValueError):  # ValueError: an empty file
        return None
    mark = fingerprint()
    begin = len(mark) + SIZE.size
    if written[: len(mark)] != mark or written[len(mark) : begin] != SIZE.pack(crc32(written[begin:])):
        return None
    head, *arrays = blocks_of(written, begin)
    said, parts = orjson.loads(head)
    return said, put_together(kind, parts, arrays)


def store(said: dict, value: T, path: Path) -> T:
    """The same as it is loaded from the file, which is written anew: who maps what was there keeps it. Where it cannot
    be written, or PostgreSQL needs the room, the value itself, with a warning in the log.
    """
    try:
        if not has_room():
            raise OSError(ENOSPC, os.strerror(ENOSPC))
        _write(said, value, path)
    except OSError as problem:
        logger.warning("Each process keeps for itself what %s could hold once: %s.", path, problem.strerror)
        return value
    loaded = load(path, type(value))
    return loaded[1] if loaded else value


def taken_apart(value: Any, arrays: list[np.ndarray]) -> Any:
    """A data class as a mapping, its arrays by their places in the list, those too that it has worked out once."""
    if isinstance(value, np.ndarray):
        arrays.append(np.ascontiguousarray(value))
        return [len(arrays) - 1, value.dtype.str, value.shape]
    if not is_dataclass(value):
        return value
    worked_out = {name: found for name in once(type(value)) if isinstance(found := getattr(value, name), np.ndarray)}
    every = {field.name: getattr(value, field.name) for field in fields(value)} | worked_out
    return {name: taken_apart(part, arrays) for name, part in every.items()}


def put_together(kind: type[T], parts: dict[str, Any], arrays: Sequence[memoryview]) -> T:
    of_fields = get_type_hints(kind) | dict.fromkeys(once(kind), np.ndarray)
    found = {}
    for name, part in parts.items():
        found[name] = part
        if of_fields[name] is np.ndarray:
            place, dtype, shape = part
            found[name] = np.frombuffer(arrays[place], dtype).reshape(shape)
        elif is_dataclass(of_fields[name]):
            found[name] = put_together(of_fields[name], part, arrays)
    value = kind(**{field.name: found.pop(field.name) for field in fields(kind)})
    vars(value).update(found)
    return value


def once(kind: type) -> list[str]:
    """The names of what it works out once."""
    return [name for name, member in vars(kind).items() if isinstance(member, cached_property)]


@cache
def fingerprint() -> bytes:
    """Of the code that makes what is kept, and what it makes it of: what other code wrote is not read."""
    here = Path(__file__).parent
    files = (*sorted(here.glob("*.py")), *(here.parent / name for name in ("published.py", "models/aliases.py")))
    return sha256(b"".join([*(path.read_bytes() for path in files), analyzer.VERSION.encode()])).digest()


def blocks_of(written: memoryview, begin: int) -> Iterator[memoryview]:
    while begin < len(written):
        (size,) = SIZE.unpack(written[begin : begin + SIZE.size])
        begin = aligned(begin + SIZE.size)
        yield written[begin : begin + size]
        begin = aligned(begin + size)


def aligned(place: int) -> int:
    return -(-place // ALIGNED) * ALIGNED


def _write(said: dict, value: Any, path: Path) -> None:
    for left in path.parent.glob(f"{path.name}.*"):  # by a process that was killed
        left.unlink()
    arrays: list[np.ndarray] = []
    parts = taken_apart(value, arrays)
    blocks = [memoryview(orjson.dumps([said, parts])), *(memoryview(array).cast("B") for array in arrays)]
    with NamedTemporaryFile(dir=path.parent, prefix=f"{path.name}.", delete=False) as file:
        partial = Path(file.name)
        try:
            begin = file.write(fingerprint()) + SIZE.size
            check = 0
            file.seek(begin)
            for piece in laid_out(blocks, begin):
                check = crc32(piece, check)
                file.write(piece)
            file.seek(begin - SIZE.size)
            file.write(SIZE.pack(check))
            file.flush()
            partial.replace(path)
        finally:
            partial.unlink(missing_ok=True)


def laid_out(blocks: Sequence[memoryview], begin: int) -> Iterator[bytes | memoryview]:
    """What stands in the file from `begin` on: before each block its size, and what brings it to its place."""
    for block in blocks:
        yield SIZE.pack(block.nbytes)
        begin += SIZE.size
        yield bytes(aligned(begin) - begin)
        begin = aligned(begin)
        yield block
        begin += block.nbytes
        yield bytes(aligned(begin) - begin)
        begin = aligned(begin)
