"""manage.py evaluate_answers QUESTIONS.jsonl [--domain D] [--json]"""

import json
from pathlib import Path

from django.core.management.base import CommandError

from evaluation.management.base import with_bar
from evaluation.measuring.answers import measure, read_labelled, summary
from retrieval.management.base import ArfCommand


class Command(ArfCommand):
    help = "Measures answers on questions whose answering sentences are marked."

    def add_arguments(self, parser):
        parser.add_argument(
            "questions", type=Path, help="JSON lines: question, language, domain, locators, sentences"
        )
        parser.add_argument(
            "--domain", action="append", default=[],
            help="only questions to these, and those that nothing answers; all by default",
        )  # fmt: skip
        parser.add_argument("--json", action="store_true")

    def handle(self, *, questions: Path, **options) -> None:
        asked = read_labelled(questions)
        if options["domain"]:
            asked = [one for one in asked if not one.answerable or one.domain in options["domain"]]
        if not asked:
            raise CommandError("There is no such question.")
        told = summary(measure(with_bar(asked)))
        if options["json"]:
            self.stdout.write(json.dumps(told, indent=2))
            return
        for name, share in told.items():
            self.stdout.write(f"{name:<24} {self._in_words(share)}")

    def _in_words(self, share: dict) -> str:
        if share["value"] is None:
            return "not applicable"
        low, high = share["interval"]
        return f"{share['value']:.3f}  ({share['hits']} of {share['total']}; 95 %: {low:.3f} to {high:.3f})"
