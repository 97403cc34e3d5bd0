"""manage.py load_defaults"""

from django.core.management.base import BaseCommand
from django.db import transaction

from retrieval.defaults import load_domains
from rules import defaults


class Command(BaseCommand):
    help = "Loads the shipped domains, aliases, glossary and thresholds; adds what is missing, changes nothing else."

    @transaction.atomic
    def handle(self, **options) -> None:
        added = {"domains": load_domains()} | defaults.load()
        self.stdout.write(", ".join(f"{count} {name}" for name, count in added.items()) + " added")
