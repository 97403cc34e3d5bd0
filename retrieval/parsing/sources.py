"""What formats a domain can be fed from. Each reader gives the same tree of provisions; an uploaded file is read in a
process of its own, which is killed when it takes too long or too much.

A source is a file, a folder of them or an archive. It may hold many documents, which are read one at a time.
"""

import json
import lzma
import os
import re
import subprocess
import sys
import tarfile
import zipfile
import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from io import BytesIO
from pathlib import Path, PurePath
from tempfile import TemporaryFile

from lxml import etree

from retrieval.errors import SourceRefused, gettext_noop
from retrieval.models import Domain
from retrieval.parsing import opinions, packed, policy_manual, rows
from retrieval.parsing.cfr import reader as cfr
from retrieval.parsing.files.formats import READERS
from retrieval.parsing.files.limits import MAX_OUTPUT, MAX_SECONDS
from retrieval.parsing.files.structure import slug
from retrieval.parsing.tree import SourceDocument
from retrieval.parsing.uslm import reader as uslm
from retrieval.parsing.uslm.elements import SAFELY

ARCHIVES = (".zip", ".tar", ".tar.gz", ".tgz", ".tar.xz")
BROKEN = (  # what reading an archive raises that is cut short, damaged, locked, or packed in an unknown way
    *(zipfile.BadZipFile, tarfile.TarError, zlib.error, lzma.LZMAError),
    *(EOFError, OSError, RuntimeError, NotImplementedError),
)
LOCKED = 1  # flag of a file in a zip that a password locks
OPINIONS = (".json", ".txt", ".html", ".htm")
MAX_MEMBER = (
    200 * 2**20
)  # bytes of a file in an archive, unpacked: the largest title of the Code has about 110 MB


@dataclass(frozen=True, slots=True)
class Place:
    """Where in a source a document begins: in which of its files, and where in that."""

    file: int = 0
    offset: int = 0


@dataclass(frozen=True, slots=True)
class Found:
    """A document of a source, its file as the source names it, and where the next one begins, if one does. `pages`: the
    files of a document that has many; `span`: the share of the source, from 0 to 1, that is read once it is begun and
    through.
    """

    document: SourceDocument
    filename: str
    following: Place | None
    pages: tuple[str, ...] = ()
    span: tuple[float, float] = (0.0, 1.0)


def read_next(path: Path, domain: Domain, place: Place) -> Found:
    """The document at a place of a source. Raises SourceRefused for a missing, broken or foreign one."""
    found = document_at(path, domain, place)
    if found.following is None:
        packed.close_kept()
    return found


def document_at(path: Path, domain: Domain, place: Place) -> Found:
    if not path.exists():
        raise SourceRefused(
            gettext_noop("There is no file %(name)s in %(folder)s."),
            name=path.name,
            folder=path.parent.resolve(),
        )
    documents = documents_of(path, domain)
    if place.file >= len(documents):
        raise SourceRefused(
            gettext_noop("%(name)s holds no file that %(domain)s is read from."),
            name=path.name,
            domain=domain.name,
        )
    name, *others = documents[place.file]
    after = Place(place.file + 1) if place.file + 1 < len(documents) else None
    span = (place.file / len(documents), (place.file + 1) / len(documents))
    if is_manual_page(name, domain):
        pages = (name, *others)
        return Found(policy_manual.read([held(path, each) for each in pages]), name, after, pages, span)
    if not rows.is_rows(name):
        return Found(read_source(path, name, domain), name, after, span=span)
    if path.name.lower().endswith(ARCHIVES):
        raise SourceRefused(
            gettext_noop("%(name)s holds JSON lines: unpack it, they are read from a file or a folder."),
            name=path.name,
        )
    file = path / name if path.is_dir() else path
    document, offset = rows.read_at(file, domain.locator_prefix, place.offset)
    size = 0 if file.suffix.lower() in packed.OPENERS else file.stat().st_size  # of what is packed nobody knows
    begin, end = (each / size if size else 0.0 for each in (place.offset, offset or size))
    span = ((place.file + begin) / len(documents), (place.file + end) / len(documents))
    return Found(document, name, after if offset is None else Place(place.file, offset), span=span)


def documents_of(path: Path, domain: Domain) -> list[tuple[str, ...]]:
    """The files of each document of a source: one, but for the pages of a volume of the Policy Manual."""
    names = files_of(path)
    pages = [name for name in names if is_manual_page(name, domain)]
    volumes = policy_manual.grouped((name, held(path, name)) for name in pages)
    return [*volumes, *((name,) for name in names if name not in pages)]


def is_manual_page(name: str, domain: Domain) -> bool:
    return domain.citation_style == "uscis" and name.lower().endswith((".html", ".htm"))


def files_of(path: Path) -> list[str]:
    """The readable files of a source, editions of one part by year and parts by number."""
    if path.is_dir():
        return readable(below(path))
    if path.suffix.lower() == ".zip":
        with opened_archive(path) as archive:
            return readable(archive.namelist())
    if path.name.lower().endswith(ARCHIVES):
        with opened_archive(path) as archive:
            return readable(each.name for each in archive if each.isfile())
    return [path.name]


def below(folder: Path | str, above: str = "") -> Iterator[str]:
    """The files in a folder and its folders: listed for each document, and a tenth of the cost of `Path.rglob`."""
    with os.scandir(folder) as entries:
        for each in entries:
            if each.is_dir(follow_symlinks=False):
                yield from below(each.path, f"{above}{each.name}/")
            elif each.is_file():
                yield f"{above}{each.name}"


