"""manage.py agreement [DOMAIN] [--split S] [--kind human] [--answers] [--json]"""

import json
from dataclasses import asdict

from evaluation.judging.agreement import Agreement, agreement
from evaluation.models import Judgment, Topic
from evaluation.proof import judged_answers
from evaluation.topics.library import grades_by_judge, require_domain
from retrieval.management.base import ArfCommand


class Command(ArfCommand):
    help = "How far judges agree: Krippendorff's alpha, weighted kappas of every two, and what they disagree about."

    def add_arguments(self, parser):
        parser.add_argument("domain", nargs="?", default="")
        parser.add_argument("--split", default="", choices=Topic.Split.values)
        parser.add_argument("--kind", action="append", choices=Judgment.Kind.values, help="may repeat; human")
        parser.add_argument("--show", type=int, default=20, help="how many disagreements to list")
        parser.add_argument(
            "--answers",
            action="store_true",
            help="whether answers are borne out, by the proof of this program and by people",
        )
        parser.add_argument("--json", action="store_true")

    def handle(
        self, *, domain: str, split: str, kind: list[str] | None, answers: bool, show: int, **options
    ) -> None:
        require_domain(domain)
        judged = judged_answers.grades() if answers else None
        told = agreement(judged or grades_by_judge(domain, split, kinds=kind or [Judgment.Kind.HUMAN]))
        if options["json"]:
            self.stdout.write(json.dumps(asdict(told), indent=2))
        else:
            self._write(told, show)

    def _write(self, told: Agreement, show: int) -> None:
        alpha = told.alpha
        self.stdout.write(f"{told.judged} pairs judged, {told.double} by at least two judges")
        self.stdout.write(
            f"Krippendorff's alpha (ordinal) {shown(alpha.value)}  [{shown(alpha.low)}, {shown(alpha.high)}]"
        )
        for kappa in told.kappas:
            self.stdout.write(
                f"  {kappa.first} and {kappa.second}: {kappa.pairs} pairs, weighted kappa"
                f" {shown(kappa.linear)} linear, {shown(kappa.quadratic)} quadratic"
            )
        for each in told.disagreements[:show]:
            of, what = each.judged
            grades = ", ".join(f"{judge} {grade}" for judge, grade in each.grades.items())
            self.stdout.write(f"  {of} {what}: {grades}")


def shown(value: float | None) -> str:
    return "undefined" if value is None else f"{value:.3f}"
