"""What a citation is, and the text it is read from. Pure."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from retrieval.text.normalization import fold

_IGNORED = re.compile("[\u0300-\u036f\u00ad\u200b-\u200f\u2060\ufeff]")  # combining and invisible marks


@dataclass(frozen=True, slots=True)
class Citation:
    """A reference to one provision, as written and as it resolves."""

    text: str  # as written
    start: int  # character offsets in the text it was read from
    end: int
    normalized: str  # Bluebook: "8 U.S.C. § 1158(a)(2)(B)"
    locator: str  # "/us/usc/t8/s1158/a/2/B"


@dataclass(frozen=True, slots=True)
class Item:
    """One provision of a match. ``start`` and ``end`` bound its number in the folded text."""

    start: int
    end: int
    normalized: str
    locator: str


@dataclass(frozen=True, slots=True)
class Found:
    """One match in the folded text: one provision, or the provisions of one list."""

    start: int
    end: int
    items: tuple[Item, ...]

    def spans(self) -> Iterator[tuple[int, int, Item]]:
        """The first item begins where the match does and the last ends where it ends."""
        last = len(self.items) - 1
        for place, item in enumerate(self.items):
            yield (item.start if place else self.start, self.end if place == last else item.end, item)


@dataclass(frozen=True, slots=True)
class Source:
    """A text, the characters of it that are read, the same folded, and the way back."""

    original: str
    visible: str  # without combining and invisible marks
    folded: str  # ``visible`` in lower case without accents, character for character
    offsets: tuple[int, ...] | None  # position in these to position in ``original``; None: the same

    @classmethod
    def of(cls, text: str) -> "Source":
        if not _IGNORED.search(text):
            return cls(text, text, fold(text), None)
        kept = [place for place, character in enumerate(text) if not _IGNORED.match(character)]
        visible = "".join(text[place] for place in kept)
        return cls(text, visible, fold(visible), (*kept, len(text)))

    def span(self, start: int, end: int) -> tuple[int, int]:
        if self.offsets is None:
            return start, end
        return self.offsets[start], self.offsets[end]

    def written(self, match: re.Match[str], group: str | int = 0) -> str:
        """A group of a match in ``folded``, in the case it was written in."""
        start, end = match.span(group)
        return self.visible[start:end]

    def citations(self, found: Found) -> Iterator[Citation]:
        for start, end, item in found.spans():
            first, last = self.span(start, end)
            yield Citation(self.original[first:last], first, last, item.normalized, item.locator)


def longest(found: Iterable[Found], length: int) -> list[Found]:
    """Those that do not overlap a longer one, in order. Of equals the first given stays."""
    taken, kept = bytearray(length), []
    for match in sorted(found, key=lambda match: match.start - match.end):
        if 1 not in taken[match.start : match.end]:
            taken[match.start : match.end] = b"\x01" * (match.end - match.start)
            kept.append(match)
    return sorted(kept, key=lambda match: match.start)
