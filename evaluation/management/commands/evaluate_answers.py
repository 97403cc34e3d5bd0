"""manage.py evaluate_answers QUESTIONS.jsonl [--documents DIR] [--split S] [--domain D] [--llm] [--no-store]
[--json]
"""

import json
from collections.abc import Sequence
from contextlib import nullcontext
from pathlib import Path

from django.core.management.base import CommandError

from evaluation.management.base import with_bar
from evaluation.measuring.answer_runs import store
from evaluation.measuring.answers import Answered, Labelled, means, measure, read_labelled, summary
from evaluation.measuring.corpora import documents_corpus
from evaluation.measuring.runs import of_file
from retrieval.access.caller import ANONYMOUS, Caller
from retrieval.engines.llm import service as llm
from retrieval.management.base import ArfCommand
from retrieval.stages.llm_verifier import MAY_ASK


class Command(ArfCommand):
    help = "Measures answers on questions whose answering sentences are marked."

    def add_arguments(self, parser):
        parser.add_argument(
            "questions",
            type=Path,
            help="JSON lines: question, language, domain, locators, sentences; or topics with their answer",
        )
        parser.add_argument(
            "--documents", type=Path, help="what the questions ask of, in their domain for the measuring alone"
        )
        parser.add_argument("--split", default="", choices=["train", "tune", "test"], help="only these topics")
        parser.add_argument(
            "--domain", action="append", default=[],
            help="only questions to these, and those that nothing answers; all by default",
        )  # fmt: skip
        parser.add_argument(
            "--llm", action="store_true", help="let a language model write of the law, which costs"
        )
        parser.add_argument("--no-store", action="store_true", help="measure, but keep no run")
        parser.add_argument("--json", action="store_true")

    def handle(self, *, questions: Path, **options) -> None:
        asked, whole = read_labelled(questions), of_file(questions)
        if options["split"]:
            asked = [one for one in asked if one.split == options["split"]]
            whole = f"{whole}/{options['split']}"
        if options["domain"]:
            asked = [one for one in asked if not one.answerable or one.domain in options["domain"]]
            whole = f"{whole}, {' '.join(options['domain'])}"[:200]
        if not asked:
            raise CommandError("There is no such question.")
        if options["llm"] and llm.endpoint() is None:
            raise CommandError("No language model is configured (ARF_LLM_MODEL).")
        caller = MAY_ASK if options["llm"] else ANONYMOUS
        answers = self._answers(asked, options["documents"], caller)
        shares, averages = summary(answers), means(answers)
        if not options["no_store"]:
            model = llm.endpoint().model if options["llm"] else ""
            store(answers, questions=whole, shares=shares, means=averages, model=model, caller=caller)
        if options["json"]:
            self.stdout.write(json.dumps(shares | averages, indent=2))
            return
        for name, share in shares.items():
            self.stdout.write(f"{name:<24} {self._in_words(share)}")
        for name, average in averages.items():
            self.stdout.write(f"{name:<24} {self._mean_in_words(average)}")

    def _answers(self, asked: Sequence[Labelled], documents: Path | None, caller: Caller) -> list[Answered]:
        domains = {one.domain for one in asked} if documents else set()
        if len(domains) > 1:
            raise CommandError(f"These questions ask of {len(domains)} domains: documents are read into one.")
        with documents_corpus(documents, *domains) if documents else nullcontext():
            return measure(with_bar(asked), caller=caller, domains=tuple(domains))

    def _in_words(self, share: dict) -> str:
        if share["value"] is None:
            return "not applicable"
        low, high = share["interval"]
        return f"{share['value']:.3f}  ({share['hits']} of {share['total']}; 95 %: {low:.3f} to {high:.3f})"

    def _mean_in_words(self, average: dict) -> str:
        if average["status"] != "score":
            return average["status"].replace("_", " ")
        unjudged = f"; {average['failed']} not judged" if average["failed"] else ""
        return (
            f"{average['mean']:.3f}  (mean of {average['n']}; 95 %: {average['low']:.3f} to "
            f"{average['high']:.3f}{unjudged})"
        )
