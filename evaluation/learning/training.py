"""Trains the reranker on judged topics: families of models, each fitted in pieces of about a second and served by
NumPy, are compared by grouped cross-validation, then one is trained on all, calibrated on held-out topics, and measured
for how far its probabilities can be relied on.

scikit-learn is imported where it is used: web workers import this module with the admin, and never train.
"""

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from evaluation.learning.pools import (
    DEPTH,
    FEWEST_OF_A_BODY,
    FOLDS,
    Division,
    LearningPool,
    grouped,
    in_order_of_pools,
    ndcg_of,
    neighbours,
    places,
    ranked,
    row_of,
    unjudged,
)
from evaluation.measuring.calibration import PAGE, by_body
from evaluation.measuring.measures import credited
from retrieval.stages.reranker.artifact import Dense, Layer, Reranker, Scored, grades_of, pack, unpack
from retrieval.stages.reranker.features import EVIDENCE, FEATURES, NEAR, USUAL_MINIMUM, evidence

if TYPE_CHECKING:
    from sklearn.neural_network import MLPClassifier

PREFERRED = "MLP (128, 64, 32)"
EPOCHS = 8  # on the train split, stopping early or going on ranks worse on topics held out
RATE = 0.001  # of Adam in the first epoch
LAYERS: dict[str, tuple[int, ...]] = {"MLP (64, 32)": (64, 32), PREFERRED: (128, 64, 32)}
FAMILIES = ("logistic regression", *LAYERS)
SEED = 0  # the same model for the same rows

Arrays = dict[str, np.ndarray]


class Fitting:
    """A model of one family on one fold's rows, fitted piece by piece: an epoch of a network, or the logistic
    whole.

    `arrays` between two pieces are enough to go on with in another process, with the same result.
    """

    def __init__(self, family: str, division: Division, arrays: Mapping[str, np.ndarray] | None = None):
        from sklearn.preprocessing import StandardScaler

        self.family = family
        self.scaler = StandardScaler().fit(division.learned)
        self.rows, self.labels = self.scaler.transform(division.learned), division.labels
        self.order = np.arange(len(self.rows))
        self.epochs = 0
        self.is_network = family in LAYERS
        self.model = unfitted(family)
        if arrays:
            self._resume(arrays)

    def fit(self, may_go_on: Callable[[], bool] = lambda: True) -> bool:
        """Fits at least one piece, and more while it may go on; whether the model is finished."""
        while not self._fit_piece():
            if not may_go_on():
                return False
        return True

    def _fit_piece(self) -> bool:
        if self.is_network:
            return self._fit_epoch()
        self.model.fit(self.rows, self.labels)
        return True

    def _fit_epoch(self) -> bool:
        """As one epoch inside `MLPClassifier.fit`, which shuffles the order of the epoch before."""
        if self.epochs:
            self.model._optimizer.learning_rate_init = falling(self.epochs)
        self.model.partial_fit(self.rows[self.order], self.labels[self.order], classes=[0, 1])
        self.order = self.order[self.model.random_state.shuffled]
        self.epochs += 1
        return self.epochs == EPOCHS

    def probabilities(self, by_topic: list[np.ndarray]) -> np.ndarray:
        return np.concatenate(
            [self.model.predict_proba(self.scaler.transform(rows))[:, 1] for rows in by_topic]
        )

    @property
    def arrays(self) -> Arrays:
        """Of an unfinished network: weights, Adam's moments, random state and order of the rows."""
        optimizer, (_name, keys, position, *_) = self.model._optimizer, self.model.random_state.get_state()
        kept = {"order": self.order, "keys": keys, "counts": np.array([self.epochs, position, optimizer.t])}
        for name, tensors in tensors_of(self.model).items():
            kept |= {f"{name} {n}": tensor for n, tensor in enumerate(tensors)}
        return kept

    def _resume(self, arrays: Mapping[str, np.ndarray]) -> None:
        self.model.partial_fit(
            self.rows[:1], self.labels[:1], classes=[0, 1]
        )  # makes what is overwritten here
        for name, tensors in tensors_of(self.model).items():
            tensors[:] = [arrays[f"{name} {n}"] for n in range(len(tensors))]
        self.epochs, position, self.model._optimizer.t = map(int, arrays["counts"])
        self.model.random_state.set_state(("MT19937", arrays["keys"], position))
        self.order = arrays["order"]


def falling(epoch: int) -> float:
    """The rate of an epoch, from 0: it falls evenly, else the last rows move what is said of all others."""
    return RATE * (1 - epoch / EPOCHS)


def tensors_of(model: "MLPClassifier") -> dict[str, list[np.ndarray]]:
    """The lists that a step of Adam changes; scikit-learn keeps the moments to itself."""
    optimizer = model._optimizer
    return {"weight": model.coefs_, "bias": model.intercepts_, "mean": optimizer.ms, "variance": optimizer.vs}


class RememberedShuffle(np.random.RandomState):
    """Remembers its last shuffle, from which the next epoch goes on."""

    shuffled: np.ndarray

    def shuffle(self, x: np.ndarray) -> None:
        super().shuffle(x)
        self.shuffled = x.copy()


