"""Gives a test process its own database and lexical index, copied from a template that is kept between runs.

The template holds the schema, the shipped content and the Constitution with its vectors and its index. Its name
ends in a hash of the files that it is made from, so a change to any of them makes a new one.
"""

import fcntl
import json
import shutil
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from itertools import count
from pathlib import Path
from unittest.mock import patch

import numpy as np
from django.conf import settings
from django.core.management import call_command
from django.db import OperationalError, connection, connections, transaction

from arf_site.environment import Environment
from arf_site.node.postgres.server import Postgres
from arf_site.node.preparation import static_fingerprint
from retrieval.engines import onnx_export
from retrieval.engines.embedders import OnnxEmbedder, default_model_dir

ROOT = Path(__file__).resolve().parent.parent
KEPT_IN = Path(settings.VAR_DIR) / "tests"
# What decides the template's content, relative to ROOT: files and folders.
MIGRATIONS = tuple(f"{room}/migrations" for room in ("arf_site", "retrieval", "rules", "evaluation"))
SOURCES = (
    *MIGRATIONS,
    *("requirements.txt", "tests/database.py", "arf_site/management/commands/load_defaults.py"),
    *(f"retrieval/{name}" for name in ("corpora", "defaults.py", "models", "ingestion", "parsing", "text")),
    *(f"retrieval/{name}" for name in ("citations", "engines", "indexes", "summaries", "answers/units.py")),
    *("rules/aliases", "rules/defaults.py", "rules/fixtures"),
    *("arf_site/groups.py", "evaluation/topics"),
)
EXPORTED_BY = ("requirements.txt", "retrieval/engines/onnx_export.py", "retrieval/engines/embedders.py")
TRIES = 6  # to drop a database
KEPT = 3  # templates; two branches and a change can be tested in turn without making any of them anew


@dataclass(frozen=True)
class Template:
    """A finished database and, in a folder of the same name, its lexical index."""

    folder: Path

    @property
    def name(self) -> str:
        return self.folder.name

    @property
    def index(self) -> Path:
        return self.folder / "lexical"


@contextmanager
def own_database(lexical_dir: Path, *, rebuild: bool = False, reuse: bool = False) -> Iterator[None]:
    """Settings and the connection lead to a fresh copy of the template until the end.

    `rebuild` makes the template anew; `reuse` takes the last one of the same migrations, whatever else has changed.
    """
    start_server()
    kept, prefix = kept_folder()
    with own_number(kept) as number:
        name = f"test_{prefix}_{number}"
        with locked(kept / "lock"):
            tables = f"{prefix}_{hash_of(MIGRATIONS)}"
            last = next(iter(templates(kept, tables)), None) if reuse and not rebuild else None
            template = made(last or kept / f"{tables}_{hash_of(SOURCES)}", rebuild=rebuild)
            exported_embedder()
            drop(name)
            run_sql(f'CREATE DATABASE "{name}" TEMPLATE "{template.name}"')
            shutil.copytree(template.index, lexical_dir)
            drop_old_templates(kept, prefix)
        before = connection.settings_dict["NAME"]
        lead_to(name, lexical_dir)
        yield
        lead_to(before, lexical_dir)
        drop(name)


@contextmanager
def another_copy(name: str) -> Iterator[None]:
    """A further database like this process's own, for commands that run in processes of theirs."""
    kept, prefix = kept_folder()
    with locked(kept / "lock"):
        run_sql(f'CREATE DATABASE "{name}" TEMPLATE "{templates(kept, prefix)[0].name}"')
    yield
    drop(name)


def kept_folder() -> tuple[Path, str]:
    """Where templates lie, and how their names begin: checkouts may share one server."""
    KEPT_IN.mkdir(parents=True, exist_ok=True)
    return KEPT_IN, f"arf_{sha256(str(KEPT_IN).encode()).hexdigest()[:6]}"


