"""What a strategy costs: the ways of searching run on the same topics, what is chosen beside the best of them."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from django.conf import settings
from django.utils.module_loading import import_string

from evaluation.measuring.results import TopicResult
from evaluation.measuring.runs import Runner, run_topics, stated_language
from evaluation.topics.topic import Topic
from retrieval import pipeline
from rules.questions.strategy import Strategy

DECIDES = "nDCG@10"
AS_GOOD = 0.01  # within this of the best
SERVED = "hybrid"  # how all but citations are searched


@dataclass(frozen=True, slots=True)
class Regret:
    """Of one way of choosing: mean nDCG@10, what the best of all ways has more, the share of topics as good as the
    best, and mean milliseconds.
    """

    measure: float
    regret: float
    as_good: float
    ms: float


def pipelines_of_strategies() -> dict[str, str]:
    """The pipeline of each strategy that is a way of searching, as `pipelines.py` names them."""
    return import_string(f"{settings.ARF_PIPELINES}.pipelines_of_strategies")()


def strategies_of(topics: Sequence[Topic]) -> list[str]:
    """What the stage names each question."""
    runner, written = Runner(), pipeline.get(pipeline.USUAL).stages
    known = [part for stage in written for part in getattr(stage, "stages", (stage,))]
    until = next(n for n, stage in enumerate(known, start=1) if isinstance(stage, Strategy))
    before = pipeline.Pipeline(*known[:until])
    asked = (runner.query(t.query, (t.domain,), stated_language(t.language)) for t in topics)
    return [before(pipeline.Ranking(query)).query.strategy or SERVED for query in asked]


def measured(topics: Sequence[Topic], *, show: Callable = iter) -> dict:
    """Each way on every answerable topic; what is served; and what would be if each strategy had its own way."""
    answerable = [topic for topic in topics if topic.answerable]
    runs = {name: run_topics(answerable, line, show=show) for name, line in pipelines_of_strategies().items()}
    named = strategies_of(answerable)
    served = ["citation" if name == "citation" else SERVED for name in named]
    own = [name if name in runs else SERVED for name in named]
    choices = {name: [name] * len(answerable) for name in runs} | {"served": served, "each its own": own}
    return {
        "topics": len(answerable),
        "strategies": dict(Counter(named)),
        "choices": {name: regret_of(runs, chosen) for name, chosen in choices.items()},
    }


def regret_of(runs: dict[str, list[TopicResult]], chosen: Sequence[str]) -> Regret:
    values = {name: np.array([result.values[DECIDES] for result in run]) for name, run in runs.items()}
    best = np.max(list(values.values()), axis=0)
    ours = np.array([values[name][n] for n, name in enumerate(chosen)])
    ms = float(np.mean([runs[name][n].ms for n, name in enumerate(chosen)]))
    return Regret(
        float(ours.mean()), float((best - ours).mean()), float((best - ours <= AS_GOOD).mean()), round(ms, 2)
    )