def unfitted(family: str) -> Any:
    """A model of scikit-learn, imported here since web workers import this module and never train."""
    from sklearn.linear_model import LogisticRegression
    from sklearn.neural_network import MLPClassifier

    if family in LAYERS:
        shuffle = RememberedShuffle(SEED)
        return MLPClassifier(LAYERS[family], alpha=0.1, learning_rate_init=RATE, random_state=shuffle)
    return LogisticRegression(C=1.0, max_iter=2_000)


def served_form(model: Any) -> Dense:
    """A fitted model of scikit-learn as NumPy serves it."""
    if hasattr(model, "coefs_"):
        return Dense(tuple(map(layer, model.coefs_, model.intercepts_)))
    return Dense((layer(model.coef_.T, model.intercept_),))


def layer(weights: np.ndarray, bias: np.ndarray) -> Layer:
    return Layer(weights.astype(np.float32), bias.astype(np.float32))


UNSURE = 0.03  # of the answerable topics
BINS = 10  # tenths of the predicted probability


@dataclass(frozen=True, slots=True)
class Trained:
    """An artifact to serve and the account of how it came about."""

    artifact: bytes
    manifest: dict


def cross_validated(usable: Sequence[LearningPool], by_fold: Sequence[np.ndarray]) -> np.ndarray:
    """nDCG@10 a topic of the order that held-out probabilities give, blended as serving blends."""
    held_out = in_order_of_pools(usable, by_fold)
    orders = [ranked(pool, unjudged(p)) for pool, p in zip(usable, held_out, strict=True)]
    return ndcg_of(orders, usable)


def choose(ndcg: dict[str, np.ndarray]) -> str:
    """The best mean wins, but the MLP (128, 64, 32) stays within one standard error of the best."""
    best = max(ndcg, key=lambda name: ndcg[name].mean())
    error = ndcg[best].std(ddof=1) / np.sqrt(len(ndcg[best]))
    return PREFERRED if ndcg[PREFERRED].mean() >= ndcg[best].mean() - error else best


def finished(
    usable: Sequence[LearningPool],
    everything: Division,
    fitting: Fitting,
    by_fold: Sequence[np.ndarray],
    ndcg: Mapping[str, np.ndarray],
) -> Trained:
    """The model fitted on all topics, calibrated by the probabilities (`by_fold`) of its family in each fold."""
    seen, scaler = everything.learned, fitting.scaler
    held_out = in_order_of_pools(usable, by_fold)
    ends = (seen.min(axis=0), seen.max(axis=0), scaler.mean_, scaler.scale_)
    reranker = Reranker(
        *(end.astype(np.float32) for end in ends),
        served_form(fitting.model),
        isotonic(usable, held_out),
        fitted_answers(usable, held_out),
        neighbours(usable),
        cross_knots(everything),
    )
    account = manifest(usable, held_out, ndcg, family=fitting.family, reranker=reranker)
    return Trained(pack(reranker, seed=SEED), account)


def manifest(
    pools: Sequence[LearningPool],
    held_out: Sequence[np.ndarray],
    ndcg: Mapping[str, np.ndarray],
    *,
    family: str,
    reranker: Reranker,
) -> dict:
    before = ndcg_of([pool.locators for pool in pools], pools)
    calibrated = cross_calibrated(pools, held_out)
    scored = [
        Scored(raw, p, nobody, reranker.answerable(pool.rows, raw, nobody, pool.topic.domain))
        for pool, raw, p in zip(pools, held_out, calibrated, strict=True)
        for nobody in [np.zeros_like(raw)]
    ]
    return {
        "family": family,
        "families": {name: mean_and_error(values) for name, values in ndcg.items()},
        "before": round(float(np.mean(before)), 4),
        "features": list(FEATURES),
        "topics": sorted({pool.topic.id for pool in pools}),
        "seed": SEED,
        "ece": expected_calibration_error(pools, calibrated),
        "reliability": reliability(pools, calibrated),
        "calibration": shown_calibration(pools, scored),
    }


def mean_and_error(ndcg: np.ndarray) -> dict[str, float]:
    error = ndcg.std(ddof=1) / np.sqrt(len(ndcg))
    return {"nDCG@10": round(float(ndcg.mean()), 4), "standard_error": round(float(error), 4)}


# -- Ranking by an artifact, without serving it


def rankings(artifact: bytes, pools: Sequence[LearningPool]) -> list[list[str]]:
    """Locators best first for each pool, as serving this artifact would give them."""
    reranker = opened(artifact)
    return [
        pool.locators if pool.final or not pool.candidates else ranked(pool, as_served(pool, reranker))
        for pool in pools
    ]


def scores(artifact: bytes, pools: Sequence[LearningPool]) -> list[Scored]:
    """Of no empty pool."""
    reranker = opened(artifact)
    return [as_served(pool, reranker) for pool in pools]


def answers(pools: Sequence[LearningPool], scored: Sequence[Scored]) -> list[tuple[float, bool]]:
    """How sure it is that each pool holds an answer, and whether what it shows first is relevant."""
    return [
        (one.answer, credited(ranked(pool, one)[0], pool.topic.judged) is not None)
        for pool, one in zip(pools, scored, strict=True)
    ]


