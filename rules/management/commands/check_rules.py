"""manage.py check_rules [--json]"""

import json
from dataclasses import asdict

from django.core.management.base import BaseCommand

from rules.linting import linter


class Command(BaseCommand):
    help = "Tells what is wrong with the rules in force: the check of every night, with nothing stored."

    def add_arguments(self, parser):
        parser.add_argument("--json", action="store_true", help="the findings as a list of objects")

    def handle(self, **options) -> None:
        found = linter.everything_found()
        if options["json"]:
            findings = [asdict(one) | {"message": one.message, "refuses": one.refuses} for one in found]
            self.stdout.write(json.dumps(findings, ensure_ascii=False, indent=2))
            return
        for one in found:
            self.stdout.write(f"{one.kind}: {linter.sentence(one)}")
        self.stdout.write(f"{len(found)} findings")
