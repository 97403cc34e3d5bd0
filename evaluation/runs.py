"""Runs a pipeline over topics, without cache or log, and reports how well and how fast it did."""

import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass

import numpy as np

from evaluation.measures import Estimate, estimate, measure_topic
from evaluation.topics import Topic
from retrieval import pipeline, search, versions
from retrieval.ranking import ANONYMOUS, Caller

DEPTH = 100  # results kept a topic: what the deepest measure reads


@dataclass(frozen=True, slots=True)
class TopicResult:
    """What one topic was answered with. `probability` is the best of the first page, if calibrated."""

    topic: Topic
    locators: tuple[str, ...]
    abstained: bool
    ms: float
    probability: float | None
    degraded: tuple[str, ...]

    @property
    def values(self) -> dict[str, float]:
        return measure_topic(() if self.abstained else self.locators, self.topic.relevant)


def run_topics(
    topics: Iterable[Topic], name: str, *, caller: Caller = ANONYMOUS, show: Callable = iter
) -> list[TopicResult]:
    """One result a topic, in order; `show` may wrap the topics in a progress bar."""
    scopes = {topic.domain: search.visible_domains(caller, [topic.domain]) for topic in topics}
    in_force = {domain: versions.current(scope) for domain, scope in scopes.items()}
    return [
        run_topic(topic, name, caller, scopes[topic.domain], in_force[topic.domain]) for topic in show(topics)
    ]


def run_topic(topic: Topic, name: str, caller: Caller, scopes: tuple, in_force: dict) -> TopicResult:
    language = topic.language if topic.language == "es" else None
    request = search.SearchRequest(text=topic.query, language=language, pipeline=name)
    started = time.perf_counter()
    ranking = search.run(request, caller, scopes, in_force)
    ms = (time.perf_counter() - started) * 1000
    shown = ranking.candidates[:DEPTH]
    first = [*ranking.candidates[:10], *ranking.near_misses]
    return TopicResult(
        topic=topic,
        locators=tuple(candidate.locator for candidate in shown),
        abstained=ranking.abstained,
        ms=ms,
        probability=max((c.probability for c in first if c.probability is not None), default=None),
        degraded=ranking.degraded,
    )


@dataclass(frozen=True, slots=True)
class Report:
    """A pipeline over a topic set. Measures are over answerable topics; an abstaining answer measures 0."""

    pipeline: str
    stages: str
    topics: int
    measures: dict[str, Estimate]
    by_kind: dict[str, dict[str, float]]
    declined_answerable: int
    unanswerable: int
    declined_unanswerable: int
    degraded: dict[str, int]
    ms: dict[str, float]

    def as_json(self) -> dict:
        return asdict(self)


def report(results: Sequence[TopicResult], name: str) -> Report:
    answerable = [result for result in results if result.topic.answerable]
    unanswerable = [result for result in results if not result.topic.answerable]
    rows = [result.values for result in answerable]
    measures = {m: estimate([row[m] for row in rows]) for m in (rows[0] if rows else ())}
    return Report(
        pipeline=name,
        stages=repr(pipeline.get(name)),
        topics=len(answerable),
        measures=measures,
        by_kind=kinds(answerable, rows),
        declined_answerable=sum(result.abstained for result in answerable),
        unanswerable=len(unanswerable),
        declined_unanswerable=sum(result.abstained for result in unanswerable),
        degraded=counts(stage for result in results for stage in result.degraded),
        ms={f"p{p}": float(np.percentile([r.ms for r in results], p)) for p in (50, 95, 99)}
        if results
        else {},
    )


def kinds(results: Sequence[TopicResult], rows: Sequence[dict[str, float]]) -> dict[str, dict[str, float]]:
    """nDCG@10 and MRR@10 by kind of topic and by language."""
    groups: dict[str, list[dict[str, float]]] = defaultdict(list)
    for result, row in zip(results, rows, strict=True):
        for name in filter(None, (result.topic.kind, result.topic.language)):
            groups[name].append(row)
    return {
        name: {"topics": len(group)}
        | {m: sum(row[m] for row in group) / len(group) for m in ("nDCG@10", "MRR@10")}
        for name, group in sorted(groups.items())
    }


def counts(names: Iterable[str]) -> dict[str, int]:
    tally: dict[str, int] = defaultdict(int)
    for name in names:
        tally[name] += 1
    return dict(tally)
