"""What each part of the pipeline is worth: `ablation_steps` on the same topics, each beside the one before."""

import uuid
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass

from django.conf import settings
from django.db import transaction
from django.utils.module_loading import import_string

from evaluation.measuring.measures import Estimate, paired_difference
from evaluation.measuring.plots import Bar, bars
from evaluation.measuring.results import TopicResult
from evaluation.measuring.runs import (
    Report,
    report,
    run_topics,
    store,
    versions_in_force,
)
from evaluation.models import Run
from evaluation.topics.topic import Topic
from retrieval import pipeline
from retrieval.engines.llm import service as llm
from retrieval.stages import llm_verifier

MEASURES = ("MRR@10", "P@1", "P@5", "R@5", "nDCG@5", "nDCG@10")
DECIDES = "nDCG@10"
MOST_LOST = 0.01  # a stage that loses more is taken out of the default pipeline
FOUND = "R@100"  # what a leg is for: fusion fills the pool that later stages put in order
NAME = "ablation"  # what the runs of one are called by


@dataclass(frozen=True, slots=True)
class Step:
    """One pipeline of an ablation. `difference`: in nDCG@10 to the step before, and `found` in R@100; the first has
    none.
    """

    label: str
    report: Report
    difference: Estimate | None
    found: Estimate | None = None

    @property
    def loses(self) -> bool:
        """Not by what it costs the order of a pool to which it adds what others did not find, beyond chance."""
        return self.is_lower and not self.finds_more

    @property
    def is_lower(self) -> bool:
        return self.difference is not None and self.difference.mean < -MOST_LOST

    @property
    def finds_more(self) -> bool:
        return self.found is not None and self.found.low > 0

    def as_json(self) -> dict:
        told = asdict(self.report)
        return {
            "label": self.label,
            "pipeline": self.report.pipeline,
            "measures": {name: told["measures"].get(name) for name in MEASURES},
            "difference": None if self.difference is None else asdict(self.difference),
            "found": None if self.found is None else asdict(self.found),
            "loses": self.loses,
            "is_lower": self.is_lower,
            "llm_share": self.report.llm["share"],
            "cost_per_1000": self.report.cost["per_1000"],
            "ms": self.report.ms,
            "topics": self.report.topics,
            "declined_answerable": self.report.declined_answerable,
            "degraded": self.report.degraded,
        }


def steps() -> list[tuple[str, str]]:
    """(label, pipeline) as `pipelines.py` names them."""
    return import_string(f"{settings.ARF_PIPELINES}.ablation_steps")()


def asking() -> list[str]:
    """Labels of the steps that ask a language model."""
    return [label for label, name in steps() if llm_verifier.asks(pipeline.get(name))]


def left_out() -> list[str]:
    """Labels of the steps that cannot run: those with a language model, where none is configured."""
    return [] if llm.endpoint() is not None else asking()


def ablate(topics: Sequence[Topic], *, topic_set: str, show: Callable = iter) -> list[Step]:
    """Runs every step over the topics but those left out, and keeps each as a run: all of them, or none if it is
    stopped. Calls of a language model are paid for.
    """
    in_force = versions_in_force(topics)
    measured = [
        (label, name, run_topics(topics, name, caller=llm_verifier.MAY_ASK, show=show)) for label, name in runnable()
    ]
    done = compared(measured)
    keep(done, topic_set, in_force)
    return [step for step, _results in done]


def compared(measured: Sequence[tuple[str, str, list[TopicResult]]]) -> list[tuple[Step, list[TopicResult]]]:
    """(label, pipeline, results) of each step, each beside the one before."""
    done: list[tuple[Step, list[TopicResult]]] = []
    for label, name, results in measured:
        before = done[-1][1] if done else []
        changes = (difference(results, before, measure) for measure in (DECIDES, FOUND))
        done.append((Step(label, report(results, name), *changes), results))
    return done


@transaction.atomic
def keep(done: Sequence[tuple[Step, Sequence[TopicResult]]], topic_set: str, in_force: dict) -> None:
    mark = uuid.uuid4().hex
    for number, (step, results) in enumerate(done):
        run = store(results, step.report, topics=topic_set, in_force=in_force, name=f"{NAME} {step.label}")
        run.summary |= {"ablation": {"id": mark, "step": number} | step.as_json()}
        run.save(update_fields=["summary"])


def runnable(*, ask: bool = True) -> list[tuple[str, str]]:
    """(label, pipeline) of the steps that can run; without `ask`, those that ask no language model."""
    without = left_out() if ask else asking()
    return [(label, name) for label, name in steps() if label not in without]


def difference(
    ours: Sequence[TopicResult], theirs: Sequence[TopicResult], measure: str = DECIDES
) -> Estimate | None:
    """Over the answerable topics, paired."""
    if not theirs:
        return None
    return paired_difference(
        *([r.values[measure] for r in run if r.topic.answerable] for run in (ours, theirs))
    )


def latest() -> tuple[Run | None, list[dict]]:
    """The first run of the last ablation, and its steps in order; (None, []) where there was none."""
    newest = Run.objects.filter(summary__has_key="ablation").order_by("-created_at").first()
    if newest is None:
        return None, []
    same = Run.objects.filter(summary__ablation__id=newest.summary["ablation"]["id"])
    runs = sorted(same, key=lambda run: run.summary["ablation"]["step"])
    return runs[0], [run.summary["ablation"] for run in runs]


def plot(told: Sequence[dict], title: str) -> str:
    """nDCG@10 of each step, as `Step.as_json` tells it."""
    return bars(title, [Bar(step["label"], **step["measures"][DECIDES]) for step in told])
