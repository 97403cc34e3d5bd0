"""Many short strings in little memory. Pure."""

from array import array
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import TypeVar

import numpy as np

T = TypeVar("T")
AT_ONCE = 2_000  # names read at a time: as Python's own objects they take several times what is kept of them


def in_blocks(rows: Iterable[T]) -> Iterator[list[T]]:
    left = iter(rows)
    while block := list(islice(left, AT_ONCE)):
        yield block


@dataclass(frozen=True, eq=False)
class Texts:
    """Strings as UTF-8 side by side: what 40 letters take as a string of Python's own is 100 bytes."""

    written: np.ndarray  # (bytes,) uint8
    ends: np.ndarray  # (texts,) int64

    @classmethod
    def of(cls, texts: Iterable[str]) -> "Texts":
        growing = GrowingTexts()
        growing.add(texts)
        return growing.texts()

    def __len__(self) -> int:
        return len(self.ends)

    def __getitem__(self, place: int) -> str:
        start = self.ends[place - 1] if place else 0
        return self.written[start : self.ends[place]].tobytes().decode()

    def __add__(self, other: "Texts") -> "Texts":
        return Texts(
            np.concatenate([self.written, other.written]),
            np.concatenate([self.ends, other.ends + len(self.written)]),
        )

    def taken(self, order: np.ndarray) -> "Texts":
        """(taken,) by place. What stands side by side is copied at once."""
        if not len(order):
            return Texts.of([])
        starts = np.concatenate([[0], self.ends[:-1]])
        breaks = np.flatnonzero(np.diff(order) != 1) + 1
        firsts, lasts = order[np.concatenate([[0], breaks])], order[np.concatenate([breaks - 1, [-1]])]
        written = [self.written[starts[a] : self.ends[b]] for a, b in zip(firsts, lasts, strict=True)]
        return Texts(np.concatenate(written), np.cumsum((self.ends - starts)[order]))


class GrowingTexts:
    """What texts are put side by side in. Few large pieces of memory go back once they are not needed; many small ones,
    among what is read meanwhile, do not.
    """

    def __init__(self) -> None:
        self._written, self._ends = bytearray(), array("q")

    def add(self, texts: Iterable[str]) -> None:
        for text in texts:
            self._written += text.encode()
            self._ends.append(len(self._written))

    def texts(self) -> Texts:
        return Texts(np.frombuffer(bytes(self._written), np.uint8), np.array(self._ends, np.int64))
