"""manage.py train_answers QUESTIONS.jsonl [DOMAIN] [--write]"""

import json
from pathlib import Path

from evaluation.learning.answers import learned
from evaluation.management.base import with_bar
from evaluation.measuring.answers import Labelled, read_labelled
from evaluation.topics.library import topics_of
from evaluation.topics.split_conflicts import near_tests
from retrieval.answers.selection import WEIGHTS
from retrieval.management.base import ArfCommand


class Command(ArfCommand):
    help = (
        "Learns which sentence answers from questions whose answering sentences are marked, and from these and the "
        "tune topics below what an answer is declined; never from test topics."
    )

    def add_arguments(self, parser):
        parser.add_argument("questions", type=Path, help="JSON lines, as of evaluate_answers")
        parser.add_argument("domain", nargs="?", default="us_constitution", help="where answers are declined")
        parser.add_argument(
            "--write", action="store_true", help="put the weights beside the code that serves them"
        )

    def handle(self, *, questions: Path, domain: str, write: bool, **options) -> None:
        topics = [
            Labelled(one.query, one.language, domain, tuple(one.relevant))
            for one in topics_of(domain, "tune")
        ]
        marked = read_labelled(questions)
        tested = near_tests(one.question for one in [*marked, *topics])
        marked, topics = ([one for one in some if one.question not in tested] for some in (marked, topics))
        row, report = learned(marked, topics, domain, show=with_bar)
        if write:
            WEIGHTS.write_text(json.dumps(row, indent=1) + "\n", encoding="utf-8")
        self.stdout.write(json.dumps(row | report, indent=1))
