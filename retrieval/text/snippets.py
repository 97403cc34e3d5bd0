"""The part of a text to show for a query, and the words to mark in it. Pure."""

import re
from dataclasses import dataclass
from itertools import chain

from retrieval.text.analyzer import Word, words

LENGTH = 280  # characters of a snippet: about two lines on a desk, four on a phone
SENTENCE_START = re.compile(r"(?<=[.;:])\s+|\n+")


@dataclass(frozen=True, slots=True)
class Snippet:
    """A piece of a text: offsets into the text, and marks as (start, end) offsets into the piece."""

    text: str
    start: int
    end: int
    marks: tuple[tuple[int, int], ...]


def marked_words(text: str, wanted: frozenset[str], language: str = "en") -> list[Word]:
    """The words of the text that have a wanted stem."""
    return [word for word in words(text, language) if not wanted.isdisjoint(word.stems)]


def best_snippet(text: str, wanted: frozenset[str], *, language: str = "en", length: int = LENGTH) -> Snippet:
    """The window with the most different wanted words, then the most of them, then the first."""
    marked = marked_words(text, wanted, language)
    start = _snap(text, _best_start(marked, length), length)
    end = min(len(text), start + length)
    if end < len(text):
        end = text.rfind(" ", start, end) if text.rfind(" ", start, end) > start else end
    marks = tuple(
        (word.start - start, word.end - start) for word in marked if start <= word.start and word.end <= end
    )
    return Snippet(text[start:end], start, end, marks)


def _best_start(marked: list[Word], length: int) -> int:
    best, best_value = 0, (0, 0)
    for first in marked:
        inside = [
            word.stems for word in marked if first.start <= word.start and word.end <= first.start + length
        ]
        value = (len(set(chain.from_iterable(inside))), len(inside))
        if value > best_value:
            best, best_value = first.start, value
    return best


def _snap(text: str, start: int, length: int) -> int:
    """Back to the start of the sentence when it is near, else to that of a word some way before."""
    if len(text) <= length:
        return 0
    begins = [m.end() for m in SENTENCE_START.finditer(text, max(0, start - length // 2), start)]
    if begins:
        return begins[0]
    if start <= length // 2:
        return 0
    return text.rfind(" ", 0, start - length // 4) + 1
