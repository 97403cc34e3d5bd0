"""Cuts one section's text into chunks where its subject changes, within a budget of tokens. Pure.

Structure comes first: the text handed in is one section's, so no chunk crosses a section. Where the law itself divides
it, by lines that begin with (a), (1), (A), (i), it is cut at the highest of them. In other texts sentences are embedded
and a chunk ends in a valley of their similarity (TextTiling: Hearst 1997).
"""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache
from itertools import pairwise

import numpy as np

from retrieval.text.sentences import sentences

Group = tuple[int, int]  # first part, one past the last
MAX_TOKENS, MIN_TOKENS = 200, 40  # of a chunk: leaves the embedder's 256 room for the context
LOWEST = 20  # percent of the similarities of neighbours, among which a valley is

LEADING_LINE = re.compile(r"(?<![.;,!?\s])(?<!; or)(?<!; and)(?<!; [yoeu])\n\s*$")

# A line's designator, and how near it is to the line before, from the highest level to the lowest.
DESIGNATOR = re.compile(
    r"\((?:(?P<roman>[ivx]{2,})|(?P<letter>[a-z]{1,2})|(?P<number>\d{1,3})|(?P<capital>[A-Z]{1,2}))\)"
)
NEARNESS = {"letter": 0.0, "number": 0.2, "capital": 0.4, "roman": 0.6}
NEW_LINE, BLANKS = re.compile(r"\n\s*$"), 40  # the second: characters looked at before a part
LINE, SENTENCE = 0.7, 0.8  # of a line without one, and of a sentence within a line
BEFORE = {"i": "h", "v": "u", "x": "w"}  # letters that are no roman numbers only where these came before

# Where a sentence that is too long is cut, best first; the last resort is between any two characters.
BREAKS = (re.compile(r"\n\s*|[;:]\s+|—\s*"), re.compile(r",\s+"), re.compile(r"\s+"))


@dataclass(frozen=True, slots=True)
class Span:
    """`text[start:end]`, of so many tokens."""

    start: int
    end: int
    tokens: int


def chunk(
    text: str,
    *,
    embed: Callable[[list[str]], np.ndarray],
    count_tokens: Callable[[str], int],
    max_tokens: int = MAX_TOKENS,
    min_tokens: int = MIN_TOKENS,
) -> list[Span]:
    """Spans that follow on one another from 0 to len(text); none for an empty text.

    `embed` gives (n, d) float32 of unit length and is called once, or not at all where the text fits in one chunk or
    has divisions of its own. No span has more than `max_tokens`, unless a single character has. One with fewer than
    `min_tokens` has been joined to a neighbour wherever the two fit together.
    """
    count = cache(lambda start, end: count_tokens(text[start:end]))
    edges = _edges(text, count, max_tokens)
    if len(edges) > 2:
        parts = [text[start:end].strip() for start, end in pairwise(edges)]
        divided = _divisions(text, edges)
        nearness = _similarities(embed(parts)) if divided is None else divided
        similarities = np.maximum(nearness, _leads(text, edges))
        cutter = _Cutter(edges, similarities, count, max_tokens, min_tokens)
        edges = cutter.cut(_valleys(similarities) if divided is None else [])
    return [Span(start, end, count(start, end)) for start, end in pairwise(edges)]


def chunk_context(crumbs: Iterable[str], heading: str, names: Iterable[str]) -> str:
    """What is indexed before a chunk's text: the way to its section, then heading and plain names.

    "Constitution of the United States > Article I\\nLegislative power: Who makes federal laws"
    """
    way = " > ".join(_told_once(crumbs))
    about = ": ".join(_told_once([heading, "; ".join(_told_once(names))]))
    return "\n".join(line for line in (way, about) if line)


def _told_once(words: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(word.strip() for word in words if word.strip()))


# parts: sentences, or pieces of those that are too long


def _edges(text: str, count: Callable[[int, int], int], max_tokens: int) -> list[int]:
    """Where parts begin, and the end; a text that fits is one part."""
    if not text:
        return []
    whole = (0, len(text))
    fits = count(*whole) <= max_tokens
    spans = (
        [whole]
        if fits
        else [piece for span in sentences(text) for piece in _fitting(text, span, count, max_tokens)]
    )
    return [0, *(end for _, end in spans)]


def _fitting(
    text: str, span: tuple[int, int], count: Callable[[int, int], int], max_tokens: int
) -> list[tuple[int, int]]:
    start, end = span
    if end - start == 1 or count(start, end) <= max_tokens:
        return [span]
    middle = _break(text, start, end)
    halves = ((start, middle), (middle, end))
    return [piece for half in halves for piece in _fitting(text, half, count, max_tokens)]


def _break(text: str, start: int, end: int) -> int:
    """The best break in the middle half of the span, nearest to its middle."""
    middle, quarter = (start + end) // 2, (end - start) // 4
    for pattern in BREAKS:
        places = [found.end() for found in pattern.finditer(text, start + quarter, end - quarter)]
        inner = [place for place in places if start < place < end]
        if inner:
            return min(inner, key=lambda place: abs(place - middle))
    return middle


# similarity of neighbours


