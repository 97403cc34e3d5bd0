"""The vectors of curated names as a process keeps them, in a quarter of the bytes that floats take."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

HIGHEST = 127  # of a signed byte
NOTHING = np.zeros((0, 0), np.int8)
BLOCK = 256  # names compared at a time: their floats stay in the processor's cache


@dataclass(frozen=True)
class AliasVectors:
    """The embedded names of a domain, those of one provision side by side. Cosines are off by about .002."""

    texts: list[str]
    locators: list[str]  # of each provision once, in the order of `starts`
    starts: np.ndarray  # where each provision's names begin
    steps: np.ndarray  # (names, dims) int8
    sizes: np.ndarray  # (names,) float32: of one step of each vector

    @classmethod
    def of(cls, rows: Iterable[tuple[str, str, bytes]]) -> "AliasVectors":
        """`rows`: (name, locator, vector of unit length as float16), those of a locator together."""
        texts, locators, starts, steps, sizes = [], [], [], bytearray(), []
        for text, locator, stored in rows:
            if not locators or locator != locators[-1]:
                locators.append(locator)
                starts.append(len(texts))
            vector = np.frombuffer(stored, np.float16).astype(np.float32)
            size = np.abs(vector).max() / HIGHEST or 1.0
            texts.append(text)
            steps += np.rint(vector / size).astype(np.int8).tobytes()
            sizes.append(size)
        vectors = np.frombuffer(steps, np.int8).reshape(len(texts), -1) if texts else NOTHING
        return cls(texts, locators, np.array(starts, np.intp), vectors, np.array(sizes, np.float32))

    def cosines(self, vector: np.ndarray) -> np.ndarray:
        """(names,)"""
        found = np.empty(len(self.texts), np.float32)
        floats = np.empty((BLOCK, len(vector)), np.float32)
        for start in range(0, len(found), BLOCK):
            steps = self.steps[start : start + BLOCK]
            np.copyto(floats[: len(steps)], steps)
            found[start : start + BLOCK] = floats[: len(steps)] @ vector
        return found * self.sizes

    @cached_property
    def places(self) -> dict[str, int]:
        """Where each provision stands in `locators`."""
        return {locator: place for place, locator in enumerate(self.locators)}

    def best(self, cosines: np.ndarray) -> np.ndarray:
        """(locators,) of each provision's nearest name."""
        return np.maximum.reduceat(cosines, self.starts) if len(cosines) else cosines

    def nearest(self, cosines: np.ndarray, *, k: int | None, least: float) -> list[tuple[str, str, float]]:
        """(locator, name, cosine) of at most k provisions with a name as near as `least`, best first."""
        best = self.best(cosines)
        ends = np.append(self.starts[1:], len(cosines))
        found = []
        for place in np.argsort(-best, kind="stable")[:k]:
            if best[place] < least:
                break
            start, end = self.starts[place], ends[place]
            name = start + int(np.argmax(cosines[start:end]))
            found.append((self.locators[place], self.texts[name], float(best[place])))
        return found
