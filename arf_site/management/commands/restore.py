"""manage.py restore FILE"""

from pathlib import Path

from django.conf import settings
from django.core.management import call_command
from django.core.management.base import CommandError
from django.db import connection
from django.db.migrations.loader import MigrationLoader

from arf_site.management.commands.up import ignore_signals
from arf_site.node import backup
from arf_site.node.postgres.server import Postgres
from retrieval.indexes import lexical_sync
from retrieval.ingestion import erasing
from retrieval.management.base import ArfCommand
from rules.models import NamedProvision

OTHERS = """
    SELECT count(*) FROM pg_stat_activity
    WHERE datname = current_database() AND pid <> pg_backend_pid() AND backend_type = 'client backend'
"""


class Command(ArfCommand):
    help = (
        "Puts the database back as it was in FILE, all of it or nothing, and rebuilds the lexical index. "
        "Refuses while anything else is connected to the database: stop the server first."
    )

    def add_arguments(self, parser):
        parser.add_argument("file", type=Path)
        parser.add_argument("--yes", action="store_true", help="do not ask")

    def handle(self, *, file: Path, yes: bool, **options) -> None:
        refuse_while_in_use()
        if not yes and not confirmed(f"Replace everything in the database by {file}? [y/N] "):
            raise CommandError("Nothing was changed.")
        erasing.note_all()
        connection.close()
        ignore_signals()  # `pg_restore` heeds Ctrl-C by itself, and has then changed nothing
        backup.restore(application_url(), file, known_migrations())
        call_command("migrate", interactive=False, verbosity=0)  # a backup may be older than the code
        if again := erasing.erase_again(erasing.recorded()):
            self.stdout.write(f"Erased again: {again} matter{'s' * (again > 1)} that the backup had brought back.")
        lexical_sync.begin_log_anew()
        NamedProvision.begin_marks_anew()
        call_command("lexical_writer", once=True)
        self.stdout.write(f"Restored {file}; the lexical index is rebuilt.")


def confirmed(question: str) -> bool:
    """Nobody there to answer is a no."""
    try:
        return input(question).strip().lower() == "y"
    except EOFError:
        return False


def refuse_while_in_use() -> None:
    with connection.cursor() as cursor:
        cursor.execute(OTHERS)
        others = cursor.fetchone()[0]
    if others:
        raise CommandError(
            f"The database is in use by {others} other connection{'s' * (others > 1)}: stop the server first."
        )


def known_migrations() -> set[backup.Migration]:
    known = MigrationLoader(None).disk_migrations
    return {*known, *(each for migration in known.values() for each in migration.replaces)}


def application_url() -> str:
    if settings.DATABASE_URL_GIVEN:
        return settings.DATABASE_URL
    return Postgres().app_url(connection.settings_dict["NAME"])
