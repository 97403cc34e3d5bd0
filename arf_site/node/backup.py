"""The whole database, but for the questions that people keep for themselves, to one file and back, by the wheel's
`pg_dump` and `pg_restore`; all of it or nothing.

The wheel's programs speak no TLS: a server that insists on it is backed up with its own tools.
"""

import os
import re
import subprocess
from collections import deque
from collections.abc import Collection
from pathlib import Path
from tempfile import NamedTemporaryFile

import psycopg
from tqdm import tqdm

from arf_site.node.postgres.server import without_password
from arf_site.node.postgres.system import sync, wheel_install
from retrieval.errors import ArfError

Migration = tuple[str, str]  # its app and name
ARCHIVE_MAGIC = b"PGDMP"
# The extension is the superuser's, and stays as it is.
EXTENSION_ENTRY = re.compile(r"^\d+; \d+ \d+ (EXTENSION|COMMENT) - (EXTENSION )?vector\b")
TABLE_ENTRY = re.compile(r"^\d+; \d+ \d+ TABLE public (\S+) ")
TABLE_BEGUN = re.compile(r'dumping contents of table "public\.(\S+)"')
MIGRATION_ROW = re.compile(r"^\d+\t(\w+)\t(\w+)\t", re.M)  # number, app, name, when, as COPY writes them
TABLE_SIZES = """
SELECT tablename, pg_table_size(format('public.%I', tablename)) FROM pg_tables WHERE schemaname = 'public'
"""
# Questions that people keep for themselves: what they erase is nowhere.
LEFT_OUT = ("--exclude-table-data=public.retrieval_keptquestion",)
ERROR_LINES = 5  # of pg_dump's last words, where it fails
SEES_EVERY_ROW = "SELECT rolsuper OR rolbypassrls FROM pg_roles WHERE rolname = current_user"
OWN_TABLES = "SELECT tablename FROM pg_tables WHERE schemaname = 'public' AND tableowner = current_user"


class BackupError(ArfError):
    """Nothing was changed; the message is safe to show."""


def backup(url: str, path: Path, progress: tqdm | None = None) -> None:
    """Write the database to `path` (pg_dump's custom format, mode 0600), replacing it only when complete. `progress`,
    if one is given, counts the bytes of the tables.

    `url` must name a role that row-level security does not bind: for the embedded server
    `Postgres(...).owner_url()`. Any other is refused, rather than rows left out.
    """
    if path.exists() and not path.is_file():
        raise BackupError(f"{path} is no file: name one that may be made or replaced.")
    try:
        with NamedTemporaryFile(dir=path.parent, prefix=f"{path.name}.", delete=False) as file:
            partial = Path(file.name)
    except OSError as problem:
        raise BackupError(f"{path} cannot be written: {problem.strerror}.") from problem
    try:
        _dump(url, partial, tqdm(disable=True) if progress is None else progress)
        sync(partial)
        partial.replace(path)
    finally:
        partial.unlink(missing_ok=True)


def _dump(url: str, path: Path, progress: tqdm) -> None:
    """Vectors hardly shrink: a thorough compression would take most of the time."""
    with psycopg.connect(url) as connection:
        if connection.execute(SEES_EVERY_ROW).fetchone() != (True,):
            raise BackupError(
                f"Row-level security hides rows from the role {connection.info.user}: "
                "set ARF_BACKUP_URL to the address of the same database for a role that it does not bind "
                "(a superuser, or one with BYPASSRLS)."
            )
        sizes = dict(connection.execute(TABLE_SIZES).fetchall())
    progress.reset(sum(sizes.values()))
    options = ("--format=custom", "--compress=gzip:1", "--verbose", *LEFT_OUT, f"--file={path}")
    command, environment = _command("pg_dump", url, *options)
    with subprocess.Popen(
        command,
        env=environment | {"LC_ALL": "C"},
        stdin=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    ) as dumping:
        last, table = deque(maxlen=ERROR_LINES), ""
        for line in dumping.stderr:
            last.append(line)
            if begun := TABLE_BEGUN.search(line):
                progress.update(sizes.pop(table, 0))
                table = begun[1]
                progress.set_postfix_str(table)
        progress.update(sum(sizes.values()))
    if dumping.returncode != 0:
        raise BackupError(f"pg_dump failed: {''.join(last).strip()}")


