"""The vectors of curated names as a process keeps them, in a quarter of the bytes that floats take."""

from array import array
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from simsimd import cdist

from rules.aliases.texts import GrowingTexts, Texts, in_blocks

HIGHEST = 127  # of a signed byte
SCANNED = 20_000  # names of a domain that are all compared
READ = 2_000  # of more, those compared: the ones whose signs agree most with the question's. Of the 60 nearest of
# 113,000 names .988 are among these, and all with a cosine of .6

Row = tuple[str, str, bytes]  # name, locator, vector of unit length as float16


@dataclass(frozen=True, eq=False)
class AliasVectors:
    """The embedded names of a domain, those of one provision side by side. Cosines are off by about .002."""

    texts: Texts
    locators: list[str]  # of each provision once, in the order of `starts`
    starts: np.ndarray  # where each provision's names begin
    steps: np.ndarray  # (names, dims) int8
    sizes: np.ndarray  # (names,) float32: of one step of each vector
    signs: np.ndarray  # (names, bytes) uint8, as `signs_of` gives them

    @classmethod
    def of(cls, rows: Iterable[Row]) -> "AliasVectors":
        """`rows`: those of a locator together."""
        texts, locators, starts = GrowingTexts(), [], array("q")
        steps, sizes = bytearray(), array("f")
        for block in in_blocks(rows):
            for place, (_, locator, _) in enumerate(block, start=len(sizes)):
                if not locators or locator != locators[-1]:
                    locators.append(locator)
                    starts.append(place)
            texts.add(text for text, _, _ in block)
            of_block, sizes_of_block = in_bytes([stored for *_, stored in block])
            steps += of_block.tobytes()
            sizes.frombytes(sizes_of_block.tobytes())
        dims = len(steps) // max(len(sizes), 1)
        bytes_ = np.frombuffer(steps, np.int8).reshape(len(sizes), dims)
        return cls(
            texts.texts(), locators, np.array(starts, np.intp), bytes_, np.array(sizes, np.float32), signs_of(bytes_)
        )

    def again(self, changed: Collection[str], rows: Iterable[Row]) -> "AliasVectors":
        """With these rows for all that the changed locators had, in the order of all locators."""
        came = AliasVectors.of(rows)
        locators = [*self.locators, *came.locators]
        stay = [n for n, locator in enumerate(locators) if n >= len(self.locators) or locator not in changed]
        stay.sort(key=locators.__getitem__)
        starts = np.concatenate([self.starts, came.starts + len(self.texts)])[stay]
        counts = np.concatenate([self.counts, came.counts])[stay]
        begins = np.cumsum(counts) - counts
        order = np.arange(counts.sum()) + np.repeat(starts - begins, counts)
        with_names = [names for names in (self, came) if len(names.texts)] or [came]
        return AliasVectors(
            (self.texts + came.texts).taken(order),
            [locators[n] for n in stay],
            begins,
            np.concatenate([names.steps for names in with_names])[order],
            np.concatenate([names.sizes for names in with_names])[order],
            np.concatenate([names.signs for names in with_names])[order],
        )

    def compare(self, vector: np.ndarray) -> "Comparison":
        return Comparison(self, vector, self.cosines(vector) if len(self.texts) <= SCANNED else None)

    def cosines(self, vector: np.ndarray, which: np.ndarray | slice = slice(None)) -> np.ndarray:
        """(names,) of all, or of these."""
        steps, sizes = self.steps[which], self.sizes[which]
        if not len(sizes):
            return sizes
        step = max(float(np.abs(vector).max()) / HIGHEST, np.finfo(np.float32).tiny)
        coarse = np.rint(vector / step)
        rest = np.rint((vector / step - coarse) * HIGHEST)
        products = cdist(np.stack([coarse, rest]).astype(np.int8), steps, "dot", out_dtype="float32")
        return np.array([step, step / HIGHEST], np.float32) @ np.asarray(products) * sizes

    def alike(self, vector: np.ndarray, k: int) -> np.ndarray:
        """The k names whose signs agree with those of most dimensions, and all that agree as often; in order."""
        asked = signs_of(vector[np.newaxis])
        (differing,) = np.asarray(cdist(asked, self.signs, "hamming", dtype="bin8", out_dtype="uint16"))
        return np.flatnonzero(differing <= np.searchsorted(np.cumsum(np.bincount(differing)), k))

    @cached_property
    def counts(self) -> np.ndarray:
        """(provisions,) how many names each has."""
        return np.diff(self.starts, append=len(self.texts))

    @cached_property
    def owners(self) -> np.ndarray:
        """(names,) the place of each name's provision in `locators`."""
        return np.repeat(np.arange(len(self.starts)), self.counts)

    @cached_property
    def places(self) -> dict[str, int]:
        """Where each provision stands in `locators`."""
        return {locator: place for place, locator in enumerate(self.locators)}


