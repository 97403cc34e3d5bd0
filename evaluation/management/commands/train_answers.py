"""manage.py train_answers QUESTIONS.jsonl [DOMAIN] [--write --held-out QUESTIONS.jsonl]"""

import json
from pathlib import Path

from django.core.management.base import CommandError

from evaluation.learning.answers import learned, losses
from evaluation.management.base import with_bar
from evaluation.measuring.answers import Labelled, read_labelled
from evaluation.topics.leaks import leaks
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
        parser.add_argument(
            "questions", type=Path, help="JSON lines, as of evaluate_answers; of topics those of train and tune"
        )
        parser.add_argument("domain", nargs="?", default="us_constitution", help="where answers are declined")
        parser.add_argument(
            "--write",
            action="store_true",
            help="put the weights beside the code that serves them, unless answers lose by them",
        )
        parser.add_argument(
            "--held-out",
            type=Path,
            help="other questions, on which answers are measured with both weights; of topics the test split",
        )

    def handle(
        self, *, questions: Path, domain: str, write: bool, held_out: Path | None, **options
    ) -> None:
        if write and held_out is None:
            raise CommandError("Name questions to measure on, which are not learned from: --held-out FILE.")
        kept_apart = [one for one in read_labelled(held_out) if one.is_test or not one.split] if held_out else []
        topics = [
            Labelled(one.query, one.language, domain, tuple(one.relevant))
            for one in topics_of(domain, "tune")
        ]
        marked = [one for one in read_labelled(questions) if not one.is_test and (one.answerable or not one.is_train)]
        topics = [one for one in topics if one.question not in {other.question for other in marked}]
        asked = [one.question for one in [*marked, *topics]]
        tested = near_tests(asked) | {leak.learned for leak in leaks(asked, [one.question for one in kept_apart])}
        marked, topics = ([one for one in some if one.question not in tested] for some in (marked, topics))
        row, report = learned(marked, topics, domain, show=with_bar)
        lost = losses(row, kept_apart, show=with_bar) if kept_apart else []
        if write and not lost:
            WEIGHTS.write_text(json.dumps(row, indent=1) + "\n", encoding="utf-8")
        self.stdout.write(json.dumps(row | report | {"lost": lost}, indent=1))
        if lost:
            raise CommandError(f"Answers would lose: {'; '.join(lost)}.")
