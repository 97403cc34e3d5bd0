"""Trains the reranker on judged topics: families compared by grouped cross-validation, calibrated on held-out rows.

scikit-learn is imported where it is used: web workers import this module with the admin, and never train.
"""

import hashlib
import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from evaluation.measures import credited, measure_each
from evaluation.topics import SEARCHED, Topic
from retrieval import search, versions
from retrieval.errors import ArfError
from retrieval.features import (
    EVIDENCE,
    FEATURES,
    NEAR,
    JudgedNeighbours,
    Question,
    evidence,
    of_judgments,
    of_text,
)
from retrieval.networks import Dense, Layer, Trees
from retrieval.ranking import ANONYMOUS, UNSET, Candidate
from retrieval.reranking import Reranker, Scored, asked, grades_of, pack, unpack
from retrieval.vocabulary import texts_of

if TYPE_CHECKING:
    from sklearn.preprocessing import StandardScaler

DEPTH = 60  # candidates of a topic that are learned from: what is ranked lower is hardly ever relevant
FOLDS = 5
ENCODING_FOLDS = 10
UNSURE = 0.03  # of the answerable topics
FEWEST = 50  # answerable topics: with fewer there is nothing to learn


@dataclass(frozen=True)
class Pool:
    """A topic's candidates before any learned order. `rows`: the features that are the same whoever judged what;
    `blend`: the share that its domain gives the learned probability.
    """

    topic: Topic
    vector: np.ndarray | None
    candidates: tuple[Candidate, ...]
    rows: np.ndarray
    settled: bool
    blend: float = UNSET.blend

    @cached_property
    def labels(self) -> np.ndarray:
        """1 where a candidate is relevant: it is, lies under, or closely holds a judged provision."""
        relevant = self.topic.relevant
        return np.array([credited(locator, relevant) is not None for locator in self.locators], dtype=int)

    @property
    def locators(self) -> list[str]:
        return [candidate.locator for candidate in self.candidates]


@dataclass(frozen=True, slots=True)
class Trained:
    """An artifact to serve and the account of how it came about."""

    artifact: bytes
    manifest: dict


def pools_of(topics: Iterable[Topic], *, name: str = "pool", show: Callable = iter) -> list[Pool]:
    """Runs the pipeline up to the reranker over topics of any domains."""
    topics = list(topics)
    scopes = {slug: search.visible_domains(ANONYMOUS, [slug]) for slug in {topic.domain for topic in topics}}
    in_force = {slug: versions.current(scope) for slug, scope in scopes.items()}
    return [pool_of(topic, name, scopes[topic.domain], in_force[topic.domain]) for topic in show(topics)]


def pool_of(topic: Topic, name: str, scopes: tuple, in_force: dict) -> Pool:
    language = topic.language if topic.language == "es" else None
    request = search.SearchRequest(text=topic.query, language=language, pipeline=name)
    ranking = search.run(request, ANONYMOUS, scopes, in_force)
    candidates = ranking.candidates[:100]
    return Pool(
        topic=topic,
        vector=ranking.query.vector,
        candidates=candidates,
        rows=of_text(asked(ranking.query), candidates, texts_of(ranking.query, candidates)),
        settled=ranking.settled,
        blend=ranking.query.limits.get(scopes[0].id, UNSET).blend,
    )


# -- Training


def train(pools: Sequence[Pool], *, seed: int = 0) -> Trained:
    """The best family by cross-validated nDCG@10, the MLP (128, 64, 32) where it is within one standard error.

    Deterministic for the same pools and seed. Raises ArfError for too few topics. A job takes the same functions
    in steps of seconds each: `scored` of each fold, `finished`.
    """
    usable = learnable(pools)
    return finished(usable, [scored(usable, fold, seed) for fold in range(FOLDS)], seed)


def learnable(pools: Sequence[Pool]) -> list[Pool]:
    """What there is to learn from. Raises ArfError for too few topics."""
    usable = [pool for pool in pools if not pool.settled and pool.candidates]
    answerable = [pool for pool in usable if pool.topic.answerable]
    if len(answerable) < FEWEST:
        raise ArfError(f"{len(answerable)} answerable topics are too few to learn from: {FEWEST} are needed.")
    return usable


