"""manage.py answer "QUESTION" [--domain D] [--style full] [--json]"""

import json
import textwrap

from retrieval.answers.citing import citation_of, together
from retrieval.answers.service import FULL, SHORT, AnswerRequest, answer
from retrieval.management.base import ArfCommand
from retrieval.templatetags.law import plain_marks


class Command(ArfCommand):
    help = "Answers a question by the words of the law that anonymous callers may read."

    def add_arguments(self, parser):
        parser.add_argument("question")
        parser.add_argument(
            "--domain", action="append", default=[], help="may repeat; all public ones by default"
        )
        parser.add_argument("--language", choices=["en", "es"], help="detected by default")
        parser.add_argument("--style", choices=[SHORT, FULL], default=SHORT)
        parser.add_argument("--json", action="store_true", help="the answer as the API gives it")

    def handle(self, *, question: str, **options) -> None:
        asked = AnswerRequest(question, tuple(options["domain"]), options["language"], style=options["style"])
        made = answer(asked)
        if options["json"]:
            self.stdout.write(json.dumps(made, indent=2, ensure_ascii=False))
            return
        for note in made["notes"]:
            self.stdout.write(f"Note: {note['text']}")
        if made["answer"] and not made["confident"]:
            self.stdout.write("It is not certain that this answers the question.\n")
        for group in together(made["answer"]):
            self._write(group)
        if words := [f"“{each['term']}”: {each['citation']}" for each in made["definitions"]]:
            self.stdout.write(f"Words defined: {'; '.join(words)}")
        if missing := made["not_found"]:
            self.stdout.write(f"{missing['message']} (nothing to verify)")
            self.stdout.write("Looked at: " + "; ".join(one["citation"] for one in missing["looked_at"]))
            self.stdout.write("\n".join(f"- {one}" for one in missing["would_help"]))
        for page in (made["elsewhere"] or {}).get("pages", ()):
            self.stdout.write(f"Elsewhere, not law: {page['title']} <{page['url']}>")
        if made["degraded"]:
            self.stdout.write(f"Without: {', '.join(made['degraded'])}")
        self.stdout.write(f"\n{made['notice']}\n{made['took_ms']:.1f} ms; trace {made['trace_id']}")

    def _write(self, group: list[dict]) -> None:
        for said in group:
            told = f"({said['text']})" if said["kind"] == "lead" else said["text"]
            self.stdout.write(textwrap.fill(told, 96))
        self.stdout.write(f"   {citation_of(group)}")
        for mark in plain_marks(group[-1]):
            self.stdout.write(f"   {mark}")
        self.stdout.write("")
