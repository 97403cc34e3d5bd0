"""manage.py compare_runs A B [--measure nDCG@10] [--show N] [--json]"""

import json
from dataclasses import asdict

from evaluation.measuring.measures import MEASURES, Comparison, Pair, compare
from evaluation.measuring.runs import run_named, values_of
from evaluation.models import Run
from retrieval.management.base import ArfCommand


class Command(ArfCommand):
    help = "Compares two kept runs topic by topic: difference, paired randomisation test, wins and losses."

    def add_arguments(self, parser):
        parser.add_argument("ours", metavar="A", help="id of a run, or how it begins; “last” is the newest")
        parser.add_argument(
            "theirs", metavar="B", help="id of the run to compare with; “previous” is the one before"
        )
        parser.add_argument("--measure", default="nDCG@10", choices=list(MEASURES))
        parser.add_argument("--show", type=int, default=10, help="how many wins and losses to list")
        parser.add_argument("--json", action="store_true")

    def handle(self, *, ours: str, theirs: str, measure: str, show: int, **options) -> None:
        left, right = run_named(ours), run_named(theirs)
        told = compare(values_of(left, measure), values_of(right, measure), measure)
        if options["json"]:
            runs = {"a": str(left.pk), "b": str(right.pk), "versions": changed(left, right)}
            runs["degraded"] = {"a": degraded(left), "b": degraded(right)}
            self.stdout.write(json.dumps(runs | asdict(told), indent=2))
        else:
            self._tell("A", left)
            self._tell("B", right)
            self._write(told, changed(left, right), show)

    def _tell(self, name: str, run: Run) -> None:
        self.stdout.write(f"{name}: {run}\n   {spent(run)}")
        for stage, count in degraded(run).items():
            self.stdout.write(f"   degraded: {stage} in {count} topics")

    def _write(self, told: Comparison, versions: dict[str, list], show: int) -> None:
        for name, (a, b) in versions.items():
            self.stdout.write(f"   {name}: A {a}, B {b}")
        difference = told.difference
        self.stdout.write(
            f"{told.measure}: A {told.ours:.3f}, B {told.theirs:.3f}, difference {difference.mean:+.3f}"
            f" [{difference.low:+.3f}, {difference.high:+.3f}], p = {told.p:.4f}"
        )
        self.stdout.write(
            f"{told.topics} topics: {len(told.wins)} won, {len(told.losses)} lost, {told.ties} even"
        )
        if told.left_out:
            self.stdout.write(f"{told.left_out} topics are in one run only and were left out")
        self._list("Won", told.wins[:show])
        self._list("Lost", told.losses[:show])

    def _list(self, title: str, pairs: tuple[Pair, ...]) -> None:
        for pair in pairs:
            self.stdout.write(
                f"  {title:<4} {pair.difference:+.3f}  {pair.theirs:.3f} -> {pair.ours:.3f}  {pair.topic}"
            )


def spent(run: Run) -> str:
    """What its answers took; nothing is known of another system's."""
    ms, llm, cost = (run.summary.get(name) for name in ("ms", "llm", "cost"))
    if not ms or not any(ms.values()):
        return "time and cost unknown"
    return (
        f"{', '.join(f'{name} {value:.1f}' for name, value in ms.items())} ms; "
        f"LLM share {llm['share']:.1%}; {cost['per_1000']:.4f} USD for 1,000 queries"
    )


def degraded(run: Run) -> dict[str, int]:
    """In how many topics each stage that failed did not do its part: the run is worse for it."""
    return run.summary.get("degraded", {})


def changed(left: Run, right: Run) -> dict[str, list]:
    """What was different: pipeline, stages and versions, as [A, B]."""
    mine, other = ({"stages": run.stages, "topics": run.topics} | run.versions for run in (left, right))
    names = sorted(mine.keys() | other.keys())
    return {name: [mine.get(name), other.get(name)] for name in names if mine.get(name) != other.get(name)}