def start_server() -> None:
    """Without DATABASE_URL the embedded server, whose address is known once it has been started."""
    if not settings.DATABASE_URL_GIVEN:
        server = Postgres()
        server.start()
        connection.settings_dict.update(Environment().database(server.app_url()))


def exported_embedder() -> Path:
    """Where the ONNX export lies that every test uses; made where it is missing."""
    KEPT_IN.mkdir(parents=True, exist_ok=True)
    used = Path(settings.ARF_EMBEDDER["export_dir"])
    with locked(KEPT_IN / "onnx.lock"):
        if not used.is_dir():
            shutil.copytree(export_of_this_code(), used)
    return onnx_export.export(default_model_dir(), used)


@cache
def export_of_this_code() -> Path:
    """The packaged embedder's export, kept between runs under a hash of the code that makes it, whatever model a test
    has the settings name.
    """
    KEPT_IN.mkdir(parents=True, exist_ok=True)
    folder = KEPT_IN / f"onnx_{hash_of_files(EXPORTED_BY)}"
    for old in set(KEPT_IN.glob("onnx_*")) - {folder}:
        shutil.rmtree(old, ignore_errors=True)
    return onnx_export.export(default_model_dir(), folder)


def copy_static(to: Path) -> None:
    """The static files as a node has collected them, if one has: it finds them unchanged and leaves them."""
    with suppress(FileNotFoundError), locked(KEPT_IN / "static.lock"):
        shutil.copytree(kept_static(), to)


def keep_static(collected: Path) -> None:
    """Keeps what a node has collected, between runs too."""
    with locked(KEPT_IN / "static.lock"):
        if not (kept := kept_static()).is_dir():
            for old in KEPT_IN.glob("static_*"):
                shutil.rmtree(old)
            shutil.copytree(collected, unfinished := kept.with_name("static_new"))
            unfinished.rename(kept)


def kept_static() -> Path:
    return KEPT_IN / f"static_{static_fingerprint()[:10]}"


@contextmanager
def own_number(kept: Path) -> Iterator[int]:
    """The first number that no other test process on this folder has."""
    for number in count(1):
        with (kept / f"{number}.lock").open("w") as file, suppress(BlockingIOError):
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            yield number
            return


@contextmanager
def locked(path: Path) -> Iterator[None]:
    with path.open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def hash_of(sources: Iterable[str]) -> str:
    """Of the files that something is made from, and of the embedder in use."""
    embedder = {name: value for name, value in settings.ARF_EMBEDDER.items() if name != "api_key"}
    return hash_of_files(sources, of=json.dumps(embedder, sort_keys=True))


def hash_of_files(sources: Iterable[str], *, of: str = "") -> str:
    found = sha256(of.encode())
    for path in sorted(file for source in sources for file in files_of(ROOT / source)):
        found.update(str(path.relative_to(ROOT)).encode() + path.read_bytes())
    return found.hexdigest()[:10]


def files_of(source: Path) -> list[Path]:
    inside = source.rglob("*") if source.is_dir() else [source]
    return [path for path in inside if path.is_file() and "__pycache__" not in path.parts]


def made(folder: Path, *, rebuild: bool) -> Template:
    """The template, built where it is missing. The folder appears last: it stands for both parts."""
    if rebuild or not (folder.is_dir() and exists(folder.name)):
        drop_template(folder)
        build(folder)
    folder.touch()  # the latest used are kept
    return Template(folder)


def build(folder: Path) -> None:
    unfinished = Template(folder.with_name(f"{folder.name}_new"))
    drop_template(unfinished.folder)
    run_sql(f'CREATE DATABASE "{unfinished.name}"')
    lead_to(unfinished.name, unfinished.index)
    call_command("migrate", verbosity=0, run_syncdb=True)
    call_command("load_defaults", verbosity=0)
    exported_embedder()
    with vectors_kept():
        call_command("ingest", "us_constitution", verbosity=0)
        call_command("embed_aliases", verbosity=0)
    update_index()
    connections.close_all()
    run_sql(f'ALTER DATABASE "{unfinished.name}" RENAME TO "{folder.name}"')
    unfinished.folder.rename(folder)


