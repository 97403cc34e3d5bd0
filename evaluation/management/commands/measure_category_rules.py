"""manage.py measure_category_rules FOLDER [--seed 0] [--json]"""

import json
from dataclasses import asdict
from functools import partial
from pathlib import Path

from django.core.management.base import CommandParser
from tqdm import tqdm

from evaluation.measuring.corpora import labelled_corpus
from evaluation.measuring.measures import Estimate, estimate
from evaluation.rule_impact.category_rules import Changed, Half, cross_measured, gained
from retrieval.access.caller import ANONYMOUS
from retrieval.management.base import ArfCommand


class Command(ArfCommand):
    help = (
        "Learns rules from half of a folder of labelled documents and measures them on the other half, both ways. "
        "The folder is ingested for the measuring alone."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("folder", type=Path, help="files beside a page_labels.jsonl")
        parser.add_argument("--seed", type=int, default=0, help="of the split by document")
        parser.add_argument("--json", action="store_true")

    def handle(self, *, folder: Path, seed: int, **options) -> None:
        with labelled_corpus(folder, show=partial(tqdm, unit="file", disable=None)) as topics:
            told = cross_measured(topics, topics[0].domain, ANONYMOUS, seed=seed)
        if options["json"]:
            self.stdout.write(json.dumps(as_json(told), indent=2))
        else:
            self._write(told)

    def _write(self, told: tuple[Half, Half]) -> None:
        for name, half in zip(("learned from A, measured on B", "from B, on A"), told, strict=True):
            self.stdout.write(f"{name}: {len(half.rules)} rules")
            for rule in half.rules:
                targets = ", ".join(t.get("value") or f"p. {t['pages']}" for t in rule.targets)
                self.stdout.write(f"  {rule.name}: {targets}")
            self._tell(half.topics)
            self._list("lowered", half.lowered)
            self._list("moved though not concerned", half.unconcerned_moved)
        self.stdout.write("both halves:")
        self._tell([topic for half in told for topic in half.topics])

    def _tell(self, topics) -> None:
        before = estimate([topic.before for topic in topics])
        difference = gained(topics)
        risen = sum(topic.after > topic.before for topic in topics)
        self.stdout.write(
            f"  recall@5 on {len(topics)} topics: {before.mean:.3f}, with the rules {difference.mean:+.3f} "
            f"[{difference.low:+.3f}, {difference.high:+.3f}]; {risen} topics risen"
        )

    def _list(self, title: str, topics: list[Changed]) -> None:
        self.stdout.write(f"  {title}: {len(topics)}")
        for topic in topics:
            self.stdout.write(f"    {topic.before:.2f} -> {topic.after:.2f}  {topic.topic}")


def as_json(told: tuple[Half, Half]) -> dict:
    every = [topic for half in told for topic in half.topics]
    return {"halves": [half_as_json(half) for half in told], "both": asdict(gained(every))}


def half_as_json(half: Half) -> dict:
    gain: Estimate = gained(half.topics)
    return {
        "rules": [rule.content for rule in half.rules],
        "gain": asdict(gain),
        "lowered": [asdict(topic) for topic in half.lowered],
        "moved though not concerned": [asdict(topic) for topic in half.unconcerned_moved],
        "topics": [asdict(topic) for topic in half.topics],
    }
