"""Spanish questions into English for retrieval: a curated glossary first, Apertium for the rest.

Legal terms and citations are hidden from Apertium behind placeholders and put in afterwards: alone it makes
"right to save silence" of the right to remain silent. No Django, no cache.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice, product

from retrieval.engines.apertium import Apertium
from retrieval.text.language import SPANISH_FUNCTION_WORDS
from retrieval.text.normalization import fold

_CONSONANTS = "bcdfghjklm"  # no letter that restoring accents would touch
# Left out where no translator turns them into English: they match nothing there.
_DROPPED = SPANISH_FUNCTION_WORDS | {"a", "de", "los", "me", "se", "sin"}
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


@dataclass(frozen=True)
class Translation:
    """English ``text``, what made it (``apertium+glossary``, ``glossary``), the Spanish terms replaced."""

    text: str
    engine: str
    replaced: tuple[str, ...]


def translate(
    text: str,
    glossary: Glossary,
    engine: Apertium | None = None,
    *,
    protect: Sequence[tuple[int, int, str]] = (),
) -> Translation:
    """English for a Spanish question. ``protect``: ``(start, end, English)`` of stretches such as citations.

    Without an engine only glossary terms and protected stretches turn English: other Spanish words stay,
    articles, prepositions and their kin are dropped. ValueError for protected stretches that overlap or lie
    outside the text; TranslationUnavailable from the engine is the caller's to handle (ask again without it).
    """
    protected = _checked(text, [Term(*stretch) for stretch in protect])
    terms = [term for term in glossary.find(text) if not any(_overlap(term, other) for other in protected)]
    parts = sorted([*protected, *terms], key=lambda term: term.start)
    english = _with_engine(text, parts, engine) if engine else _with_glossary(text, parts)
    replaced = tuple(text[term.start : term.end] for term in terms)
    return Translation(english, "apertium+glossary" if engine else "glossary", replaced)


def _checked(text: str, protected: list[Term]) -> list[Term]:
    end = 0
    for term in sorted(protected, key=lambda term: term.start):
        if not end <= term.start < term.end <= len(text):
            raise ValueError(f"Protected stretch {term.start}-{term.end} overlaps or leaves the text.")
        end = term.end
    return protected


def _overlap(one: Term, other: Term) -> bool:
    return one.start < other.end and other.start < one.end


def _with_engine(text: str, parts: list[Term], engine: Apertium) -> str:
    prefix = _unused_prefix(text)
    letters = islice(product(_CONSONANTS, repeat=4), len(parts))
    placeholders = [prefix + "".join(four) for four in letters]
    english = dict(zip(placeholders, (part.english for part in parts), strict=True))
    answer = engine.translate("".join(_pieces(text, parts, placeholders)))
    seen: set[str] = set()

    def restore(match: re.Match[str]) -> str:
        seen.add(match[1].lower())
        return english[match[1].lower()]

    if english:
        answer = _without_new_capitals(answer, placeholders, text)
        answer = re.sub(rf"\*?({'|'.join(english)})", restore, answer, flags=re.IGNORECASE)
    return " ".join([answer, *(english[lost] for lost in placeholders if lost not in seen)])


def _without_new_capitals(answer: str, placeholders: Sequence[str], text: str) -> str:
    """The engine takes a word after a placeholder for the first of the sentence: "how long is The term"."""
    if any(character.isupper() for character in text.lstrip("¿¡ ")[1:]):
        return answer
    after = rf"(?i:({'|'.join(placeholders)})) ([A-HJ-Z](?![A-Z])|I(?=[a-z]))"
    return re.sub(after, lambda match: f"{match[1]} {match[2].lower()}", answer)


def _unused_prefix(text: str) -> str:
    """Letters that begin no word of any language, grown until this text does not have them either."""
    prefix, folded = "xq", text.casefold()
    while prefix in folded:
        prefix += "z"
    return prefix


def _with_glossary(text: str, parts: list[Term]) -> str:
    pieces = _pieces(text, parts, [part.english for part in parts], _without_dropped)
    return " ".join(" ".join(pieces).split()) or text


def _without_dropped(spanish: str) -> str:
    kept = (word for word in spanish.split() if fold(word).strip("¿¡?!.,;:") not in _DROPPED)
    return " ".join(kept).replace("¿", "").replace("¡", "")


def _pieces(
    text: str, parts: list[Term], replacements: Sequence[str], between: Callable[[str], str] = str
) -> Iterator[str]:
    """The text in pieces: what lies between the parts, and for each part its replacement."""
    end = 0
    for part, replacement in zip(parts, replacements, strict=True):
        yield between(text[end : part.start])
        yield replacement
        end = part.end
    yield between(text[end:])
