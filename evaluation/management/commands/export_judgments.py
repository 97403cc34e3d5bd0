"""manage.py export_judgments (topics | qrels | judgments | run) [--format jsonl|csv|trec]"""

from pathlib import Path

from django.core.management.base import CommandError

from evaluation.measuring.runs import rankings_of, run_named
from evaluation.models import Judgment, Topic
from evaluation.topics import writing
from evaluation.topics.library import judgment_rows, require_domain, topics_of
from retrieval.management.base import ArfCommand

FORMATS = {"topics": ("jsonl", "csv"), "qrels": ("trec",), "judgments": ("csv", "jsonl"), "run": ("trec",)}


class Command(ArfCommand):
    help = "Writes topics, agreed qrels, single judgments or a kept run as a file that other tools read."

    def add_arguments(self, parser):
        parser.add_argument("what", choices=list(FORMATS))
        parser.add_argument(
            "--format", choices=["jsonl", "csv", "trec"], help="the first that fits by default"
        )
        parser.add_argument("--domain", default="")
        parser.add_argument("--split", default="", choices=Topic.Split.values)
        parser.add_argument("--kind", action="append", choices=Judgment.Kind.values, help="may repeat; human")
        parser.add_argument("--run", default="last", help="id of the run, or how it begins")
        parser.add_argument("--output", type=Path, help="a file; the terminal by default")

    def handle(self, *, what: str, output: Path | None, **options) -> None:
        fmt = options["format"] or FORMATS[what][0]
        if fmt not in FORMATS[what]:
            raise CommandError(f"{what} are written as {' or '.join(FORMATS[what])}.")
        require_domain(options["domain"])
        text = self._written(what, fmt, options)
        if output is None:
            self.stdout.write(text, ending="")
        else:
            output.write_text(text, encoding="utf-8")
            self.stdout.write(f"{len(text.splitlines())} lines in {output}")

    def _written(self, what: str, fmt: str, options: dict) -> str:
        kinds = options["kind"] or [Judgment.Kind.HUMAN]
        if what == "run":
            return self._run(options["run"])
        if what == "judgments":
            rows = judgment_rows(options["domain"], options["split"], kinds=kinds)
            return writing.table(rows) if fmt == "csv" else writing.rows_jsonl(rows)
        topics = topics_of(options["domain"], options["split"], kinds=kinds)
        if what == "qrels":
            return writing.trec_qrels(topics)
        return writing.topics_jsonl(topics) if fmt == "jsonl" else writing.topics_csv(topics)

    def _run(self, name: str) -> str:
        run = run_named(name)
        return writing.trec_run(rankings_of(run), tag=run.name or run.pipeline)
