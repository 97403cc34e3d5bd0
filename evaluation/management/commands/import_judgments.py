"""manage.py import_judgments FILE [--format auto|jsonl|csv|trec|topics|quepid] [--dry-run]"""

from pathlib import Path

from django.core.management.base import CommandError

from evaluation.models import Judgment, Topic
from evaluation.topics import importing
from evaluation.topics.importing import Options, Plan
from evaluation.topics.reading import FORMATS, Refused
from retrieval.management.base import JobCommand
from retrieval.models import JobRun
from rules.authoring.tables import decoded

DEFAULTS = Options()


class Command(JobCommand):
    help = "Takes topics and judgments from a file; tells each line it cannot take, and takes the rest."

    def add_arguments(self, parser):
        parser.add_argument("file", type=Path)
        parser.add_argument("--format", choices=FORMATS, default="auto")
        parser.add_argument("--dry-run", action="store_true", help="say what would change, change nothing")
        parser.add_argument("--domain", default=DEFAULTS.domain, help="where lines name none")
        parser.add_argument("--judge", default=DEFAULTS.judge, help="where lines name none")
        parser.add_argument("--kind", default=DEFAULTS.kind, choices=Judgment.Kind.values)
        parser.add_argument(
            "--split", default=DEFAULTS.split, choices=Topic.Split.values, help="of new topics"
        )
        parser.add_argument("--show", type=int, default=20, help="how many changes and refusals to list")

    def handle(self, *, file: Path, dry_run: bool, show: int, **options) -> None:
        defaults = Options(**{name: options[name] for name in ("domain", "judge", "kind", "split")})
        text = decoded(file.read_bytes())
        if dry_run:
            self._tell_plan(importing.preview(text, options["format"], defaults), show)
        else:
            run = importing.create(text, options["format"], defaults, name=file.name)
            self._tell_end(self._watch(run), show)

    def _tell_plan(self, plan: Plan, show: int) -> None:
        self.stdout.write(f"Would make: {plan}")
        for change in plan.changed[:show]:
            judgment = change.judgment
            self.stdout.write(
                f"  line {change.line}: {judgment.topic.name} {judgment.locator} by {judgment.judge}:"
                f" {change.before} -> {change.after}"
            )
        self._refused(plan.refused[:show])

    def _tell_end(self, run: JobRun, show: int) -> None:
        if run.status != JobRun.Status.DONE:
            raise CommandError(run.error or run.message)
        self.stdout.write(run.message)
        self._refused([Refused(*each) for each in run.state["refused"][:show]])

    def _refused(self, refused: list[Refused]) -> None:
        for each in refused:
            self.stdout.write(f"  line {each.line} refused: {each.reason}")
