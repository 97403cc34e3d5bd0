"""Which paragraphs are headings, where a format does not say: by their numbers and their look. Pure."""

import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from statistics import median

from retrieval.parsing.designators import roman
from retrieval.parsing.files.blocks import Block
from retrieval.text.normalization import fold

LONGEST = 120  # characters of a heading
MOST_WORDS = 14
FEW_WORDS = 8  # of a numbered heading in small letters
LARGER = 1.15  # times the body's letters
GAP = 3  # numbers that may be missing between one heading and the next, e.g. "[Reserved]"
TITLED_ENOUGH = 2  # headings with a title, from which on a number alone makes none

# Names that number the parts of a document, outermost first; the Spanish ones, folded, stand beside the English.
NAMES = {
    "exhibit": 0, "schedule": 0, "annex": 0, "appendix": 0, "attachment": 0, "addendum": 0,
    "anexo": 0, "apendice": 0, "title": 1, "titulo": 1, "part": 2, "parte": 2, "chapter": 3, "capitulo": 3,
    "article": 4, "articulo": 4, "section": 5, "seccion": 5, "clausula": 5, "clause": 5, "rule": 5, "regla": 5,
}  # fmt: skip
NUMBERED_RANK = 5  # of "1."; "1.1" is one deeper
ABBREVIATED = {"sec": "section", "art": "article"}
ENGLISH = {
    "anexo": "annex", "apendice": "appendix", "titulo": "title", "parte": "part", "capitulo": "chapter",
    "articulo": "article", "seccion": "section", "clausula": "clause", "regla": "rule",
}  # fmt: skip
WORDS = ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"]  # fmt: skip
PALABRAS = [
    "primero", "segundo", "tercero", "cuarto", "quinto", "sexto", "septimo", "octavo", "noveno", "decimo",
]  # fmt: skip

FEMININE = [f"{word[:-1]}a" for word in PALABRAS]

# Matched against folded text.
NAMED = re.compile(
    rf"(?:(?P<name>{'|'.join(NAMES)})|(?P<short>{'|'.join(ABBREVIATED)})\.)\s+"
    rf"(?P<number>{'|'.join([*WORDS, *PALABRAS, *FEMININE])}"
    rf"|\d{{1,4}}[a-z]?(?:-\d{{1,4}})?(?:\.\d{{1,3}})*|[ivxlc]+|[a-z](?:-\d{{1,3}})?)(?![^\W_])"
    r"(?P<after>[.:)\s—–-]*)(?P<rest>.*)",
    re.S,
)
ORDINAL = re.compile(
    rf"(?P<number>{'|'.join([*PALABRAS, *FEMININE])})(?P<after>(?:[.:]\s?[—–-]*|\s?[—–-])\s*)(?P<rest>.*)", re.S
)
DECIMAL = re.compile(
    r"(?P<sign>§{1,2})?\s?(?P<number>\d{1,3}(?(sign)[a-zA-Z]?(?:-\d{1,4})?)(?:\.(?:\d{1,3}|[A-Z]))*)"
    r"(?P<after>\.?\)?\s+|\.$)(?P<rest>.*)",
    re.S,
)
COUNTED = re.compile(r"(\d{1,3})[.)]{0,2}\s+[^\W\d_]")
LETTERED = re.compile(r"(?P<number>[IVXLC]{1,6}|[A-Z])(?P<after>[.)]\s+)(?P<rest>.*)", re.S)
RUN_IN = re.compile(
    r"(?P<title>[^.:;\n]{2,90})(?:[.:](?:\s?[—–-])?\s+(?=\S)|(?<=[a-z])\.(?=[A-Z])|\s?[—–]\s*(?=\S))"
)
VERB = re.compile(r"\b(?:shall|must|may|will|is|are|was|were|has|have|deben?|debera|podra|puede|es|son|sera)\b")
MARK = re.compile(r"(?:(?<=[^\W\d_]{3})|(?<=[.:;)\]”\"]))[⁰¹²³⁴⁵⁶⁷⁸⁹]+$")  # of a note, not a power: "m²"
SIGNED = re.compile(r"_{3,}|/s/|^by:|^name:|^date:|\[\*|\*{3}", re.I)


@dataclass(frozen=True, slots=True)
class Heading:
    """`kind` tells headings of one sort; `rank` grows inwards and is None where only order can tell.

    `alone`: the whole paragraph; else it runs into the text, which keeps it. `restarts`: counts from 1 again.
    """

    kind: tuple
    level: str
    number: str
    title: str
    rank: int | None
    alone: bool
    size: float = 0.0
    restarts: bool = False


