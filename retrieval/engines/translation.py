"""Spanish questions into English for retrieval: a curated glossary first, Apertium for the rest.

Legal terms and citations are hidden from Apertium behind placeholders and put in afterwards: alone it makes
"right to save silence" of the right to remain silent. No Django, no cache.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise, product

from retrieval.engines.apertium import Apertium, is_accented
from retrieval.engines.verb_terms import VerbTerms, Words
from retrieval.text.language import SPANISH_FUNCTION_WORDS
from retrieval.text.normalization import fold
from retrieval.text.spoken_spanish import STANDARD, accented_by_place, undiminished

_CONSONANTS = "bcdfghjklm"  # no letter that restoring accents would touch
# Left out where no translator turns them into English: they match nothing there.
_DROPPED = SPANISH_FUNCTION_WORDS | {"a", "de", "los", "me", "se", "sin"}
_WORD = re.compile(r"[^\W_][\w\u0300-\u036f]*")
_COMBINING = re.compile(r"[\u0300-\u036f]")
_DETERMINERS = frozenset(["el", "la", "los", "las", "un", "una", "mi", "mis", "su", "sus"])
_STRESSED = "áéíóúÁÉÍÓÚ"
_JOINT = re.compile(r"[\s\-]*")


@dataclass(frozen=True)
class Term:
    """A stretch ``text[start:end]`` and the English for it; none where another term has it."""

    start: int
    end: int
    english: str


class Glossary:
    """Spanish terms and their English; the longest match wins, blind to case and accents, on whole words. With `spoken`
    terms are found in the other forms of their verbs, as diminutives, and spelled as spoken: so of questions.
    """

    def __init__(self, entries: Mapping[str, str], *, spoken: bool = False):
        """ValueError for an entry without a word."""
        self._english = {key_of(spanish): english for spanish, english in entries.items()}
        if () in self._english:
            raise ValueError("A glossary entry has no word in it.")
        self._spoken = spoken
        self._words = frozenset(word for key in self._english for word in key) if spoken else frozenset()
        self._verbs = VerbTerms(self._english if spoken else {})
        lengths: dict[str, set[int]] = {}
        for key in self._english:
            if not self._verbs.has(key):
                lengths.setdefault(key[0], set()).add(len(key))
        self._lengths = {first: sorted(found, reverse=True) for first, found in lengths.items()}

    def __contains__(self, word: str) -> bool:
        """Whether a folded word is one of a term, or another form of one."""
        return self._usual(word) in self._words or word in self._verbs

    def find(self, text: str) -> list[Term]:
        """Terms in the order of the text, none overlapping."""
        words = self._read(text)
        places = list(_WORD.finditer(fold(text)))
        found, index = [], 0
        while index < len(places):
            length, spans = self._longest(words, index)
            if length and self._begins_later(words, index, length):
                length, spans = 0, []
            found += [Term(places[a].start(), places[b - 1].end(), english) for a, b, english in spans]
            index += length or 1
        return found

    def _begins_later(self, words: Words, index: int, length: int) -> bool:
        """Whether the word behind an article begins a longer term: in "la causa probable", "la causa" is none."""
        article = self._spoken and words.folded[index] in _DETERMINERS and words.joined[index]
        return article and self._longest(words, index + 1)[0] >= length

    def _read(self, text: str) -> Words:
        folded = fold(text)
        places = list(_WORD.finditer(folded))
        return Words(
            [self._usual(_bare(place)) for place in places],
            [text[place.end() - 1] in _STRESSED for place in places],
            [bool(_JOINT.fullmatch(folded, a.end(), b.start())) for a, b in pairwise(places)] + [False],
        )

    def _usual(self, word: str) -> str:
        """As terms have it: "nomás" for "nomas", "casa" for "casita"."""
        if not self._spoken or word in self._words:
            return word
        small = (one for one in undiminished(word) if one in self._words)
        return fold(STANDARD[word]) if word in STANDARD else next(small, word)

    def _longest(self, words: Words, start: int) -> tuple[int, list[tuple[int, int, str]]]:
        verbs, spans = self._verbs.longest(words, start)
        for length in self._lengths.get(words.folded[start], ()):
            if length < verbs:
                break
            key = tuple(words.folded[start : start + length])
            if key in self._english and all(words.joined[start : start + length - 1]):
                return length, [(start, start + length, self._english[key])]
        return verbs, spans


def key_of(phrase: str) -> tuple[str, ...]:
    """Its words as they are compared; none where it has none."""
    return tuple(map(_bare, _WORD.finditer(fold(phrase))))


def _bare(word: re.Match[str]) -> str:
    return _COMBINING.sub("", word[0])


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
    unaccented = engine is not None and not is_accented(text)
    if unaccented:
        text = accented_by_place(text)
    protected = _checked(text, [Term(*stretch) for stretch in protect])
    terms = [term for term in glossary.find(text) if not any(_overlap(term, other) for other in protected)]
    parts = sorted([*protected, *terms], key=lambda term: term.start)
    english = _with_engine(text, parts, engine, unaccented) if engine else _with_glossary(text, parts)
    replaced = tuple(text[term.start : term.end] for term in terms if term.english)
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


def _with_engine(text: str, parts: list[Term], engine: Apertium, unaccented: bool) -> str:
    prefix = _unused_prefix(text)
    letters = map("".join, product(_CONSONANTS, repeat=4))
    put = [prefix + next(letters) if part.english else "" for part in parts]
    english = {placeholder: part.english for placeholder, part in zip(put, parts, strict=True) if placeholder}
    placeholders = list(english)
    answer = engine.translate("".join(_pieces(text, parts, put)), unaccented=unaccented)
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
