"""A source's document and its hash, read once by a process for all steps of a job that stage it."""

import hashlib
from functools import lru_cache
from pathlib import Path

from retrieval.models import Domain, JobRun
from retrieval.parsing.packed import Identity, identity
from retrieval.parsing.sources import Found, Place, read_next

_kept: dict[tuple[int, Place], tuple[Found, str]] = {}  # by job and place: at most one, which may be a whole title


def document_of(run: JobRun, path: Path, domain: Domain, place: Place) -> tuple[Found, str]:
    """The document at a place of a source and its hash; again where its file has changed since it was read. Raises
    SourceRefused.
    """
    kept = _kept.get((run.pk, place))
    if kept and path.exists() and source_hash(path, kept[0]) == kept[1]:
        return kept
    forget()
    found = read_next(path, domain, place)
    _kept[run.pk, place] = found, source_hash(path, found)
    return _kept[run.pk, place]


def forget() -> None:
    """Once all of a document is staged nobody asks for it again."""
    _kept.clear()


def source_hash(path: Path, found: Found) -> str:
    """Of the file that a document was read from, or of its pages one after another."""
    if not path.is_dir():
        return file_hash(path)
    hashes = [file_hash(path / name) for name in found.pages or (found.filename,)]
    return hashes[0] if len(hashes) == 1 else hashlib.sha256("".join(hashes).encode()).hexdigest()


def file_hash(path: Path) -> str:
    return hash_of(path, identity(path))


@lru_cache(maxsize=16)
def hash_of(path: Path, state: Identity) -> str:
    """Each state of a file is read once: many documents may come from one file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
