"""manage.py draft_rule SENTENCE"""

import json
from dataclasses import asdict

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone

from retrieval.access.caller import ANONYMOUS
from rules.authoring import drafting
from rules.authoring.grammar.names import Draft


class Command(BaseCommand):
    help = "Reads a rule from a sentence about public sources and prints it; with --save keeps it as a draft."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("sentence")
        parser.add_argument("--save", action="store_true")

    def handle(self, *, sentence: str, save: bool, **options) -> None:
        reading = drafting.read(sentence, ANONYMOUS, today=timezone.localdate())
        made, model = reading.made, reading.model
        if not isinstance(made, Draft):
            raise CommandError("\n".join([*map(drafting.question_text, made), reading.problem]).strip())
        if model:
            self.stderr.write(f"The grammar does not understand this sentence; {model} read it.")
        for warning in drafting.warnings(sentence, made, ANONYMOUS):
            self.stderr.write(warning)
        self.stdout.write(json.dumps(asdict(made), indent=2, ensure_ascii=False, default=str))
        if save:
            self.stdout.write(f"saved as the draft “{drafting.save(sentence, made, by=None, model=model)}”")
