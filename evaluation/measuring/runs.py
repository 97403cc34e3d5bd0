"""Runs a pipeline over topics as searches are run, without cache or log; how well, how fast and at what cost it
answered them; and runs that are kept.
"""

import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import numpy as np
from django.db import transaction

from evaluation.measuring.calibration import PAGE
from evaluation.measuring.groups import Group, grouped
from evaluation.measuring.measures import Estimate, estimate
from evaluation.measuring.results import TopicResult
from evaluation.models import Measurement, Run
from evaluation.models import Topic as TopicRow
from evaluation.topics.leaks import leaks
from evaluation.topics.topic import Topic
from evaluation.topics.writing import without_spaces
from retrieval import pipeline
from retrieval.access.caller import ANONYMOUS, Caller
from retrieval.errors import ArfError, NotFound
from retrieval.models import EmbeddingModel, RankerModel
from retrieval.ranking import DomainScope, Query, Ranking, RuleOptions
from retrieval.request import SearchRequest
from retrieval.search import service
from retrieval.stages.llm_verifier import LLMVerifier
from retrieval.stages.reranker.reranker import LearnedReranker

SPANISH = "es"


def stated_language(language: str) -> str | None:
    """Spanish is stated with the question; English is detected, as in a search that names no language."""
    return SPANISH if language == SPANISH else None


class Runner:
    """A pipeline asked by one caller. The versions in force are read once a set of domains, so that every topic is run
    under the same. Topics are put to their own domain or, `everywhere`, to all that the caller sees, as a search that
    names none.
    """

    def __init__(self, name: str = pipeline.USUAL, *, caller: Caller = ANONYMOUS, everywhere: bool = False):
        self.name, self.caller, self.everywhere = name, caller, everywhere
        self._known: dict[tuple[str, ...], tuple[tuple[DomainScope, ...], dict[str, int]]] = {}

    def in_force(self, domains: tuple[str, ...]) -> tuple[tuple[DomainScope, ...], dict[str, int]]:
        """The domains as the caller sees them, and their versions. Raises NotFound."""
        if domains not in self._known:
            self._known[domains] = service.in_scope(self.caller, domains)
        return self._known[domains]

    def query(
        self,
        text: str,
        domains: tuple[str, ...],
        language: str | None = None,
        rules: RuleOptions = RuleOptions(),
    ) -> Query:
        """The question as it was asked, for those who run a part of a pipeline. Raises NotFound."""
        request = SearchRequest(text, domains, language=language, pipeline=self.name, rules=rules)
        return service.query_of(request, self.caller, *self.in_force(domains))

    def ranking(self, *asked) -> Ranking:
        """Of what `query` takes."""
        return pipeline.get(self.name)(Ranking(self.query(*asked)))

    def domains_of(self, topic: Topic) -> tuple[str, ...]:
        return () if self.everywhere else (topic.domain,)

    def topic(
        self, topic: Topic, rules: RuleOptions = RuleOptions(), *, nameless: frozenset[str] = frozenset()
    ) -> Ranking:
        query = self.query(topic.query, self.domains_of(topic), stated_language(topic.language), rules)
        return pipeline.get(self.name)(Ranking(replace(query, nameless=nameless)))

    def topics(
        self, topics: Iterable[Topic], *, show: Callable = iter
    ) -> Iterator[tuple[Topic, Ranking, float]]:
        """Each topic with its ranking and the milliseconds it took; `show` may wrap them in a progress bar."""
        topics = list(topics)
        for domains in {self.domains_of(topic) for topic in topics}:
            self.in_force(domains)
        for topic in show(topics):
            started = time.perf_counter()
            ranking = self.topic(topic)
            yield topic, ranking, (time.perf_counter() - started) * 1000


DEPTH = 100  # results kept a topic: what the deepest measure reads
LLM_STAGE = LLMVerifier.__name__  # its `details` tell its `llm_candidates`, `llm_calls` and `llm_cost`
LLM_POOL = 20  # candidates after fusion, of which the LLM's share is a part
LEAST = 4  # characters of a run's id that name it
EVERYWHERE = ", no domain named"  # ends what topics are called that were put to all bodies of law together
FROM_FILES = "file "  # begins what a topic set of files is called: no domain's slug has a blank
TREC_RUN = "TREC run "  # begins what another system's run is called, in place of a pipeline


def with_judgments(topics: Iterable[Topic]) -> list[Topic]:
    """Without those that have an answer which nobody judged: what is unjudged is not irrelevant."""
    return [topic for topic in topics if topic.judged or not topic.answerable]