def as_served(pool: LearningPool, reranker: Reranker) -> Scored:
    """As serving scores it."""
    grades = grades_of(pool.locators, reranker.judged.agreed(pool.vector))
    return reranker.scored(row_of(pool, reranker.judged), grades, pool.topic.domain)


def opened(artifact: bytes) -> Reranker:
    return unpack(artifact, hashlib.sha256(artifact).hexdigest())


# -- Calibrated probabilities, and how far they can be relied on


def knots_of(probabilities: np.ndarray, labels: np.ndarray) -> np.ndarray:
    """(2, m) knots of the isotonic regression of labels on probabilities."""
    from sklearn.isotonic import IsotonicRegression

    fitted = IsotonicRegression(y_min=0.0, y_max=1.0, out_of_bounds="clip").fit(probabilities, labels)
    return np.array([fitted.X_thresholds_, fitted.y_thresholds_], dtype=np.float64)


def isotonic(pools: Sequence[LearningPool], held_out: Sequence[np.ndarray]) -> np.ndarray:
    """Knots fitted on probabilities of topics that the model had not seen."""
    raw = np.concatenate([p[:DEPTH] for p in held_out])
    return knots_of(raw, np.concatenate([pool.labels[:DEPTH] for pool in pools]))


def cross_knots(everything: Division) -> np.ndarray | None:
    """Knots for the cross-encoder's own probability, which no judgment has been fitted to; None without one."""
    plain = everything.learned[:, FEATURES.index("cross_encoder")].astype(float)
    read = plain > 0
    return knots_of(plain[read], everything.labels[read]) if read.any() else None


def cross_calibrated(pools: Sequence[LearningPool], held_out: Sequence[np.ndarray]) -> list[np.ndarray]:
    """Each topic's probabilities by a calibration fitted on the topics of the other folds: an honest figure."""
    calibrated: list[np.ndarray] = [np.zeros(0)] * len(pools)
    for inside, outside in grouped(pools, FOLDS):
        knots = isotonic([pools[n] for n in inside], [held_out[n] for n in inside])
        for n in outside:
            calibrated[n] = np.interp(held_out[n], *knots)
    return calibrated


def fitted_answers(pools: Sequence[LearningPool], held_out: Sequence[np.ndarray]) -> dict[str, list[float]]:
    """`fitted_answer` of each body of law with enough topics of both kinds, and for any other that of all topics."""
    of: dict[str, list[int]] = {"": list(range(len(pools)))}
    for n, pool in enumerate(pools):
        of.setdefault(pool.topic.domain, []).append(n)
    answerable = {domain: sum(pools[n].topic.answerable for n in its) for domain, its in of.items()}
    return {
        domain: fitted_answer([pools[n] for n in its], [held_out[n] for n in its]).tolist()
        for domain, its in sorted(of.items())
        if not domain or min(answerable[domain], len(its) - answerable[domain]) >= FEWEST_OF_A_BODY
    }


def fitted_answer(pools: Sequence[LearningPool], held_out: Sequence[np.ndarray]) -> np.ndarray:
    """(5,) the logistic that tells answerable questions from others by `evidence`, from probabilities of topics that
    the model had not seen; without unanswerable topics it always says yes. Moved so that the answerable topics it is
    least sure of, a share of UNSURE, lie below .5: a minimum then means the same from one model to the next, and beside
    other bodies of law as without.
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


def reliability(pools: Sequence[LearningPool], probabilities: Sequence[np.ndarray]) -> list[dict]:
    """For each tenth of predicted probability: how many, the mean predicted, the share relevant."""
    p = np.concatenate(list(probabilities))
    labels = np.concatenate([pool.labels for pool in pools])
    which = np.minimum((p * BINS).astype(int), BINS - 1)
    return [
        {
            "n": int(inside.sum()),
            "predicted": float(p[inside].mean()),
            "relevant": float(labels[inside].mean()),
        }
        for inside in (which == n for n in range(BINS))
        if inside.any()
    ]


def shown_calibration(pools: Sequence[LearningPool], scored: Sequence[Scored]) -> dict[str, dict]:
    """How far probabilities can be relied on of the first page where it is more probable than not that it answers."""
    shown = [
        (pool.topic.domain, pool.topic.language, [(float(one.probabilities[n]), bool(pool.labels[n])) for n in page])
        for pool, one in zip(pools, scored, strict=True)
        if pool.candidates and one.answer >= USUAL_MINIMUM
        for page in [places(pool, one)[:PAGE]]
    ]
    return {name: asdict(told) for name, told in by_body(shown).items()}


def expected_calibration_error(pools: Sequence[LearningPool], probabilities: Sequence[np.ndarray]) -> float:
    """Mean distance of predicted from observed, weighted by bin size (Naeini, Cooper and Hauskrecht, AAAI 2015)."""
    bins = reliability(pools, probabilities)
    total = sum(each["n"] for each in bins)
    return round(sum(each["n"] * abs(each["predicted"] - each["relevant"]) for each in bins) / total, 4)
