"""manage.py calibrate DOMAIN TOPICS.jsonl"""

import json
from pathlib import Path

from evaluation.learning.tuning import fit, judged_first_pages
from evaluation.management.base import topics_in, with_bar
from retrieval.management.base import ArfCommand
from retrieval.models import Domain
from rules.models import DomainThreshold
from rules.thresholds.publishing import next_version
from rules.thresholds.publishing import publish as publish_thresholds


class Command(ArfCommand):
    help = "Fits a domain's probabilities and its answer minimum on judged topics; never on the test split."

    def add_arguments(self, parser):
        parser.add_argument("domain")
        parser.add_argument("topics", type=Path)
        parser.add_argument(
            "--split", action="append", default=[], choices=["train", "tune"], help="may repeat"
        )
        parser.add_argument(
            "--most-declined",
            type=float,
            default=0.05,
            help="share of answerable topics that may be declined",
        )
        parser.add_argument("--pipeline", default="gated")
        parser.add_argument("--publish", action="store_true", help="make it the domain's next thresholds")

    def handle(self, *, domain: str, topics: Path, publish: bool, **options) -> None:
        splits = options["split"] or ["train", "tune"]
        chosen = [t for split in splits for t in topics_in(topics, split, domain)]
        judged = judged_first_pages(chosen, options["pipeline"], show=with_bar)
        fitted = fit(judged, most_declined=options["most_declined"], minimum=minimum_of(domain))
        reason = (
            f"Fitted on {fitted.topics} topics of {topics.name} ({', '.join(splits)}): declines "
            f"{fitted.declined_answerable:.1%} of the answerable, {fitted.declined_unanswerable:.1%} of the others."
        )
        row = {"calibration": fitted.weights, "reason": reason}
        if publish:
            publish_thresholds(next_of(domain, fitted.answer_minimum, row))
        self.stdout.write(json.dumps({"domain": domain, **row}, indent=2))


def minimum_of(domain: str) -> float | None:
    """The answer minimum in force, where one declines at all."""
    row = DomainThreshold.objects.filter(domain__slug=domain, active=True).first()
    return row.answer_minimum or None if row else None


def next_of(domain: str, minimum: float, row: dict) -> DomainThreshold:
    """The thresholds in force with another calibration; a domain's first ones take its minimum too."""
    before = DomainThreshold.objects.filter(domain__slug=domain, active=True).first()
    if before:
        return next_version(before, **row)
    return DomainThreshold(domain=Domain.objects.get(slug=domain), answer_minimum=minimum, **row)
