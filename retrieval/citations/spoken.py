"""Numbers in words, English and Spanish, written in figures as sections are read aloud: "nine twenty two" is 922, "mil
trescientos veintiséis" 1326, "ninety one point one thirteen" 91.113. Pure.
"""

import re
from collections.abc import Iterator, Sequence

from retrieval.citations.citation import Source
from retrieval.citations.heads import EN_CARDINALS, ES_CARDINALS

_TENS = {
    "twenty": 20, "thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "seventy": 70, "eighty": 80, "ninety": 90,
    "treinta": 30, "cuarenta": 40, "cincuenta": 50, "sesenta": 60, "setenta": 70, "ochenta": 80, "noventa": 90,
}  # fmt: skip
_HUNDREDS = {
    "cien": 100, "ciento": 100, "doscientos": 200, "trescientos": 300, "cuatrocientos": 400, "quinientos": 500,
    "seiscientos": 600, "setecientos": 700, "ochocientos": 800, "novecientos": 900,
}  # fmt: skip
_SCALES = {"hundred": 100, "thousand": 1000, "mil": 1000}
_ONES = EN_CARDINALS | ES_CARDINALS | {"oh": 0, "zero": 0, "cero": 0, "veintiocho": 28, "veintinueve": 29}
_PLAIN = _ONES | _TENS | _HUNDREDS
_POINT = ("point", "punto", "dot")
_WORD = re.compile(r"[a-z]+")
_BESIDE = re.compile(r"[\s-]{1,2}")


def with_figures(source: Source) -> Source | None:
    """The same text with its numbers in figures; None where it has none in words."""
    visible, offsets, read = "", [], 0
    for start, end, figures in _runs(source.folded):
        visible += source.visible[read:start] + figures
        offsets += [*range(read, start), *([start] * len(figures))]
        read = end
    if not read:
        return None
    visible += source.visible[read:]
    offsets += range(read, len(source.visible) + 1)
    places = source.offsets or range(len(source.visible) + 1)
    return Source(
        source.original, visible, Source.of(visible).folded, tuple(places[place] for place in offsets)
    )


def _runs(folded: str) -> Iterator[tuple[int, int, str]]:
    """Where each number stands, and its figures."""
    run: list[re.Match[str]] = []
    for word in _WORD.finditer(folded):
        if run and not (
            _BESIDE.fullmatch(folded, run[-1].end(), word.start()) and _goes_on(run[-1][0], word[0])
        ):
            yield from _number(run)
            run = []
        if run or word[0] in _PLAIN or word[0] == "mil":
            run.append(word)
    yield from _number(run)


def _goes_on(before: str, word: str) -> bool:
    if word in _PLAIN or word in _SCALES:
        return True
    if word == "and":
        return before in _SCALES
    return word == "y" and before in _TENS or word in _POINT


def _number(run: Sequence[re.Match[str]]) -> Iterator[tuple[int, int, str]]:
    while run and run[-1][0] in ("and", "y", *_POINT):
        run = run[:-1]
    if run:
        said = " ".join(word[0] for word in run)
        parts = re.split(rf" (?:{'|'.join(_POINT)}) ", said)
        yield run[0].start(), run[-1].end(), ".".join(_figures(part.split()) for part in parts)


def _figures(words: Sequence[str]) -> str:
    """Added up where hundreds or thousands are said, else one after the other: "nineteen eighty three"."""
    if any(word in _SCALES or word in _HUNDREDS for word in words):
        return str(_sum(words))
    figures, before = "", ""
    for word in words:
        if before in _TENS and 0 < _PLAIN.get(word, 0) < 10:
            figures = figures[:-1] + str(_PLAIN[word])
        elif word in _PLAIN:
            figures += str(_PLAIN[word])
        before = before if word == "y" else word
    return figures


def _sum(words: Sequence[str]) -> int:
    thousands = below = 0
    for word in words:
        if _SCALES.get(word) == 1000:
            thousands, below = thousands + max(below, 1) * 1000, 0
        else:
            below = max(below, 1) * 100 if word == "hundred" else below + _PLAIN.get(word, 0)
    return thousands + below
