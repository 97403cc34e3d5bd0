"""manage.py retrain [--topics FILE [--test-from YEAR] | --without DOMAIN] [--dry-run] [--shadow]"""

from pathlib import Path

from django.core.management.base import CommandError

from evaluation.learning.model_comparison import MEASURES
from evaluation.learning.retraining import request
from evaluation.models import RetrainingRun
from retrieval.management.base import JobCommand

SYSTEMS = ("fused", "champion", "challenger")


class Command(JobCommand):
    help = (
        "Trains a challenger on people's judgments and deploys it if it may be promoted; says why or why not."
    )
    prints_steps = True

    def add_arguments(self, parser):
        parser.add_argument("--topics", default="", help="a JSON lines file in place of the library")
        parser.add_argument("--test-from", type=int, help="its topics since this year (`term`) are the test")
        parser.add_argument(
            "--without", default="", metavar="DOMAIN",
            help="learn nothing of this body of law and report on its train and tune topics; register nothing",
        )  # fmt: skip
        parser.add_argument("--dry-run", action="store_true", help="train and report; register nothing")
        parser.add_argument("--shadow", action="store_true", help="score live searches instead of serving")

    def handle(
        self, *, topics: str, test_from: int | None, without: str, dry_run: bool, shadow: bool, **options
    ) -> None:
        if test_from is not None and not topics:
            raise CommandError("--test-from divides the topics of a file: name it by --topics.")
        if without and (topics or shadow):
            raise CommandError("--without learns from the library and registers nothing: give no --topics or --shadow.")
        path = str(Path(topics).absolute()) if topics else ""  # a worker elsewhere may go on with it
        asked = request(dry_run=dry_run, shadow=shadow, topics=path, test_from=test_from, without=without)
        self.run_job(asked)
        attempt = RetrainingRun.objects.first()
        if attempt.outcome == RetrainingRun.Outcome.REFUSED:
            raise CommandError("Refused: nothing is reported or deployed.")
        self._report(attempt.report)

    def _report(self, report: dict) -> None:
        gathered = report["gathered"]
        self.stdout.write(
            f"  learned from {gathered['learned']} topics, tested on {gathered['tested']}; "
            f"{len(gathered['aside'])} left out for being near a test topic"
        )
        for name, family in report["manifest"]["families"].items():
            error = family["standard_error"]
            self.stdout.write(f"  {name:<20} cross-validated nDCG@10 {family['nDCG@10']:.3f} ±{error:.3f}")
        for system in SYSTEMS:
            values = "  ".join(f"{name} {report['measures'][system][name]['mean']:.3f}" for name in MEASURES)
            self.stdout.write(f"  {system:<20} {values}")
        for name, values in report["reciprocal_ranks"].items():
            shown = "  ".join(f"{system} {values[system]:.3f}" for system in SYSTEMS)
            self.stdout.write(f"  {name:<20} MRR@10 {shown}")
        self.stdout.write(
            f"  calibration error {report['ece']:.4f}, {report['ms']:.2f} ms of processor time a query"
        )
        for reason in report["decision"]["reasons"]:
            self.stdout.write(f"  {reason}")
