"""manage.py train_any_answer [--topics FILE] [--write]"""

import json
from pathlib import Path

from evaluation.learning import any_answer
from evaluation.learning.pools import library_topics
from evaluation.management.base import with_bar
from evaluation.topics.topic import read_topics
from retrieval.management.base import ArfCommand
from rules.thresholds.each_domain import FILE


class Command(ArfCommand):
    help = "Fits what tells whether any of the bodies of law that are loaded answers; never on test topics."

    def add_arguments(self, parser):
        parser.add_argument(
            "--topics",
            type=Path,
            help="JSON lines that the reranker has not learned from, in place of the tune split",
        )
        parser.add_argument(
            "--write", action="store_true", help="put the weights beside the code that serves them"
        )

    def handle(self, *, topics: Path | None, write: bool, **options) -> None:
        found = read_topics(topics) if topics else library_topics("tune")
        fitted = any_answer.fit(any_answer.to_fit_on(found), show=with_bar)
        if write:
            FILE.write_text(json.dumps(fitted.row, indent=2) + "\n", encoding="utf-8")
        self.stdout.write(json.dumps(fitted.row, indent=2))
        self.stdout.write(
            f"AUC {fitted.auc:.3f}; declined {fitted.right_below:.1%} of the answerable, "
            f"{fitted.wrong_below:.1%} of the others"
        )