def readable(names: Iterable[str]) -> list[str]:
    """Hidden files are none, and what is beside them in archives of the Mac."""
    return [*in_order(tuple(names))]


@lru_cache(maxsize=1)
def in_order(names: tuple[str, ...]) -> tuple[str, ...]:
    """Kept, as a source of many documents asks for each of them again: a hundred thousand take a second."""
    kept = (name for name in names if not any(part.startswith((".", "__")) for part in PurePath(name).parts))
    known = (name for name in kept if name.lower().endswith((".xml", ".json", *rows.ENDINGS, *READERS)))
    return tuple(sorted(known, key=natural))


def natural(name: str) -> list[tuple[int, str]]:
    return [(int(n or 0), s) for n, s in re.findall(r"(\d+)|(\D+)", name)]


@contextmanager
def opened_archive(path: Path) -> Iterator[zipfile.ZipFile | tarfile.TarFile]:
    """Raises SourceRefused, also while it is read."""
    try:
        with packed.archive_at(path) as archive:
            yield archive
    except BROKEN as error:
        raise SourceRefused(gettext_noop("%(name)s cannot be unpacked."), name=path.name) from error


def content_of(path: Path, name: str) -> Path | bytes:
    """Where a file of a source lies, or what it holds where it is in an archive."""
    if path.is_dir():
        return path / name
    if not path.name.lower().endswith(ARCHIVES):
        return path
    with opened_archive(path) as archive:
        if isinstance(archive, zipfile.ZipFile) and archive.getinfo(name).flag_bits & LOCKED:
            raise SourceRefused(gettext_noop("%(name)s is encrypted: pack it without a password."), name=name)
        file = archive.open(name) if isinstance(archive, zipfile.ZipFile) else archive.extractfile(name)
        content = file.read(MAX_MEMBER + 1)
    if len(content) > MAX_MEMBER:
        raise SourceRefused(
            gettext_noop("%(name)s is larger than %(most)s bytes."), name=name, most=MAX_MEMBER
        )
    return content


def held(path: Path, name: str) -> bytes:
    content = content_of(path, name)
    return content.read_bytes() if isinstance(content, Path) else content


def read_source(path: Path, name: str, domain: Domain) -> SourceDocument:
    """The one document in a file of a source."""
    content, filename = content_of(path, name), PurePath(name)
    if filename.suffix.lower() == ".xml":
        return read_xml(content, domain)
    whole = content.read_bytes() if isinstance(content, Path) else content
    if domain.citation_style == "case" and filename.suffix.lower() in OPINIONS:
        return opinions.read(whole, filename.name)
    if filename.suffix.lower() not in READERS or not domain.takes_uploads:
        raise SourceRefused(
            gettext_noop("%(name)s is in no format that %(domain)s is read from."),
            name=filename.name,
            domain=domain.name,
        )
    place = f"{domain.locator_prefix}/{slug(filename.stem)[:60].strip('-.') or 'document'}"
    return extract(whole, filename=filename.name, identifier=place, name=filename.stem)


def read_xml(content: Path | bytes, domain: Domain) -> SourceDocument:
    """Official XML: of regulations, or USLM, which says what is wrong with anything else."""
    if cfr.is_regulation(root_of(content)):
        return cfr.read(content)
    lowest = domain.result_level == Domain.ResultLevel.LOWEST
    return uslm.read(content, leaf=uslm.LeafPolicy.LOWEST if lowest else uslm.LeafPolicy.SECTION)


def root_of(content: Path | bytes) -> str:
    """The name of a file's first element; "" where it has none."""
    file = BytesIO(content) if isinstance(content, bytes) else str(content)
    try:
        return next((element.tag for _, element in etree.iterparse(file, ("start",), **SAFELY)), "")
    except etree.XMLSyntaxError:
        return ""


HOME = Path(__file__).parents[2]
ENVIRONMENT = {"LANG": "C.UTF-8", "PYTHONDONTWRITEBYTECODE": "1"}  # nothing of ours: no address, no key


def extract(
    content: bytes, *, filename: str, identifier: str, name: str, seconds: float = MAX_SECONDS
) -> SourceDocument:
    """The document in a file, its locators under `identifier`; `name` is its title where it says none.

    Raises SourceRefused with the reason: a broken, locked, empty or hostile file.
    """
    said = json.loads(answer_of(content, [filename, identifier, name], seconds) or "{}")
    if "refused" in said:
        raise SourceRefused(said["refused"]["template"], **said["refused"]["values"])
    if not said:
        raise SourceRefused(
            gettext_noop("The file could not be read: its reader broke, or needed more than is allowed.")
        )
    return SourceDocument.of_file(said)


def answer_of(content: bytes, arguments: list[str], seconds: float) -> bytes:
    """What the worker wrote to its end; nothing where it was killed or broke.

    The answer waits in a file without a name, readable by nobody else.
    """
    command = [sys.executable, "-m", "retrieval.parsing.files.worker", *arguments]
    with TemporaryFile() as answer:
        streams = {"stdout": answer, "stderr": subprocess.DEVNULL, "start_new_session": True}
        try:
            worker = subprocess.run(
                command, input=content, timeout=seconds, check=False, cwd=HOME, env=ENVIRONMENT, **streams
            )
        except subprocess.TimeoutExpired as late:
            raise SourceRefused(
                gettext_noop("The file takes longer to read than %(seconds)s seconds."),
                seconds=f"{seconds:g}",
            ) from late
        answer.seek(0)
        return answer.read(MAX_OUTPUT) if worker.returncode == 0 else b""