def run_topics(
    topics: Iterable[Topic],
    name: str,
    *,
    caller: Caller = ANONYMOUS,
    everywhere: bool = False,
    show: Callable = iter,
) -> list[TopicResult]:
    """One result a topic, in order; `show` may wrap the topics in a progress bar."""
    runner = Runner(name, caller=caller, everywhere=everywhere)
    return [result_of(*ran) for ran in runner.topics(topics, show=show)]


def result_of(topic: Topic, ranking: Ranking, ms: float) -> TopicResult:
    first = [*ranking.candidates[:10], *ranking.near_misses]
    return TopicResult(
        topic=topic,
        locators=tuple(candidate.locator for candidate in ranking.candidates[:DEPTH]),
        abstained=ranking.abstained,
        ms=ms,
        probability=max((c.probability for c in first if c.probability is not None), default=None),
        degraded=ranking.degraded,
        llm_calls=int(llm_sum(ranking, "llm_calls")),
        llm_candidates=int(llm_sum(ranking, "llm_candidates")),
        pool=min(LLM_POOL, max((report.after for report in ranking.reports), default=0)),
        cost=llm_sum(ranking, "llm_cost"),
        probabilities=tuple(candidate.probability for candidate in ranking.candidates[:PAGE]),
    )


def llm_sum(ranking: Ranking, name: str) -> float:
    return sum(float(told.details.get(name, 0)) for told in ranking.reports if told.name == LLM_STAGE)


@dataclass(frozen=True, slots=True)
class Report:
    """A pipeline over a topic set. Measures are over answerable topics; an abstaining answer measures 0.

    `condensed` leaves out what nobody judged. `llm`: calls made now, queries that an LLM had a part in, and its share
    of the candidates, both with what it was asked before.
    `cost`, in US dollars: in total and for 1,000 queries. `ms`, `llm` and `cost` are empty for another system's run, of
    which they are not known. `learned`: topics that the reranker in force learned from, or
    from nearly the same question, if the pipeline asks it: they flatter it. `groups`: by body of law, and by
    language in it.
    """

    pipeline: str
    stages: str
    topics: int
    measures: dict[str, Estimate]
    condensed: dict[str, Estimate]
    judged_at_10: Estimate
    by_kind: dict[str, dict[str, float]]
    declined_answerable: int
    unanswerable: int
    declined_unanswerable: int
    degraded: dict[str, int]
    ms: dict[str, float]
    llm: dict[str, float]
    cost: dict[str, float]
    learned: int
    groups: dict[str, Group]


def measured_elsewhere(topics: Iterable[Topic], rankings: Mapping[str, Sequence[str]]) -> list[TopicResult]:
    """Another system's rankings by topic, as though a pipeline had given them; nothing found is a declined topic.
    Raises ArfError where they are of other topics.
    """
    found = [(topic, rankings.get(without_spaces(topic.id), ())) for topic in topics]
    if not any(locators for _topic, locators in found):
        raise ArfError("The run ranks nothing for any of these topics: are its topics called otherwise?")
    return [
        TopicResult(
            topic=topic,
            locators=tuple(locators[:DEPTH]),
            abstained=not locators,
            ms=0.0,
            probability=None,
            degraded=(),
        )
        for topic, locators in found
    ]


def report_elsewhere(results: Sequence[TopicResult], path: Path) -> Report:
    """Of another system's run in this file. None of our pipelines has such a name."""
    told = report(results, f"{TREC_RUN}{path.stem}"[:60], stages=f"{TREC_RUN}{path.name}")
    return replace(told, ms={}, llm={}, cost={})


def report(results: Sequence[TopicResult], name: str, *, stages: str = "") -> Report:
    """`stages`: what to say of a ranking that is none of our pipelines'."""
    answerable = [result for result in results if result.topic.answerable]
    unanswerable = [result for result in results if not result.topic.answerable]
    rows = [result.values for result in answerable]
    return Report(
        pipeline=name,
        stages=stages or repr(pipeline.get(name)),
        topics=len(answerable),
        measures=estimates(rows),
        condensed=estimates([result.condensed for result in answerable]),
        judged_at_10=estimate([share for result in answerable if (share := result.judged) is not None]),
        by_kind=kinds(answerable, rows),
        declined_answerable=sum(result.abstained for result in answerable),
        unanswerable=len(unanswerable),
        declined_unanswerable=sum(result.abstained for result in unanswerable),
        degraded=dict(Counter(stage for result in results for stage in result.degraded)),
        ms={f"p{p}": float(np.percentile([r.ms for r in results], p)) for p in (50, 95, 99)}
        if results
        else {},
        llm=llm_use(results),
        cost=cost_of(results),
        learned=0 if stages else len(learned_by(name, [result.topic for result in results])),
        groups=grouped(results),
    )


