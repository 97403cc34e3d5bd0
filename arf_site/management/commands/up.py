"""manage.py up"""

import fcntl
import os
import signal
import socket
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TextIO, TypeVar

import psutil
from django.conf import settings
from django.core.management.base import CommandError
from django.db import OperationalError, connections
from tqdm import tqdm

from arf_site.node import first_search, preparation
from arf_site.node.first_search import host_and_port, reached_by
from arf_site.node.postgres.server import Postgres
from arf_site.node.postgres.system import check_room
from arf_site.node.supervisor import Program, Supervisor
from retrieval.management.base import ArfCommand
from retrieval.models import JobRun

T, U = TypeVar("T"), TypeVar("U")
LEFTOVERS_LIMIT = 60.0  # seconds that the processes of a killed predecessor may take to end, on a busy machine too
STOPPING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
READY_LIMIT = 600.0  # seconds in which work before the first search may come no nearer on a busy machine

# Memory that one thread has freed serves the others too. Blocks of 4 MiB and more go back to the system at once: of
# smaller ones, which each search needs again, to get every page anew took a twentieth of its time.
OF_GLIBC = {
    "MALLOC_ARENA_MAX": "2",
    "MALLOC_MMAP_THRESHOLD_": str(4 * 2**20),
    "MALLOC_TRIM_THRESHOLD_": str(32 * 2**20),
}


class Command(ArfCommand):
    """
    1. Make sure that nothing else serves here: one `up` a folder, one program a port.
    2. Prepare database, embedder, static files, administrator.
    3. Start PostgreSQL's guard, the writer of the lexical index, the workers, the web server.
    4. Where the Constitution is not there, have the workers ingest it.
    5. Ask one question over HTTP and say what to open.
    6. Start again whatever ends and mend what was prepared, until Ctrl-C or SIGTERM; then stop all in order,
       PostgreSQL last.
    """

    help = "Prepares the node, starts its web server, workers and index writer, and keeps them running."

    def handle(self, **options) -> None:
        started = time.monotonic()
        stop_by_signals()
        for name, value in OF_GLIBC.items():
            os.environ.setdefault(name, value)
        with alone(settings.VAR_DIR / "up.lock", self.say) as lock:
            check_room(settings.VAR_DIR)
            check_port(settings.ARF_BIND, settings.ARF_PORT)
            check_database()
            supervisor = Supervisor(
                programs(), settings.VAR_DIR / "log", kept_open=[lock.fileno()], say=self.say
            )
            try:
                self._serve(supervisor, started)
            except KeyboardInterrupt:
                self.say("Stopping.")
            except TimeoutError as problem:
                raise CommandError(
                    f"No progress in {READY_LIMIT:.0f} s: see {settings.VAR_DIR / 'log'}."
                ) from problem
            finally:
                ignore_signals()
                supervisor.stop()
                connections.close_all()
                if not settings.DATABASE_URL_GIVEN:
                    Postgres().stop()

    def _serve(self, supervisor: Supervisor, started: float) -> None:
        self.say("Preparing ARF:")
        preparation.prepare(self.say)
        supervisor.start()
        preparation.order_vectors(self.say)
        while not preparation.constitution_is_there():
            self._watch(preparation.order_constitution(), supervisor)
        self._wait_for_names_and_index(supervisor)
        supervisor.wait_until(
            lambda: first_search.listens(base_url()), limit=READY_LIMIT, what="the web server to answer"
        )
        preparation.order_reranker(self.say)
        missing = preparation.bodies_to_load()
        connections.close_all()
        self._greet(first_search.ask(base_url()), time.monotonic() - started, missing)
        upkeep = preparation.Upkeep(settings.VAR_DIR / "log" / "prepare.log")
        try:
            supervisor.wait_until(upkeep.look)
        finally:
            upkeep.stop()

    def _wait_for_names_and_index(self, supervisor: Supervisor) -> None:
        """They make the first searches as good as later ones. What fails, or comes no nearer, is not waited for."""
        if not preparation.names_are_embedded():
            self.say(f"  {preparation.names_left():,} curated names are to be embedded …")
            preparation.order_names()
        if lacking := preparation.changes_left():
            self.say(f"  The lexical index lacks {lacking:,} changes …")
        for what, ready, left in (
            ("curated names to be embedded", preparation.names_are_embedded, preparation.names_left),
            ("the lexical index to have all changes", preparation.index_is_current, preparation.changes_left),
        ):
            in_time = if_answered(lambda ready=ready: bool(supervisor.failing) or ready())
            try:
                supervisor.wait_until(in_time, limit=READY_LIMIT, what=what, left=if_answered(left, None))
            except TimeoutError:
                self.say(f"  No progress in {READY_LIMIT:.0f} s with {what}: searches do with what there is.")

    def _watch(self, run: JobRun, supervisor: Supervisor) -> None:
        """Shows a job's progress until it is finished. Raises CommandError if it fails."""
        with tqdm(desc="  Ingesting the Constitution", unit=" sections", disable=None) as bar:

            def finished() -> bool:
                run.refresh_from_db()
                bar.total = run.total or None
                bar.update(run.position - bar.n)
                return run.is_finished

            supervisor.wait_until(
                if_answered(finished), what="the Constitution", left=lambda: run.total - run.position
            )
        if run.status != JobRun.Status.DONE:
            raise CommandError(f"The ingestion did not succeed: {run.error or run.message}")
        self.say(f"  {run.message}")

    def _greet(self, answer: dict, seconds: float, missing: dict[str, list[str]]) -> None:
        url = base_url()
        self.say(f"ARF is up after {seconds:.1f} s. One question really asked:\n")
        self.say(first_search.in_words(answer))
        self.say(
            f"\n  Search   {url}/\n  Admin    {url}/admin/\n  API      {url}/api/v1/docs/"
            f"\n  Logs     {settings.VAR_DIR / 'log'}"
        )
        for command, bodies in missing.items():
            self.say(f"  Load     {sys.executable} manage.py {command} DOMAIN, which is one of {', '.join(bodies)}")
        self.say("\nCtrl-C stops everything.")


