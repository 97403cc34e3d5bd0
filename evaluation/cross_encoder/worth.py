"""What a cross-encoder is worth to the learned pipeline: rerankers trained without its readings and with those of the
first candidates rank the tune split; and what reading costs.
"""

import json
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from evaluation.cross_encoder.pairs import DEEPEST, Asked
from evaluation.learning.pools import (
    FOLDS,
    LearningPool,
    division,
    learnable,
    neighbours,
    ranked,
    row_of,
    unjudged,
)
from evaluation.learning.promotion import ALPHA, above_zero
from evaluation.learning.training import PREFERRED, Fitting
from evaluation.measuring.measures import Estimate, measure_each, paired_difference
from retrieval.engines.cross_encoders import CrossEncoder, probabilities
from retrieval.stages.reranker.features import FEATURES

DEPTHS = (10, 20, 30, DEEPEST)
DECIDES, MEASURES = "nDCG@10", ("nDCG@10", "MRR@10")
MOST_MS = 40.0  # that reading may add to a search at p95: half of the 80 ms that one over everything may take
READ = FEATURES.index("cross_encoder")


@dataclass(frozen=True, slots=True)
class Reading:
    """Logits of a topic's first candidates, and the processor time that each took, in ms."""

    logits: list[float]
    ms: list[float]


@dataclass(frozen=True, slots=True)
class Worth:
    """Of a depth: the tune split's measures, the differences to reading nothing, and ms of processor time a query."""

    depth: int
    means: dict[str, float]
    differences: dict[str, Estimate]
    p_better: float
    ms: float
    p95_ms: float

    @property
    def gain_per_ms(self) -> float:
        return self.differences[DECIDES].mean / self.ms

    @property
    def is_proven(self) -> bool:
        """Better on what decides, by the test of a reranker's promotion, and quick enough."""
        return self.p_better < ALPHA and self.p95_ms <= MOST_MS


def readings(
    file: Path, encoder: CrossEncoder, topics: Sequence[Asked], *, show: Callable = iter
) -> dict[str, Reading]:
    """Each topic's, by its id. The file gains a line a topic: what it holds is not read again."""
    lines = file.read_text("utf-8").splitlines(keepends=True) if file.is_file() else []
    whole = [json.loads(line) for line in lines if line.endswith("\n")]
    found = {row["topic"]: Reading(row["logits"], row["ms"]) for row in whole}
    with file.open("w", encoding="utf-8") as kept:
        kept.writelines(line for line in lines if line.endswith("\n"))
        for one in show([one for one in topics if one.pool.topic.id not in found]):
            read = found[one.pool.topic.id] = reading(encoder, one)
            row = {"topic": one.pool.topic.id, "logits": read.logits, "ms": read.ms}
            kept.write(json.dumps(row) + "\n")
            kept.flush()
    return found


def reading(encoder: CrossEncoder, one: Asked) -> Reading:
    read = Reading([], [])
    for text in one.texts:
        started = time.thread_time()
        read.logits.append(float(encoder.logits(one.question, [text])[0]))
        read.ms.append((time.thread_time() - started) * 1000)
    return read


def measured(learned: Sequence[Asked], tuned: Sequence[Asked], read: Mapping[str, Reading]) -> list[Worth]:
    """Of each depth, the first being 0. `read` of a topic learned from must come from a model that did not."""
    rows = {depth: measures_at(depth, learned, tuned, read) for depth in (0, *DEPTHS)}
    return [worth_of(depth, rows[depth], rows[0], tuned, read) for depth in rows]


def measures_at(
    depth: int, learned: Sequence[Asked], tuned: Sequence[Asked], read: Mapping[str, Reading]
) -> list[dict[str, float]]:
    """Of each topic, in the order of a reranker trained on readings of this depth."""
    known = learnable([at_depth(one, depth, read) for one in learned])
    asked = [at_depth(one, depth, read) for one in tuned]
    fitting, voters = Fitting(PREFERRED, division(known, FOLDS)), neighbours(known)
    fitting.fit()
    orders = [ranked(pool, unjudged(fitting.probabilities([row_of(pool, voters)]))) for pool in asked]
    return measure_each(zip(orders, (pool.topic.judged for pool in asked), strict=True), MEASURES)


def at_depth(one: Asked, depth: int, read: Mapping[str, Reading]) -> LearningPool:
    """The pool as the stage leaves it that reads so many candidates."""
    rows, logits = one.pool.rows.copy(), read[one.pool.topic.id].logits[:depth]
    rows[:, READ] = 0.0
    rows[: len(logits), READ] = probabilities(np.array(logits))
    return replace(one.pool, rows=rows)


def worth_of(
    depth: int,
    ours: Sequence[Mapping[str, float]],
    without: Sequence[Mapping[str, float]],
    tuned: Sequence[Asked],
    read: Mapping[str, Reading],
) -> Worth:
    ms = [sum(read[one.pool.topic.id].ms[:depth]) for one in tuned]
    gains = [a[DECIDES] - b[DECIDES] for a, b in zip(ours, without, strict=True)]
    return Worth(
        depth=depth,
        means={name: float(np.mean([row[name] for row in ours])) for name in MEASURES},
        differences={
            name: paired_difference([row[name] for row in ours], [row[name] for row in without])
            for name in MEASURES
        },
        p_better=above_zero(np.array(gains)),
        ms=float(np.mean(ms)),
        p95_ms=float(np.percentile(ms, 95)),
    )


def best_of(depths: Sequence[Worth]) -> Worth | None:
    """The proven depth that gains most for each millisecond; None where none is proven."""
    return max((each for each in depths if each.is_proven), key=lambda each: each.gain_per_ms, default=None)