@dataclass(frozen=True, slots=True)
class Division:
    """Rows and labels to learn from, and the rows of the topics held out (`sizes` of them a topic)."""

    learned: np.ndarray
    labels: np.ndarray
    unseen: np.ndarray
    sizes: np.ndarray


def division(usable: Sequence[Pool], number: int) -> Division:
    """A fold of the cross-validation, whose rows saw only its inside; the last, FOLDS, learns from all."""
    inside, outside = folds_of(usable)[number]
    learned, held_out = [usable[n] for n in inside], [usable[n] for n in outside]
    voters = neighbours(learned)
    unseen = [row_of(pool, voters) for pool in held_out]
    return Division(
        learned=np.vstack([rows[:DEPTH] for rows in encoded(learned)]),
        labels=np.concatenate([pool.labels[:DEPTH] for pool in learned]),
        unseen=np.vstack(unseen) if unseen else np.zeros((0, len(FEATURES)), dtype=np.float32),
        sizes=np.array([len(rows) for rows in unseen], dtype=int),
    )


def folds_of(usable: Sequence[Pool]) -> list[tuple[np.ndarray, np.ndarray]]:
    everything = np.arange(len(usable)), np.zeros(0, dtype=int)
    return [*grouped(usable, FOLDS), everything]


def scored(usable: Sequence[Pool], fold: int, seed: int = 0) -> dict[str, np.ndarray]:
    """Each family's probabilities for the rows that a fold holds out, topic after topic as serving would score them."""
    divided = division(usable, fold)
    by_topic = np.split(divided.unseen, np.cumsum(divided.sizes)[:-1])
    return {name: probabilities_of(fit(make, divided, seed), by_topic) for name, make in FAMILIES.items()}


def probabilities_of(fitted: tuple["StandardScaler", Any], by_topic: Sequence[np.ndarray]) -> np.ndarray:
    scaler, model = fitted
    return np.concatenate([model.predict_proba(scaler.transform(rows))[:, 1] for rows in by_topic])


def finished(usable: Sequence[Pool], held_out: Sequence[Mapping[str, np.ndarray]], seed: int = 0) -> Trained:
    """The chosen family trained on all. `held_out`: `scored` of each fold in turn."""
    compared = {name: cross_validated(usable, [fold[name] for fold in held_out]) for name in FAMILIES}
    chosen = choose({name: told.ndcg for name, told in compared.items()})
    knots = isotonic(usable, compared[chosen].held_out)
    everything = division(usable, FOLDS)
    scaler, model = fit(FAMILIES[chosen], everything, seed)
    seen = everything.learned
    ends = (seen.min(axis=0), seen.max(axis=0), scaler.mean_, scaler.scale_)
    answer = fitted_answer(usable, compared[chosen].held_out)
    reranker = Reranker(
        *(end.astype(np.float32) for end in ends),
        served_form(model),
        knots,
        answer,
        neighbours(usable),
        cross_knots(everything),
    )
    return Trained(pack(reranker, seed=seed), manifest(usable, compared, chosen, seed))


@dataclass(frozen=True, slots=True)
class CrossValidated:
    """Held-out probabilities a pool, nDCG@10 a topic of the blend, in the order of the pools."""

    held_out: list[np.ndarray]
    ndcg: np.ndarray


def cross_validated(usable: Sequence[Pool], by_fold: Sequence[np.ndarray]) -> CrossValidated:
    """Puts the folds' probabilities back in the order of the pools, and measures the order they give."""
    held_out: list[np.ndarray] = [np.zeros(0)] * len(usable)
    for (_inside, outside), given in zip(folds_of(usable), by_fold, strict=False):
        ends = np.cumsum([len(usable[n].candidates) for n in outside])
        for n, probabilities_ in zip(outside, np.split(given, ends[:-1]), strict=True):
            held_out[n] = probabilities_
    orders = [ranked(pool, unjudged(p)) for pool, p in zip(usable, held_out, strict=True)]
    return CrossValidated(held_out, ndcg_of(orders, usable))