def programs() -> list[Program]:
    """In the order in which they are started; stopped in the opposite one."""
    manage = (sys.executable, str(settings.BASE_DIR / "manage.py"))
    guard = (sys.executable, "-m", "arf_site.node.postgres", "guard", str(os.getpid()))
    gunicorn = (sys.executable, "-m", "gunicorn", "--config", "arf_site/node/gunicorn.conf.py")
    return [
        *([] if settings.DATABASE_URL_GIVEN else [Program("postgres-guard", guard)]),
        Program("lexical-writer", (*manage, "lexical_writer"), is_side=True),
        Program("worker", (*manage, "worker"), is_side=True),
        Program("web", gunicorn),
    ]


def if_answered(ask: Callable[[], T], otherwise: U = False) -> Callable[[], T | U]:
    """What is asked, and something else while the database does not answer."""

    def asked() -> T | U:
        try:
            return ask()
        except OperationalError:
            connections.close_all()
            return otherwise

    return asked


def base_url() -> str:
    """Where this machine reaches the web server."""
    return f"http://{host_and_port(reached_by(settings.ARF_BIND), settings.ARF_PORT)}"


def stop_by_signals() -> None:
    """Ctrl-C, `kill` and a closed terminal end the same way, once."""

    def stop(*_) -> None:
        ignore_signals()
        raise KeyboardInterrupt

    for signum in STOPPING:
        signal.signal(signum, stop)


def ignore_signals() -> None:
    """What must be done to its end is not interrupted, such as the stopping itself, whatever it came from: what it had
    not reached would be left behind.
    """
    for signum in STOPPING:
        signal.signal(signum, signal.SIG_IGN)


@contextmanager
def alone(path: Path, say: Callable[[str], None] = print) -> Iterator[TextIO]:
    """Holds the node's lock, which its processes inherit: those of a killed predecessor are waited for."""
    with path.open("a+") as lock:
        is_said = False
        limit = time.monotonic() + LEFTOVERS_LIMIT
        while not locked(lock):
            if psutil.pid_exists(holder(path)):
                raise CommandError(
                    f"ARF already runs from here (process {holder(path)}): stop that one first."
                )
            if time.monotonic() > limit:
                named = ", ".join(map(str, holding(path)))
                raise CommandError(f"Processes of an ARF that was killed still hold {path}: end them first ({named}).")
            if not is_said:
                say(f"Waiting for the processes of an ARF that was killed, at most {LEFTOVERS_LIMIT:.0f} s …")
                is_said = True
            time.sleep(0.1)
        lock.truncate(0)
        lock.write(str(os.getpid()))
        lock.flush()
        yield lock


def locked(lock: TextIO) -> bool:
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def holder(path: Path) -> int:
    return int(path.read_text() or 0)


def holding(path: Path) -> list[int]:
    """The other processes that have the file open, of those that we may look into."""
    found = []
    for process in psutil.process_iter():
        with suppress(psutil.Error):
            if process.pid != os.getpid() and str(path.resolve()) in [file.path for file in process.open_files()]:
                found.append(process.pid)
    return found


def check_port(host: str, port: int) -> None:
    """Raises CommandError if the web server could not listen there."""
    try:
        [(family, _, _, _, address), *_] = socket.getaddrinfo(host.strip("[]"), port, type=socket.SOCK_STREAM)
        with socket.socket(family) as listener:
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listener.bind(address)
    except OSError as problem:
        raise CommandError(
            f"Port {port} of {host} cannot be used ({problem.strerror}): "
            "set ARF_PORT (or ARF_BIND) in the environment or in .env to another."
        ) from problem


def check_database() -> None:
    """Raises CommandError, with PostgreSQL's own reason on one line, if it does not let us in."""
    try:
        connections["default"].ensure_connection()
    except OperationalError as problem:
        named = "DATABASE_URL" if settings.DATABASE_URL_GIVEN else f"the database under {settings.VAR_DIR}"
        raise CommandError(f"{named} cannot be used: {' '.join(str(problem).split())}") from problem
