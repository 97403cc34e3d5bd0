"""The learned reranker in serving: an .npz artifact read without pickle, a forward pass in NumPy, one stage."""

import hashlib
import io
import json
import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from retrieval.errors import NotRun
from retrieval.features import (
    ANSWER_SCALE,
    FEATURES,
    NEAR,
    Asked,
    JudgedNeighbours,
    Question,
    evidence,
    matrix,
)
from retrieval.models import RankerModel
from retrieval.networks import KINDS, Dense, Trees
from retrieval.pipeline import unless_settled
from retrieval.ranking import Candidate, Query, Ranking, Reason, Shadow
from retrieval.retrievers import texts_by_language
from retrieval.terms import AskedWords, Texts
from retrieval.vocabulary import texts_of

logger = logging.getLogger(__name__)

FIRST = 10  # places in which a model in shadow is compared


class BadArtifact(NotRun):
    """An artifact that is not what its digest or its features say."""


NEAREST = FEATURES.index("votes_best_neighbour")
AGREED = 0.95  # probability, at least, of what people judged relevant to this very question: judges err too


@dataclass(frozen=True, slots=True)
class Reranker:
    """Clipped to what training saw -> standard scaler -> network or trees -> sigmoid -> isotonic calibration."""

    low: np.ndarray
    high: np.ndarray
    mean: np.ndarray
    scale: np.ndarray
    model: Dense | Trees
    knots: np.ndarray  # (2, m): raw probability, calibrated probability; both rising
    answer: np.ndarray  # (5,): the logistic over `evidence`, its intercept last
    judged: JudgedNeighbours
    cross: np.ndarray | None = None  # (2, m): knots of a cross-encoder's probability, where one was learned from

    def raw(self, rows: np.ndarray) -> np.ndarray:
        """(n, features) -> (n,) probabilities before calibration."""
        values = (np.clip(rows, self.low, self.high) - self.mean) / self.scale
        return 1.0 / (1.0 + np.exp(-np.clip(self.model.logits(values), -40.0, 40.0)))

    def calibrated(self, raw: np.ndarray) -> np.ndarray:
        return np.interp(raw, self.knots[0], self.knots[1])

    def scored(self, rows: np.ndarray, grades: np.ndarray) -> "Scored":
        """`grades` (n,): what people agreed on for this very question, 0 where nothing."""
        raw = self.raw(rows)
        probabilities = np.maximum(self.calibrated(raw), np.where(grades > 0, AGREED, 0.0))
        return Scored(raw, probabilities, grades, self.answerable(rows, raw, grades))

    def answerable(self, rows: np.ndarray, raw: np.ndarray, grades: np.ndarray) -> float:
        """The probability that the pool holds an answer to the question."""
        if grades.any():
            return AGREED
        seen = evidence(raw, rows[:, NEAR])
        return float(1.0 / (1.0 + np.exp(-np.clip(seen @ self.answer[:-1] + self.answer[-1], -40.0, 40.0))))


@dataclass(frozen=True, slots=True)
class Scored:
    """What a reranker makes of candidates: probabilities before and after calibration, and agreed grades (n,); and the
    probability that one of them answers the question.
    """

    raw: np.ndarray
    probabilities: np.ndarray
    grades: np.ndarray
    answer: float | None = None

    def order(self, scores: np.ndarray, blend: np.ndarray | float) -> np.ndarray:
        """What to order by: the agreed grade, then the blend. A model of questions never judged ranks one that was
        worse than any other: its votes and priors are such as no row in training had.
        """
        return self.grades + blended(scores, self.raw, blend)


def grades_of(locators: Sequence[str], agreed: Mapping[str, int]) -> np.ndarray:
    return np.array([agreed.get(locator, 0) for locator in locators], dtype=float)


def pack(reranker: Reranker, *, seed: int) -> bytes:
    """The artifact: arrays and JSON text only, so that reading it runs nothing."""
    arrays = {name: getattr(reranker, name) for name in ("low", "high", "mean", "scale", "knots", "answer")}
    arrays |= reranker.model.arrays()
    arrays |= {} if reranker.cross is None else {"cross": reranker.cross}
    judged = reranker.judged
    told = {"features": FEATURES, "kind": reranker.model.KIND, "seed": seed, "answer_scale": ANSWER_SCALE}
    told |= {"prior": dict(judged.prior), "questions": judged.questions}
    told["relevant"] = [dict(relevant) for relevant in judged.relevant]
    arrays["vectors"] = judged.vectors.astype(np.float16)
    arrays["told"] = np.frombuffer(json.dumps(told, sort_keys=True).encode(), dtype=np.uint8)
    buffer = io.BytesIO()
    np.savez_compressed(buffer, **arrays)
    return buffer.getvalue()


