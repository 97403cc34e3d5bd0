"""manage.py embed_aliases"""

import math

from django.core.management.base import BaseCommand

from rules.aliases import embedding


class Command(BaseCommand):
    help = "Embeds aliases that have no vector yet, as the job queue does every minute."

    def handle(self, **options) -> None:
        self.stdout.write(f"{embedding.embed_all(math.inf)} aliases embedded")
