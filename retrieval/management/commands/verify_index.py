"""manage.py verify_index"""

from contextlib import suppress
from itertools import islice

from django.core.management.base import BaseCommand, CommandError

from retrieval.engines import loaded
from retrieval.indexes import lexical_sync, notes
from retrieval.indexes.lexical import LexicalIndex

NAMED = 5  # ids given as examples


class Command(BaseCommand):
    """
    1. Say whether the index can be searched, and how many changes of the corpus it has yet to take in.
    2. Compare the chunks in it with those that belong in it, by their ids, range by range.
    3. With --repair, have those that differ indexed again, and do so here unless a writer runs.
    4. Compare, and with --repair put right, the sections whose notes the index of notes holds.
    """

    help = "Compares this node's lexical index and that of notes with the database and says what differs."

    def add_arguments(self, parser):
        parser.add_argument("--repair", action="store_true", help="index again what differs")

    def handle(self, *, repair: bool, **options) -> None:
        index = loaded.lexical_index()
        if not index.problem:
            self._compare(index, repair=repair)
        elif repair:
            self.stdout.write(f"{index.path}: {index.problem}.")
            self._bring_up(index)
        else:
            raise CommandError(f"{index.path}: {index.problem}.")
        self._compare_notes(loaded.notes_index(), repair=repair)

    def _compare(self, index: LexicalIndex, *, repair: bool) -> None:
        waiting = lexical_sync.behind(index.position)
        lacking, wrong, examples = 0, 0, []
        for missing, strange in lexical_sync.differing(index):
            lacking, wrong = lacking + len(missing), wrong + len(strange)
            examples += islice((*missing, *strange), NAMED - len(examples))
            if repair:
                lexical_sync.index_again([*missing, *strange])
        has, belong = index.open().searcher().num_docs, lexical_sync.belonging().count()
        self.stdout.write(
            f"The index has {has} chunks; {belong} belong in it. Changes to take in: {waiting}."
        )
        if not lacking and not wrong:
            self.stdout.write("Nothing differs.")
            return
        told = f"It lacks {lacking}, and has {wrong} that should not be there or are there twice"
        told += f" (such as {', '.join(map(str, examples))})."
        if not repair:
            raise CommandError(f"{told} `verify_index --repair` indexes them again.")
        self.stdout.write(told)
        self._bring_up(index)

    def _compare_notes(self, index: LexicalIndex, *, repair: bool) -> None:
        differing = [] if index.problem else list(notes.differing(index))
        if not index.problem and not differing:
            return
        told = index.problem or f"the notes of {len(differing)} sections differ (such as {differing[0]})"
        if not repair:
            raise CommandError(f"{index.path}: {told}. `verify_index --repair` puts it right.")
        notes.index_again(differing)
        with suppress(ValueError):  # the writer that runs here does it
            notes.catch_up(index)
        self.stdout.write(f"{index.path}: {told}: put right.")

    def _bring_up(self, index: LexicalIndex) -> None:
        """A writer that runs beside us has the lock, and does it by itself."""
        try:
            writer = lexical_sync.open_writer(index.path)
        except ValueError:
            self.stdout.write("The writer that runs here puts it right now.")
            return
        lexical_sync.catch_up(writer, LexicalIndex(index.path).position)
        writer.close()
        self.stdout.write("The index was put right.")