def ndcg_of(orders: Sequence[Sequence[str]], pools: Sequence[Pool]) -> np.ndarray:
    """nDCG@10 of the answerable topics, in the order of the pools."""
    answerable = [
        (order, pool.topic.relevant)
        for order, pool in zip(orders, pools, strict=True)
        if pool.topic.answerable
    ]
    return np.array([values["nDCG@10"] for values in measure_each(answerable, ["nDCG@10"])])


def neighbours(pools: Sequence[Pool]) -> JudgedNeighbours:
    """The judged topics as voters, and how often each provision was relevant."""
    voting = [pool for pool in pools if pool.vector is not None and pool.topic.relevant]
    prior = Counter(locator for pool in voting for locator in pool.topic.relevant)
    return JudgedNeighbours(
        vectors=np.array([pool.vector for pool in voting], dtype=np.float32)
        .astype(np.float16)
        .astype(np.float32),
        relevant=tuple(dict(pool.topic.relevant) for pool in voting),
        prior=dict(prior),
        questions=tuple(question_of(pool.topic) for pool in voting),
    )


def question_of(topic: Topic) -> Question:
    return Question(topic.domain, topic.language, "" if topic.source == SEARCHED else topic.query)


def grouped(pools: Sequence[Pool], folds: int) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """(inside, outside) indices; paraphrases of one question are on the same side."""
    from sklearn.model_selection import GroupKFold

    return GroupKFold(folds).split(pools, groups=[pool.topic.group or pool.topic.id for pool in pools])


def encoded(pools: Sequence[Pool]) -> list[np.ndarray]:
    """The rows to learn from. Votes and priors of each topic come from topics of other folds, as at serving they
    come from other people's questions. (Leaving out the topic alone would give its own answers the lower prior,
    and the model would learn that from it.)
    """
    rows: list[np.ndarray] = [np.zeros(0)] * len(pools)
    for inside, outside in grouped(pools, ENCODING_FOLDS):
        voters = neighbours([pools[n] for n in inside])
        for n in outside:
            rows[n] = row_of(pools[n], voters)
    return rows


def row_of(pool: Pool, voters: JudgedNeighbours) -> np.ndarray:
    return np.hstack([pool.rows, of_judgments(pool.vector, pool.locators, voters)])


def unjudged(raw: np.ndarray) -> Scored:
    """Of a question that nobody judged, before any calibration."""
    return Scored(raw, raw, np.zeros_like(raw))


def fit(make: Callable[[int], Any], divided: Division, seed: int) -> tuple["StandardScaler", Any]:
    from sklearn.exceptions import ConvergenceWarning
    from sklearn.preprocessing import StandardScaler

    scaler = StandardScaler().fit(divided.learned)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # the epochs are few on purpose
        return scaler, make(seed).fit(scaler.transform(divided.learned), divided.labels)


def ranked(pool: Pool, told: Scored) -> list[str]:
    """Locators in the order that serving would show."""
    order = told.order(np.array([c.score for c in pool.candidates]), pool.blend)
    ids = np.array([c.section_id for c in pool.candidates])
    return [pool.locators[n] for n in np.lexsort((ids, -order))]


def choose(ndcg: dict[str, np.ndarray]) -> str:
    """The best mean wins, but the MLP (128, 64, 32) stays within one standard error of the best."""
    best = max(ndcg, key=lambda name: ndcg[name].mean())
    error = ndcg[best].std(ddof=1) / np.sqrt(len(ndcg[best]))
    return PREFERRED if ndcg[PREFERRED].mean() >= ndcg[best].mean() - error else best