@contextmanager
def vectors_kept() -> Iterator[None]:
    """What an earlier template was made of is not embedded again: 9,000 names take half the time of making one."""
    file, made = KEPT_IN / f"vectors_{hash_of(EXPORTED_BY)}.npz", OnnxEmbedder.embed_documents
    stored = np.load(file) if file.is_file() else {"names": (), "vectors": ()}
    kept = dict(zip(map(str, stored["names"]), stored["vectors"], strict=True))

    def embed(embedder: OnnxEmbedder, texts: Sequence[str]) -> np.ndarray:
        names = {sha256(text.encode()).hexdigest(): text for text in texts}
        missing = names.keys() - kept.keys()
        kept.update(zip(missing, made(embedder, [names[name] for name in missing]), strict=True))
        return np.stack([kept[sha256(text.encode()).hexdigest()] for text in texts])

    with patch.object(OnnxEmbedder, "embed_documents", embed):
        yield
    for old in KEPT_IN.glob("vectors_*"):
        old.unlink()
    np.savez(file, names=list(kept), vectors=list(kept.values()))


def update_index() -> None:
    """Applies the change log now, as the supervised writer does within a second."""
    from retrieval.engines import loaded
    from retrieval.indexes import notes
    from retrieval.indexes.lexical import LexicalWriter
    from retrieval.indexes.lexical_sync import catch_up

    index = loaded.lexical_index()
    writer = LexicalWriter(index.path)
    catch_up(writer, index.position)
    writer.close()
    index.reload()
    notes.catch_up(loaded.notes_index())
    loaded.notes_index().reload()


@contextmanager
def own_index(folder: Path) -> Iterator[Callable[[], None]]:
    """A copy of the index to itself; gives what brings it up to date after the corpus was changed."""
    before = settings.ARF_LEXICAL_DIR
    shutil.copytree(before, folder)
    settings.ARF_LEXICAL_DIR = folder
    yield update_index
    settings.ARF_LEXICAL_DIR = before


@contextmanager
def rolled_back() -> Iterator[None]:
    """What is done inside is taken back at the end. Tests that run inside begin with it, and are taken back to it."""
    with transaction.atomic():
        yield
        transaction.set_rollback(True)


def lead_to(name: str, lexical_dir: Path) -> None:
    connections.close_all()
    settings.DATABASES["default"]["NAME"] = connection.settings_dict["NAME"] = name
    settings.ARF_LEXICAL_DIR = lexical_dir


def drop_old_templates(kept: Path, prefix: str) -> None:
    for folder in templates(kept, prefix)[KEPT:]:
        drop_template(folder)


def templates(kept: Path, prefix: str) -> list[Path]:
    """The finished ones, the last used first."""
    folders = [folder for folder in kept.glob(f"{prefix}_*/") if not folder.name.endswith("_new")]
    return sorted(folders, key=lambda folder: folder.stat().st_mtime, reverse=True)


def drop_template(folder: Path) -> None:
    drop(folder.name)
    shutil.rmtree(folder, ignore_errors=True)


def drop(name: str) -> None:
    """The server waits five seconds for those connected to end, which on a busy machine may take longer."""
    for tries_left in reversed(range(TRIES)):
        try:
            run_sql(f'DROP DATABASE IF EXISTS "{name}" WITH (FORCE)')
        except OperationalError:
            if not tries_left:
                raise
        else:
            return


def exists(name: str) -> bool:
    return bool(run_sql(f"SELECT 1 FROM pg_database WHERE datname = '{name}'"))


def run_sql(statement: str) -> list[tuple]:
    """On the server's maintenance database, where databases are made."""
    with connection._nodb_cursor() as cursor:
        cursor.execute(statement)
        return cursor.fetchall() if cursor.description else []
