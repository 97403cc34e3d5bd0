"""manage.py strategy_regret [--topics FILE | --domain D] [--split tune] [--limit N]"""

import json
from dataclasses import asdict
from pathlib import Path

from evaluation.management.base import a_count, chosen_topics, with_bar
from evaluation.measuring import strategy_regret
from retrieval.management.base import ArfCommand


class Command(ArfCommand):
    help = "Runs every way of searching over judged topics, and tells what is chosen beside the best of them."

    def add_arguments(self, parser):
        parser.add_argument(
            "--topics", type=Path, help="JSON lines; the judged topics of the database by default"
        )
        parser.add_argument("--domain", default="us_constitution")
        parser.add_argument("--split", default="tune", choices=["train", "tune", "test"])
        parser.add_argument("--limit", type=a_count, help="only the first topics")

    def handle(self, *, topics: Path | None, domain: str, split: str, limit: int | None, **options) -> None:
        told = strategy_regret.measured(chosen_topics(domain, split, topics)[:limit], show=with_bar)
        told["choices"] = {name: asdict(regret) for name, regret in told["choices"].items()}
        self.stdout.write(json.dumps(told, indent=2))
