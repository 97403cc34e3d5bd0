"""manage.py lexical_writer"""

import logging
import signal
import time
from pathlib import Path

from django.conf import settings
from django.core.management.base import BaseCommand
from django.db import OperationalError, close_old_connections, connection

from retrieval.engines import loaded
from retrieval.indexes import lexical_sync, notes
from retrieval.indexes.lexical import LexicalIndex, LexicalWriter
from retrieval.indexes.lexical_sync import catch_up

logger = logging.getLogger(__name__)
EVERY = 0.5  # seconds between looks at the change log
RESTING = 2.0  # seconds before the next look while the database does not answer


class Command(BaseCommand):
    requires_system_checks = ()  # `up` or `prepare` has run them: they load every page
    help = "The node's one writer of the lexical index and that of notes: applies what changes until it is stopped."

    def add_arguments(self, parser):
        parser.add_argument("--once", action="store_true", help="catch up and stop")
        parser.add_argument("--rebuild", action="store_true", help="build the index anew first")

    def handle(self, *, once: bool, rebuild: bool, **options) -> None:
        self.stopped = False
        for signum in (signal.SIGTERM, signal.SIGINT):
            signal.signal(signum, self._stop)
        path = Path(settings.ARF_LEXICAL_DIR)
        writer = lexical_sync.open_writer(path)
        position = lexical_sync.rebuild(writer) if rebuild else catch_up(writer, LexicalIndex(path).position)
        notes.catch_up(loaded.notes_index())
        while not once and not self.stopped:
            time.sleep(EVERY)
            writer, position = self._look(writer, position)
        writer.close()

    def _look(self, writer: LexicalWriter, position: int) -> tuple[LexicalWriter, int]:
        """A database that is away for a while is waited for, a damaged index built anew; anything else ends the
        process, loudly.
        """
        try:
            close_old_connections()
            if writer.is_damaged:
                writer.abandon()
                writer = lexical_sync.open_writer(writer.path)
                position = LexicalIndex(writer.path).position
            position = catch_up(writer, position)
            notes.catch_up(loaded.notes_index())
            return writer, position
        except OperationalError as problem:
            logger.warning("the database does not answer: %s", problem)
            connection.close()
            time.sleep(RESTING)
            return writer, position

    def _stop(self, *args) -> None:
        self.stopped = True