def fitted_answer(pools: Sequence[Pool], held_out: Sequence[np.ndarray]) -> np.ndarray:
    """(5,) the logistic that tells answerable questions from others by `evidence`, from probabilities of topics that
    the model had not seen; without unanswerable topics it always says yes. Moved so that the answerable topics it is
    least sure of, a share of UNSURE, lie below .5: a minimum then means the same from one model to the next.
    """
    from sklearn.linear_model import LogisticRegression
    from sklearn.preprocessing import StandardScaler

    rows = np.array([evidence(p, pool.rows[:, NEAR]) for pool, p in zip(pools, held_out, strict=True)])
    answerable = [pool.topic.answerable for pool in pools]
    if all(answerable):
        return np.array([0.0] * len(EVIDENCE) + [40.0])
    scaler = StandardScaler().fit(rows)
    model = LogisticRegression(max_iter=1_000).fit(scaler.transform(rows), answerable)
    weights = model.coef_[0] / scaler.scale_
    unsure = np.quantile((rows @ weights)[np.array(answerable)], UNSURE)
    return np.append(weights, -unsure)


def isotonic(pools: Sequence[Pool], held_out: Sequence[np.ndarray]) -> np.ndarray:
    """(2, m) knots fitted on probabilities of topics that the model had not seen."""
    raw = np.concatenate([p[:DEPTH] for p in held_out])
    labels = np.concatenate([pool.labels[:DEPTH] for pool in pools])
    from sklearn.isotonic import IsotonicRegression

    fitted = IsotonicRegression(y_min=0.0, y_max=1.0, out_of_bounds="clip").fit(raw, labels)
    return np.array([fitted.X_thresholds_, fitted.y_thresholds_], dtype=np.float64)


def cross_knots(everything: Division) -> np.ndarray | None:
    """As `isotonic`, of the cross-encoder's own probability, which no judgment has been fitted to; None without one."""
    from sklearn.isotonic import IsotonicRegression

    plain = everything.learned[:, FEATURES.index("cross_encoder")].astype(float)
    read = plain > 0
    if not read.any():
        return None
    fitted = IsotonicRegression(y_min=0.0, y_max=1.0, out_of_bounds="clip")
    fitted.fit(plain[read], everything.labels[read])
    return np.array([fitted.X_thresholds_, fitted.y_thresholds_], dtype=np.float64)


def served_form(model: Any) -> Dense | Trees:
    """A fitted model of scikit-learn as NumPy serves it."""
    if hasattr(model, "coefs_"):
        return Dense(tuple(map(layer, model.coefs_, model.intercepts_)))
    if hasattr(model, "coef_"):
        return Dense((layer(model.coef_.T, model.intercept_),))
    return trees(model)


def layer(weights: np.ndarray, bias: np.ndarray) -> Layer:
    return Layer(weights.astype(np.float32), bias.astype(np.float32))


def trees(model: Any) -> Trees:
    """The nodes of every tree of a HistGradientBoostingClassifier, which keeps them to itself, in one array each."""
    nodes = [predictor.nodes for round_ in model._predictors for predictor in round_]
    sizes = [len(tree) for tree in nodes]
    roots = np.cumsum([0, *sizes[:-1]])
    merged, own = np.concatenate(nodes), np.arange(sum(sizes))
    start, leaf = np.repeat(roots, sizes), merged["is_leaf"].astype(bool)
    return Trees(
        feature=merged["feature_idx"].astype(np.int32),
        threshold=merged["num_threshold"],
        left=np.where(leaf, own, start + merged["left"]),
        right=np.where(leaf, own, start + merged["right"]),
        value=np.where(leaf, merged["value"], 0.0),
        roots=roots,
        base=model._baseline_prediction.ravel(),
    )


def manifest(pools: Sequence[Pool], compared: dict[str, CrossValidated], chosen: str, seed: int) -> dict:
    told = {
        name: {
            "nDCG@10": round(float(result.ndcg.mean()), 4),
            "standard_error": round(float(result.ndcg.std(ddof=1) / np.sqrt(len(result.ndcg))), 4),
        }
        for name, result in compared.items()
    }
    before = ndcg_of([pool.locators for pool in pools], pools)
    calibrated = cross_calibrated(pools, compared[chosen].held_out)
    return {
        "family": chosen,
        "families": told,
        "before": round(float(np.mean(before)), 4),
        "features": list(FEATURES),
        "topics": sorted(pool.topic.id for pool in pools),
        "seed": seed,
        "ece": expected_calibration_error(pools, calibrated),
        "reliability": reliability(pools, calibrated),
    }


