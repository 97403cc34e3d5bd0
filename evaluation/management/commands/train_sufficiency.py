"""manage.py train_sufficiency [--write] [--measure SPLIT]"""

import json

from evaluation.learning import sufficiency
from evaluation.learning.pools import judged
from evaluation.management.base import chosen_topics, with_bar
from retrieval.management.base import ArfCommand
from rules.sufficiency.stage import FILE


class Command(ArfCommand):
    help = "Fits what tells whether the evidence for a question suffices; never on test topics."

    def add_arguments(self, parser):
        parser.add_argument("domain", nargs="?", default="us_constitution")
        parser.add_argument(
            "--write", action="store_true", help="put the weights beside the code that serves them"
        )
        parser.add_argument(
            "--measure",
            choices=["train", "tune", "test"],
            help="what looking again changes on this split; fits nothing",
        )

    def handle(self, *, domain: str, write: bool, measure: str | None, **options) -> None:
        if measure:
            topics = judged(chosen_topics(domain, measure, None))
            sets = {"spoiled": sufficiency.spoiled(measure), "topics": topics}
            told = {
                name: sufficiency.recovery(topics, show=with_bar) for name, topics in sets.items() if topics
            }
            self.stdout.write(json.dumps(told, indent=2))
            return
        topics = [*judged(chosen_topics(domain, "tune", None)), *sufficiency.spoiled("train")]
        fitted = sufficiency.fit(topics, show=with_bar)
        if write:
            FILE.write_text(json.dumps(fitted.row, indent=2) + "\n", encoding="utf-8")
        self.stdout.write(json.dumps(fitted.row, indent=2))
        self.stdout.write(
            f"AUC {fitted.auc:.3f}, Brier {fitted.brier:.3f}; right and yet poor {fitted.right_below:.1%}"
        )
