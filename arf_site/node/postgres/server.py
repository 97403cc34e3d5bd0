"""The embedded PostgreSQL 18 with pgvector: started, waited for, provisioned, stopped.

Runs the wheel's `postgres` directly and imports neither the wheel nor Django. Running means that a query is answered.
"""

import os
import signal
import subprocess
import time
from pathlib import Path
from urllib.parse import quote

import psycopg
from psycopg import sql

from arf_site.node.postgres.accounts import ENVIRONMENT, Account, PostgresError, say
from arf_site.node.postgres.cluster import APP, PORT, SUPERUSER, Cluster
from arf_site.node.postgres.files import make_folder, make_private_folder, write_file
from arf_site.node.postgres.processes import is_postmaster, read_pid

WAIT_LIMIT = 600  # seconds; crash recovery and the checkpoint of a shutdown can take minutes
PROGRESS_EVERY = 5  # seconds
STOP_SIGNALS = {"smart": signal.SIGTERM, "fast": signal.SIGINT, "immediate": signal.SIGQUIT}
ORPHANS_REMAIN = "is still in use"  # children of a killed postmaster hold its shared memory until they notice
CONFIGURATION = Path(__file__).with_name("arf.conf")
VECTOR_IS_CURRENT = (
    "SELECT 1 FROM pg_available_extensions WHERE name = 'vector' AND installed_version = default_version"
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
            if time.monotonic() - reported > PROGRESS_EVERY:
                reported = time.monotonic()
                say(f"Waiting for PostgreSQL, {reported - started:.0f} s: {refusal.splitlines()[-1]}")
            time.sleep(0.05)

    def _launch(self, account: Account, install: Path) -> int:
        """Start a postmaster that is nobody's child, in a session of its own; return its pid."""
        make_private_folder(self.socket_dir, account)
        for left in self.socket_dir.iterdir():  # by a killed server; the pid in it may be anybody's by now
            left.unlink()
        make_private_folder(self.place / "log", account)
        write_file(self.place / "arf.conf", CONFIGURATION.read_text(), 0o644)
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


def install_vector(connection: psycopg.Connection) -> None:
    connection.execute("CREATE EXTENSION IF NOT EXISTS vector")
    connection.execute("ALTER EXTENSION vector UPDATE")


def app_url(data_dir: Path) -> str:
    """The application's URL; before the first start one that leads nowhere, so that settings load without a server."""
    if (server := Postgres(data_dir)).cluster.exists():
        return server.app_url()
    return f"postgresql://{APP}@/{APP}?host={quote(str(data_dir), safe='')}"
