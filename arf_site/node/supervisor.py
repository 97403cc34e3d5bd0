"""Starts the processes of a node together, starts again what ends, and stops all in order. No Django here.

A program that ends whenever it is started ends all others with it, unless these do without it: then it is tried again
after growing pauses, and a file tells which programs are in that state.

Each program runs in a session of its own, begun by `python -m arf_site.node.supervisor PARENT COMMAND…`, which has
the kernel end it when the supervisor dies, by kill -9 too.
"""

import ctypes
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from retrieval.errors import ArfError

PR_SET_PDEATHSIG = 1  # of <sys/prctl.h>
EVERY = 0.1  # seconds between looks at the children
STEADY = 30.0  # seconds after which a program counts as having started well
QUICK_DEATHS = 5  # in a row: then starting it again at once helps no more
FIRST_DELAY = 0.5  # seconds before a program that died at once is started again; doubles with each death
LONGEST_DELAY = 300.0  # seconds
FAILING = "failing.json"  # beside the logs: programs that keep ending, each with `since` (ISO 8601) and `why`
LOG_LIMIT = 10_000_000  # bytes; a longer log is put aside
LAST_LINES = 20
SAID_AFTER = 30.0  # seconds between words on what is waited for


class GaveUp(ArfError):
    """A program that ends whenever it is started; the message holds the last lines of its log."""


@dataclass(frozen=True)
class Program:
    """What to run. `grace`: seconds it may take to end by itself before it is killed; `is_side`: the others serve
    without it.
    """

    name: str
    command: Sequence[str]
    grace: float = 10.0
    is_side: bool = False


class Child:
    """A program and, while it runs, its process."""

    def __init__(self, program: Program, log: Path, kept_open: Sequence[int], say: Callable[[str], None]):
        self.program = program
        self.log = log
        self.kept_open = tuple(kept_open)
        self.say = say
        self.process: subprocess.Popen | None = None
        self.started_at = self.start_at = 0.0
        self.quick_deaths = 0
        self.failing: dict[str, str] | None = None

    def start(self) -> None:
        """Raises OSError, for a full disk for one."""
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(
                ending_with_us(self.program.command),
                cwd=Path(__file__).resolve().parents[2],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
                pass_fds=self.kept_open,
            )
        self.started_at = time.monotonic()

    def keep_up(self) -> None:
        """Starts the program again once it has ended, later each time. Raises GaveUp."""
        if self.process is None:
            if time.monotonic() >= self.start_at:
                self._start_again()
        elif has_ended(self.process.pid):
            steady = self._is_steady()
            self._put_off(f"ended ({in_words(self._end_group())})", steady=steady)
        elif self.failing and self._is_steady():
            self.failing = None
        put_aside(self.log)

    def _start_again(self) -> None:
        try:
            self.start()
        except OSError as problem:
            self._put_off(f"cannot be started ({problem.strerror})", steady=False)

    def _is_steady(self) -> bool:
        return time.monotonic() - self.started_at > STEADY

    def _put_off(self, why: str, *, steady: bool) -> None:
        self.quick_deaths = 1 if steady else self.quick_deaths + 1
        if self.quick_deaths >= QUICK_DEATHS and not self.program.is_side:
            raise GaveUp(f"{self.program.name} {why} again and again:\n{last_lines(self.log)}")
        if self.quick_deaths > 1:
            since = self.failing["since"] if self.failing else datetime.now(UTC).isoformat(timespec="seconds")
            self.failing = {"since": since, "why": why}
        delay = min(FIRST_DELAY * 2 ** (self.quick_deaths - 1), LONGEST_DELAY)
        self.start_at = time.monotonic() + delay
        self.say(f"{self.program.name} {why}; it is started again in {delay:g} s.")

    def stop(self) -> None:
        """Asks it to end; kills what is left after its grace. It may have ended unseen: `Popen.terminate` would reap it
        then, and its pid be ours no more.
        """
        if self.process is None:
            return
        os.kill(self.process.pid, signal.SIGTERM)
        limit = time.monotonic() + self.program.grace
        while not has_ended(self.process.pid) and time.monotonic() < limit:
            time.sleep(0.02)
        self._end_group()

    def _end_group(self) -> int:
        """Kills what its process left behind. That process is reaped last: its pid, the group's, stays ours."""
        process, self.process = self.process, None
        os.killpg(process.pid, signal.SIGKILL)
        return process.wait()


