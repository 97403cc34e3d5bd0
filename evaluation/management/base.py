"""What commands that measure and learn share: problems are told in one line, and a bar shows how far they are."""

from functools import partial

from django.core.management.base import BaseCommand, CommandError
from tqdm import tqdm

from evaluation.measuring.measures import NothingToCompare
from evaluation.topics.reading import BadFile
from evaluation.topics.topic import BadTopics
from retrieval.errors import ArfError

PROBLEMS = (OSError, BadFile, BadTopics, NothingToCompare, ArfError)
with_bar = partial(tqdm, unit="topic", disable=None)  # nothing is drawn where nobody watches


class MeasuringCommand(BaseCommand):
    """A problem whose message is safe to show ends the command with that message."""

    def execute(self, *args, **options) -> str | None:
        try:
            return super().execute(*args, **options)
        except PROBLEMS as problem:
            raise CommandError(str(problem)) from problem