def cross_calibrated(pools: Sequence[Pool], held_out: Sequence[np.ndarray]) -> list[np.ndarray]:
    """Each topic's probabilities by a calibration fitted on the topics of the other folds: an honest figure."""
    calibrated: list[np.ndarray] = [np.zeros(0)] * len(pools)
    for inside, outside in grouped(pools, FOLDS):
        knots = isotonic([pools[n] for n in inside], [held_out[n] for n in inside])
        for n in outside:
            calibrated[n] = np.interp(held_out[n], *knots)
    return calibrated


def reliability(pools: Sequence[Pool], probabilities: Sequence[np.ndarray], bins: int = 10) -> list[dict]:
    """For each tenth of predicted probability: how many, the mean predicted, the share relevant."""
    p = np.concatenate(list(probabilities))
    labels = np.concatenate([pool.labels for pool in pools])
    which = np.minimum((p * bins).astype(int), bins - 1)
    return [
        {
            "n": int(inside.sum()),
            "predicted": float(p[inside].mean()),
            "relevant": float(labels[inside].mean()),
        }
        for inside in (which == n for n in range(bins))
        if inside.any()
    ]


def expected_calibration_error(pools: Sequence[Pool], probabilities: Sequence[np.ndarray]) -> float:
    """Mean distance of predicted from observed, weighted by bin size (Naeini, Cooper and Hauskrecht, AAAI 2015)."""
    bins = reliability(pools, probabilities)
    total = sum(each["n"] for each in bins)
    return round(sum(each["n"] * abs(each["predicted"] - each["relevant"]) for each in bins) / total, 4)


PREFERRED = "MLP (128, 64, 32)"


EPOCHS = 8  # on the train split, stopping early or going on ranks worse on topics held out


def mlp(*layers: int) -> Callable[[int], Any]:
    def make(seed: int) -> Any:
        from sklearn.neural_network import MLPClassifier

        return MLPClassifier(layers, alpha=0.1, random_state=seed, max_iter=EPOCHS)

    return make


def logistic_regression(seed: int) -> Any:
    from sklearn.linear_model import LogisticRegression

    return LogisticRegression(C=1.0, max_iter=2_000)


def gradient_boosting(seed: int) -> Any:
    from sklearn.ensemble import HistGradientBoostingClassifier

    return HistGradientBoostingClassifier(max_iter=100, learning_rate=0.1, random_state=seed)


FAMILIES: dict[str, Callable[[int], Any]] = {
    "logistic regression": logistic_regression,
    "MLP (64, 32)": mlp(64, 32),
    PREFERRED: mlp(128, 64, 32),
    "gradient boosting": gradient_boosting,
}


# -- Ranking by an artifact, without serving it


def rankings(artifact: bytes, pools: Sequence[Pool]) -> list[list[str]]:
    """Locators best first for each pool, as serving this artifact would give them."""
    reranker = opened(artifact)
    return [
        pool.locators if pool.settled or not pool.candidates else ranked(pool, as_served(pool, reranker))
        for pool in pools
    ]


def probabilities(artifact: bytes, pools: Sequence[Pool]) -> list[np.ndarray]:
    """Calibrated probabilities of every candidate of each pool."""
    reranker = opened(artifact)
    return [as_served(pool, reranker).probabilities if pool.candidates else np.zeros(0) for pool in pools]


def answers(artifact: bytes, pools: Sequence[Pool]) -> list[tuple[float, bool]]:
    """How sure it is that each pool holds an answer, and whether what it shows first is relevant; of no empty pool."""
    reranker = opened(artifact)
    served = [(pool, as_served(pool, reranker)) for pool in pools]
    return [
        (told.answer, credited(ranked(pool, told)[0], pool.topic.relevant) is not None)
        for pool, told in served
    ]


def as_served(pool: Pool, reranker: Reranker) -> Scored:
    """As serving scores it."""
    grades = grades_of(pool.locators, reranker.judged.agreed(pool.vector))
    return reranker.scored(row_of(pool, reranker.judged), grades)


def opened(artifact: bytes) -> Reranker:
    return unpack(artifact, hashlib.sha256(artifact).hexdigest())
