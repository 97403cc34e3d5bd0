"""Where a text answers a question: the best window of words, and the words to mark in it. Pure."""

import re
from dataclasses import dataclass
from functools import lru_cache

from retrieval.textnorm import fold, stems

WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
LENGTH = 280  # characters of a snippet: about two lines on a desk, four on a phone
SENTENCE_START = re.compile(r"(?<=[.;:])\s+|\n+")


@dataclass(frozen=True, slots=True)
class Snippet:
    """A piece of a text: offsets into the text, and marks as (start, end) offsets into the piece."""

    text: str
    start: int
    end: int
    marks: tuple[tuple[int, int], ...]


@lru_cache(maxsize=1 << 16)  # the law uses few different words, and every result is read for them
def word_stems(word: str, language: str) -> frozenset[str]:
    return frozenset(stems(word, language))


def marked_words(text: str, wanted: frozenset[str], language: str = "en") -> list[tuple[int, int]]:
    """(start, end) of the words whose stem is wanted."""
    folded = fold(text)
    return [
        (word.start(), word.end())
        for word in WORD.finditer(folded)
        if not wanted.isdisjoint(word_stems(word.group(), language))
    ]


def best_snippet(text: str, wanted: frozenset[str], *, language: str = "en", length: int = LENGTH) -> Snippet:
    """The window with the most different wanted words, then the most of them, then the first."""
    words = marked_words(text, wanted, language)
    start = _snap(text, _best_start(text, words, length, language), length)
    end = min(len(text), start + length)
    if end < len(text):
        end = text.rfind(" ", start, end) if text.rfind(" ", start, end) > start else end
    marks = tuple((s - start, e - start) for s, e in words if s >= start and e <= end)
    return Snippet(text[start:end], start, end, marks)


def _best_start(text: str, words: list[tuple[int, int]], length: int, language: str) -> int:
    folded = fold(text)
    best, best_value = 0, (0, 0)
    for start, _ in words:
        inside = [folded[s:e] for s, e in words if start <= s and e <= start + length]
        value = (len({stem for word in inside for stem in word_stems(word, language)}), len(inside))
        if value > best_value:
            best, best_value = start, value
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
