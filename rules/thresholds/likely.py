"""How probable it is that each body of law answers, by what is known of a question before any is searched: resource
selection (Callan, Distributed Information Retrieval, 2000).
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from retrieval.errors import NotRun
from retrieval.pipeline import unless_final
from retrieval.ranking import DomainScope, Query, Ranking, replace
from retrieval.stages.reranker.reranker import bodies_fitted, serving
from rules import published
from rules.aliases.retrievers import compared_by_meaning, compared_by_words

# A softmax over public bodies of law, as it ships; after each training of the reranker a job fits another to those that
# are loaded (`evaluation/learning/bodies.py`). Fitted beside the Constitution, 7,313 sections of the Code, 2,295
# decisions and three titles of the CFR, of the last two of which few had names.
WEIGHTS = np.array([0.6, 8.4, 8.9, 7.3])
NEAREST, OF_FEW = 5, 20  # names whose cosines count on average; of few names one in so many
LEAST = 0.03  # where it is less probable that a body answers, it is not searched


@dataclass(frozen=True)
class Learned:
    """Weights that were fitted to questions on these bodies of law (slugs). Of any other they tell nothing."""

    weights: np.ndarray
    bodies: frozenset[str]


class DomainFeatures(NamedTuple):
    """What tells of one body of law whether it answers."""

    log_route: float  # the logarithm of the probability that `Route` gives it
    judged_cosine: float = 0.0  # how near the question is to those that people judged there
    name_cosine: float = 0.0  # of the curated names that are nearest to it, on average
    name_coverage: float = 0.0  # the greatest share of it, 0-1, that the names of one provision say


@dataclass(frozen=True)
class CompareDomains:
    """Tells of each body of law how near its names and judged questions are. Most law has no curated names: of a body
    that has few they tell as much as half-way between what those of others tell on average and at most, where its own
    do not tell more. Nothing of a private one is asked before it is searched: it counts as the public one of which most
    is told.
    """

    @unless_final
    def __call__(self, ranking: Ranking) -> Ranking:
        query = ranking.query
        if len(query.filled) < 2:
            return ranking.noting("one body of law", skipped=True)
        if query.is_restricted:  # names of what is left out would tell
            return ranking.noting("the search is restricted", skipped=True)
        compared = replace(query, domain_features=features(query))
        share = shares(compared)
        by_share = sorted((d for d in query.filled if d.id in share), key=lambda domain: -share[domain.id])
        note = ", ".join(f"{domain.slug} {share[domain.id]:.2f}" for domain in by_share)
        return replace(ranking, query=compared).noting(note)


def features(query: Query) -> dict[int, DomainFeatures]:
    """By domain."""
    public = [domain for domain in query.filled if not domain.private]
    judged, names = judged_cosines(query, public), {domain.id: name_features(query, domain) for domain in public}
    having = {domain.id for domain in public if published.names_most(domain.id, query.versions)}
    known = [names[domain] for domain in having or names] or [(0.0, 0.0)]
    usual = (np.mean(known, axis=0) + np.max(known, axis=0)) / 2
    found = {}
    for domain in public:
        cosine, coverage = names[domain.id] if domain.id in having else np.maximum(names[domain.id], usual)
        judged_there = judged.get(domain.slug, 0.0)
        found[domain.id] = DomainFeatures(log_route(query, domain), judged_there, float(cosine), float(coverage))
    most = max(found.values(), key=lambda its: np.dot(its[1:], WEIGHTS[1:]), default=DomainFeatures(0.0))
    return found | {domain.id: most._replace(log_route=0.0) for domain in query.filled if domain.private}


def log_route(query: Query, domain: DomainScope) -> float:
    return math.log(max(query.route_to(domain), 1e-4))


def judged_cosines(query: Query, public: Sequence[DomainScope]) -> dict[str, float]:
    """By slug, how near the question is to those that people judged there; empty without a reranker that knows any."""
    if query.vector is None:
        return {}
    try:
        reranker, _ = serving(query)
    except NotRun:
        return {}
    return reranker.judged.near_each(query.vector, [domain.slug for domain in public])


def name_features(query: Query, domain: DomainScope) -> tuple[float, float]:
    """`name_cosine` and `name_coverage` by the domain's own names."""
    _, scores, reachable = compared_by_words(query, domain.id)
    coverage = float(scores.max(initial=0.0)) / reachable if reachable else 0.0
    if query.vector is None:
        return 0.0, coverage
    compared = compared_by_meaning(query, domain.id)
    most = 1 + len(compared.names.texts) // OF_FEW
    return compared.mean_of_nearest(min(NEAREST, most)), coverage


def is_complete(query: Query) -> bool:
    """Whether every body that may be searched was compared."""
    return all(domain.id in query.domain_features for domain in query.filled)


def features_of(query: Query, domain: DomainScope) -> DomainFeatures:
    """Its route alone where not all were compared."""
    if is_complete(query):
        return query.domain_features[domain.id]
    return DomainFeatures(0.0 if domain.private else log_route(query, domain))


def shares(query: Query) -> dict[int, float]:
    """By public domain that the question can be about, the probability that it is the one that answers."""
    public = [domain for domain in query.filled if not domain.private and query.route_to(domain)]
    if not public:
        return {}
    rows = np.array([features_of(query, domain) for domain in public])
    logs = log_odds(rows, [domain.slug for domain in public], learned(query) if is_complete(query) else None)
    weights = np.exp(logs - logs.max())
    return {domain.id: float(w) for domain, w in zip(public, weights / weights.sum(), strict=True)}


def log_odds(rows: np.ndarray, slugs: Sequence[str], fitted: Learned | None) -> np.ndarray:
    """(bodies,) of their features. What is fitted divides among the bodies that it was fitted to what those that ship
    give them together; another has what it has by those, so that a body just loaded fares as before any training.
    """
    ships = rows @ WEIGHTS
    known = np.array([fitted is not None and slug in fitted.bodies for slug in slugs])
    if fitted is None or known.sum() < 2:
        return ships
    among = rows @ fitted.weights
    moved = np.logaddexp.reduce(ships[known]) - np.logaddexp.reduce(among[known])
    return np.where(known, among + moved, ships)


def learned(query: Query) -> Learned | None:
    """What was fitted beside the reranker that serves; None where what ships tells better, or by other features."""
    return read(bodies_fitted(query.versions.get("model", 0)))


def read(row: dict | None) -> Learned | None:
    if row is None or row["weights"].keys() != {*DomainFeatures._fields}:
        return None
    return Learned(np.array([row["weights"][name] for name in DomainFeatures._fields]), frozenset(row["bodies"]))


def likeliest(query: Query) -> DomainScope | None:
    """The public body that the question is most probably about; None where nothing tells."""
    share = shares(query)
    return max((d for d in query.filled if d.id in share), key=lambda domain: share[domain.id], default=None)