def unpack(artifact: bytes, sha256: str) -> Reranker:
    """Raises BadArtifact for one that was changed, or that reads or gives other numbers than this code."""
    if hashlib.sha256(artifact).hexdigest() != sha256:
        raise BadArtifact("the reranker's artifact is not the one that was registered")
    with np.load(io.BytesIO(artifact), allow_pickle=False) as arrays:
        told = json.loads(arrays["told"].tobytes())
        if tuple(told["features"]) != FEATURES:
            raise BadArtifact("the reranker was trained on other features: run `manage.py retrain`")
        if told.get("answer_scale") != ANSWER_SCALE:
            raise BadArtifact("the reranker tells answers on another scale: run `manage.py retrain`")
        model = KINDS[told["kind"]].of(arrays)
        judged = JudgedNeighbours(
            arrays["vectors"].astype(np.float32),
            tuple(told["relevant"]),
            told["prior"],
            tuple(Question(*question) for question in told["questions"]),
        )
        ends = (arrays[name] for name in ("low", "high", "mean", "scale"))
        return Reranker(*ends, model, arrays["knots"], arrays["answer"], judged, arrays.get("cross"))


@lru_cache(maxsize=4)
def _serving(version: int, status: str) -> tuple[Reranker, str] | None:
    row = RankerModel.objects.filter(status=status).first()
    return None if row is None else (unpack(bytes(row.artifact), row.sha256), row.sha256[:8])


def serving(query: Query, status: str = RankerModel.Status.ACTIVE) -> tuple[Reranker, str]:
    """The reranker in force at the query's version of the models, and its name. Raises NotRun without one."""
    found = _serving(query.versions.get("model", 0), status)
    if found is None:
        raise NotRun("no reranker is deployed", degrades=False)
    return found


@lru_cache(maxsize=2)
def _shadowing(version: int) -> tuple[int, Reranker] | None:
    row = RankerModel.objects.filter(status=RankerModel.Status.SHADOW).first()
    try:
        return row and (row.pk, unpack(bytes(row.artifact), row.sha256))
    except BadArtifact as problem:
        logger.error("The reranker in shadow, %s, scores nothing: %s.", row, problem.message)
        return None


@dataclass(frozen=True)
class LearnedReranker:
    """Orders by a blend of the fused score, min-max within the pool, and the learned probability, and tells whom it
    accepts, rejects or is unsure of: both by the limits of each candidate's domain. It drops nothing. What people
    judged relevant to this very question comes first, by its grade.

    `depth` candidates of the pool are scored; those after keep their order behind them. A model in shadow scores the
    searches that are logged too, and changes nothing.
    """

    depth: int = 100

    @unless_settled
    def __call__(self, ranking: Ranking) -> Ranking:
        reranker, name = serving(ranking.query)
        pool, rest = ranking.candidates[: self.depth], ranking.candidates[self.depth :]
        if not pool:
            return ranking.noting("nothing to rerank", skipped=True)
        texts = texts_of(ranking.query, pool)
        rows, learned = scored_by(reranker, ranking.query, pool, texts)
        limits = [ranking.query.limits_for(candidate) for candidate in pool]
        blends = np.array([limit.blend for limit in limits])
        fused = np.array([candidate.score for candidate in pool])
        order = learned.order(fused, blends)
        scored = [
            candidate.but(
                score=1.0 + float(value),
                probability=float(p),
                zone=limit.zone(p),
                reasons=with_votes(candidate, row),
            )
            for candidate, value, p, limit, row in zip(
                pool, order, learned.probabilities, limits, rows, strict=True
            )
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
    reranker: Reranker, query: Query, pool: Sequence[Candidate], texts: Texts
) -> tuple[np.ndarray, Scored]:
    """The features of each candidate, and what the reranker makes of them."""
    rows = matrix(asked(query), pool, texts, reranker.judged)
    agreed = reranker.judged.agreed(query.vector)
    return rows, reranker.scored(rows, grades_of([candidate.locator for candidate in pool], agreed))


def shadow_of(
    query: Query, pool: Sequence[Candidate], order: np.ndarray, by: Callable[[Reranker], np.ndarray]
) -> Shadow | None:
    """What the model in shadow would show of the same pool; None without one, or in a search that nobody logs. `by`:
    the order that a reranker gives the pool.
    """
    found = _shadowing(query.versions.get("model", 0)) if query.trace_id else None
    if found is None:
        return None
    model, reranker = found
    return Shadow(model, first_of(pool, order), first_of(pool, by(reranker)))


def first_of(pool: Sequence[Candidate], order: np.ndarray) -> tuple[str, ...]:
    """Locators of the first ten in this order, ties as everywhere by section id."""
    ids = np.array([candidate.section_id for candidate in pool])
    return tuple(pool[n].locator for n in np.lexsort((ids, -order))[:FIRST])


def blended(scores: np.ndarray, probabilities: np.ndarray, blend: np.ndarray | float) -> np.ndarray:
    """(1 - blend) x score, min-max within the pool, + blend x probability; between 0 and 1. One blend for all, or one
    each.
    """
    spread = np.ptp(scores)
    semantic = (scores - scores.min()) / spread if spread else np.ones_like(scores)
    return (1.0 - blend) * semantic + blend * probabilities


def asked(query: Query) -> Asked:
    return Asked(AskedWords.of(texts_by_language(query)), query.vector)


def with_votes(candidate: Candidate, row: np.ndarray) -> tuple[Reason, ...]:
    """Says so when judged questions like this one had this provision as an answer."""
    nearest = float(row[NEAREST])
    if nearest < 0.5:
        return candidate.reasons
    return (*candidate.reasons, Reason("judged_alike", {"similarity": round(nearest, 3)}))
