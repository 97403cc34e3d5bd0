"""A whole ARF with processes, server and folder of its own, for tests that kill parts of it."""

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from functools import cached_property
from pathlib import Path

import psycopg

from arf_site.management.commands.restore import known_migrations
from arf_site.node.backup import restore
from arf_site.node.first_search import ask
from arf_site.node.postgres.server import Postgres
from tests.database import ROOT, copy_static, exported_embedder, keep_static

SLEEP = "import time; time.sleep(60)"
# Seconds between looks: each is a search, a connection or a walk through /proc (15 ms), and takes the processor from
# what is waited for.
EVERY = 0.25
DEADLINE = 600  # seconds; a busy machine is slow to begin, and waiting costs nothing where it is not
RECOVERS = 60  # seconds in which PostgreSQL takes connections again after it was killed


# One that begins would take the only worker from what a test waits for.
NO_TRAINING = "UPDATE retrieval_jobrun SET kind = 'retrain' WHERE kind = 'ingest' AND status = 'done'"

# Loads Django once, which takes two seconds of processor time, and runs each script that it is told in a fork.
SCRIPTS = """
import contextlib, io, json, os, sys, traceback
import django
django.setup()
for line in sys.stdin:
    script, *arguments = json.loads(line)
    if child := os.fork():
        os.waitpid(child, 0)
        continue
    sys.argv, printed, done = ["-c", *arguments], io.StringIO(), True
    with contextlib.redirect_stdout(printed):
        try:
            exec(script, {})
        except BaseException:
            traceback.print_exc(file=printed)
            done = False
    print(json.dumps([done, printed.getvalue()]), flush=True)
    os._exit(0)
"""


class RunningArf:
    """`manage.py up` in a folder of its own under /tmp, which the server's user can enter.

    `collected`: it begins with the static files that an earlier one has collected, where there are any: to compress
    them takes four seconds of processor time. `workers` of its queue; each loads a model of its own.
    """

    def __init__(self, *, collected: bool = True, workers: int = 2):
        self.workers = workers
        self.var = Path(tempfile.mkdtemp(prefix="arf running "))
        self.var.chmod(0o755)
        shutil.copytree(exported_embedder(), self.var / "onnx")  # or the first start would take 20 s longer
        if collected:
            copy_static(self.var / "static")
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self.postgres = Postgres(self.var / "postgres")
        self.output = self.var / "output"
        self.process: subprocess.Popen | None = None

    def prepare(self, dump: Path, *statements: str) -> None:
        """Has it begin with the database of a backup, changed by statements of the superuser."""
        self.postgres.start()
        restore(self.postgres.app_url(), dump, known_migrations())
        with psycopg.connect(self.postgres.owner_url()) as connection:
            for statement in (NO_TRAINING, *statements):
                connection.execute(statement)

    @property
    def environment(self) -> dict[str, str]:
        ours = {name: value for name, value in os.environ.items() if name != "DATABASE_URL"}
        return ours | {
            "ARF_VAR_DIR": str(self.var),
            "ARF_PORT": str(self.port),
            "ARF_WORKERS": str(self.workers),
            "ARF_ADMIN_PASSWORD": "Xy7-test",
        }

    def up(self) -> float:
        """Starts it and waits for its greeting; gives the seconds this took."""
        started = time.monotonic()
        with self.output.open("w") as output:
            self.process = subprocess.Popen(
                [sys.executable, "manage.py", "up"],
                cwd=ROOT, env=self.environment, stdin=subprocess.DEVNULL, stdout=output, stderr=output,
            )  # fmt: skip
        wait_for(lambda: "Ctrl-C stops everything" in self.told() or self.process.poll() is not None)
        assert self.process.poll() is None, self.told()
        keep_static(self.var / "static")
        return time.monotonic() - started

    def told(self) -> str:
        return self.output.read_text()

    def search(self, question="Can they search my phone?") -> list[str]:
        return [result["locator"] for result in ask(self.url, question)["results"]]

    def searches(self) -> bool:
        """Whether it answers a question just now."""
        try:
            return bool(self.search())
        except OSError:
            return False

    def sql(self, query, *values):
        with self.connected() as connection:
            cursor = connection.execute(query, values or None)
            return cursor.fetchall() if cursor.description else []

    def connected(self) -> psycopg.Connection:
        """Waits for a server that was killed and recovers."""
        until = time.monotonic() + RECOVERS
        while True:
            try:
                return psycopg.connect(self.postgres.app_url(), autocommit=True)
            except psycopg.OperationalError:
                if time.monotonic() > until:
                    raise
                time.sleep(0.5)

    def run(self, script: str, *arguments: str) -> str:
        """What a script with Django's settings prints, beside the running ARF."""
        self.scripts.stdin.write(json.dumps([script, *arguments]) + "\n")
        self.scripts.stdin.flush()
        done, printed = json.loads(self.scripts.stdout.readline())
        assert done, printed
        return printed

    @cached_property
    def scripts(self) -> subprocess.Popen:
        environment = self.environment | {"DJANGO_SETTINGS_MODULE": "arf_site.settings"}
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
        return subprocess.Popen(python(SCRIPTS), cwd=ROOT, env=environment, **pipes)

    def pids(self, part: str) -> list[int]:
        """Our processes with `part` in their command line, oldest first."""
        return [pid for pid, line in command_lines(self.var) if part in line]

    def stop(self, how=signal.SIGTERM) -> int:
        self.process.send_signal(how)
        return self.process.wait(DEADLINE)

    def end_scripts(self) -> None:
        if "scripts" in vars(self):
            vars(self).pop("scripts").communicate()

    def remove(self) -> None:
        self.end_scripts()
        if self.process is not None and self.process.poll() is None:
            self.stop()
        self.postgres.stop("immediate")
        wait_for(lambda: not command_lines(self.var), limit=120, told=lambda: command_lines(self.var))
        shutil.rmtree(self.postgres.socket_dir, ignore_errors=True)
        wait_for(lambda: is_removed(self.var), limit=60)


def is_removed(folder: Path) -> bool:
    """What has just ended may still have removed a file of its own meanwhile."""
    shutil.rmtree(folder, ignore_errors=True)
    return not folder.exists()


def python(code: str, *arguments: str) -> tuple[str, ...]:
    return (sys.executable, "-c", code, *arguments)


def is_running(pid: int) -> bool:
    try:
        return "State:\tZ" not in Path(f"/proc/{pid}/status").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return False


def command_lines(var: Path) -> list[tuple[int, str]]:
    """Processes that were started on this folder, by their environment or their arguments; oldest first. Their numbers
    do not tell that: after the highest the lowest come again.
    """
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            line = (folder / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
            environment = (folder / "environ").read_bytes().decode(errors="replace")
            began = int((folder / "stat").read_text().rpartition(")")[2].split()[19])  # ticks after the machine
        except OSError:
            continue
        if line and (f"ARF_VAR_DIR={var}\0" in environment or str(var) in line):
            found.append((began, int(folder.name), line))
    return [(pid, line) for _, pid, line in sorted(found)]


def wait_for(condition, limit=DEADLINE, every=EVERY, told=lambda: "") -> None:
    started = time.monotonic()
    while not condition():
        assert time.monotonic() - started < limit, f"not within {limit} s: {told()}"
        time.sleep(every)


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]
