"""Many short strings in little memory. Pure."""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True, eq=False)
class Texts:
    """Strings as UTF-8 side by side: what 40 letters take as a string of Python's own is 100 bytes."""

    written: bytes
    ends: np.ndarray  # (texts,) int64

    @classmethod
    def of(cls, texts: Iterable[str]) -> "Texts":
        each = [text.encode() for text in texts]
        return cls(b"".join(each), np.cumsum([len(one) for one in each], dtype=np.int64))

    def __len__(self) -> int:
        return len(self.ends)

    def __getitem__(self, place: int) -> str:
        start = self.ends[place - 1] if place else 0
        return self.written[start : self.ends[place]].decode()

    def __add__(self, other: "Texts") -> "Texts":
        return Texts(self.written + other.written, np.concatenate([self.ends, other.ends + len(self.written)]))

    def taken(self, order: np.ndarray) -> "Texts":
        """(taken,) by place. What stands side by side is copied at once."""
        if not len(order):
            return Texts.of([])
        starts = np.concatenate([[0], self.ends[:-1]])
        breaks = np.flatnonzero(np.diff(order) != 1) + 1
        firsts, lasts = order[np.concatenate([[0], breaks])], order[np.concatenate([breaks - 1, [-1]])]
        written = (self.written[starts[a] : self.ends[b]] for a, b in zip(firsts, lasts, strict=True))
        return Texts(b"".join(written), np.cumsum((self.ends - starts)[order]))
