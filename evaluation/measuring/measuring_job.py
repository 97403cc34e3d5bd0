"""Measuring as a job, so that the pages on quality fill themselves: the usual pipeline, also with no domain named where
there are several bodies of law, or every step of an ablation, on the judged test topics of a public domain. Its steps
search some topics each; the last one keeps the runs. What another release had begun is begun anew.
"""

from collections.abc import Sequence
from dataclasses import asdict, fields
from hashlib import sha256

from evaluation.learning.retraining import Checkpoints, time_for_more, whole_bodies
from evaluation.measuring import ablation
from evaluation.measuring.results import TopicResult
from evaluation.measuring.runs import (
    EVERYWHERE,
    named,
    report,
    run_topics,
    store,
    versions_in_force,
    with_judgments,
)
from evaluation.models import Judgment
from evaluation.models import Topic as TopicRow
from evaluation.topics.library import topics_of
from evaluation.topics.topic import Topic
from retrieval import pipeline
from retrieval.access.caller import ANONYMOUS
from retrieval.errors import ArfError, gettext_noop
from retrieval.jobs import Job, Progress
from retrieval.models import Domain, JobRun
from retrieval.stages.llm_verifier import MAY_ASK

KEY = "measure"  # one at a time
TOPICS = 10  # searched in one piece
SPLIT = TopicRow.Split.TEST.value
USUAL, ABLATION = "usual", "ablation"


def request(domain: str, what: str = USUAL, *, ask: bool = False) -> dict:
    """`ask`: an ablation may ask the language model, which costs."""
    return {"kind": "measure", "key": KEY, "params": {"domain": domain, "what": what, "ask": ask}}


def measurable() -> list[Domain]:
    """Public domains with test topics that a person judged."""
    judged = TopicRow.objects.filter(split=SPLIT, judgments__kind=Judgment.Kind.HUMAN)
    return list(Domain.objects.visible_to(ANONYMOUS).filter(pk__in=judged.order_by().values("domain")))


class Measure(Job):
    def step(self, run: JobRun) -> Progress:
        kept = Checkpoints(run)
        if run.state and run.state.get("release") != release_of(run.state["pipelines"]):
            run.checkpoints.all().delete()
            run.state = {}
        if not run.state:
            return begin(run, kept)
        return search(run, kept) if run.position < run.total else keep(run, kept)


def begin(run: JobRun, kept: Checkpoints) -> Progress:
    topics = with_judgments(topics_of(run.params["domain"], SPLIT))
    if not topics:
        raise ArfError(gettext_noop("There is no judged test topic to measure on."))
    kept.save_topics(topics)
    in_force = {label: versions_in_force(topics, everywhere=bool(label)) for label in ("", EVERYWHERE)}
    pipelines = pipelines_of(run.params)
    state = {"pipelines": pipelines, "in_force": in_force, "release": release_of(pipelines)}
    total = len(topics) * len(state["pipelines"])
    return Progress(0, total, f"{len(topics)} judged topics gathered", state)


def pipelines_of(params: dict) -> list[tuple[str, str]]:
    """(label, pipeline)"""
    if params["what"] == ABLATION:
        return ablation.runnable(ask=params["ask"])
    labels = ("", EVERYWHERE) if len(whole_bodies()) > 1 else ("",)
    return [(label, pipeline.USUAL) for label in labels]


def release_of(pipelines: Sequence[Sequence[str]]) -> str:
    """Another where a release has other stages in these pipelines, or keeps something else of topics and results: what
    was searched before an update is not put beside what is searched after it.
    """
    stages = [repr(pipeline.get(name)) for _label, name in pipelines if name in pipeline.names()]
    of_rows = [field.name for kind in (Topic, TopicResult) for field in fields(kind)]
    return sha256("\n".join([*stages, *of_rows]).encode()).hexdigest()


def search(run: JobRun, kept: Checkpoints) -> Progress:
    topics, pipelines, has_time = kept.topics(), run.state["pipelines"], time_for_more(run)
    caller = MAY_ASK if run.params["ask"] else ANONYMOUS
    position = run.position
    while position < run.total:
        number, first = divmod(position, len(topics))
        some = topics[first : first + TOPICS]
        label, name = pipelines[number]
        results = run_topics(some, name, caller=caller, everywhere=label == EVERYWHERE)
        kept.save_json(f"results {position:08}", [asdict(result) | {"topic": None} for result in results])
        position += len(some)
        if not has_time():
            break
    return Progress(position, run.total, f"{position} of {run.total} topics searched", run.state)


def keep(run: JobRun, kept: Checkpoints) -> Progress:
    measured, in_force = results_of(run, kept), run.state["in_force"]
    if run.params["what"] == ABLATION:
        name = f"{run.params['domain']}, {SPLIT}"
        ablation.keep(ablation.compared(measured), name, in_force[""])
    else:
        for label, name, results in measured:
            topics = named(f"{run.params['domain']}/{SPLIT}", everywhere=label == EVERYWHERE)
            store(results, report(results, name), topics=topics, in_force=in_force[label])
    return Progress(run.total, run.total, f"{len(measured)} runs kept", finished=True)


def results_of(run: JobRun, kept: Checkpoints) -> list[tuple[str, str, list[TopicResult]]]:
    """(label, pipeline, results in the order of topics)"""
    topics = kept.topics()
    rows = list(kept.in_order("results "))
    return [
        (label, name, [result(*pair) for pair in zip(topics, rows[number * len(topics) :], strict=False)])
        for number, (label, name) in enumerate(run.state["pipelines"])
    ]


def result(topic: Topic, stored: dict) -> TopicResult:
    as_tuples = {name: tuple(stored.get(name, ())) for name in ("locators", "degraded", "probabilities")}
    return TopicResult(**stored | as_tuples | {"topic": topic})