class Supervisor:
    """Programs that live together. Started in the order given, stopped in the opposite one."""

    def __init__(
        self,
        programs: Sequence[Program],
        log_dir: Path,
        *,
        kept_open: Sequence[int] = (),
        say: Callable[[str], None] = print,
    ):
        log_dir.mkdir(parents=True, exist_ok=True)
        self.children = [
            Child(program, log_dir / f"{program.name}.log", kept_open, say) for program in programs
        ]
        self.say = say
        self.failing: dict[str, dict] | None = None
        self.failing_file = log_dir / FAILING

    def start(self) -> None:
        for child in self.children:
            child.start()

    def wait_until(
        self,
        ready: Callable[[], bool],
        *,
        limit: float = float("inf"),
        what: str = "",
        left: Callable[[], int | None] = lambda: None,
    ) -> None:
        """Keeps everything up until `ready`, and tells each half minute for `what` it waits and how much is `left`, or
        None. Raises GaveUp, and TimeoutError after `limit` seconds in which that became no less: what only grows
        is stuck too.
        """
        every = min(SAID_AFTER, limit)
        started = looked = nearer = time.monotonic()
        before = left()
        while not ready():
            if (now := time.monotonic()) - looked > every:
                looked, last, before = now, before, left()
                if last is not None and before is not None and before < last:
                    nearer = now
                elif now - nearer > limit:
                    raise TimeoutError
                self._tell_waiting(what, before, now - started)
            self.keep_up()
            time.sleep(EVERY)

    def _tell_waiting(self, what: str, left: int | None, seconds: float) -> None:
        if not what:
            return
        to_go = "" if left is None else f", {left:,} to go"
        failing = f"; failing: {', '.join(self.failing)}" if self.failing else ""
        self.say(f"  Waiting for {what}{to_go}, after {seconds:.0f} s{failing} …")

    def keep_up(self) -> None:
        for child in self.children:
            child.keep_up()
        self._tell_failing()

    def _tell_failing(self) -> None:
        """Writes the file anew whenever it would be another; readers never see half of it."""
        failing = {child.program.name: child.failing for child in self.children if child.failing}
        if failing == self.failing:
            return
        self.failing, unfinished = failing, self.failing_file.with_suffix(".tmp")
        try:
            unfinished.write_text(json.dumps(failing))
            unfinished.replace(self.failing_file)
        except OSError as problem:
            self.say(f"{self.failing_file} cannot be written ({problem.strerror}).")

    def stop(self) -> None:
        for child in reversed(self.children):
            child.stop()


def has_ended(pid: int) -> bool:
    """Whether our child `pid` has ended, leaving it unreaped."""
    return os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None


def in_words(status: int) -> str:
    return f"exit status {status}" if status >= 0 else signal.Signals(-status).name


def put_aside(log: Path) -> None:
    """Whoever appends to it goes on at its beginning; what is appended between copying and emptying it is lost. On a
    full disk the one put aside before stays in place of this one.
    """
    copy = log.with_suffix(".copy")
    with suppress(OSError):
        if log.stat().st_size > LOG_LIMIT:
            try:
                shutil.copyfile(log, copy).replace(log.with_suffix(".old.log"))
            except OSError:
                copy.unlink(missing_ok=True)
            os.truncate(log, 0)


def last_lines(log: Path) -> str:
    return "\n".join(log.read_text(errors="replace").splitlines()[-LAST_LINES:])


def ending_with_us(command: Sequence[str]) -> list[str]:
    """The command, started so that the kernel ends it when this process dies."""
    return [sys.executable, "-m", "arf_site.node.supervisor", str(os.getpid()), *command]


def end_with_parent(parent: int, how: signal.Signals = signal.SIGTERM) -> None:
    """Has the kernel send us `how` when our parent dies; ends at once if it is dead already. Linux only."""
    if sys.platform != "linux":
        return
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, how)
    if os.getppid() != parent:
        os.kill(os.getpid(), how)


def end_children_with_us() -> None:
    """From now on every process forked from this one is killed when its parent dies."""
    parent = os.getpid()

    def bind() -> None:
        nonlocal parent
        end_with_parent(parent, signal.SIGKILL)
        parent = os.getpid()

    os.register_at_fork(after_in_child=bind)


def main() -> None:
    parent, *command = sys.argv[1:]
    end_with_parent(int(parent))
    os.execvp(command[0], command)


if __name__ == "__main__":
    main()
