"""What commands share: problems are told in one line, and a job may run in the foreground."""

from argparse import ArgumentTypeError
from datetime import date

from django.core.management.base import BaseCommand, CommandError
from tqdm import tqdm

from retrieval import jobs
from retrieval.errors import ArfError
from retrieval.models import JobRun


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

    def say(self, line: str) -> None:
        """At once, be it into a pipe."""
        self.stdout.write(line)
        self.stdout.flush()


class JobCommand(ArfCommand):
    """Runs one job to its end, with a progress bar or a line a step, and says how it ended."""

    unit = "step"
    prints_steps = False  # a line a step in place of the bar, also where no terminal is

    def run_job(self, request: dict) -> JobRun:
        """`request`: kind, key and params, as `jobs.create` takes them. Goes on with one that was stopped."""
        try:
            run = jobs.create(**request)
        except jobs.AlreadyRunning as other:
            if (other.run.kind, other.run.params) != (request["kind"], request.get("params", {})):
                raise
            run = other.run
            self.stderr.write(f"Job {run.pk}, begun before, goes on: {run.message}")
        run = self._watch(run)
        if run.status != JobRun.Status.DONE:
            raise CommandError(run.error or run.message)
        self.stdout.write(run.message)
        return run

    def _watch(self, run: JobRun) -> JobRun:
        """Raises CommandError for whoever presses Ctrl-C: a job is not ended by that, and they should know."""
        try:
            disable = True if self.prints_steps else None
            with tqdm(total=run.total or None, unit=self.unit, disable=disable) as bar:
                for stepped in jobs.run_here(run):
                    run = stepped
                    if self.prints_steps and not run.is_finished:
                        self.stdout.write(f"{run.percent:3d} % {run.message}")
                    bar.total = run.total or None
                    bar.update(run.position - bar.n)
                    bar.set_postfix_str(run.message[:60])
        except KeyboardInterrupt:
            raise CommandError(
                f"Nobody watches job {run.pk} any more. The workers go on with it in a few minutes, or once they are "
                "started; to end it, cancel it in the admin under Jobs."
            ) from None
        return run