def restore(url: str, path: Path, known: Collection[Migration]) -> None:
    """Put the database back as it was in `path`, in one transaction, as the application's role. `known`: the migrations
    that this code knows.
    """
    contents = _contents(path)
    _refuse_unknown_migrations(path, known)
    _refuse_unknown_tables(url, contents)
    _read(path, f"--file={os.devnull}")  # all of it: amidst the restoring its damage would look like anything
    with NamedTemporaryFile("w", suffix=".list") as kept:
        kept.writelines(f"{line}\n" for line in contents if not EXTENSION_ENTRY.match(line))
        kept.flush()
        options = ("--clean", "--if-exists", "--single-transaction", "--no-owner", "--no-privileges")
        _run("pg_restore", url, *options, f"--use-list={kept.name}", str(path))


def _contents(path: Path) -> list[str]:
    """The archive's table of contents. Refuses what is no archive of this application's database."""
    if not path.is_file():
        raise BackupError(f"There is no file {path}.")
    with path.open("rb") as file:
        if file.read(len(ARCHIVE_MAGIC)) != ARCHIVE_MAGIC:
            raise BackupError(f"{path} is no backup: it is not in pg_dump's custom format.")
    contents = _read(path, "--list").splitlines()
    tables = _tables(contents)
    if "django_migrations" not in tables or not any(table.startswith("retrieval_") for table in tables):
        raise BackupError(f"{path} is the backup of another application's database.")
    return contents


def _tables(contents: list[str]) -> set[str]:
    return {entry[1] for line in contents if (entry := TABLE_ENTRY.match(line))}


def _refuse_unknown_migrations(path: Path, known: Collection[Migration]) -> None:
    """What migrations that this code lacks have made it would not fill, and no check would tell."""
    told = _read(path, "--data-only", "--table=django_migrations", "--file=-")
    if unknown := [each for each in MIGRATION_ROW.findall(told) if each not in known]:
        raise BackupError(
            f"{path} has migrations that this ARF does not know: {', '.join(map('.'.join, unknown))}; "
            "restore it with the ARF that made it."
        )


def _refuse_unknown_tables(url: str, contents: list[str]) -> None:
    """A table made since the backup would stay and stand against the restored list of migrations."""
    with psycopg.connect(url) as connection:
        present = {name for (name,) in connection.execute(OWN_TABLES)}
    if unknown := sorted(present - _tables(contents)):
        raise BackupError(
            f"The backup does not know these tables: {', '.join(unknown)}. "
            "Restore it into an empty database: the README tells how one is made."
        )


def _read(path: Path, *arguments: str) -> str:
    """What the archive tells, without a database."""
    try:
        return _run("pg_restore", None, *arguments, str(path))
    except BackupError as problem:
        raise BackupError(f"{path} is damaged, incomplete or made by a newer PostgreSQL: {problem}") from problem


def _run(program: str, url: str | None, *arguments: str) -> str:
    """Run one of the wheel's programs and return its output."""
    command, environment = _command(program, url, *arguments)
    done = subprocess.run(command, env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    if done.returncode != 0:
        raise BackupError(f"{program} failed: {done.stderr.strip()}")
    return done.stdout


def _command(program: str, url: str | None, *arguments: str) -> tuple[list, dict[str, str]]:
    """One of the wheel's programs with its environment, by which the password goes."""
    address, password = without_password(url) if url else ("", {})
    command = [wheel_install() / "bin" / program, *([f"--dbname={address}"] if url else []), *arguments]
    return command, os.environ | password