@dataclass(frozen=True)
class Comparison:
    """What the names of a domain say of one question, whose vector is of unit length."""

    names: AliasVectors
    vector: np.ndarray
    cosines: np.ndarray | None  # (names,) where all are compared

    def nearest(self, *, k: int | None, least: float) -> list[tuple[str, str, float]]:
        """(locator, name, cosine) of at most k provisions with a name as near as `least`, best first. Of many names
        k nearly always are the nearest.
        """
        which, cosines = self._among(k)
        if not len(which):
            return []
        owners = self.names.owners[which]
        starts = np.flatnonzero(np.diff(owners, prepend=-1))
        best, ends = np.maximum.reduceat(cosines, starts), np.append(starts[1:], len(which))
        found = []
        for place in np.argsort(-best, kind="stable")[:k]:
            if best[place] < least:
                break
            name = starts[place] + int(np.argmax(cosines[starts[place] : ends[place]]))
            found.append((self.names.locators[owners[name]], self.names.texts[which[name]], float(best[place])))
        return found

    def mean_of_nearest(self, k: int) -> float:
        """The mean cosine of the k nearest names, or of fewer where there are no more; 0 without any."""
        _, cosines = self._among(k)
        nearest = np.partition(cosines, -k)[-k:] if len(cosines) > k else cosines
        return float(nearest.mean()) if len(nearest) else 0.0

    def nearest_of(self, locators: Iterable[str]) -> dict[str, float]:
        """The cosine of each provision's nearest name; nothing of one that has none."""
        places = {place: locator for locator in locators if (place := self.names.places.get(locator)) is not None}
        if not places:
            return {}
        its = list(places)
        counts = self.names.counts[its]
        begins = np.cumsum(counts) - counts
        which = np.arange(counts.sum()) + np.repeat(self.names.starts[its] - begins, counts)
        cosines = self.names.cosines(self.vector, which) if self.cosines is None else self.cosines[which]
        return dict(zip(places.values(), np.maximum.reduceat(cosines, begins).tolist(), strict=True))

    def _among(self, k: int | None) -> tuple[np.ndarray, np.ndarray]:
        """Which names are compared to find k provisions, and their cosines."""
        if k is not None and self.cosines is None:
            return self._alike
        cosines = self.names.cosines(self.vector) if self.cosines is None else self.cosines
        return np.arange(len(cosines)), cosines

    @cached_property
    def _alike(self) -> tuple[np.ndarray, np.ndarray]:
        """Found once of many names, for the body of law as a whole and for its provisions."""
        which = self.names.alike(self.vector, READ)
        return which, self.names.cosines(self.vector, which)


def in_bytes(stored: list[bytes]) -> tuple[np.ndarray, np.ndarray]:
    """(names, dims) int8 and (names,) float32, the size of one step of each."""
    vectors = np.frombuffer(b"".join(stored), np.float16).reshape(len(stored), -1).astype(np.float32)
    sizes = np.abs(vectors).max(axis=1) / HIGHEST
    sizes[sizes == 0] = 1.0
    return np.rint(vectors / sizes[:, np.newaxis]).astype(np.int8), sizes


def signs_of(vectors: np.ndarray) -> np.ndarray:
    """(vectors, bytes) uint8: which of their dimensions are positive, eight to a byte."""
    return np.packbits(vectors > 0, axis=1)
