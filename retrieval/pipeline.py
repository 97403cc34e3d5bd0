"""Stages and pipelines: a stage is `Ranking -> Ranking`; a pipeline runs stages in order and writes the trace."""

import logging
import time
from collections.abc import Callable, Iterable, Iterator
from functools import cache, cached_property
from typing import Protocol

from django.conf import settings
from django.utils.module_loading import import_string

from retrieval.errors import ArfError, NotRun, SearchUnavailable, UnknownPipeline
from retrieval.ranking import Ranking, StageReport, replace

logger = logging.getLogger(__name__)
USUAL, VERIFIED = "default", "verified"  # every set of pipelines writes these two out


class Stage(Protocol):
    """One step of retrieval. Raises NotRun when it cannot do its part; the trace then says why.

    One that is `essential` leaves no answer where it fails.
    """

    def __call__(self, ranking: Ranking) -> Ranking: ...


class Pipeline:
    """The ordered steps. Its `repr` names every stage with its parameters and is stored with every run."""

    def __init__(self, *stages: Stage):
        self.stages = stages

    def __repr__(self) -> str:
        return self._written

    @cached_property
    def _written(self) -> str:
        return f"Pipeline({', '.join(map(repr, self.stages))})"

    def has(self, kind: type) -> bool:
        """Whether a stage, or one that another runs, is of this kind."""
        return any(isinstance(stage, kind) for stage in every(self.stages))

    def __call__(self, ranking: Ranking) -> Ranking:
        from retrieval.database import recoverable  # here: rules are read without Django's apps

        with recoverable():
            for stage in self.stages:
                if searched(ranking) or getattr(stage, "presents", False):
                    ranking = run_stage(stage, ranking)
        return ranking


def searched(ranking: Ranking) -> bool:
    """Whether the question is searched; what is told instead is only presented."""
    return ranking.notice is None or ranking.notice.searched


def every(stages: Iterable[Stage]) -> Iterator[Stage]:
    """The stages and those that they run."""
    for stage in stages:
        yield stage
        yield from every(getattr(stage, "stages", ()))


def run_stage(stage: Stage, ranking: Ranking) -> Ranking:
    """Runs one stage and adds its line to the trace. Whatever it raises is survived, but for an answer to the caller
    (an ArfError), a database that is away, and the failure of an essential stage: SearchUnavailable.
    """
    started = time.perf_counter()
    before = len(ranking.candidates)
    name = type(stage).__name__
    try:
        after = stage(replace(ranking, note="", details={}) if ranking.note or ranking.details else ranking)
        status, note, details = "applied", after.note, after.details
        if details.get("skipped"):
            status, details = "skipped", {}
    except NotRun as problem:
        after = degraded(ranking, name) if problem.degrades else ranking
        status, note, details = problem.status_in_trace, problem.message, {}
    except BaseException as problem:
        from retrieval.database import AWAY, recover

        if isinstance(problem, (ArfError, *AWAY)) or not is_failure(problem):
            raise
        logger.error("The stage %s failed.", name, exc_info=problem)
        if getattr(stage, "essential", False):
            raise SearchUnavailable from problem
        recover(problem)
        after, status, note, details = degraded(ranking, name), "failed", type(problem).__name__, {}
    report = StageReport(
        name=name,
        status=status,
        ms=round((time.perf_counter() - started) * 1000, 3),
        before=before,
        after=len(after.candidates),
        note=note,
        details=details,
    )
    return replace(after, reports=(*after.reports, report), note="", details={})


def degraded(ranking: Ranking, name: str) -> Ranking:
    return replace(ranking, degraded=tuple(dict.fromkeys((*ranking.degraded, name))))


def is_failure(problem: BaseException) -> bool:
    """Any Exception, and what a library written in Rust raises where it panics, which is none."""
    return isinstance(problem, Exception) or type(problem).__name__ == "PanicException"


def unless_final(call: Callable[..., Ranking]) -> Callable[..., Ranking]:
    """Decorates a ranking stage's `__call__`: a final order (a query that is only a citation) passes by."""

    def guarded(self, ranking: Ranking) -> Ranking:
        if ranking.final:
            return ranking.noting("the order is already final", skipped=True)
        return call(self, ranking)

    return guarded


@cache
def get(name: str) -> Pipeline:
    """The pipeline written out under this name in `settings.ARF_PIPELINES`. Raises UnknownPipeline."""
    if name not in names():
        raise UnknownPipeline(name)
    return import_string(f"{settings.ARF_PIPELINES}.{name}")()


def names(*, public: bool = False) -> tuple[str, ...]:
    """Names a caller may ask for: all, or those open to callers without the scope `pipelines`."""
    return tuple(import_string(f"{settings.ARF_PIPELINES}.{'PUBLIC' if public else 'NAMES'}"))
