"""What curators call provisions, as documents of words: BM25 over all names and example questions of each. Pure.

Names say in people's words what the law says in its own; matching them is document expansion by hand (Nogueira et al.,
doc2query, 2019).
"""

from array import array
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby
from operator import itemgetter

import numpy as np

K1, B = 1.2, 0.75


@dataclass(frozen=True)
class Wording:
    """An inverted index: for each stem the provisions that have it, by place in `locators`, and how often. BM25 after
    Robertson and Zaragoza (2009), with idf = ln(1 + (N - df + .5) / (df + .5)).
    """

    locators: Sequence[str]
    lengths: np.ndarray  # (provisions,) int32 stems
    numbers: Mapping[str, int]  # of the stems
    ends: np.ndarray  # (stems,) where the postings of each end, in the order of their numbers
    places: np.ndarray  # (postings,) int32, in `locators`
    times: np.ndarray  # (postings,) uint16

    @classmethod
    def of(cls, rows: Iterable[tuple[str, str]]) -> "Wording":
        """`rows`: (locator, stems apart by blanks) of each name, those of a locator together."""
        locators: list[str] = []
        numbers: dict[str, int] = {}
        which, places, times, lengths = array("i"), array("i"), array("H"), array("i")
        for locator, counts in documents(rows):
            which.extend(numbers.setdefault(stem, len(numbers)) for stem in counts)
            places.extend([len(locators)] * len(counts))
            times.extend(min(count, 0xFFFF) for count in counts.values())
            lengths.append(counts.total())
            locators.append(locator)
        postings = (np.array(which, np.int32), np.array(places, np.int32), np.array(times, np.uint16))
        return cls(locators, np.array(lengths, np.int32), numbers, *in_order(*postings, len(numbers)))

    def again(self, changed: Collection[str], rows: Iterable[tuple[str, str]]) -> "Wording":
        """With these rows for all that the changed locators had, in the order of all locators."""
        came = Wording.of(rows)
        left = [place for place, locator in enumerate(self.locators) if locator not in changed]
        locators = sorted([*(self.locators[place] for place in left), *came.locators])
        place_of = {locator: place for place, locator in enumerate(locators)}
        numbers = dict(self.numbers)
        own, its = self._moved(left, place_of), came._moved(range(len(came.locators)), place_of)
        number_of = np.array([numbers.setdefault(stem, len(numbers)) for stem in came.numbers], np.int32)
        postings = [
            np.concatenate(pair) for pair in zip(own, (number_of[its[0]], *its[1:]), strict=True)
        ]  # fmt: skip
        lengths = np.empty(len(locators), np.int32)
        lengths[[place_of[self.locators[place]] for place in left]] = self.lengths[left]
        lengths[[place_of[locator] for locator in came.locators]] = came.lengths
        return Wording(locators, lengths, numbers, *in_order(*postings, len(numbers)))

    def _moved(
        self, left: Iterable[int], place_of: Mapping[str, int]
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The postings (stem, place, times) of the provisions that are left, at their new places."""
        moved = np.full(len(self.locators), -1, np.int32)
        for place in left:
            moved[place] = place_of[self.locators[place]]
        places = moved[self.places]
        which = np.repeat(np.arange(len(self.ends), dtype=np.int32), np.diff(self.ends, prepend=0))
        return which[places >= 0], places[places >= 0], self.times[places >= 0]

    def postings(self, stem: str) -> tuple[np.ndarray, np.ndarray]:
        """The provisions that have a stem, and its BM25 weight in each."""
        number = self.numbers.get(stem)
        if number is None:
            return self.places[:0], np.zeros(0)
        its = slice(self.ends[number - 1] if number else 0, self.ends[number])
        places, times = self.places[its], self.times[its].astype(float)
        return places, idf(len(places), len(self.locators)) * times * (K1 + 1) / (times + self._damping[places])

    @cached_property
    def _damping(self) -> np.ndarray:
        mean = max(float(self.lengths.mean()) if len(self.lengths) else 1.0, 1e-9)
        return K1 * (1 - B + B * self.lengths / mean)

    def scores(self, stems: Iterable[str]) -> tuple[np.ndarray, float]:
        """BM25 of every provision, and the most that one could reach for these stems; one that no name has would weigh
        most.
        """
        total, reachable = np.zeros(len(self.locators)), 0.0
        for stem in set(stems):
            places, weights = self.postings(stem)
            total[places] += weights
            reachable += most(len(places), len(self.locators))
        return total, reachable

    @cached_property
    def provisions(self) -> dict[str, int]:
        """Where each provision stands in `locators`."""
        return {locator: place for place, locator in enumerate(self.locators)}

    def best(self, total: np.ndarray, reachable: float, k: int) -> list[tuple[str, float, float]]:
        """(locator, BM25, its share of the reachable) of at most k provisions, best first, ties in their order, of what
        `scores` gives.
        """
        having = np.flatnonzero(total)
        if k < len(having):
            having = having[total[having] >= np.partition(total[having], -k)[-k]]
        order = having[np.argsort(-total[having], kind="stable")[:k]]
        return [(self.locators[n], float(total[n]), float(total[n]) / reachable) for n in order]


def documents(rows: Iterable[tuple[str, str]]) -> Iterator[tuple[str, Counter[str]]]:
    """How often each stem stands in all names of a provision."""
    for locator, its in groupby(rows, key=itemgetter(0)):
        yield locator, Counter(stem for _, stems in its for stem in stems.split())


def in_order(
    which: np.ndarray, places: np.ndarray, times: np.ndarray, stems: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Postings by stem: where those of each end, their places and times."""
    order = np.argsort(which, kind="stable")
    return np.cumsum(np.bincount(which, minlength=stems)), places[order], times[order]


def idf(having: int, documents: int) -> float:
    return float(np.log1p((documents - having + 0.5) / (having + 0.5)))


def most(having: int, documents: int) -> float:
    """The BM25 weight of a stem that a short document is full of."""
    return idf(having, documents) * (K1 + 1)
