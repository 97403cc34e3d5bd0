"""manage.py ablate [--topics FILE | --domain D] [--split test] [--json] [--svg FILE]"""

import json
from pathlib import Path

from django.core.management.base import CommandError

from evaluation.management.base import a_count, chosen_topics, with_bar
from evaluation.measuring import ablation
from evaluation.measuring.ablation import DECIDES, FOUND, MEASURES, MOST_LOST, Step
from evaluation.measuring.runs import named, of_file, with_judgments
from retrieval.management.base import ArfCommand


class Command(ArfCommand):
    help = (
        "Measures what each part of the pipeline adds; fails naming a stage that loses more than .01 nDCG@10 and finds "
        "no more."
    )

    def add_arguments(self, parser):
        parser.add_argument(
            "--topics", type=Path, help="JSON lines; the judged topics of the database by default"
        )
        parser.add_argument("--domain", default="us_constitution")
        parser.add_argument("--split", default="test", choices=["train", "tune", "test"])
        parser.add_argument("--limit", type=a_count, help="only the first topics")
        parser.add_argument("--svg", type=Path, help="draws nDCG@10 of every step into this file")
        parser.add_argument("--json", action="store_true")

    def handle(self, *, topics: Path | None, domain: str, split: str, **options) -> None:
        chosen = with_judgments(chosen_topics(domain, split, topics))[: options["limit"]]
        if not chosen:
            raise CommandError(f"Nobody judged any of the {split} topics for {domain}.")
        name = named(f"{of_file(topics) if topics else domain}, {split}", options["limit"])
        done = ablation.ablate(chosen, topic_set=name, show=with_bar)
        told = [step.as_json() for step in done]
        if options["svg"]:
            options["svg"].write_text(ablation.plot(told, f"{DECIDES} on {name}"))
        self.stdout.write(json.dumps(told, indent=2) if options["json"] else table(done))
        for label in ablation.left_out():
            self.stderr.write(f"{label} did not run: no language model is configured (ARF_LLM_MODEL).")
        if lost := [step.label for step in done if step.loses]:
            raise CommandError(f"Loses more than {MOST_LOST} {DECIDES}: {', '.join(lost)}.")


def table(done: list[Step]) -> str:
    measures = "".join(f"{name:>9}" for name in MEASURES)
    rest = (
        f"{'nDCG@10 interval':<17}{'to the step before':<28}{'LLM':>6}{'p50 ms':>8}{'p95 ms':>8}{'$/1000':>8}"
    )
    return "\n".join([f"{'':<26}{measures}  {rest}", *map(line, done), *remarks(done)])


def remarks(done: list[Step]) -> list[str]:
    flattered = [
        f"{step.label}: the reranker learned from {step.report.learned} of these questions, or nearly the same"
        for step in done
        if step.report.learned
    ]
    kept = [
        f"{step.label}: {FOUND} {step.found.mean:+.3f} [{step.found.low:+.3f}, {step.found.high:+.3f}]: it finds what "
        "others do not, for later stages to put in order"
        for step in done
        if step.is_lower and step.finds_more
    ]
    return flattered + kept + [
        f"{step.label}: {stage} did not answer in {count} topics"
        for step in done
        for stage, count in step.report.degraded.items()
    ]


def line(step: Step) -> str:
    measures, best = step.report.measures, step.report.measures[DECIDES]
    cells = "".join(f"{measures[name].mean:9.3f}" for name in MEASURES)
    change = step.difference
    told = "" if change is None else f"{change.mean:+.3f} [{change.low:+.3f}, {change.high:+.3f}]"
    ms, cost = step.report.ms, step.report.cost["per_1000"]
    return (
        f"{step.label:<26}{cells}  {f'[{best.low:.3f}, {best.high:.3f}]':<17}{told:<28}"
        f"{step.report.llm['share']:6.1%}{ms['p50']:8.1f}{ms['p95']:8.1f}{cost:8.3f}"
    )
