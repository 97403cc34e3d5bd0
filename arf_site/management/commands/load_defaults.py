"""manage.py load_defaults"""

from django.core.management.base import BaseCommand, CommandError
from django.db import transaction

from arf_site.groups import load_groups
from evaluation.topics import library
from retrieval.defaults import load_domains
from retrieval.errors import ArfError
from rules import defaults


class Command(BaseCommand):
    help = "Loads what ships: domains, rules, groups, topics; adds the missing, changes nothing else."

    @transaction.atomic
    def handle(self, **options) -> None:
        try:
            added = {"domains": load_domains()} | defaults.load()
            added |= {"permissions of groups": load_groups()} | library.load()
        except ArfError as problem:
            raise CommandError(problem.message) from problem
        self.stdout.write(", ".join(f"{count} {name}" for name, count in added.items()) + " added")
