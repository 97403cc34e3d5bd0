"""How probable it is that each body of law answers, by what is known of a question before any is searched."""

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from retrieval.errors import NotRun
from retrieval.ranking import DomainScope, Query
from retrieval.stages.reranker.reranker import serving
from rules import published
from rules.aliases.retrievers import compared_by_meaning, compared_by_words

# A softmax over public bodies of law; fitted beside the Constitution, 7,313 sections of the Code and 2,295 decisions.
WEIGHTS = np.array([0.3, 5.5, 9.5, 7.0])
LEAST = 0.05  # where it is less probable that a body answers, it is not searched


class Told(NamedTuple):
    """What tells of one body of law whether it answers."""

    route: float  # the logarithm of the probability that `Route` gives it
    asked: float = 0.0  # how near the question is to those that people judged there, in cosines
    named: float = 0.0  # the cosine of the curated name that is nearest to it
    said: float = 0.0  # the greatest share of it, 0-1, that the names of one provision say


def told_of(query: Query) -> dict[int, Told]:
    """By domain. Most law has no curated names: of a domain that has few they tell as much as the names of others do on
    average, where its own do not tell more. Nothing of a private one is asked before it is searched: its names and
    judged questions count as those of the public domain where they tell most.
    """
    return query.once("told of domains", lambda: _told_of(query))


def _told_of(query: Query) -> dict[int, Told]:
    public = [domain for domain in query.filled if not domain.private]
    asked, names = asked_near(query, public), {domain.id: names_tell(query, domain) for domain in public}
    having = {d.id for d in public if any(names[d.id]) and published.names_most(d.id, query.versions)}
    usual = np.mean([names[domain] for domain in having or names] or [(0.0, 0.0)], axis=0)
    told = {}
    for domain in public:
        named, said = names[domain.id] if domain.id in having else np.maximum(names[domain.id], usual)
        route = math.log(max(query.route_to(domain), 1e-4))
        told[domain.id] = Told(route, asked.get(domain.slug, 0.0), float(named), float(said))
    most = [max((getattr(its, name) for its in told.values()), default=0.0) for name in ("asked", "named", "said")]
    return told | {domain.id: Told(0.0, *most) for domain in query.filled if domain.private}


def asked_near(query: Query, public: Sequence[DomainScope]) -> dict[str, float]:
    """By slug, how near the question is to those that people judged there; empty without a reranker that knows any."""
    if query.vector is None:
        return {}
    try:
        reranker, _ = serving(query)
    except NotRun:
        return {}
    return reranker.judged.near_each(query.vector, [domain.slug for domain in public])


def names_tell(query: Query, domain: DomainScope) -> tuple[float, float]:
    """`named` and `said` by the domain's own names."""
    _, scores, reachable = compared_by_words(query, domain.id)
    said = float(scores.max(initial=0.0)) / reachable if reachable else 0.0
    if query.vector is None:
        return 0.0, said
    nearest = compared_by_meaning(query, domain.id).nearest(k=1, least=0.0)
    return (nearest[0][2] if nearest else 0.0), said


def shares(query: Query) -> dict[int, float]:
    """By public domain that the question can be about, the probability that it is the one that answers."""
    told = told_of(query)
    public = [domain.id for domain in query.filled if not domain.private and query.route_to(domain)]
    if not public:
        return {}
    logs = np.array([told[domain] for domain in public]) @ WEIGHTS
    weights = np.exp(logs - logs.max())
    return dict(zip(public, (weights / weights.sum()).tolist(), strict=True))
