"""BM25 over what curators call provisions: all names and example questions of a provision are one document. Pure.

Names say in people's words what the law says in its own; matching them is document expansion by hand (Nogueira et
al., doc2query, 2019).
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

K1, B = 1.2, 0.75


@dataclass(frozen=True, slots=True)
class Wording:
    """An inverted index: for each stem the provisions that have it, by place in `locators`, and its BM25 weight in
    each (Robertson and Zaragoza, 2009, with idf = ln(1 + (N - df + .5) / (df + .5))).
    """

    locators: tuple[str, ...]
    postings: Mapping[str, tuple[np.ndarray, np.ndarray]]
    unknown: float  # what a stem that no name has would weigh at most

    @classmethod
    def of(cls, rows: Iterable[tuple[str, str]]) -> "Wording":
        """`rows`: (locator, stems apart by blanks) of each name."""
        counts: dict[str, Counter[str]] = defaultdict(Counter)
        for locator, stems in rows:
            counts[locator].update(stems.split())
        locators = tuple(sorted(counts))
        return cls(locators, weighted([counts[locator] for locator in locators]), most(0, len(locators)))

    def scores(self, stems: Iterable[str]) -> tuple[np.ndarray, float]:
        """BM25 of every provision, and the most that one could reach for these stems."""
        total, reachable = np.zeros(len(self.locators)), 0.0
        for stem in set(stems):
            if stem in self.postings:
                places, weights = self.postings[stem]
                total[places] += weights
                reachable += most(len(places), len(self.locators))
            else:
                reachable += self.unknown
        return total, reachable

    def best(self, stems: Iterable[str], k: int) -> list[tuple[str, float, float]]:
        """(locator, BM25, its share of the reachable) of at most k provisions, best first, ties by locator."""
        total, reachable = self.scores(stems)
        order = np.argsort(-total, kind="stable")[:k]
        return [
            (self.locators[n], float(total[n]), float(total[n]) / reachable) for n in order if total[n] > 0
        ]


def idf(having: int, documents: int) -> float:
    return float(np.log1p((documents - having + 0.5) / (having + 0.5)))


def most(having: int, documents: int) -> float:
    """The BM25 weight of a stem that a short document is full of."""
    return idf(having, documents) * (K1 + 1)


def weighted(counts: Sequence[Mapping[str, int]]) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    lengths = np.array([sum(count.values()) for count in counts], dtype=float)
    mean = lengths.mean() if len(lengths) else 1.0
    found: dict[str, list[tuple[int, int]]] = defaultdict(list)
    for place, count in enumerate(counts):
        for stem, times in count.items():
            found[stem].append((place, times))
    postings = {}
    for stem, pairs in found.items():
        places, times = np.array(pairs).T
        saturated = times * (K1 + 1) / (times + K1 * (1 - B + B * lengths[places] / mean))
        postings[stem] = places, idf(len(places), len(counts)) * saturated
    return postings
