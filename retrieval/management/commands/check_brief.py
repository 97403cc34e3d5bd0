"""manage.py check_brief FILE [--as-of D] [--opinion] [--json | --html]"""

import json
from pathlib import Path

from retrieval.access.caller import ANONYMOUS
from retrieval.briefs.checking import check_brief
from retrieval.briefs.markup import copy_of, notes
from retrieval.briefs.reading import read_brief
from retrieval.management.base import ArfCommand, a_day
from retrieval.stages.llm_verifier import MAY_ASK


class Command(ArfCommand):
    help = "Checks the citations and quotations of a brief beside the public law here. Nothing of it is kept."

    def add_arguments(self, parser):
        parser.add_argument("file", type=Path, help="text, Markdown, DOCX, PDF or HTML")
        parser.add_argument(
            "--as-of", type=a_day, help="as the law was on that day, like 1950-01-31"
        )
        parser.add_argument(
            "--opinion",
            action="store_true",
            help="have the configured language model say what it thinks of sentences that stay unsure: these are sent",
        )
        shape = parser.add_mutually_exclusive_group()
        shape.add_argument("--json", action="store_true", help="as the API gives it")
        shape.add_argument("--html", action="store_true", help="a marked-up copy")

    def handle(self, *, file: Path, **options) -> None:
        read = read_brief(file.name, file.read_bytes())
        caller = MAY_ASK if options["opinion"] else ANONYMOUS
        report = check_brief(*read, as_of=options["as_of"], caller=caller, opinion=options["opinion"])
        if options["json"]:
            self.stdout.write(json.dumps(report.to_dict(), indent=2))
        elif options["html"]:
            self.stdout.write(copy_of(report))
        else:
            for note in notes(report):
                self.stdout.write(f"{note.number}. {' '.join(note.said.split())}")
                self.stdout.write(f"   {note.words} {note.name}".rstrip())
                for differing in note.differences:
                    self.stdout.write(f"   “{differing.quoted}” for “{differing.source}”")
            counted = f"{len(report.citations)} citations, {len(report.quotations)} quotations"
            self.stdout.write(f"{counted}, {len(report.findings)} findings")
            if report.opinion not in ("", "given"):
                self.stdout.write(f"The language model was asked and told nothing of some: {report.opinion}.")
            if report.verification == "nothing_to_verify":
                self.stdout.write("Nothing to verify.")
            if not report.complete:
                self.stdout.write("Not everything could be looked up.")
            if report.scanned_pages:
                pages = ", ".join(map(str, report.scanned_pages))
                self.stdout.write(f"These pages are scans without text, nothing on them was read: {pages}.")
            self.stdout.write(report.notice)
