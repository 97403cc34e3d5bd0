"""Numbers as people write them in citations: 14, 14th, XIV, fourteen, fourteenth, decimocuarta. Pure.

Everything reads folded text (lower case, no accents).
"""

import re
from collections.abc import Iterable
from itertools import product


def words(text: str) -> tuple[str, ...]:
    return tuple(text.split())


LARGEST = 27  # no article, amendment, section or clause of the Constitution has a higher number


def _roman(number: int) -> str:
    tens, units = divmod(number, 10)
    return "x" * tens + ["", "i", "ii", "iii", "iv", "v", "vi", "vii", "viii", "ix"][units]


ROMAN = {_roman(number): number for number in range(1, LARGEST + 1)}

_EN_UNITS = words("first second third fourth fifth sixth seventh eighth ninth")
_EN_TEENS = words(
    "tenth eleventh twelfth thirteenth fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth "
    "twentieth"
)
_EN_ONES = words("one two three four five six seven eight nine")
_EN_TENS = words("ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen twenty")
_EN_MISSPELT = {
    "forth": 4, "fith": 5, "fivth": 5, "fifteeth": 15, "sixt": 6, "seventeeth": 17, "eigth": 8, "eigthth": 8,
    "nineth": 9, "eleventeenth": 11, "twelth": 12, "twelveth": 12, "thirteeth": 13, "thirtenth": 13,
    "fourteeth": 14, "fourtenth": 14, "forteenth": 14, "fourthteenth": 14, "fiveteenth": 15, "fiftenth": 15,
    "sixteeth": 16, "ninteenth": 19, "nineteeth": 19, "twentyeth": 20, "twentyth": 20,
}  # fmt: skip
_ES_UNITS = {
    "primer": 1, "segund": 2, "tercer": 3, "cuart": 4, "quint": 5, "sext": 6, "septim": 7, "setim": 7,
    "octav": 8, "noven": 9,
}  # fmt: skip
_ES_TENS = {"decim": 10, "vigesim": 20}
_ES_OTHER = {  # fractions taken for ordinals among them
    "decim": 10, "undecim": 11, "onceav": 11, "duodecim": 12, "doceav": 12, "treceav": 13, "catorceav": 14,
    "quinceav": 15, "dieciseisav": 16, "diecisieteav": 17, "dieciochoav": 18, "diecinueveav": 19, "vigesim": 20,
    "veinteav": 20,
}  # fmt: skip
_ES_ONES = words(
    "uno dos tres cuatro cinco seis siete ocho nueve diez once doce trece catorce quince dieciseis "
    "diecisiete dieciocho diecinueve veinte veintiuno veintidos veintitres veinticuatro veinticinco "
    "veintiseis veintisiete"
)


def _english_ordinals() -> dict[str, int]:
    small = {word: number for number, word in enumerate(_EN_UNITS + _EN_TEENS, 1)}
    large = {"twenty" + word: 20 + number for number, word in enumerate(_EN_UNITS, 1)}
    return small | large | _EN_MISSPELT


def _spanish_ordinals() -> dict[str, int]:
    words = {stem + end: number for (stem, number), end in product((_ES_UNITS | _ES_OTHER).items(), "ao")}
    for (ten, tens), joint, (unit, ones), end in product(
        _ES_TENS.items(), ("", "o", "a"), _ES_UNITS.items(), "ao"
    ):
        words[ten + joint + unit + end] = tens + ones
    return words | {"primer": 1, "tercer": 3}


def _english_cardinals() -> dict[str, int]:
    small = {word: number for number, word in enumerate(_EN_ONES + _EN_TENS, 1)}
    return small | {"twenty" + word: 20 + number for number, word in enumerate(_EN_ONES, 1)}


EN_ORDINALS = _english_ordinals()
ES_ORDINALS = _spanish_ordinals()
ORDINALS = {word: number for word, number in (ES_ORDINALS | EN_ORDINALS).items() if word not in _EN_MISSPELT}
EN_CARDINALS = _english_cardinals()
ES_CARDINALS = {word: number for number, word in enumerate(_ES_ONES, 1)}
_WORDS = ES_CARDINALS | EN_CARDINALS | ES_ORDINALS | EN_ORDINALS

_ORDINAL_END = r"(?:st|nd|rd|th|d|[aoªº°]|\.[ªº]|r[ao]|er[ao]?|d[ao]|nd[ao]|t[ao]|m[ao]|v[ao]|av[ao]|n[ao])"
_NUMERAL = re.compile(rf"([0-9]{{1,2}})({_ORDINAL_END})?")


def longest_first(words: Iterable[str]) -> list[str]:
    """Alternatives of an expression, each once, in an order that is the same in every process."""
    return sorted(set(words), key=lambda word: (-len(word), word))


def _alternatives() -> str:
    joined = {"decim", "vigesim"}
    spanish = "|".join(longest_first(_ES_UNITS.keys() | _ES_OTHER.keys() - joined))
    english = longest_first((*_EN_UNITS, *_EN_ONES))
    other = set(_EN_TEENS + _EN_TENS) | _EN_MISSPELT.keys() | ES_CARDINALS.keys()
    return "|".join(
        [
            rf"(?:twenty[\s-]{{0,2}})?(?:{'|'.join(english)})",
            "|".join(longest_first(other)),
            rf"(?:(?:decim|vigesim)[oa]?[\s-]{{0,2}})?(?:{spanish})[oa]?",
            "(?:decim|vigesim)[oa]",
        ]
    )


# One number, whole: no letter or digit on either side.
NUMBER = (
    rf"(?<![a-z0-9])(?:[0-9]{{1,2}}(?:{_ORDINAL_END}|\s(?:st|nd|rd|th))?"
    rf"|(?:{'|'.join(longest_first(ROMAN))})(?:th)?|{_alternatives()})(?![a-z0-9])"
)


def read(token: str) -> int | None:
    """The number a folded token stands for, 1 to 27; None when it stands for none."""
    key = re.sub(r"[\s-]", "", token)
    if numeral := _NUMERAL.fullmatch(key):
        return int(numeral[1]) if 1 <= int(numeral[1]) <= LARGEST else None
    return ROMAN.get(key.removesuffix("th")) or _WORDS.get(key)


def is_ordinal(token: str) -> bool:
    """A place in an order ("14th", "XIVth", "fourteenth", "decimocuarta"), not a plain 14, XIV or fourteen."""
    key = re.sub(r"[\s-]", "", token)
    numeral = _NUMERAL.fullmatch(key)
    ordered = bool(numeral and numeral[2]) or (key.endswith("th") and key[:-2] in ROMAN)
    return ordered or key in EN_ORDINALS or key in ES_ORDINALS


def is_english_ordinal(token: str) -> bool:
    """ "first", "twenty-first", "1st": words that follow "amendment" only by accident."""
    key = re.sub(r"[\s-]", "", token)
    return key in EN_ORDINALS or bool(re.fullmatch(r"[0-9]{1,2}(?:st|nd|rd|th)", key))


def roman(number: int) -> str:
    return _roman(number).upper()
