"""Whether a number is the least or the most: "at least 18", "18 or older", "has not attained 18". Pure."""

import re

from retrieval.proof.vocabulary import NEGATIVE, a_set

_FILLED = (
    r"(?:\W+(?:the|a|an|age|ages|of|to|sum|total|period|amount|los|las|la|de|edad))*\W*$"  # up to the number
)
_ABOVE = re.compile(
    r"\b(?:more than|greater than|higher than|longer than|older than|later than|over|above|in excess of|"
    r"exceed(?:s|ing|ed)?|attain(?:s|ed|ing)?|reach(?:es|ed|ing)?|mas de|mayor(?:es)? de|excedan?|exceda|supere)"
    + _FILLED
)
_BELOW = re.compile(
    r"\b(?:less than|fewer than|lower than|shorter than|younger than|sooner than|earlier than|under|below|menos de|"
    r"menor(?:es)? de)" + _FILLED
)
_LEAST = re.compile(r"\b(?:at least|minimum of|al menos|por lo menos|como minimo)" + _FILLED)
_MOST = re.compile(
    r"\b(?:at most|up to|maximum of|within|capped at|limited to|como maximo|hasta|a lo sumo|dentro de)"
    + _FILLED
)
_OR_MORE = re.compile(
    r"(?:\W+\w+){0,4}?\W+(?:(?:or|and) (?:more|older|over|above|greater|longer|upwards?)|(?:at a |as a )?minimum|"
    r"o mas|como minimo)\b"
)
_OR_LESS = re.compile(
    r"(?:\W+\w+){0,4}?\W+(?:(?:or|and) (?:less|fewer|under|younger|below|shorter)|"
    r"(?:at (?:the )?|as a )?(?:most|maximum)|o menos|como maximo)\b"
)
NEAR = 300  # characters of its clause before and behind the number that are read
_CLAUSE = re.compile(r"[.;:](?=\s|$)")
_RELATIVE = a_set("who which that whose if when where unless")  # a "no" before these is of something else
DENYING = NEGATIVE | {"before", "without"}  # "before reaching 55"
_DENIED_BESIDE = 3  # words before "more than", among which a "not" belongs to it: "may not be more than"


def bound(folded: str, start: int, end: int) -> int:
    """1 where the number at `start` to `end` of a folded text is a minimum, -1 where a maximum, else 0.

    A "not" beside turns the bound round; one further off may ("no party may have more than three") or may not.
    """
    before = _CLAUSE.split(folded[max(0, start - NEAR) : start])[-1]
    after = _CLAUSE.split(folded[end : end + NEAR])[0]
    if _LEAST.search(before) or _OR_MORE.match(after):
        return 1
    if _MOST.search(before) or _OR_LESS.match(after):
        return -1
    for pattern, sign in ((_ABOVE, 1), (_BELOW, -1)):
        if found := pattern.search(before):
            words = _words(before[: found.start()])
            near, far = words[-_DENIED_BESIDE:], words[:-_DENIED_BESIDE]
            if _denied(near):
                return 0 if _denied(far) else -sign
            if _denied(far):
                is_its_own = sign > 0 and not _RELATIVE & set(words)
                return -1 if is_its_own else 0
            return 0 if _denied(_words(after)) else sign
    return 0


def _denied(words: list[str]) -> bool:
    return any(word.replace("'", "") in DENYING for word in words)


def _words(folded: str) -> list[str]:
    return re.findall(r"[\w']+", folded)
