"""manage.py train_strategy [--write] [--routing FILE]"""

import json
from pathlib import Path

from evaluation.learning import strategies
from retrieval.management.base import ArfCommand
from rules.questions.strategy import LEARNED


class Command(ArfCommand):
    help = (
        "Learns from our labelled questions which strategy a question is best searched by, and says how well. With "
        "--routing, measures the same learner on questions that others labelled; nothing of these is kept."
    )

    def add_arguments(self, parser):
        parser.add_argument("--write", action="store_true", help="keep it as the model that is served")
        parser.add_argument("--routing", type=Path, help="JSON lines of text, label and source")

    def handle(self, *, routing: Path | None, write: bool, **options) -> None:
        if routing is None:
            report = strategies.cross_validated(strategies.ours(), strategies.by_features)
            if write:
                LEARNED.write_text(json.dumps(strategies.trained()) + "\n")
        else:
            rows = strategies.of_routing(routing)
            report = strategies.cross_validated(rows, strategies.by_words)
            report["leaving_out"] = strategies.leaving_out_each_source(rows, strategies.by_words)
        self.stdout.write(json.dumps(report, indent=2))
