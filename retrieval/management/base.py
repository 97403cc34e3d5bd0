"""What commands share: problems are told in one line, and a job may run in the foreground."""

from argparse import ArgumentTypeError
from collections.abc import Callable, Iterable
from datetime import date
from threading import Event, Thread

from django.core.management.base import BaseCommand, CommandError
from django.db import OperationalError
from tqdm import tqdm

from retrieval import jobs
from retrieval.database import has_room
from retrieval.errors import ArfError, NoRoom, gettext_noop
from retrieval.models import JobRun

REPEATED_EVERY = 30.0  # seconds: a command that is silent for longer seems to hang


def a_day(said: str) -> date:
    """The type of an argument."""
    try:
        return date.fromisoformat(said)
    except ValueError as problem:
        raise ArgumentTypeError(f"“{said}” is no day: write it like 1950-01-31") from problem


class ArfCommand(BaseCommand):
    """A problem whose message is safe to show ends the command with that message."""

    def execute(self, *args, **options) -> str | None:
        try:
            return super().execute(*args, **options)
        except (OSError, ArfError) as problem:
            raise CommandError(str(problem)) from problem
        except OperationalError as problem:  # a full disk, for one
            raise CommandError(f"The database failed: {' '.join(str(problem).split())}") from problem

    def say(self, line: str) -> None:
        """At once, be it into a pipe."""
        self.stdout.write(line)
        self.stdout.flush()


class Reminder:
    """Says the last line that it was given every 30 s until it is left: a step may take long, as may others' turns."""

    def __init__(self, say: Callable[[str], None]):
        self.line = ""
        self._say, self._left = say, Event()
        self._thread = Thread(target=self._repeat, daemon=True)

    def __enter__(self) -> "Reminder":
        self._thread.start()
        return self

    def __exit__(self, *raised) -> None:
        self._left.set()
        self._thread.join()

    def _repeat(self) -> None:
        while not self._left.wait(REPEATED_EVERY):
            self._say(self.line)


class JobCommand(ArfCommand):
    """Runs one job to its end, with a progress bar or a line a step, and says how it ended. Where no terminal is, it
    says every 30 s how far it is.
    """

    prints_steps = False  # a line a step in place of the bar, also where no terminal is

    def run_job(self, request: dict) -> JobRun:
        """`request`: kind, key and params, as `jobs.in_line` takes them. Goes on with one that was stopped; waits for
        its turn behind others. Raises NoRoom on a full disk.
        """
        if not has_room():
            raise NoRoom(gettext_noop("The server's disk is full: run this again when there is room."))
        run, is_new = jobs.in_line(**request)
        if not is_new:
            self.stderr.write(f"Job {run.pk}, begun before, goes on: {run.message}")
        if other := jobs.before(run):
            self.stderr.write(waiting(run, other))
        run = self._watch(run)
        if run.status != JobRun.Status.DONE:
            raise CommandError(run.error or run.message)
        self.stdout.write(run.message)
        return run

    def write_differences(self, documents: Iterable[dict]) -> None:
        """The locators of what is new, changed and repealed in each, as `fetching.differences` tells them."""
        for document in documents:
            for kind in ("new", "changed", "repealed"):
                if document[kind]:
                    self.stdout.write(f"\n{document['title']}: {document[kind]} {kind}")
                    self.stdout.writelines(f"  {locator}\n" for locator in document[f"{kind}_named"])

    def _watch(self, run: JobRun) -> JobRun:
        """Raises CommandError for whoever presses Ctrl-C: a job is not ended by that, and they should know."""
        try:
            with self._bar() as bar, Reminder(self.say if bar.disable else bar.set_postfix_str) as reminder:
                reminder.line = how_far(run)

                def waits_for(other: JobRun) -> None:
                    reminder.line = f"{waiting(run, other)} {how_far(other)}"

                for stepped in jobs.run_here(run, waits_for=waits_for):
                    run, reminder.line = stepped, how_far(stepped)
                    if self.prints_steps and not run.is_finished:
                        self.stdout.write(reminder.line)
                    bar.update(run.percent - bar.n)
                    bar.set_postfix_str(run.message[:60])
        except KeyboardInterrupt:
            raise CommandError(f"Nobody watches job {run.pk} any more. {LEFT}") from None
        except jobs.AlreadyRunning as other:
            raise CommandError(f"{other.message} Job {run.pk} is left to the workers. {LEFT}") from None
        return run

    def _bar(self) -> tqdm:
        shape = "{percentage:3.0f} %|{bar}| {elapsed}{postfix}"
        return tqdm(total=100, bar_format=shape, disable=True if self.prints_steps else None)


LEFT = (
    "The workers go on with it in a few minutes, or once they are started; to end it, cancel it in the admin under "
    "Jobs."
)


def how_far(run: JobRun) -> str:
    return f"{run.percent:3d} % {run.message}"


def waiting(run: JobRun, other: JobRun) -> str:
    return f"Job {run.pk} waits for job {other.pk}: {jobs.name_of(other)}."
