"""Compares a challenger with the champion on the test topics, and finds test topics that a model has seen."""

import time
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import asdict

import numpy as np

from evaluation.learning import training
from evaluation.learning.pools import LearningPool
from evaluation.learning.promotion import Paired, decide
from evaluation.learning.training import expected_calibration_error, reliability
from evaluation.measuring.measures import estimate, measure_each, risk_coverage
from evaluation.models import RetrainingRun
from evaluation.models import Topic as TopicRow
from evaluation.topics.topic import Topic
from retrieval.errors import ArfError
from retrieval.stages.reranker.artifact import BadArtifact

SAME = 0.999  # cosine from which two questions are one, half precision allowed for
MEASURES = ("nDCG@10", "MRR@10", "P@1", "R@5")


def measured(tested: Sequence[LearningPool], challenger: bytes, champion: bytes | None) -> dict:
    """Both models on the same pools, as the run's page shows it; without a champion that can serve, what is served is
    the fused order, which the reranker is given. The time is the processor's, so that a busy machine does not speak
    against a model.
    """
    answerable = [pool for pool in tested if pool.topic.answerable]
    started = time.thread_time()
    orders = {"challenger": training.rankings(challenger, answerable)}
    ms = (time.thread_time() - started) * 1000 / max(len(answerable), 1)
    orders["fused"] = [pool.locators for pool in answerable]
    orders["champion"] = served(champion, answerable)
    grades = [pool.topic.judged for pool in answerable]
    measures = {name: measure_each(zip(given, grades, strict=True)) for name, given in orders.items()}
    asked = [pool for pool in tested if pool.candidates and not pool.final]
    scored = training.scores(challenger, asked)
    probabilities = [one.probabilities for one in scored]
    ece, pairs = expected_calibration_error(asked, probabilities), paired(answerable, measures)
    return {
        "decision": asdict(decide(pairs, ece=ece, ms=ms, slower=is_slower(challenger, champion))),
        "measures": {
            system: {name: asdict(estimate([row[name] for row in rows])) for name in MEASURES}
            for system, rows in measures.items()
        },
        "reciprocal_ranks": by_slice(answerable, measures, "MRR@10"),
        "per_topic": {row.topic: [round(row.champion, 4), round(row.challenger, 4)] for row in pairs},
        "ece": ece,
        "reliability": reliability(asked, probabilities),
        "calibration": training.shown_calibration(asked, scored),
        "risk_coverage": risk_coverage(training.answers(asked, scored)),
        "ms": round(ms, 3),
    }


def is_slower(challenger: bytes, champion: bytes | None) -> bool:
    """Whether only the challenger needs what a cross-encoder reads."""
    return reads_cross_encoder(challenger) and not (champion and reads_cross_encoder(champion))


def reads_cross_encoder(artifact: bytes) -> bool:
    """Not one of other features, which cannot serve."""
    try:
        return training.opened(artifact).cross is not None
    except BadArtifact:
        return False


def served(champion: bytes | None, pools: Sequence[LearningPool]) -> list[list[str]]:
    if champion is not None:
        try:
            return training.rankings(champion, pools)
        except BadArtifact:
            pass  # it reads other features than this code gives, so searches are served without it
    return [pool.locators for pool in pools]


def paired(pools: Sequence[LearningPool], measures: dict[str, list[dict[str, float]]]) -> list[Paired]:
    rows = zip(pools, measures["champion"], measures["challenger"], strict=True)
    return [
        Paired(p.topic.id, ours["nDCG@10"], theirs["nDCG@10"], slices_of(p.topic), p.topic.tags)
        for p, ours, theirs in rows
    ]


def slices_of(topic: Topic) -> tuple[str, ...]:
    """What may veto: kind, language, domain."""
    return tuple(name for name in (topic.kind, topic.language, topic.domain) if name)


def leaks_into(artifact: bytes, manifest: dict, tested: Sequence[LearningPool]) -> list[str]:
    """Test topics that an artifact carries or was trained on, and priors that no judged neighbour accounts for."""
    names = {pool.topic.id: pool.topic.query for pool in tested}
    try:
        judged_by = training.opened(artifact).judged
    except BadArtifact:
        judged_by = None  # of another code's features: it cannot serve, and is not compared
    seen = sorted({*manifest.get("topics", ())} & set(names))
    found = [f"“{names[name]}” by its name {name}" for name in seen]
    if judged_by is not None:
        found += [
            f"“{query}” among the judged neighbours" for query in neighbouring(judged_by.vectors, tested)
        ]
        if not accounted_for(judged_by.prior, judged_by.relevant):
            found.append("priors that its judged neighbours do not account for")
    return found


def neighbouring(vectors: np.ndarray, tested: Sequence[LearningPool]) -> list[str]:
    asked = [pool for pool in tested if pool.vector is not None]
    if not asked or not len(vectors):
        return []
    cosines = np.array([pool.vector for pool in asked]) @ vectors.T
    return [pool.topic.query for pool, best in zip(asked, cosines.max(axis=1), strict=True) if best >= SAME]


def accounted_for(prior: dict[str, int], relevant: Sequence[dict[str, int]]) -> bool:
    return dict(prior) == dict(Counter(locator for grades in relevant for locator in grades))


def by_slice(
    pools: Sequence[LearningPool], measures: dict[str, list[dict[str, float]]], measure: str
) -> dict[str, dict[str, float]]:
    groups: dict[str, list[int]] = defaultdict(list)
    for n, pool in enumerate(pools):
        for name in (*slices_of(pool.topic), *pool.topic.tags):
            groups[name].append(n)
    return {
        name: {
            system: round(float(np.mean([rows[n][measure] for n in numbers])), 4)
            for system, rows in measures.items()
        }
        for name, numbers in sorted(groups.items())
    }


def last_comparison() -> list[Paired]:
    """The library's test topics in the last finished comparison on them, as the model that serves since measured."""
    compared = RetrainingRun.objects.filter(report__has_key="per_topic", report__topics="")
    attempt = compared.exclude(report__has_key="without").first()
    if attempt is None:
        raise ArfError("Nothing has been compared yet: run `manage.py retrain` first.")
    rows = TopicRow.objects.filter(name__in=attempt.report["per_topic"]).select_related("domain")
    slices = {row.name: (row.kind, row.language, row.domain.slug) for row in rows}
    which = 1 if attempt.outcome == RetrainingRun.Outcome.DEPLOYED else 0
    return [
        Paired(name, values[which], values[which], slices.get(name, ()))
        for name, values in attempt.report["per_topic"].items()
    ]
