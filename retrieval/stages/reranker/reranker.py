"""The stage that orders candidates by what judgments taught, and the rerankers in force, read once for each version."""

import logging
from collections.abc import Callable, Container, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache

import numpy as np
from django.db.models import QuerySet

from retrieval.corpus import statements
from retrieval.errors import NotRun, gettext_noop
from retrieval.indexes.terms import CandidateWords, texts_of
from retrieval.models import EmbeddingModel, JobRun, RankerModel
from retrieval.pipeline import unless_final
from retrieval.ranking import Candidate, Query, Ranking, Reason, Shadow
from retrieval.stages.fusion import words_of
from retrieval.stages.reranker.artifact import BadArtifact, Reranker, Scored, grades_of, unpack
from retrieval.stages.reranker.features import FEATURES, Asked, matrix

FIRST = 10  # places in which a model in shadow is compared
NEAREST = FEATURES.index("votes_best_neighbour")


@dataclass(frozen=True)
class LearnedReranker:
    """Orders by a blend of the fused score, min-max within the pool, and the learned probability, and tells whom it
    accepts, rejects or is unsure of: both by the thresholds of each candidate's domain. It drops nothing. What people
    judged relevant to this very question comes first, by its grade. In a domain of which it did not learn what it
    answers it helps to order; other probabilities than of what was judged stay those of the calibration there, since
    its own say how like the texts are to those it knows.

    `depth` candidates of the pool are scored; those after keep their order behind them. A model in shadow scores the
    searches that are logged too, and changes nothing.
    """

    depth: int = 100

    @unless_final
    def __call__(self, ranking: Ranking) -> Ranking:
        reranker, name = serving(ranking.query)
        pool, rest = ranking.candidates[: self.depth], ranking.candidates[self.depth :]
        if not pool:
            return ranking.noting("nothing to rerank", skipped=True)
        texts = texts_of(ranking.query, pool)
        rows, learned = scored_by(reranker, ranking.query, pool, texts)
        known = {domain.id for domain in ranking.query.domains if domain.slug in reranker.answers}
        thresholds = [ranking.query.thresholds_for(candidate) for candidate in pool]
        blends = np.array([threshold.blend for threshold in thresholds])
        fused = np.array([candidate.score for candidate in pool])
        order = learned.order(fused, blends)
        scored = [
            candidate.but(
                score=1.0 + float(value),
                probability=shown,
                zone=threshold.zone(shown),
                reasons=with_votes(candidate, row),
            )
            for candidate, value, p, grade, threshold, row in zip(
                pool, order, learned.probabilities, learned.grades, thresholds, rows, strict=True
            )
            for is_own in [candidate.domain_id in known or grade > 0 or candidate.probability is None]
            for shown in [float(p) if is_own else candidate.probability]
        ]
        lowered = [candidate.but(score=candidate.score / 2) for candidate in rest]
        shadow = shadow_of(
            ranking.query,
            pool,
            order,
            lambda r: scored_by(r, ranking.query, pool, texts)[1].order(fused, blends),
        )
        told = f"model {name}; probability of an answer {learned.answer:.3f}"
        return ranking.with_candidates([*scored, *lowered], shadow=shadow, answer=learned.answer).noting(told)


def scored_by(
    reranker: Reranker, query: Query, pool: Sequence[Candidate], texts: CandidateWords
) -> tuple[np.ndarray, Scored]:
    """The features of each candidate, and what the reranker makes of them."""
    rows = matrix(asked(query), pool, texts, reranker.judged)
    agreed = reranker.judged.agreed(query.vector)
    grades = grades_of([candidate.locator for candidate in pool], agreed)
    domain = next((domain.slug for domain in query.domains if domain.id == pool[0].domain_id), "")
    return rows, reranker.scored(rows, grades, domain)


def shadow_of(
    query: Query, pool: Sequence[Candidate], order: np.ndarray, by: Callable[[Reranker], np.ndarray]
) -> Shadow | None:
    """What the model in shadow would show of the same pool; None without one, or in a search that nobody logs. `by`:
    the order that a reranker gives the pool.
    """
    found = shadowing(query.versions.get("model", 0)) if query.trace_id else None
    if found is None:
        return None
    model, reranker = found
    return Shadow(model, first_of(pool, order), first_of(pool, by(reranker)))


