"""Nests the designators of paragraphs, (a)(1)(i)(A), by the order in which they follow each other. Pure.

Text gives no levels: (i) may be the letter after (h) or the first Roman numeral, and only what follows tells. Each
designator is read in every way it allows; of all readings of a section the one with the fewest surprises is kept.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from retrieval.parsing.tree import Anchor, unused_locator

ROMAN = re.compile(r"m{0,3}(?:cm|cd|d?c{0,3})(?:xc|xl|l?x{0,3})(?:ix|iv|v?i{0,3})")
NUMERALS = {"i": 1, "v": 5, "x": 10, "l": 50, "c": 100, "d": 500, "m": 1000}
SIGNS = (
    (1000, "M"), (900, "CM"), (500, "D"), (400, "CD"), (100, "C"), (90, "XC"), (50, "L"), (40, "XL"), (10, "X"),
    (9, "IX"), (5, "V"), (4, "IV"), (1, "I"),
)  # fmt: skip


def letters(text: str) -> int:
    """a is 1, z 26; aa is 27, bb 28. 0: no such number."""
    if not text.isascii() or not text.islower() or len(set(text)) > 1 or len(text) > 4:
        return 0
    return ord(text[0]) - ord("a") + 1 + 26 * (len(text) - 1)


def doubled(text: str) -> int:
    """aa is 1, bb 2; aaa, after zz, is 27."""
    return max(letters(text) - 26, 0)


def item(text: str) -> int:
    """aa is 1, bb 2; some lists have a and b there."""
    return doubled(text) or letters(text)


def numeral(text: str) -> int:
    if not text or not text.islower() or not ROMAN.fullmatch(text):
        return 0
    return roman(text)


def roman(numeral: str) -> int:
    """The value of a Roman numeral in small letters."""
    values = [NUMERALS[letter] for letter in numeral]
    return sum(-v if v < max(values[i:]) else v for i, v in enumerate(values))


def in_roman(number: int) -> str:
    """XIV of 14; in digits what Roman numerals do not write."""
    if not 0 < number < 4000:
        return str(number)
    text = ""
    for size, sign in SIGNS:
        text += sign * (number // size)
        number %= size
    return text


def digits(text: str) -> int:
    return int(text) if text.isdecimal() and len(text) < 6 else 0


def capital(value_of: Callable[[str], int]) -> Callable[[str], int]:
    return lambda text: value_of(text.lower()) if text.isupper() else 0


@dataclass(frozen=True, slots=True)
class Scheme:
    """The numbering of a body of law: for each level its numbers and its name. From level `italic` on, numbers that
    are not in italics are less likely. `strict`: where the numbers of a section do not nest rightly, it has no places.
    """

    values: tuple[Callable[[str], int], ...]
    names: tuple[str, ...]
    italic: int = 99
    strict: bool = False


CODE = Scheme(
    (letters, digits, capital(letters), numeral, capital(numeral), item, capital(doubled)),
    ("subsection", "paragraph", "subparagraph", "clause", "subclause", "item", "subitem"),
)
REGULATION = Scheme(
    (letters, digits, numeral, capital(letters), digits, numeral, capital(letters)),
    ("paragraph",) * 7,
    italic=4,
)
# What anybody writes: its kinds of numbers may stand in any order, each within any other.
PAPER = Scheme((letters, digits, numeral, capital(letters)) * 4, ("paragraph",) * 16, strict=True)


@dataclass(frozen=True, slots=True)
class Designator:
    """A number in parentheses that begins at `start`. `last` is the end of a range: "(b)–(d) [Reserved]".

    `chained`: it stands right behind another, so it can only be below that.
    """

    number: str
    start: int
    chained: bool = False
    italic: bool = False
    last: str = ""


Path = tuple[tuple[int, str, int], ...]  # of each open level its index in the scheme, number and value
Reading = tuple[float, Path, tuple]  # its cost, what is open, and its paths so far as nested pairs
KEPT = 12  # readings carried on; more than four are seldom alive
IGNORED = 6.0  # cost of taking a designator for mere words
SKIPPED_LEVEL, NOT_FIRST, RESTART, BACKWARDS, GAP, UPRIGHT = 1.0, 3.0, 2.0, 4.0, 2.0, 0.5


def nested(designators: Iterable[Designator], scheme: Scheme) -> list[Path]:
    """The path of each designator, outermost level first; empty for one that is mere words."""
    readings: list[Reading] = [(0.0, (), ())]
    for designator in designators:
        grown: dict[Path, Reading] = {}
        for cost, path, before in readings:
            for more, after in followers(path, designator, scheme):
                reading = (cost + more, after or path, (before, after))
                if after not in grown or grown[after][0] > reading[0]:
                    grown[after] = reading
            ignored = (cost + IGNORED, path, (before, ()))
            if path not in grown or grown[path][0] > ignored[0]:
                grown[path] = ignored
        readings = sorted(grown.values(), key=lambda reading: reading[0])[:KEPT]
    paths, chain = [], readings[0][2]
    while chain:
        chain, path = chain
        paths.append(path)
    return paths[::-1]


def followers(path: Path, designator: Designator, scheme: Scheme) -> Iterator[tuple[float, Path]]:
    """What is open after this designator in each way it can be read, with how surprising that is."""
    top = path[-1][0] if path else -1
    for level, first, last in values(designator.number, designator.last, scheme):
        step = (level, designator.number, last)
        upright = UPRIGHT if level >= scheme.italic and not designator.italic else 0.0
        if designator.italic and level < scheme.italic:
            upright = UPRIGHT
        if level > top:
            cost = min(level - top - 1, 2) * SKIPPED_LEVEL + (NOT_FIRST if first > 1 else 0.0)
            yield cost + upright, (*path, step)
        elif not designator.chained:
            above = tuple(each for each in path if each[0] < level)
            same = next((each for each in path if each[0] == level), None)
            yield (sequence_cost(same[2], first) if same else BACKWARDS) + upright, (*above, step)


@lru_cache(maxsize=10_000)
def values(number: str, last: str, scheme: Scheme) -> tuple[tuple[int, int, int], ...]:
    """(level, value, value of the range's end) in every way a number can be read."""
    found = ((level, value_of(number), value_of(last)) for level, value_of in enumerate(scheme.values))
    return tuple((level, first, max(first, end)) for level, first, end in found if first)


def sequence_cost(before: int, now: int) -> float:
    if now == before + 1:
        return 0.0
    if now > before:
        return GAP + min(now - before, 4) * 0.25
    return RESTART if now == 1 else BACKWARDS


_MARK = r"\(\s*(?P<{0}>[A-Za-z]{{1,5}}|\d{{1,4}})\s*\)"
MARKS = re.compile(_MARK.format("number") + rf"(?:\s*(?:[-–—]|through|and)\s*{_MARK.format('last')})?[ \t]*")


def leading(text: str, start: int, end: int, italics: Sequence[tuple[int, int]] = ()) -> list[Designator]:
    """The designators with which a line begins."""
    found: list[Designator] = []
    while match := MARKS.match(text, start, end):
        italic = any(first <= match.start("number") < past for first, past in italics)
        found.append(Designator(match["number"], start, bool(found), italic, match["last"] or ""))
        start = match.end()
    return found


def lines_of(text: str) -> Iterator[tuple[int, int]]:
    start = 0
    for line in text.split("\n"):
        yield start, start + len(line)
        start += len(line) + 1


def anchors_of(
    text: str, locator: str, scheme: Scheme, designators: Sequence[Designator] | None = None
) -> tuple[Anchor, ...]:
    """The numbered places of a section's text, which has a line for each, in its order."""
    if designators is None:
        designators = [each for start, end in lines_of(text) for each in leading(text, start, end)]
    paths = nested(designators, scheme)
    if scheme.strict and not in_order(designators, paths, scheme):
        return ()
    placed = [(one, path) for one, path in zip(designators, paths, strict=True) if path]
    seen: set[str] = set()
    final: dict[Path, str] = {(): locator}
    anchors = []
    for place, (one, path) in enumerate(placed):
        above = final.get(path[:-1]) or "/".join([locator, *(number for _, number, _ in path[:-1])])
        final[path] = unused_locator(f"{above}/{one.number}", seen)
        after = next((n for n in range(place + 1, len(placed)) if not is_below(placed[n][1], path)), None)
        end = len(text) if after is None else placed[after][0].start
        end = one.start + len(text[one.start : end].rstrip())
        anchors.append(Anchor(final[path], one.number, scheme.names[path[-1][0]], one.start, end))
    return tuple(anchors)


def is_below(path: Path, above: Path) -> bool:
    return len(path) > len(above) and path[: len(above)] == above


def in_order(designators: Sequence[Designator], paths: Sequence[Path], scheme: Scheme) -> bool:
    """Whether every number is the first of its kind, right below the one before, or the next on a level that is open;
    and no kind stands below itself. Words in parentheses are no numbers.
    """
    before: Path = ()
    for one, path in zip(designators, paths, strict=True):
        readings = values(one.number, one.last, scheme)
        if not readings:
            continue
        if not path or not goes_on(before, path, {level: first for level, first, _ in readings}):
            return False
        if len({scheme.values[level] for level, _, _ in path}) < len(path):
            return False
        before = path
    return True


def goes_on(before: Path, path: Path, firsts: Mapping[int, int]) -> bool:
    level = path[-1][0]
    if path[:-1] == before:
        return firsts[level] == 1
    same = before[len(path) - 1]
    return same[0] == level and firsts[level] == same[2] + 1
