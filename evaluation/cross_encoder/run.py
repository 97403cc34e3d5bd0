"""A cross-encoder from judgments to a figure. A killed run goes on in its folder: it gathers again, in a minute, and
finds what was fitted, exported and read.

1. gather: pools and texts of the train and tune splits
2. fit: two models on one half of the train questions each, and one on all; a tenth is held out for stopping early
3. export each to ONNX, held to torch
4. read: each half by the model of the other, tune by the model of all: a reranker that learned from readings of what
   their model had seen would believe it too much
5. measure: rerankers with and without the readings, at several depths, on tune
"""

import json
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from evaluation.cross_encoder.fitting import Plan, fit
from evaluation.cross_encoder.pairs import Asked, asked, learned, pairs_of, tuned
from evaluation.cross_encoder.worth import Reading, Worth, measured, readings
from evaluation.learning.pools import HELD_OUT, grouped, learnable
from evaluation.topics.topic import Topic
from retrieval.engines.cross_encoders import CrossEncoder
from retrieval.engines.onnx_export import export_cross_encoder

HALVES, TENTHS = 2, 10
MODEL = "whole/model"  # what may serve, in the run's folder


def trained(
    folder: Path,
    plan: Plan,
    *,
    limit: int | None = None,
    show: Callable = iter,
    say: Callable[[str], None] = lambda line: None,
) -> list[Worth]:
    """The worth of each depth, the first being 0; the model lies under MODEL. Raises ArfError for too few topics."""
    ours, others = (asked(spread(topics, limit), show=show) for topics in (learned(), tuned()))
    learnable(pools(ours))
    say(f"{len(ours)} topics to learn from, {len(others)} to measure on")
    unseen: dict[str, Reading] = {}
    for number, (inside, outside) in enumerate(grouped(pools(ours), HALVES), start=1):
        half, other = ([ours[n] for n in numbers] for numbers in (inside, outside))
        unseen |= read_by(folder / f"half {number}", plan, half, other, show, say)
    read = read_by(folder / "whole", plan, ours, others, show, say)
    keep_unseen(folder / MODEL / HELD_OUT, ours, unseen)
    return measured(ours, others, unseen | read)


def spread(topics: Sequence[Topic], limit: int | None) -> list[Topic]:
    """At most so many, from the first to the last."""
    count = min(limit or len(topics), len(topics))
    return [topics[n] for n in np.linspace(0, len(topics) - 1, count).astype(int)]


def read_by(
    folder: Path,
    plan: Plan,
    ours: Sequence[Asked],
    others: Sequence[Asked],
    show: Callable,
    say: Callable[[str], None],
) -> dict[str, Reading]:
    """What a model fitted on some topics reads in others."""
    inside, stopping = next(grouped(pools(ours), TENTHS))
    pairs = [pairs_of([ours[n] for n in numbers]) for numbers in (inside, stopping)]
    model = fit(folder, plan, *pairs, say=lambda line: say(f"{folder.name}: {line}"))
    encoder = CrossEncoder(export_cross_encoder(model, folder / "export"))
    return readings(folder / "readings.jsonl", encoder, others, show=show)


def pools(topics: Sequence[Asked]) -> list:
    return [one.pool for one in topics]


def keep_unseen(file: Path, ours: Sequence[Asked], unseen: dict[str, Reading]) -> None:
    """Lays beside the model what models that had not seen them read in its own topics: `manage.py retrain` learns from
    these readings.
    """
    kept = {
        one.pool.topic.id: dict(zip(one.pool.locators, unseen[one.pool.topic.id].logits, strict=False))
        for one in ours
    }
    file.write_text(json.dumps(kept), encoding="utf-8")
