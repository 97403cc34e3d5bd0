"""Large arrays that all processes of a machine have in memory once: each maps the same file."""

import fcntl
import logging
import os
from collections.abc import Iterator
from contextlib import contextmanager
from errno import ENOSPC
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import BinaryIO

import numpy as np

from retrieval.database import has_room

logger = logging.getLogger(__name__)


def shared(rows: np.ndarray, path: Path) -> np.ndarray:
    """The same rows, read-only, as they stand in the file at `path`, which is written anew where it holds others: who
    maps those keeps them. Where it cannot be written, or PostgreSQL needs the room, the rows themselves, with a warning
    in the log.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with one_at_a_time(path.parent):
            held = _held(rows, path)
            if held is None and not has_room():
                raise OSError(ENOSPC, os.strerror(ENOSPC))
            return _written(rows, path) if held is None else held
    except OSError as problem:
        logger.warning("Each process keeps for itself what %s could hold once: %s.", path, problem.strerror)
        return rows


@contextmanager
def one_at_a_time(folder: Path) -> Iterator[None]:
    """Processes that begin together wait for the first, and find what it wrote."""
    lock = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
    finally:
        os.close(lock)


def _held(rows: np.ndarray, path: Path) -> np.ndarray | None:
    """What is there, if it is these rows; another user's is not to be read."""
    try:
        with path.open("rb") as file:
            if os.fstat(file.fileno()).st_size != rows.nbytes:
                return None
            held = _mapped(file, rows)
    except (FileNotFoundError, PermissionError):
        return None
    return held if np.array_equal(held, rows) else None


def _written(rows: np.ndarray, path: Path) -> np.ndarray:
    for left in path.parent.glob(f"{path.name}.*"):  # by a process that was killed
        left.unlink()
    with NamedTemporaryFile(dir=path.parent, prefix=f"{path.name}.", delete=False) as file:
        partial = Path(file.name)
        try:
            file.write(np.ascontiguousarray(rows))
            file.flush()
            held = _mapped(file, rows)
            partial.replace(path)
        finally:
            partial.unlink(missing_ok=True)
    return held


def _mapped(file: BinaryIO, like: np.ndarray) -> np.ndarray:
    return np.asarray(np.memmap(file, like.dtype, "r", shape=like.shape))
