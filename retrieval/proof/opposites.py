"""Whether a claim says the opposite of what the law says, by single words: "before" for "after", "unlawful" for
"lawful", one standard of proof for another. Pure.

opposites.txt has the pairs that must be known; those that a prefix makes ("in-", "non-", "un-") are found by it.
"""

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from retrieval.proof.vocabulary import BOUNDING

OPPOSITES = Path(__file__).with_name("opposites.txt")
PREFIXES = ("un", "in", "im", "il", "ir", "non", "dis", "mis")
SHORTEST = 4  # letters of a word that a prefix turns round


@dataclass(frozen=True, slots=True)
class Axis:
    """Sides of which a text says one; `is_certain` where a claim with another side is wrong whatever else it says."""

    sides: tuple[re.Pattern[str], ...]
    is_certain: bool

    def said(self, folded: str) -> set[int]:
        """The sides that a text says. "Not less than" says more."""
        found = set()
        for number, side in enumerate(self.sides):
            for match in side.finditer(folded):
                is_turned = match[0] in BOUNDING and folded[: match.start()].endswith(("no ", "not "))
                found.add(1 - number if is_turned and len(self.sides) == 2 else number)
        return found


@cache
def axes() -> tuple[Axis, ...]:
    lines = OPPOSITES.read_text(encoding="utf-8").splitlines()
    return tuple(_axis(line) for line in lines if line and not line.startswith("#"))


def _axis(line: str) -> Axis:
    sides = (
        "|".join(re.escape(said.strip()).replace(r"\*", r"\w*") for said in side.split(","))
        for side in line.removeprefix("!").split("|")
    )
    return Axis(tuple(re.compile(rf"\b(?:{side})\b") for side in sides), line.startswith("!"))


def opposed(mine: str, theirs: str, among: Iterable[Axis]) -> bool:
    """Whether a folded text says other sides of an axis than another does, and none that it does."""
    said = ((axis, axis.said(mine)) for axis in among)
    return any(sides and (others := axis.said(theirs)) and not sides & others for axis, sides in said)


def rivals(mine: str, theirs: str) -> bool:
    """Whether a claim names another standard of proof, or the like, than the law."""
    return opposed(mine, theirs, (axis for axis in axes() if axis.is_certain))


def turned_by_prefix(mine: Collection[str], theirs: Collection[str]) -> bool:
    """Whether a word of one is a word of the other with a prefix that turns it round."""
    return any(
        prefix + word in others
        for words, others in ((mine, theirs), (theirs, mine))
        for word in words
        if len(word) >= SHORTEST
        for prefix in PREFIXES
    )


def exchanged(mine: Sequence[str], theirs: Sequence[str]) -> bool:
    """Whether words that were put in for others are their opposites; all folded."""
    return opposed(" ".join(mine), " ".join(theirs), axes()) or turned_by_prefix(set(mine), set(theirs))
