"""Spanish questions into English for retrieval: a curated glossary first, Apertium for the rest.

Legal terms and citations are hidden from Apertium behind placeholders and put in afterwards: alone it makes
"right to save silence" of the right to remain silent. No Django, no cache.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice, product

from retrieval.engines.translation.apertium import Apertium
from retrieval.engines.translation.glossary import Glossary, Term
from retrieval.text.language import SPANISH_FUNCTION_WORDS
from retrieval.text.normalization import fold

_CONSONANTS = "bcdfghjklm"  # no letter that restoring accents would touch
# Left out where no translator turns them into English: they match nothing there.
_DROPPED = SPANISH_FUNCTION_WORDS | {"a", "de", "los", "me", "se", "sin"}


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
        seen.add(match[0].lower())
        return english[match[0].lower()]

    if english:
        answer = _without_new_capitals(answer, placeholders, text)
        answer = re.sub("|".join(english), restore, answer, flags=re.IGNORECASE)
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
