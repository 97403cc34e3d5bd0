"""The part of a text to show for a query, and the words to mark in it. Pure."""

import re
from dataclasses import dataclass
from functools import cache
from itertools import chain

from retrieval.text.analyzer import STOP_WORDS, Word, stems, words
from retrieval.text.sentences import sentences

LENGTH = 280  # characters of a snippet: about two lines on a desk, four on a phone
FUNCTION_WORDS = {  # besides stop words: they count in searches, and say nothing when they are marked
    "en": "above across after again against along although among around before behind below beneath beside besides "
    "between beyond both cannot despite during each either else ever every few further here however "
    "least less many more most much must neither never no nor not nothing off once only onto other others otherwise "
    "ought over per rather same since such though through throughout thus toward towards under "
    "unless until upon very via whatever whenever whereas wherein whether whichever whoever within without yet",
    "es": "ademas ambos antes aun aunque bastante cada casi cierto contigo cualquier cualquiera debajo debe dentro "
    "despues durante encima entonces excepto fuera hacia jamas mediante menos mientras mismo misma mucho muchos "
    "nada nadie ni ningun ninguna ninguno nunca otro otra otros otras pocos salvo segun siempre sino tal tales "
    "tampoco tanto todavia todo toda todos todas tras varios",
}
SENTENCE_START = re.compile(r"(?<=[.;:])\s+|\n+")


@dataclass(frozen=True, slots=True)
class Snippet:
    """A piece of a text: offsets into the text, and marks as (start, end) offsets into the piece."""

    text: str
    start: int
    end: int
    marks: tuple[tuple[int, int], ...]


@cache
def function_stems(language: str) -> frozenset[str]:
    return frozenset(stems(f"{STOP_WORDS[language]} {FUNCTION_WORDS[language]}", language))


def to_sentence_end(text: str, start: int, end: int) -> tuple[int, int]:
    """The span, ended where the sentence in which it ends does."""
    ends = (stop for _, stop in sentences(text) if stop >= end)
    stop = next(ends, len(text))
    return start, len(text[:stop].rstrip())


def marked_words(text: str, wanted: frozenset[str], language: str = "en") -> list[Word]:
    """The words of the text that have a wanted stem."""
    return words(text, language, wanted=wanted)


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