def heading_of(block: Block, body: float, *, counted: bool = False) -> Heading | None:
    """What a paragraph looks like; whether its number is in its place is not asked. `body`: size of most letters;
    `counted`: it is a heading whose number needs no point, "4 Leave".
    """
    block = replace(block, text=MARK.sub("", block.text))
    if block.level:
        found = numbered(block.text, counted=counted) if len(block.text) <= 2 * LONGEST else None
        said = found if found and found.alone else plain(block)
        return replace(said, kind=("said", block.level), rank=block.level, alone=True)
    found = numbered(block.text)
    if found is not None:
        return replace(found, size=block.size)
    return plain(block) if looks_like_heading(block, body) else None


def plain(block: Block) -> Heading:
    text = block.text.strip(" :—–")
    style = ("plain", text.isupper(), block.strong, round(block.size))
    return Heading(style, "section", "", text, None, alone=True, size=block.size)


def numbered(text: str, *, counted: bool = False) -> Heading | None:
    """A heading by its number: "ARTICLE II", "Section 2.1 Fees.", "2.1 Fees. The fees …", "2.1 The buyer shall"."""
    folded = fold(text)
    if match := NAMED.match(folded):
        return named(match, text)
    if (match := ORDINAL.match(folded)) and text[0].isupper():
        title, alone = titled(text[match.start("rest") :])
        return Heading(("decimal", 0), "clause", match["number"].upper(), title, NUMBERED_RANK, alone)
    if match := DECIMAL.match(text):
        title, alone = titled(match["rest"])
        depth = match["number"].count(".")
        if depth == 0 and "." not in match["after"] and not (alone and (counted or title.isupper())):
            return None
        return Heading(("decimal", depth), "section", match["number"], title, NUMBERED_RANK + depth, alone)
    if match := LETTERED.match(text):
        title, alone = titled(match["rest"])
        if title and alone:
            sort = "roman" if set(match["number"]) <= set("IVXLC") else "letter"
            return Heading((sort,), "section", match["number"], title, NUMBERED_RANK, alone)
    return None


def named(match: re.Match[str], text: str) -> Heading | None:
    """By a match in the folded text."""
    name, number = match["name"] or ABBREVIATED[match["short"]], match["number"].upper()
    rest = text[match.start("rest") :]
    title, alone = titled(rest)
    if not title and "." in match["after"] and is_short(rest.rstrip(".")) and not VERB.search(match["rest"]):
        title, alone = rest.rstrip("."), True  # "Sec. 1. Short title."
    if not text[0].isupper() or not (title or not rest.strip()):
        return None  # "Section 5 of this Agreement shall": a sentence
    level = ENGLISH.get(name, name)
    if NAMES[name] == NUMBERED_RANK:
        depth = number.count(".")
        return Heading(("decimal", depth), level, number, title, NUMBERED_RANK + depth, alone)
    return Heading((level,), level, number, title, NAMES[name], alone)


def titled(rest: str) -> tuple[str, bool]:
    """(title, whether it is all there is) of what follows a number; no title where a sentence follows at once."""
    rest = rest.strip()
    if is_title(rest.rstrip(".:")) and not rest.endswith((";", ",")):
        return rest.rstrip(".: "), True
    if is_short(rest):
        return rest, True
    match = RUN_IN.match(rest)
    if match and is_title(match["title"]):
        return match["title"].strip(), False
    return "", not rest


def is_title(text: str) -> bool:
    """Short, and written as titles are: capitals, but for the little words."""
    words = re.findall(r"[^\W\d_][\w’'-]*", text)
    if not words or len(text) > LONGEST or len(words) > MOST_WORDS or SIGNED.search(text):
        return False
    if (
        not (text[0].isalnum() or text[0] in "“\"'‘(")
        or not words[0][0].isupper()
        or re.search(r"[.;]\s", text)
    ):
        return False
    long = [word for word in words if len(word) > 4] or words
    return sum(word[0].isupper() for word in long) >= 0.75 * len(long)


def is_short(text: str) -> bool:
    """A few words that are no sentence: "Supply of products"."""
    few = len(text.split()) <= FEW_WORDS and len(text) <= LONGEST
    return few and text[:1].isupper() and not text.endswith((".", ";", ",", ":")) and not SIGNED.search(text)


def looks_like_heading(block: Block, body: float) -> bool:
    text = block.text.strip()
    words = re.findall(r"[^\W\d_]{2,}", text)
    if not words or len(text) > LONGEST or len(text.split()) > MOST_WORDS or SIGNED.search(text):
        return False
    if text.endswith((";", ",")) or (text.endswith(".") and not block.strong) or not text[0].isalnum():
        return False
    return block.strong or block.size > LARGER * body or (text.isupper() and len("".join(words)) >= 4)


