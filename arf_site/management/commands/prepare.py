"""manage.py prepare"""

from django.core.management import call_command
from django.core.management.base import BaseCommand

from arf_site.node import preparation


class Command(BaseCommand):
    help = "Everything but serving: database, embedder, static files, administrator, the Constitution."

    def handle(self, **options) -> None:
        preparation.prepare(self.stdout.write)
        if not preparation.constitution_is_there():
            call_command("ingest", preparation.CONSTITUTION)
        preparation.order_vectors(self.stdout.write)
        call_command("embed_aliases")
        preparation.order_reranker(self.stdout.write)
