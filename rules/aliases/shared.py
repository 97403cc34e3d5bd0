"""Large arrays that all processes of a machine have in memory once: each maps the same file."""

import logging
from pathlib import Path
from tempfile import NamedTemporaryFile

import numpy as np

logger = logging.getLogger(__name__)


def shared(rows: np.ndarray, path: Path) -> np.ndarray:
    """The same rows, read-only, as they stand in the file at `path`, which is written anew where it holds others: who
    maps those keeps them. Where it cannot be written the rows themselves, with a warning in the log.
    """
    try:
        return _held(rows, path) if path.exists() else _written(rows, path)
    except OSError as problem:
        logger.warning("Each process keeps for itself what %s could hold once: %s.", path, problem.strerror)
        return rows


def _held(rows: np.ndarray, path: Path) -> np.ndarray:
    if path.stat().st_size == rows.nbytes and np.array_equal(held := _mapped(path, rows), rows):
        return held
    return _written(rows, path)


def _written(rows: np.ndarray, path: Path) -> np.ndarray:
    path.parent.mkdir(parents=True, exist_ok=True)
    with NamedTemporaryFile(dir=path.parent, delete=False) as file:
        partial = Path(file.name)
        try:
            file.write(np.ascontiguousarray(rows))
            file.flush()
            held = _mapped(partial, rows)
            partial.replace(path)
        finally:
            partial.unlink(missing_ok=True)
    return held


def _mapped(path: Path, like: np.ndarray) -> np.ndarray:
    return np.asarray(np.memmap(path, like.dtype, "r", shape=like.shape))
