"""manage.py evaluate (TOPICS.jsonl | --beir DIR) [--pipeline NAME] [--json]"""

import json
from functools import partial
from pathlib import Path

from django.core.management.base import BaseCommand, CommandError
from tqdm import tqdm

from evaluation.beir import corpus_for
from evaluation.runs import Report, report, run_topics
from evaluation.topics import BadTopics, read_beir, read_topics
from retrieval import pipeline
from retrieval.errors import ArfError


class Command(BaseCommand):
    help = "Measures a pipeline on topics with known answers, by the field's standard measures."

    def add_arguments(self, parser):
        parser.add_argument("topics", nargs="?", type=Path, help="JSON lines: id, query, domain, relevant, …")
        parser.add_argument("--beir", type=Path, help="a data set in BEIR layout, ingested for the measuring")
        parser.add_argument("--pipeline", default="default", choices=pipeline.names())
        parser.add_argument("--split", default="", help="only the topics of this split")
        parser.add_argument("--limit", type=int, help="only the first topics")
        parser.add_argument("--json", action="store_true")

    def handle(self, *, topics: Path | None, beir: Path | None, **options) -> None:
        if (topics is None) == (beir is None):
            raise CommandError("Name either a topics file or --beir DIR.")
        show = partial(tqdm, unit="topic", disable=None)
        try:
            if beir:
                result = self._on_beir(beir, options, show)
            else:
                result = self._on_topics(topics, options, show)
        except (OSError, BadTopics, ArfError) as problem:
            raise CommandError(str(problem)) from problem
        self._write(result, as_json=options["json"])

    def _on_topics(self, path: Path, options: dict, show) -> Report:
        chosen = read_topics(path, split=options["split"])[: options["limit"]]
        return report(run_topics(chosen, options["pipeline"], show=show), options["pipeline"])

    def _on_beir(self, folder: Path, options: dict, show) -> Report:
        data = read_beir(folder, domain=f"beir-{folder.name}")
        with corpus_for(data, show=show) as caller:
            chosen = list(data.topics)[: options["limit"]]
            return report(
                run_topics(chosen, options["pipeline"], caller=caller, show=show), options["pipeline"]
            )

    def _write(self, result: Report, *, as_json: bool) -> None:
        if as_json:
            self.stdout.write(json.dumps(result.as_json(), indent=2))
            return
        self.stdout.write(f"{result.pipeline}: {result.topics} answerable topics")
        for name, value in result.measures.items():
            self.stdout.write(f"  {name:<8} {value.mean:.3f}  [{value.low:.3f}, {value.high:.3f}]")
        for kind, values in result.by_kind.items():
            self.stdout.write(
                f"  {kind:<20} {values['topics']:>4} topics  nDCG@10 {values['nDCG@10']:.3f}"
                f"  MRR@10 {values['MRR@10']:.3f}"
            )
        self.stdout.write(f"  declined though answerable: {result.declined_answerable} of {result.topics}")
        if result.unanswerable:
            self.stdout.write(
                f"  declined when unanswerable: {result.declined_unanswerable} of {result.unanswerable}"
            )
        self.stdout.write("  ms: " + ", ".join(f"{name} {value:.1f}" for name, value in result.ms.items()))
        for stage, count in result.degraded.items():
            self.stdout.write(f"  degraded: {stage} in {count} topics")
