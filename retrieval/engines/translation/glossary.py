"""Spanish legal terms and their English, found in a text. Pure."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from retrieval.text.normalization import fold

_WORD = re.compile(r"[^\W_][\w\u0300-\u036f]*")
_COMBINING = re.compile(r"[\u0300-\u036f]")
_JOINT = re.compile(r"[\s\-]*")


@dataclass(frozen=True)
class Term:
    """A stretch ``text[start:end]`` and the English for it."""

    start: int
    end: int
    english: str


class Glossary:
    """Spanish terms and their English; the longest match wins, blind to case and accents, on whole words."""

    def __init__(self, entries: Mapping[str, str]):
        """ValueError for an entry without a word."""
        self._english = {_key(spanish): english for spanish, english in entries.items()}
        if () in self._english:
            raise ValueError("A glossary entry has no word in it.")
        lengths: dict[str, set[int]] = {}
        for key in self._english:
            lengths.setdefault(key[0], set()).add(len(key))
        self._lengths = {first: sorted(found, reverse=True) for first, found in lengths.items()}

    def find(self, text: str) -> list[Term]:
        """Terms in the order of the text, none overlapping."""
        folded = fold(text)
        words = list(_WORD.finditer(folded))
        found, index = [], 0
        while index < len(words):
            length = self._longest(folded, words, index)
            if length:
                run = words[index : index + length]
                found.append(Term(run[0].start(), run[-1].end(), self._english[_key_of(run)]))
            index += length or 1
        return found

    def _longest(self, folded: str, words: list[re.Match[str]], index: int) -> int:
        for length in self._lengths.get(_bare(words[index]), ()):
            run = words[index : index + length]
            if _key_of(run) in self._english and _is_joined(folded, run):
                return length
        return 0


def _key(phrase: str) -> tuple[str, ...]:
    return _key_of(list(_WORD.finditer(fold(phrase))))


def _key_of(words: list[re.Match[str]]) -> tuple[str, ...]:
    return tuple(_bare(word) for word in words)


def _bare(word: re.Match[str]) -> str:
    return _COMBINING.sub("", word[0])


def _is_joined(text: str, words: list[re.Match[str]]) -> bool:
    """Nothing but blanks and hyphens between the words."""
    return all(_JOINT.fullmatch(text, a.end(), b.start()) for a, b in zip(words, words[1:], strict=False))