def first_of(pool: Sequence[Candidate], order: np.ndarray) -> tuple[str, ...]:
    """Locators of the first ten in this order, ties as everywhere by section id."""
    ids = np.array([candidate.section_id for candidate in pool])
    return tuple(pool[n].locator for n in np.lexsort((ids, -order))[:FIRST])


def asked(query: Query) -> Asked:
    return Asked(words_of(query), query.vector)


def with_votes(candidate: Candidate, row: np.ndarray) -> tuple[Reason, ...]:
    """Says so when judged questions like this one had this provision as an answer."""
    nearest = float(row[NEAREST])
    if nearest < 0.5:
        return candidate.reasons
    return (*candidate.reasons, Reason("judged_alike", {"similarity": round(nearest, 3)}))


logger = logging.getLogger(__name__)


def loaded(row: RankerModel) -> Reranker:
    """Raises BadArtifact for one that was changed, of another release, or learned with another embedder: the vectors
    of its questions say nothing beside those of this one.
    """
    reranker, embedder = unpack(bytes(row.artifact), row.sha256), EmbeddingModel.fingerprint_in_use()
    if row.manifest.get("embedder", embedder) != embedder:
        raise BadArtifact(
            gettext_noop("The reranker was trained with another embedder: run `manage.py retrain`.")
        )
    return reranker


@lru_cache(maxsize=4)
def _in_force(version: int) -> tuple[Reranker, str] | BadArtifact | None:
    """One that cannot be read is not read again by every search."""
    row = RankerModel.objects.filter(status=RankerModel.Status.ACTIVE).first()
    try:
        return None if row is None else (loaded(row), row.sha256[:8])
    except BadArtifact as problem:
        return problem


def serving(query: Query) -> tuple[Reranker, str]:
    """The reranker in force at the query's version of the models, and its name. Raises NotRun without one:
    the answer is worse for it once a training has failed.
    """
    found = _in_force(query.versions.get("model", 0))
    if isinstance(found, BadArtifact):
        raise BadArtifact(found.message)
    if found is None and query.once("failed_training", failed_training):
        raise NotRun("no reranker is deployed: its training failed")
    if found is None:
        raise NotRun("no reranker is deployed", degrades=False)
    return found


def learned_answers(query: Query) -> Container[str]:
    """The domains of which the reranker in force has learned what they answer; none of one that cannot serve, which
    the stage that it should serve tells.
    """
    try:
        return serving(query)[0].answers
    except NotRun:
        return ()


@lru_cache(maxsize=4)
def any_answer_fitted(version: int) -> dict | None:
    """What was fitted beside the reranker in force at this version of the models, to tell whether anything answers."""
    active = RankerModel.objects.filter(status=RankerModel.Status.ACTIVE)
    return active.values_list("any_answer", flat=True).first()


@lru_cache(maxsize=4)
def bodies_fitted(version: int) -> dict | None:
    """What was fitted beside the reranker in force at this version of the models, to tell which body of law answers."""
    active = RankerModel.objects.filter(status=RankerModel.Status.ACTIVE)
    return active.values_list("bodies", flat=True).first()


def failed_training() -> datetime | None:
    """When the last training that was more than a dry run failed; None where it did not."""
    last = statements.rows(*statements.written(_last_training))
    return last[0][1] if last and last[0][0] == JobRun.Status.FAILED else None


def _last_training() -> QuerySet:
    ended = JobRun.objects.filter(kind="retrain", status__in=[JobRun.Status.DONE, JobRun.Status.FAILED])
    return ended.exclude(params__contains={"dry_run": True}).order_by("-pk").values_list("status", "finished_at")[:1]


@lru_cache(maxsize=2)
def shadowing(version: int) -> tuple[int, Reranker] | None:
    row = RankerModel.objects.filter(status=RankerModel.Status.SHADOW).first()
    try:
        return row and (row.pk, loaded(row))
    except BadArtifact as problem:
        logger.error("The reranker in shadow, %s, scores nothing: %s.", row, problem.message)
        return None
