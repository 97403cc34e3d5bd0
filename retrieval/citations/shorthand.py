"""Citations of the Constitution so short that only a whole query is one: "14th sec 1", "XIV § 1", "section 5 of the
fourteenth", "A1S8C3", "ArtI.S8.C3" (as the annotated Constitution writes), "amend. 25(4)". Pure.

Each names a section, and one that the Constitution does not have is none: that tells them from other short words.
"""

import re
from collections.abc import Iterator

from retrieval.citations.heads import Head, Number, number_at
from retrieval.citations.numerals import NUMBER, ROMAN, is_ordinal, longest_first

_SECTIONS = {  # the last section of each article and amendment that has sections
    "article": {1: 10, 2: 4, 3: 3, 4: 4},
    "amendment": {13: 2, 14: 5, 15: 2, 18: 3, 20: 6, 21: 3, 22: 2, 23: 2, 24: 2, 25: 4, 26: 2},
}
_ROMAN = "|".join(longest_first(ROMAN))
_DIGITS = r"(?:[1-9]|1[0-9]|2[0-7])(?![0-9])"
_ARTICLE, _AMENDMENT = r"articulo|article|art", r"amendment|amend|amdt|am|enmienda"
_SIGN = r"(?:§|(?:section|seccion|sect|secc|sec|s)(?![a-z])\.?)\s{0,2}"
_CLAUSE_SIGN = r"(?:¶|(?:clause|clausula|cl|c)(?![a-z])\.?)\s{0,2}"
_GAP = r"[\s,.-]{0,3}"
_START, _END = r"(?<![\w.])", r"(?!\w)"

_FORMS = (
    re.compile(  # 14th sec 1, XIV § 1, 14A s1, I § 8 cl 3
        rf"{_START}(?P<head>{NUMBER}){_GAP}{_SIGN}(?P<section>{_DIGITS}|{NUMBER})"
        rf"(?:{_GAP}{_CLAUSE_SIGN}(?P<clause>{_DIGITS}|{NUMBER}))?{_END}"
    ),
    re.compile(  # section 5 of the fourteenth, first section of the 14th
        rf"{_START}(?:{_SIGN}(?P<section>{NUMBER})|(?P<nth>{NUMBER})\s{{1,2}}(?:section|seccion))"
        rf"(?:,|\s{{1,2}}(?:of|de))?\s{{1,2}}(?:the\s{{1,2}}|la\s{{1,2}})?(?P<head>{NUMBER}){_END}"
    ),
    re.compile(  # A1S8C3, ArtI.S8.C3.1 and Amdt14.S1.4.2, of which the last numbers are an essay's
        rf"{_START}(?P<word>{_ARTICLE}|a|{_AMENDMENT})\.?\s?(?P<head>{_DIGITS}|{_ROMAN}){_GAP}(?:s|§)\.?\s?"
        rf"(?P<section>{_DIGITS})(?:{_GAP}(?:c|cl|¶)\.?\s?(?P<clause>{_DIGITS}))?(?:\.[0-9]{{1,2}}){{0,3}}{_END}"
    ),
    re.compile(  # Art. I(8)(3), art I sec 8 (3), article I, 8, 3, article 1.8.3
        rf"{_START}(?P<word>{_ARTICLE})\.?\s?(?P<head>{NUMBER})(?:{_GAP}{_SIGN}|\s?\(|[,.]\s?)"
        rf"(?P<section>{_DIGITS})(?:\)?\s?\((?P<clause>{_DIGITS})\)|[,.]\s?(?P<last>{_DIGITS})){_END}"
    ),
    re.compile(  # amend. 25(4)
        rf"{_START}(?P<word>{_AMENDMENT})\.?\s?(?P<head>{NUMBER})\s?\((?P<section>{_DIGITS})\)"
    ),
)


def find(folded: str) -> Iterator[Head]:
    for form in _FORMS:
        for match in form.finditer(folded):
            if head := _head(folded, match):
                yield head


def _head(folded: str, match: re.Match[str]) -> Head | None:
    number, section = _number(folded, match, "head"), _number(folded, match, "section", "nth")
    clause = _number(folded, match, "clause", "last")
    kind = _kind(match.groupdict().get("word"), number) if number else None
    if not (kind and section) or section.value > _SECTIONS[kind].get(number.value, 0):
        return None
    if clause and kind == "amendment":
        return None
    return Head(kind, "", (number,), *match.span(), (section,), (clause,) if clause else ())


def _number(folded: str, match: re.Match[str], *names: str) -> Number | None:
    written = match.groupdict()
    return next((number_at(folded, *match.span(name)) for name in names if written.get(name)), None)


def _kind(word: str | None, number: Number) -> str | None:
    """No article has a number as high as that of "A14". Without a word an ordinal is an amendment's, and a plain number
    is neither's: "section 2 of 4" counts pages.
    """
    high = number.value > max(_SECTIONS["article"])
    if word:
        return "amendment" if high or re.fullmatch(_AMENDMENT, word) else "article"
    if is_ordinal(number.token):
        return "amendment"
    return None if number.token not in ROMAN else "amendment" if high else "article"
