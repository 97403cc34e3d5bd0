"""manage.py load_defaults"""

from django.db import transaction

from arf_site.groups import load_groups
from evaluation.topics import library
from retrieval.defaults import load_domains
from retrieval.management.base import ArfCommand
from rules import defaults


class Command(ArfCommand):
    help = "Loads what ships: domains, rules, groups, topics; adds the missing, changes nothing else."

    @transaction.atomic
    def handle(self, **options) -> None:
        added = {"domains": load_domains()} | defaults.load()
        added |= {"permissions of groups": load_groups()} | library.load()
        self.stdout.write(", ".join(f"{count} {name}" for name, count in added.items()) + " added")
