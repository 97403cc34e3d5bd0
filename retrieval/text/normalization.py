"""Text as it is compared: keys under which variants of a query meet, and accent-blind matching.

Pure. Nothing here is shown to a reader; what people typed is kept elsewhere as they typed it.
"""

import unicodedata
from functools import lru_cache

_PLAIN = str.maketrans(
    dict.fromkeys("‘’‚‛′`´ʼ＇", "'")
    | dict.fromkeys("“”„‟″«»〝〞＂", '"')
    | dict.fromkeys("‐‑‒–—―−﹘﹣－", "-")
    | {"…": "..."}
)
RAISED_DIGITS = "⁰¹²³⁴-⁹"  # as a regular expression has them within brackets
_REMOVED = {"Cc", "Cf", "Cs"}  # control, zero-width and bidirectional marks, lone surrogates


@lru_cache(maxsize=1_000)  # several stages ask for that of one query
def normalize(text: str) -> str:
    """The key under which variants of one query meet: case, space, typography, closing marks.

    NFKC and casefolded, typographic quotes, dashes and ellipses plain, invisible characters gone, blanks
    single, leading ``¿¡`` and trailing ``?.!`` gone; accents, ``§`` and inner punctuation stay. Idempotent,
    and never raises.
    """
    once = _normalize_once(text)
    while (again := _normalize_once(once)) != once:  # folding can uncover what an earlier step looks for
        once = again
    return once


def _normalize_once(text: str) -> str:
    plain = unicodedata.normalize("NFKC", text.translate(_PLAIN))
    folded = unicodedata.normalize("NFKC", plain.translate(_VISIBLE).casefold())
    return " ".join(folded.split()).lstrip("¿¡ ").rstrip("?.! ")


class _Visible(dict[int, int | None]):
    """Code point to itself, or to nothing where a reader would see none."""

    def __missing__(self, code: int) -> int | None:
        character = chr(code)
        return code if character.isspace() or unicodedata.category(character) not in _REMOVED else None


_VISIBLE = _Visible()
_VISIBLE |= {code: _VISIBLE[code] for code in range(0x250)}  # Latin letters at once


class _Folds(dict[int, int]):
    """Code point to its folded code point, worked out when first met; one to one by construction."""

    def __missing__(self, code: int) -> int:
        folded = _fold_character(chr(code))
        if ord(folded) != code:
            self[code] = ord(folded)
        return ord(folded)


def _fold_character(character: str) -> str:
    plain = character.translate(_PLAIN)
    base, *marks = unicodedata.normalize("NFD", plain if len(plain) == 1 else character)
    if not all(unicodedata.combining(mark) for mark in marks):
        return character
    lower = base.lower()
    return lower if len(lower) == 1 else base


_FOLDS = _Folds({code: ord(_fold_character(chr(code))) for code in range(0x250)})  # Latin letters at once


def fold(text: str) -> str:
    """Case and accents folded one character for one, so offsets in the result are offsets in ``text``."""
    return text.translate(_FOLDS)


def folding_to(letter: str) -> str:
    """Every letter up to U+024F that folds to this one, and its capital: ``e`` gives ``EeÈÉÊË…``."""
    latin = "".join(chr(code) for code in range(0x250) if _FOLDS[code] == ord(letter))
    return latin or letter + letter.upper()
