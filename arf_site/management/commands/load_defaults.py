"""manage.py load_defaults"""

from django.core.management.base import BaseCommand
from django.db import transaction

from arf_site.groups import load_groups
from retrieval.defaults import load_domains
from rules import defaults


class Command(BaseCommand):
    help = "Loads what ships: domains, aliases, glossary, thresholds, groups; adds the missing, changes nothing else."

    @transaction.atomic
    def handle(self, **options) -> None:
        added = {"domains": load_domains()} | defaults.load() | {"groups": load_groups()}
        self.stdout.write(", ".join(f"{count} {name}" for name, count in added.items()) + " added")
