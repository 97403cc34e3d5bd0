"""Whether a claim says the opposite of what the law says, by single words: "before" for "after", "unlawful" for
"lawful", one standard of proof for another. Pure.

opposites.txt has the pairs that must be known; those that a prefix makes ("in-", "non-", "un-") are found by it.
"""

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from retrieval.proof.vocabulary import BOUNDING

OPPOSITES = Path(__file__).with_name("opposites.txt")
PREFIXES = ("un", "in", "im", "il", "ir", "non", "dis", "mis")
SHORTEST = 4  # letters of a word that a prefix turns round
# Beginnings of words that look like one with a prefix and are none: "inform" does not deny "form".
_NO_PREFIX = re.compile(
    r"disclos|discharg|discount|discover|diseas|dismiss|disord|displa|dispos(?!s)|dissol|distribut|disabilit|immigra|impair|"
    r"implant|import|impos(?!s)|impound|improve|improving|incom(?:e|ing)|incorporat|indeed|indifferent|infamous|"
    r"inform(?!al)|inland|inmate|inpatient|inside|instanc|instead|inten[dst]|"
    r"invest|invoic|injur|irrespective|mistak|unless|until"
)
MARKS = "!&>"
ARTICLES = frozenset(("the", "a", "an", "any", "his", "her", "its", "their"))
NEAR = 40  # characters, among which is the word of which "against" is said
ENDS = frozenset(("end", "close", "expiration", "expiry", "conclusion"))


@dataclass(frozen=True, slots=True)
class Axis:
    """Sides of which a text says one. `mark` is "!" where a claim with another side is wrong whatever else it says, "&"
    where they are parties, ">" where they are said of the word that follows.
    """

    sides: tuple[re.Pattern[str], ...]
    mark: str

    def said(self, folded: str) -> set[int]:
        """The sides that a text says. "Not less than" says more."""
        found = set()
        for number, side in enumerate(self.sides):
            for match in side.finditer(folded):
                is_turned = match[0] in BOUNDING and folded[: match.start()].endswith(("no ", "not "))
                found.add(1 - number if is_turned and len(self.sides) == 2 else number)
        return found

    def tells(self, mine: str, theirs: str, *, is_laws_own: bool) -> bool:
        """Whether another side would turn one of these two whole texts round, both folded; `is_laws_own` where
        all words of one are the other's, nearly in its order.
        """
        if self.mark == "&" and not is_laws_own:
            return len(self.sides) > min(len(self.said(mine)), len(self.said(theirs)))
        if self.mark == ">":
            return bool({*self._followers(mine)} & {*self._followers(theirs)})
        return True

    def _followers(self, folded: str) -> Iterator[str]:
        for side in self.sides:
            for match in side.finditer(folded):
                following = (word for word in re.findall(r"\w+", folded[match.end() :][:NEAR]) if word not in ARTICLES)
                yield next(following, "")


@cache
def axes() -> tuple[Axis, ...]:
    lines = OPPOSITES.read_text(encoding="utf-8").splitlines()
    return tuple(_axis(line) for line in lines if line and not line.startswith("#"))


def _axis(line: str) -> Axis:
    sides = (
        "|".join(re.escape(said.strip()).replace(r"\*", r"\w*") for said in side.split(","))
        for side in line.lstrip(MARKS).split("|")
    )
    return Axis(tuple(re.compile(rf"\b(?:{side})\b") for side in sides), line[0] if line[0] in MARKS else "")


def opposed(mine: str, theirs: str, among: Iterable[Axis]) -> bool:
    """Whether a folded text says other sides of an axis than another does, and none that it does."""
    said = ((axis, axis.said(mine)) for axis in among)
    return any(sides and (others := axis.said(theirs)) and not sides & others for axis, sides in said)


def rivals(mine: str, theirs: str) -> bool:
    """Whether a claim names another standard of proof, or the like, than the law."""
    return opposed(mine, theirs, (axis for axis in axes() if axis.mark == "!"))


def turned_by_prefix(mine: Collection[str], theirs: Collection[str]) -> bool:
    """Whether a word of one is a word of the other with a prefix that turns it round."""
    return any(
        prefix + word in others
        for words, others in ((mine, theirs), (theirs, mine))
        for word in words
        if len(word) >= SHORTEST
        for prefix in PREFIXES
        if not _NO_PREFIX.match(prefix + word)
    )


def exchanged(mine: Sequence[str], theirs: Sequence[str], among: Iterable[Axis]) -> bool:
    """Whether words that were put in for others are their opposites; all folded."""
    return opposed(" ".join(mine), " ".join(theirs), among) or turned_by_prefix(set(mine), set(theirs))


def telling(mine: Sequence[str], theirs: Sequence[str], *, is_laws_own: bool) -> tuple[Axis, ...]:
    """The axes by which folded words of these two texts may be opposites."""
    texts = " ".join(mine), " ".join(theirs)
    return tuple(axis for axis in axes() if axis.tells(*texts, is_laws_own=is_laws_own))


def within(words: Sequence[str], beside: Collection[str]) -> Iterator[int]:
    """Places of "before the end of", which says "within" unless the other text tells of an end as well; all folded."""
    if ENDS.isdisjoint(beside):
        for place, word in enumerate(words):
            if word in ("before", "prior"):
                ahead = words[place + 1 : place + 4]
                last = next((at for at, following in enumerate(ahead, place + 1) if following in ENDS), place)
                yield from range(place, last + (last > place))