def learned_by(name: str, topics: Sequence[Topic]) -> set[str]:
    """Ids of those topics whose question, or nearly the same, a pipeline's reranker learned from."""
    asks = pipeline.get(name).has(LearnedReranker)
    model = RankerModel.objects.filter(status=RankerModel.Status.ACTIVE).first() if asks else None
    if model is None:
        return set()
    names = set(model.manifest.get("topics", ()))
    queries = TopicRow.objects.filter(name__in=names).values_list("query", flat=True)
    near = {leak.kept for leak in leaks(queries, [topic.query for topic in topics])}
    return {topic.id for topic in topics if topic.id in names or topic.query in near}


def estimates(rows: Sequence[Mapping[str, float]]) -> dict[str, Estimate]:
    return {name: estimate([row[name] for row in rows]) for name in (rows[0] if rows else ())}


def llm_use(results: Sequence[TopicResult]) -> dict[str, float]:
    pool, put = sum(r.pool for r in results), sum(r.llm_candidates for r in results)
    return {
        "calls": sum(r.llm_calls for r in results),
        "queries": sum(r.llm_candidates > 0 for r in results),
        "share": put / pool if pool else 0.0,
    }


def cost_of(results: Sequence[TopicResult]) -> dict[str, float]:
    total = sum(result.cost for result in results)
    return {"total": total, "per_1000": 1000 * total / len(results) if results else 0.0}


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


# -- Kept runs


def of_file(path: Path) -> str:
    """What topics of a file, or of a data set in a folder, are called: never as a domain's."""
    return f"{FROM_FILES}{path.name}"[:120]


def named(topics: str, limit: int | None = None, *, everywhere: bool = False) -> str:
    """What a topic set is called: a run over its first topics is no run over it, nor one that named no domain."""
    return (topics if limit is None else f"{topics}, the first {limit}") + EVERYWHERE * everywhere


@transaction.atomic
def store(
    results: Sequence[TopicResult], told: Report, *, topics: str, in_force: dict, name: str = ""
) -> Run:
    """Keeps a run with the measures of every topic. `in_force`: the versions it ran under."""
    run = Run.objects.create(
        name=name,
        pipeline=told.pipeline,
        stages=told.stages,
        topics=topics,
        versions=in_force,
        summary=asdict(told),
    )
    Measurement.objects.bulk_create([measurement(run, result) for result in results], batch_size=500)
    return run


def measurement(run: Run, result: TopicResult) -> Measurement:
    return Measurement(
        run=run,
        topic=result.topic.id,
        locators=list(result.locators),
        measures=measures_of(result) if result.topic.answerable else {},
        abstained=result.abstained,
        probability=result.probability,
        ms=result.ms,
        llm_calls=result.llm_calls,
    )


def measures_of(result: TopicResult) -> dict[str, float | None]:
    condensed = {f"condensed {name}": value for name, value in result.condensed.items()}
    return result.values | condensed | {"judged@10": result.judged}


def versions_in_force(
    topics: Iterable[Topic], *, caller: Caller = ANONYMOUS, everywhere: bool = False
) -> dict[str, int | str]:
    """Every version a run over these topics depends on, with the digests of the models that serve."""
    domains = () if everywhere else sorted({topic.domain for topic in topics})
    _, in_force = service.in_scope(caller, domains)
    ranker = RankerModel.objects.filter(status=RankerModel.Status.ACTIVE).values_list("sha256", flat=True)
    return in_force | {
        "embedder": EmbeddingModel.fingerprint_in_use(),
        "ranker": next(iter(ranker), ""),
    }


def run_named(name: str) -> Run:
    """The run whose id begins so; `last` is the newest, `previous` the one before it. Raises NotFound."""
    if name in ("last", "previous"):
        found = Run.objects.of_rankings().order_by("-created_at")[name == "previous" :][:1]
        if not found:
            raise NotFound(f"There is no {name} run: `manage.py evaluate` keeps one.")
    elif len(name) < LEAST:
        raise NotFound(f"Give at least {LEAST} characters of the run’s id.")
    else:
        ids = [pk for pk in Run.objects.values_list("pk", flat=True) if str(pk).startswith(name.lower())]
        found = Run.objects.filter(pk__in=ids)
    if len(found) != 1:
        raise NotFound(f"{'Several runs begin' if found else 'There is no run that begins'} with “{name}”.")
    return found[0]


def values_of(run: Run, measure: str) -> dict[str, float]:
    """The measure by topic; topics without an answer have none."""
    rows = run.measurements.values_list("topic", "measures")
    return {topic: told[measure] for topic, told in rows if told.get(measure) is not None}


def rankings_of(run: Run) -> dict[str, list[str]]:
    """Locators best first by topic; nothing for a topic that was declined."""
    rows = run.measurements.order_by("topic").values_list("topic", "locators", "abstained")
    return {topic: [] if abstained else locators for topic, locators, abstained in rows}