def _similarities(vectors: np.ndarray) -> np.ndarray:
    """(n - 1,) cosines of the parts before and after each gap, smoothed over three gaps."""
    before, after = vectors[:-1], vectors[1:]
    lengths = np.linalg.norm(before, axis=1) * np.linalg.norm(after, axis=1)
    cosines = np.einsum("nd,nd->n", before, after) / np.maximum(lengths, 1e-12)
    padded = np.pad(cosines, 1, mode="edge")
    return (padded[:-2] + 2 * padded[1:-1] + padded[2:]) / 4


def _divisions(text: str, edges: list[int]) -> np.ndarray | None:
    """(n - 1,) how near each part is to the one before by the law's own divisions; None for a text that has none."""
    nearness, letter = [], ""
    for start in edges[:-1]:
        begins_line = start == 0 or bool(NEW_LINE.search(text, max(0, start - BLANKS), start))
        found = DESIGNATOR.match(text, start) if begins_line else None
        level, mark = (found.lastgroup, found[0][1:-1]) if found else ("", "")
        if mark in BEFORE and letter != BEFORE[mark]:
            level = "roman"
        letter = mark if level == "letter" else letter
        nearness.append(NEARNESS[level] if level else LINE if begins_line else SENTENCE)
    has_divisions = any(value < LINE for value in nearness[1:])
    return np.array(nearness[1:]) if has_divisions else None


def _leads(text: str, edges: list[int]) -> np.ndarray:
    """1 where a line leads into the next and should stay with it: a heading, "Any alien—", a table's row."""
    lines = [text[start:end] for start, end in pairwise(edges[:-1])]
    return np.array([1.0 if LEADING_LINE.search(line) else -1.0 for line in lines])


def _valleys(similarities: np.ndarray) -> list[int]:
    """Parts before which similarity is lowest among its neighbours and among the `LOWEST`."""
    low = similarities <= np.percentile(similarities, LOWEST)
    padded = np.pad(similarities, 1, mode="edge")
    before, after = padded[:-2], padded[2:]
    falls = (similarities < before) & (similarities <= after)
    opens = (np.arange(len(similarities)) == 0) & (similarities < after)
    return [int(gap) + 1 for gap in np.flatnonzero(low & (falls | opens))]


@dataclass(frozen=True, slots=True)
class _Cutter:
    """Groups parts into chunks: at valleys, then within the maximum, then above the minimum."""

    edges: list[int]
    similarities: np.ndarray
    count: Callable[[int, int], int]
    max_tokens: int
    min_tokens: int

    def cut(self, valleys: list[int]) -> list[int]:
        """The edges of the chunks."""
        groups = list(pairwise([0, *valleys, len(self.edges) - 1]))
        merged = self._merged(self._divided(groups))
        return [0, *(self.edges[end] for _, end in merged)]

    def _divided(self, groups: list[Group]) -> list[Group]:
        """Every group that is too long, cut at its weakest gap until it fits."""
        sizes = np.cumsum([0, *(self.count(start, end) for start, end in pairwise(self.edges))])
        waiting, done = groups[::-1], []
        while waiting:
            first, last = waiting.pop()
            if last - first == 1 or self._fits(first, last, sizes):
                done.append((first, last))
            else:
                gap = self._weakest(first, last, sizes)
                waiting += [(gap, last), (first, gap)]
        return done

    def _fits(self, first: int, last: int, sizes: np.ndarray) -> bool:
        """By an exact count, but not where the parts' sum is far off: counting a long text is slow."""
        return (
            sizes[last] - sizes[first] <= 2 * self.max_tokens and self._tokens(first, last) <= self.max_tokens
        )

    def _weakest(self, first: int, last: int, sizes: np.ndarray) -> int:
        """The least similar gap that leaves no small end, else any; of equal ones the most central."""
        gaps = np.arange(first + 1, last)
        left, right = sizes[gaps] - sizes[first], sizes[last] - sizes[gaps]
        roomy = gaps[np.minimum(left, right) >= self.min_tokens]
        among = roomy if len(roomy) else gaps
        off_middle = np.abs(2 * sizes[among] - sizes[first] - sizes[last])
        return int(among[np.lexsort((off_middle, self.similarities[among - 1]))[0]])

    def _merged(self, groups: list[Group]) -> list[Group]:
        """Small groups joined to the more similar neighbour they fit with."""
        waiting, done = groups[::-1], []
        while waiting:
            first, last = waiting.pop()
            if self._tokens(first, last) >= self.min_tokens:
                done.append((first, last))
                continue
            left = done[-1][0] if done and self._joins(done[-1][0], last) else None
            right = waiting[-1][1] if waiting and self._joins(first, waiting[-1][1]) else None
            if left is None and right is None:
                done.append((first, last))
            elif right is None or (left is not None and self._gap(first) >= self._gap(last)):
                done.pop()
                waiting.append((left, last))
            else:
                waiting.pop()
                waiting.append((first, right))
        return done

    def _joins(self, first: int, last: int) -> bool:
        return self._tokens(first, last) <= self.max_tokens

    def _gap(self, part: int) -> float:
        """Similarity across the gap before this part."""
        return float(self.similarities[part - 1])

    def _tokens(self, first: int, last: int) -> int:
        return self.count(self.edges[first], self.edges[last])
