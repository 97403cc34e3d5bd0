"""manage.py backup FILE"""

from pathlib import Path

from django.conf import settings
from django.db import connection
from tqdm import tqdm

from arf_site.node import backup
from arf_site.node.postgres.server import Postgres
from retrieval.management.base import ArfCommand


class Command(ArfCommand):
    help = "Writes the whole database to FILE, replacing it only when complete. The server may run meanwhile."

    def add_arguments(self, parser):
        parser.add_argument("file", type=Path)

    def handle(self, *, file: Path, **options) -> None:
        with tqdm(unit="B", unit_scale=True, disable=None) as progress:
            backup.backup(url_that_sees_every_row(), file, progress)
        self.stdout.write(f"Wrote {file} ({file.stat().st_size / 1e6:.1f} MB).")


def url_that_sees_every_row() -> str:
    """The embedded server's superuser; with a server of your own what ARF_BACKUP_URL names."""
    if settings.DATABASE_URL_GIVEN:
        return settings.ARF_BACKUP_URL or settings.DATABASE_URL
    return Postgres().owner_url(connection.settings_dict["NAME"])