def counted_levels(blocks: Sequence[Block]) -> set[int]:
    """Levels of headings whose numbers count up: "1 Hours", "2 Leave", not "10 steps to a safe ward"."""
    numbers: defaultdict[int, list[int]] = defaultdict(lambda: [0])
    for block in blocks:
        if block.level and (match := COUNTED.match(block.text)):
            numbers[block.level].append(int(match[1]))
    steps = {level: [after - before for before, after in pairwise(found)] for level, found in numbers.items()}
    return {level for level, each in steps.items() if len(each) > 1 and all(0 < step <= GAP for step in each)}


def body_size(blocks: Sequence[Block]) -> float:
    """Of the letters that most of the text is set in."""
    sizes = sorted((block.size, len(block.text)) for block in blocks if block.size)
    return median([size for size, length in sizes for _ in range(1 + length // 100)]) if sizes else 0.0


def headings_of(blocks: Sequence[Block]) -> list[Heading | None]:
    """For every paragraph its heading, if it is one; by what the format says where it says anything."""
    body = body_size(blocks)
    if any(block.level for block in blocks):
        levels = counted_levels(blocks)
        return [heading_of(b, body, counted=b.level in levels) if b.level else None for b in blocks]
    found = [heading_of(block, body) for block in blocks]
    return in_sequence(found)


# -- Numbers that stand in their place


def in_sequence(found: list[Heading | None]) -> list[Heading | None]:
    """Without numbers out of order: "1." inside section 5 begins a list, "2.1" inside section 7 is a reference."""
    outer = [h for h in found if h and h.title and h.kind in (("decimal", 0), ("article",))]
    bare = len(outer) < TITLED_ENOUGH
    last: dict[tuple, Heading] = {}
    kept: list[Heading | None] = []
    fresh = False  # since the last number there was a heading without one
    for heading in found:
        if heading is not None and heading.rank == 0 and not any(kept):
            heading = None  # "Exhibit 10.1" on top of all: a label of the whole
        if heading is not None and heading.number:
            heading = in_place(heading, last, bare=bare, fresh=fresh)
        if heading is not None and heading.number:
            last = {kind: other for kind, other in last.items() if other.rank < heading.rank}
            last[heading.kind] = heading
        fresh = not heading.number if heading else fresh
        kept.append(heading)
    return kept


def in_place(heading: Heading, last: dict[tuple, Heading], *, bare: bool, fresh: bool) -> Heading | None:
    """The heading, if its number may follow those before it; None where it makes no section."""
    if heading.kind[0] != "decimal":
        return heading
    number = ordinals(heading.number)
    if heading.rank == NUMBERED_RANK and not heading.title and not heading.alone and not bare:
        return None
    before = last.get(heading.kind)
    if before is not None and ordinals(before.number)[:-1] == number[:-1]:
        if 0 < number[-1] - ordinals(before.number)[-1] <= GAP:
            return heading
        restarts = number[-1] == 1 and bool(heading.title) and (fresh or heading.title.isupper())
        return replace(heading, restarts=True) if restarts else None
    return heading if begins_in_place(heading, number, last) else None


def begins_in_place(heading: Heading, number: tuple[float, ...], last: dict[tuple, Heading]) -> bool:
    """Whether a first number of its sort may stand here: under the number it begins with, or soon after it."""
    above = [h for h in last.values() if h.kind[0] in ("decimal", "article") and h.rank < heading.rank]
    if len(number) > 1 and above:
        outer = ordinals(above[-1].number)
        same, step = number[: len(outer) - 1] == outer[:-1], number[len(outer) - 1] - outer[-1]
        return same and 0 <= step <= GAP and number[-1] <= GAP
    return number[-1] <= GAP or (heading.alone and bool(heading.title))


def ordinals(number: str) -> tuple[float, ...]:
    """ "2.1", "2-1" and "II.1" are (2, 1), "2.B" is (2, 2); "4A" stands right behind 4."""
    return tuple(ordinal(part) for part in re.split("[.-]", number))


def ordinal(part: str) -> float:
    if part.isdigit():
        return int(part)
    if lettered := re.fullmatch(r"(\d+)([A-Z])", part.upper()):
        return int(lettered[1]) + (ord(lettered[2]) - 64) / 100
    word = part.lower()
    for words in (WORDS, PALABRAS, FEMININE):
        if word in words:
            return words.index(word) + 1
    if set(part) <= set("IVXLC") and len(part) > 1 or part in "IVX":
        return roman(part.lower())
    return ord(part[0].upper()) - 64
