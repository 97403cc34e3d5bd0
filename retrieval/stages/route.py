"""Which bodies of law a question is about: a probability for each, from what is known of any once it is loaded."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from retrieval.citations.reporters import CASE, UNITED_STATES_REPORTS
from retrieval.indexes.centroids import Centroids
from retrieval.indexes.terms import Frequencies, QueryWords, stored_centres, stored_counts
from retrieval.pipeline import unless_final
from retrieval.ranking import DomainScope, Query, Ranking
from retrieval.stages.fusion import words_of

FEATURES = ("centre", "covered", "rarity")  # of each domain, then each as it stands above the mean of the domains
NOT_COUNTED = Frequencies(0, 0.0, np.zeros(0, np.uint32), np.zeros(0, np.int32))
MOST_WEIGHT = 6.0  # as many words that no law has: one judged question in a hundred weighs more
SMOOTHED = 0.5  # sections of a domain that have a word as often as all law has it, besides those that it has
# A logistic of the features, its intercept last, fitted on 560 questions to four bodies of law: .64 of them find theirs
# first, .93 among the first three.
WEIGHTS = np.array([3.3, 0.0, 0.0, 10.9, -1.36, 0.43, -2.7])


@dataclass(frozen=True)
class Route:
    """Gives each public domain the probability that the question is about it, and tells that of none. It weighs; only
    where the question cites or names bodies of law, the public ones among all others are not searched, but for
    decisions where law is cited, which they say the meaning of. Of private domains nothing is known before they are
    searched.
    """

    @unless_final
    def __call__(self, ranking: Ranking) -> Ranking:
        query = ranking.query
        public = [domain for domain in query.filled if not domain.private]
        if len(query.filled) < 2 or not public:
            return ranking.noting("one body of law", skipped=True)
        odds = np.exp(logits(features(query, public), WEIGHTS))
        shares = odds / (1.0 + odds.sum())
        meant = {domain.id for domain in cited_among(query, public)} | query.named
        if meant and not query.named:
            meant |= {domain.id for domain in public if is_of_decisions(domain)}
        routes = {
            domain.id: float(share) if not meant or domain.id in meant else 0.0
            for domain, share in zip(public, shares, strict=True)
        }
        told = [f"{domain.slug} {routes[domain.id]:.2f}" for domain in sorted(public, key=lambda d: -routes[d.id])]
        note = ", ".join((*told, f"none {1.0 - sum(shares):.2f}"))
        return replace(ranking, query=replace(query, routes=routes, domain_features={})).noting(note)


def cited_among(query: Query, domains: Sequence[DomainScope]) -> list[DomainScope]:
    """Those that the question cites a place of."""
    return [d for d in domains if any(c.locator.startswith(f"{d.prefix}/") for c in query.citations)]


def is_of_decisions(domain: DomainScope) -> bool:
    return f"{domain.prefix}/" in (UNITED_STATES_REPORTS, CASE)


def logits(rows: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """(domains,) of (domains, features): each as it is, and as it stands above the mean."""
    return np.hstack([rows, rows - rows.mean(axis=0)]) @ weights[:-1] + weights[-1]


def features(query: Query, domains: Sequence[DomainScope]) -> np.ndarray:
    """(domains, FEATURES)."""
    version = query.versions.get("vocabulary", 0)
    centres = [stored_centres(domain.id, version, query.embedded_by) for domain in domains]
    near = nearness(query.vector, centres)
    words = words_of(query)
    return np.column_stack([near, *of_words(words.every[words.has_meaning], counts_of(query, domains))])


def counts_of(query: Query, domains: Sequence[DomainScope]) -> list[Frequencies]:
    """How often each domain has each word."""
    version = query.versions.get("vocabulary", 0)
    return [stored_counts(domain.id, version) or NOT_COUNTED for domain in domains]


def weight_of_words(query: Query, domains: Sequence[DomainScope]) -> float:
    """What the words of the question weigh together in these domains: the sum of their IDF, each as a share of the most
    that a word can have, at most MOST_WEIGHT. It reads the question's English alone, so that nothing that others may
    see or have written changes it.
    """
    words = query.once(("english words", query.text), lambda: QueryWords.of({"en": query.text}))
    having, sections = counted_in(words.every[words.has_meaning], counts_of(query, domains))
    total = sections.sum()
    shares = idf_of(having.sum(axis=0), total) / max(float(idf_of(np.zeros(1), total)[0]), 1e-9)
    return float(min(shares.sum(), MOST_WEIGHT))


def nearness(vector: np.ndarray | None, centres: Sequence[Centroids | None]) -> list[float]:
    """The greatest cosine to the centres of each body. One whose centres are not known yet, as after another embedder
    came, is as near as the others on average; all are 0 where nothing is known.
    """
    near = [None if vector is None or its is None or not len(its.weights) else its.nearest(vector) for its in centres]
    known = [cosine for cosine in near if cosine is not None]
    return [float(np.mean(known or [0.0])) if cosine is None else cosine for cosine in near]


def of_words(wanted: np.ndarray, counted: Sequence[Frequencies]) -> tuple[np.ndarray, np.ndarray]:
    """Of each domain, the share of the words that it has, and how much more often than all law it has those that any
    has (mean of the logarithms); both weighted by how rare a word is in all law.
    """
    having, sections = counted_in(wanted, counted)
    every, total = having.sum(axis=0), sections.sum()
    idf = idf_of(every, total)
    usual = (every + SMOOTHED) / (total + 1.0)
    here = (having + SMOOTHED * usual) / (sections[:, None] + SMOOTHED)
    known = idf * (every > 0)
    return (having > 0) @ share(idf), np.log(here / usual) @ share(known)


def counted_in(wanted: np.ndarray, counted: Sequence[Frequencies]) -> tuple[np.ndarray, np.ndarray]:
    """(domains, words) the sections that have each word, and (domains,) how many there are."""
    having = np.array([counts.having(wanted) for counts in counted]).reshape(len(counted), len(wanted))
    return having, np.array([counts.sections for counts in counted])


def idf_of(having: np.ndarray, sections: int) -> np.ndarray:
    return np.log1p((sections - having + 0.5) / (having + 0.5))


def share(weights: np.ndarray) -> np.ndarray:
    return weights / max(weights.sum(), 1e-9)
