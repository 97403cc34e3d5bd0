"""A sentence in which what is named is replaced by marks, and what it becomes: a draft or questions back. Pure."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from typing import Any

from retrieval.text.normalization import fold

LONGEST = 1_000  # characters of a sentence
NEAR = 5
ASKED = r"(?:questions?|quer(?:y|ies)|search(?:es)?|preguntas?|consultas?|busquedas?)"
_MARK = re.compile(r"@[tq]\d+@")
_WORD_OF = re.compile(
    r"(?:the |la |las )?(?:words?|phrase|palabras?|frase|expresion)\s+|(?:the|an?|la|el|los|las|lo|una?|del)\s+"
)


@dataclass(frozen=True, slots=True)
class Corpus:
    """What an author can name: domains and documents by name, files, and provisions by locator."""

    domains: Mapping[str, str]  # name: slug
    documents: Mapping[str, str]  # name: locator
    files: Sequence[str]
    tags: Sequence[str]
    has: Callable[[Mapping[str, Any]], bool]  # whether a target selects anything
    near: Callable[[Mapping[str, Any]], Sequence[str]]  # names like that of a target that selects nothing


@dataclass(frozen=True, slots=True)
class Draft:
    """What a rule made of the sentence would hold, as `rules.models.Rule` has it."""

    criteria: list[dict[str, Any]]
    targets: list[dict[str, Any]]
    actions: list[dict[str, Any]]
    valid_from: date | None = None
    valid_to: date | None = None
    domains: list[str] = field(default_factory=list)
    priority: int = 100


@dataclass(frozen=True, slots=True)
class Clarification:
    """What the author must say: about the target, action, criterion, exception, date, domain or text; and what is near
    to it. `absent`: it is named, and is not there.
    """

    subject: str
    words: str = ""
    near: tuple[str, ...] = ()
    absent: bool = False


@dataclass(frozen=True, slots=True)
class Sentence:
    """The sentence with marks (@t0@, @q1@) in place of what is named; `folded` has the same offsets."""

    text: str
    folded: str
    named: Mapping[str, Any]  # mark: target, or quoted text
    written: Mapping[str, str]  # mark: as it stood in the sentence

    @classmethod
    def of(cls, text: str) -> "Sentence":
        text = " ".join(_MARK.sub(" ", text.replace("’", "'")).split())
        return cls(text, fold(text), {}, {})

    def marking(self, start: int, end: int, kind: str, named: Any) -> "Sentence":
        mark = f"@{kind}{len(self.named)}@"
        named_now = dict(self.named) | {mark: named}
        written = dict(self.written) | {mark: self.plain(self.text[start:end])}
        return replace(self.put(start, end, mark), named=named_now, written=written)

    def put(self, start: int, end: int, by: str = "") -> "Sentence":
        text = self.text[:start] + by + self.text[end:]
        return replace(self, text=text, folded=self.folded[:start] + by + self.folded[end:])

    def plain(self, text: str) -> str:
        """With what the marks stand for."""
        for mark in reversed(self.written):
            named = self.named[mark]
            text = text.replace(mark, named if isinstance(named, str) else self.written[mark])
        return text.strip()

    def taking(self, pattern: re.Pattern[str]) -> "tuple[re.Match[str] | None, Sentence]":
        match = pattern.search(self.folded)
        return (match, self.put(*match.span(), " ")) if match else (None, self)

    def group(self, match: re.Match[str], name: str | int) -> str:
        return self.text[slice(*match.span(name))]


def bare(phrase: str) -> str:
    """Without articles before it and marks around it."""
    phrase = phrase.strip(" .,;:?¿!¡")
    while match := _WORD_OF.match(fold(phrase)):
        phrase = phrase[match.end() :]
    return phrase
