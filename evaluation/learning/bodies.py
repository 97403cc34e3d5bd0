"""Fits what tells which body of law answers a question before any is searched: as a job, after each training of the
reranker, to the train topics that law here answers. It is kept with the reranker in force where it tells better of tune
topics, which neither has learned from. Whether any body answers, which rests on it, is fitted anew after it.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np
from django.utils import timezone

from evaluation.learning import registry
from evaluation.learning.any_answer import KEY, PIPELINE, TOPICS, placed, to_fit_on, untested
from evaluation.learning.pools import FEWEST_OF_A_BODY, library_topics
from evaluation.learning.promotion import ALPHA, SMALLEST, above_zero
from evaluation.learning.retraining import Checkpoints, time_for_more
from evaluation.measuring.measures import estimate
from evaluation.measuring.runs import Runner
from evaluation.topics.topic import Topic
from retrieval import jobs
from retrieval.jobs import Job, Progress
from retrieval.models import JobRun, RankerModel
from retrieval.ranking import Ranking
from retrieval.stages.reranker.features import JudgedNeighbours
from retrieval.stages.reranker.reranker import loaded
from rules.thresholds.likely import WEIGHTS, DomainFeatures, Learned, is_complete, log_odds

FEATURES = DomainFeatures._fields
JUDGED = FEATURES.index("judged_cosine")
PENALTY = 0.03  # on squared distances from the weights that ship: hardly any, but for a body of few topics
REQUEST = {"kind": "bodies", "key": KEY, "params": {}}


@dataclass(frozen=True)
class Asked:
    """A topic put to every body of law. `features`: (bodies, FEATURES), a row for each public one, by its slug."""

    topic: Topic
    slugs: tuple[str, ...]
    features: np.ndarray
    vector: np.ndarray

    @property
    def right(self) -> int:
        return self.slugs.index(self.topic.domain)


def told_of(ranking: Ranking | None) -> dict[str, Any] | None:
    """What is known of a question of each public body of law, and its vector. None where these were not compared by
    meaning, and where what the question cites or names tells.
    """
    if ranking is None or ranking.query.vector is None or not is_complete(ranking.query):
        return None
    query = ranking.query
    public = [domain for domain in query.filled if not domain.private]
    if not all(map(query.route_to, public)):
        return None
    features = {domain.slug: list(query.domain_features[domain.id]) for domain in public}
    return {"features": features, "vector": query.vector.tolist()}


def asked_of(pairs: Iterable[tuple[Topic, dict[str, Any] | None]]) -> list[Asked]:
    """Those of which something was told, and which one of the bodies answers."""
    return [
        Asked(topic, tuple(told["features"]), np.array([*told["features"].values()]), np.array(told["vector"]))
        for topic, told in pairs
        if told and topic.domain in told["features"]
    ]


def as_unjudged(asked: Sequence[Asked], judged: JudgedNeighbours) -> list[Asked]:
    """As they would be told of if nobody had judged them nor a paraphrase, which the reranker learned from."""
    groups: defaultdict[str, list[int]] = defaultdict(list)
    for n, one in enumerate(asked):
        groups[one.topic.group or one.topic.id].append(n)
    among, told = judged.places({slug for one in asked for slug in one.slugs}), list(asked)
    for members in groups.values():
        vectors = np.array([asked[n].vector for n in members], judged.vectors.dtype)
        cosines = judged.vectors @ vectors.T
        others = cosines.max(axis=1) < judged.SAME
        for n, vector, its in zip(members, vectors, cosines.T, strict=True):
            by_domain = {slug: its[among[slug] & others] for slug in asked[n].slugs if slug in among}
            told[n] = with_near(asked[n], judged.nearness(by_domain, vector))
    return told


def with_near(one: Asked, near: Mapping[str, float]) -> Asked:
    features = one.features.copy()
    features[:, JUDGED] = [near.get(slug, 0.0) for slug in one.slugs]
    return replace(one, features=features)


def fitted(asked: Sequence[Asked]) -> Learned | None:
    """The softmax that tells best which body answers, each body counting alike however much is asked of it. None of
    fewer than two bodies that enough is asked of.
    """
    counts = Counter(one.topic.domain for one in asked)
    bodies = sorted(body for body, count in counts.items() if count >= FEWEST_OF_A_BODY)
    if len(bodies) < 2:
        return None
    kept = [one for one in asked if one.topic.domain in bodies and {*bodies} <= {*one.slugs}]
    rows = np.array([[one.features[one.slugs.index(body)] for body in bodies] for one in kept])
    right = np.array([bodies.index(one.topic.domain) for one in kept])
    weights = np.array([len(kept) / (len(bodies) * counts[one.topic.domain]) for one in kept])
    return Learned(softmax_fitted(rows, right, weights), frozenset(bodies))


def softmax_fitted(rows: np.ndarray, right: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """(features,) by maximum likelihood. `rows`: (topics, bodies, features); `right`: (topics,) bodies."""
    from scipy.optimize import minimize
    from scipy.special import log_softmax

    topics = np.arange(len(rows))

    def loss(tried: np.ndarray) -> tuple[float, np.ndarray]:
        logs, moved = log_softmax(rows @ tried, axis=1), tried - WEIGHTS
        expected = (np.exp(logs)[:, :, np.newaxis] * rows).sum(axis=1)
        slope = weights @ (expected - rows[topics, right]) + 2 * PENALTY * moved
        return float(PENALTY * moved @ moved - weights @ logs[topics, right]), slope

    return minimize(loss, WEIGHTS, jac=True).x


# -- Whether it serves


@dataclass(frozen=True)
class Comparison:
    """What ships and what was fitted, on topics that neither has learned from. `right`: the share of these whose body
    they tell to be the likeliest; `log_loss`: the mean of minus the logarithm of its probability; `p`: that the fitted
    one tells no better; `falls`: bodies of which it surely finds fewer.
    """

    topics: int
    right: tuple[float, float]
    log_loss: tuple[float, float]
    p: float
    falls: tuple[str, ...]

    @property
    def serves(self) -> bool:
        return self.p < ALPHA and not self.falls


def compared(asked: Sequence[Asked], learned: Learned) -> Comparison:
    logs, firsts = (
        np.array([measure(one, by) for by in (None, learned) for one in asked]).reshape(2, -1)
        for measure in (log_probability, is_first)
    )
    bodies = np.array([one.topic.domain for one in asked])
    gained = firsts[1].astype(float) - firsts[0]
    falls = [
        str(body)
        for body in np.unique(bodies)
        if (bodies == body).sum() >= SMALLEST and estimate(gained[bodies == body].tolist()).high < 0
    ]
    before, after = (float(share) for share in firsts.mean(axis=1))
    losses = tuple(-float(mean) for mean in logs.mean(axis=1))
    return Comparison(len(asked), (before, after), losses, above_zero(logs[1] - logs[0]), tuple(falls))


def log_probability(one: Asked, by: Learned | None) -> float:
    """Of the body that answers."""
    logs = log_odds(one.features, one.slugs, by)
    return float(logs[one.right] - np.logaddexp.reduce(logs))


def is_first(one: Asked, by: Learned | None) -> bool:
    return int(np.argmax(log_odds(one.features, one.slugs, by))) == one.right


def verdict(found: Comparison) -> str:
    """In words."""
    (before, after), (lost, loses) = found.right, found.log_loss
    told = (
        f"of {found.topics} tune topics {after:.3f} are told their body first ({before:.3f} by what ships), log loss "
        f"{loses:.3f} ({lost:.3f}), p = {found.p:.4f} for better"
    )
    if found.falls:
        told += f"; {', '.join(found.falls)} falls"
    return f"{'Serves' if found.serves else 'What ships serves'}: {told}."


# -- The job


class FitBodies(Job):
    """Puts every answerable train and tune topic to all bodies of law, and keeps with the reranker that serves what is
    fitted, where it tells better than what ships, and in its manifest how well.
    """

    def step(self, run: JobRun) -> Progress:
        kept = Checkpoints(run)
        if run.state.get("features") != list(FEATURES):  # begun now, or by a release with other features
            return begin(kept)
        return ask(run, kept) if run.position < run.total else keep(run, kept)

    def undo(self, run: JobRun) -> None:
        fit_any_answer(run)

    def failed(self, run: JobRun) -> None:
        """What is fitted next does without."""
        fit_any_answer(run)


def begin(kept: Checkpoints) -> Progress:
    model = registry.active()
    learned, held_out = untested(library_topics("train")), to_fit_on(library_topics("tune"))
    topics = [[topic for topic in found if topic.answerable] for found in (learned, held_out)]
    if model is None or not all(topics):
        return done(kept.run, "Nothing to fit: no reranker serves, or there are no topics.")
    kept.run.checkpoints.all().delete()  # of a reranker that serves no more
    kept.save_topics(sum(topics, []))
    state = {"model": model.pk, "features": list(FEATURES), "learned": len(topics[0])}
    total = sum(map(len, topics))
    return Progress(0, total, f"{total} train and tune topics gathered", state)


def ask(run: JobRun, kept: Checkpoints) -> Progress:
    topics, position, has_time = kept.topics(), run.position, time_for_more(run)
    runner = Runner(PIPELINE)
    while position < run.total:
        some = topics[position : position + TOPICS]
        kept.save_json(f"told {position:06}", [told_of(placed(runner, topic)) for topic in some])
        position += len(some)
        if not has_time():
            break
    return Progress(position, run.total, f"{position} of {run.total} topics compared", run.state)


def keep(run: JobRun, kept: Checkpoints) -> Progress:
    model = RankerModel.objects.filter(pk=run.state["model"], status=RankerModel.Status.ACTIVE).first()
    if model is None:
        return begin(kept)  # another serves by now, beside which it is fitted anew
    pairs = list(zip(kept.topics(), kept.in_order("told "), strict=True))
    train, tune = (asked_of(part) for part in (pairs[: run.state["learned"]], pairs[run.state["learned"] :]))
    learned = fitted(as_unjudged(train, loaded(model).judged)) if tune else None
    model.bodies, model.manifest = None, {**model.manifest, "bodies": None}
    message = f"Nothing to fit: two bodies of law with {FEWEST_OF_A_BODY} train topics are needed."
    if learned is not None:
        found = compared(tune, learned)
        account = asdict(found) | {"serves": found.serves, "measured_at": timezone.now().isoformat()}
        model.bodies = as_row(learned) if found.serves else None
        model.manifest["bodies"], message = account, verdict(found)
    model.save(update_fields=["bodies", "manifest"])
    return done(run, message)


def done(run: JobRun, message: str) -> Progress:
    fit_any_answer(run)
    total = run.total or 1
    return Progress(total, total, message, finished=True)


def fit_any_answer(run: JobRun) -> None:
    jobs.ask("any_answer", key=KEY, params={}, by=run.requested_by)


def as_row(learned: Learned) -> dict[str, Any]:
    weights = dict(zip(FEATURES, (round(float(weight), 4) for weight in learned.weights), strict=True))
    return {"weights": weights, "bodies": sorted(learned.bodies)}
