"""Lines of pages made into paragraphs, without running heads, page numbers and tables of contents. Pure."""

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from itertools import pairwise, starmap
from statistics import median

from retrieval.parsing.files.blocks import Block, Line, Page

EDGE_LINES = 4  # lines from the top and from the bottom of a page that may be furniture
LONGER = 4  # lines of a page that has more than its edges
REPEATED = 3  # pages on which a line stands at the same height to be a running head
NEAR = 4.0  # points; heights closer than this are the same
LONG = 25  # characters of a line that is not repeated by chance
DIGITS = 6  # of one without words that is not, as a date
BESIDE = 0.1  # of a page's lines that may stand beside another in a single column
PAGE_NUMBER = re.compile(
    r"[-–—\s]*+(page|página|pág\.?|p\.)?\s*+(\d{1,4}|[ivxl]{1,7})([\s/]*(of|de|/)\s*\d{1,4})?[-–—.\s]*", re.I
)

# What browsers print at the head and the foot of a page: the day, the page's title and address, and its number.
DAY = r"\d{1,4}[./-]\d{1,2}[./-]\d{1,4},?\s\d{1,2}[:.]\d{2}(?:[:.]\d{2})?(?:\s?[ap]\.?\s?m\.?)?"
ADDRESS = r"(?:(?:https?|file|data|chrome)://?\S+|about:blank)"
PAGE_OF = r"(?P<number>\d{1,4})\s?(?:/|of|de)\s?(?P<most>\d{1,4})"
BY_BROWSERS = [
    re.compile(rf"{DAY}(?:\s[^\n]*)?\n{ADDRESS}\s{PAGE_OF}", re.I),  # Chromium
    re.compile(rf"(?:[^\n]*\s)?{ADDRESS}\n{PAGE_OF}\s{DAY}", re.I),  # Firefox
]

# From where its dots begin, and read in one way: a line may be all dots.
LEADER = re.compile(r"^.*?(?<![.·…_])(?<![.·…_]\s)(?:[.·…_]\s?){4,}+\s*(?P<page>\d{1,4}|[ivxl]{1,7}|[A-Z](-\d{1,3})?)$")
CONTENTS = re.compile(r"(table of contents|contents|índice|indice|contenido|tabla de contenido)", re.I)
ENTRY = re.compile(r"\S.*?\s(?P<page>\d{1,4}|[ivxl]{1,7}|[A-Z]-\d{1,3})$")
FEWEST_ENTRIES = 3

ENUMERATED = re.compile(
    r"(\(?[a-zA-Z]\)|\(?[ivxlIVXL]{1,6}\)|\(?\d{1,3}\)|\d{1,3}(\.\d{1,3})*\.?\s|[A-Z]\.\s|[•·–—*▪o]\s"
    r"|(ARTICLE|Article|SECTION|Section|EXHIBIT|Exhibit|SCHEDULE|Schedule|ARTÍCULO|Artículo)\s+[\dIVXLA-Z])"
)
ENDS = re.compile(r"[.;:!?][”\"’')\]⁰¹²³⁴⁵⁶⁷⁸⁹]*$")
SHORT = 0.8  # of its column: a line that ends before was ended on purpose
FEW_LINES = 3  # of a heading
LONGEST_WORD = 100  # characters looked at before a line's end
USUAL = 1.2  # distance of two lines in sizes of their letters, where nothing tells it
APART = 1.3  # times the usual distance of two lines
ENOUGH = 3  # lines with small letters
WRAPPED = 0.05  # of a file's lines that go on with a sentence where lines are wrapped

Spot = tuple[str, str, int]  # words, edge, distance from it


def blocks_of(pages: Sequence[Page]) -> list[Block]:
    lines = [line for page in without_furniture(pages) for line in page]
    return paragraphs(without_contents(lines))


# -- What stands on every page


def without_furniture(pages: Sequence[Page]) -> list[list[Line]]:
    """The lines of each page in reading order, but running heads, running feet and page numbers."""
    repeated, printed = running(pages), by_browser(pages)
    kept = [
        [line for line in page.lines if line not in printed and (line not in edges or not spots(page, line) & repeated)]
        for page in pages
        for edges in [edge_lines(page.lines, EDGE_LINES)]
    ]
    numbers = [[line for line in ends_of(lines) if PAGE_NUMBER.fullmatch(line.text)] for lines in kept]
    if sum(map(bool, numbers)) < 2:
        numbers = [[] for _ in pages]
    return [
        in_reading_order([line for line in lines if line not in gone])
        for lines, gone in zip(kept, numbers, strict=True)
    ]


def running(pages: Sequence[Page]) -> set[Spot]:
    """What stands near the same edge, at the same height, on three pages that follow on one another.

    Left and right pages may differ, so every other page is enough. A short page is all edge: it tells only together
    with a longer one.
    """
    seen: dict[Spot, list[Page]] = defaultdict(list)
    for page in pages:
        edges = edge_lines(page.lines, max(1, min(EDGE_LINES, len(page.lines) // 4)))
        for spot in {spot for line in edges for spot in spots(page, line)}:
            seen[spot].append(page)
    return {
        spot
        for spot, found in seen.items()
        if follow_on([page.number for page in found]) and any(len(page.lines) >= LONGER for page in found)
    }


def by_browser(pages: Sequence[Page]) -> set[Line]:
    """What a browser prints at the edges of every page, be it one alone. None unless all pages have nothing else there,
    numbered one after another.
    """
    found, counts = set[Line](), set[tuple[int, int]]()
    for place, page in enumerate(pages):
        rows = [first_row(page.lines), last_row(page.lines)]
        said = "\n".join(" ".join(line.text for line in sorted(row, key=lambda line: line.left)) for row in rows)
        if (match := next(filter(None, (form.fullmatch(said) for form in BY_BROWSERS)), None)) is None:
            return set()
        counts.add((int(match["number"]) - place, int(match["most"])))
        found.update(*rows)
    return found if len(counts) == 1 and all(1 <= first <= most - len(pages) + 1 for first, most in counts) else set()


def first_row(lines: Sequence[Line]) -> list[Line]:
    """The uppermost line of a page with what stands beside it."""
    top = min(lines, key=lambda line: line.top, default=None)
    return [line for line in lines if top and line.top + line.bottom < 2 * top.bottom]


def last_row(lines: Sequence[Line]) -> list[Line]:
    foot = max(lines, key=lambda line: line.bottom, default=None)
    return [line for line in lines if foot and line.top + line.bottom > 2 * foot.top]


def follow_on(numbers: Sequence[int]) -> bool:
    """Whether there are enough pages close enough together."""
    firsts_and_lasts = zip(numbers, numbers[REPEATED - 1 :], strict=False)
    return any(last - first <= 2 * (REPEATED - 1) for first, last in firsts_and_lasts)


def edge_lines(lines: Sequence[Line], count: int) -> set[Line]:
    ordered = sorted(lines, key=lambda line: line.top)
    return {*ordered[:count], *ordered[len(ordered) - count :]}


def ends_of(lines: Sequence[Line]) -> set[Line]:
    """The first and the last line of a page."""
    return (
        {min(lines, key=lambda line: line.top), max(lines, key=lambda line: line.bottom)} if lines else set()
    )


def spots(page: Page, line: Line) -> set[Spot]:
    """What a line says, whatever its numbers, and how far it stands from the nearer edge: a little more or less.

    A long line says enough wherever it stands; one without words tells by its numbers, "1:20-cv-00123", or nothing.
    """
    words = line.text.lower()
    if re.search(r"[^\W\d_]{3}", words):
        words = re.sub(r"\d+", "#", words)
    elif len(re.findall(r"\d", words)) < DIGITS:
        return set()
    above = line.top < page.height / 2
    height = round((line.top if above else page.height - line.bottom) / NEAR)
    heights = {height, height + 1} | ({-1} if len(words) >= LONG else set())
    return {(words, "top" if above else "bottom", near) for near in heights}


def in_reading_order(lines: list[Line]) -> list[Line]:
    """From top to bottom where the page has one column; else as the file has them."""
    rows = sorted(lines, key=lambda line: (line.top + line.bottom, line.left))
    beside = sum(
        after.top + after.bottom < 2 * before.bottom and after.left >= before.right - 1
        for before, after in pairwise(rows)
    )
    return rows if beside <= BESIDE * len(rows) else lines


# -- Tables of contents


def without_contents(lines: list[Line]) -> list[Line]:
    """All lines but those of tables of contents, known by dotted leaders or by standing under that heading."""
    kept, index = [], 0
    while index < len(lines):
        titled = CONTENTS.fullmatch(lines[index].text.strip(" :."))
        begin = index + 1 if titled else index
        end = end_of_entries(lines, begin, ENTRY if titled else LEADER)
        if end == begin:
            kept.append(lines[index])
        index = end if end > begin else index + 1
    return kept


def end_of_entries(lines: list[Line], begin: int, entry: re.Pattern[str]) -> int:
    """After the last of at least three entries with growing page numbers; `begin` where there are none.

    An entry may run over two lines more before its page number.
    """
    last, found, latest = begin, 0, 0
    for index in range(begin, len(lines)):
        if index - last > 2 or (not found and index > begin + (2 if entry is ENTRY else 0)):
            break
        match = entry.match(lines[index].text)
        page = int(match["page"]) if match and match["page"].isdigit() else None
        if match and (page is None or page >= latest):
            last, found, latest = index + 1, found + 1, page or latest
    return last if found >= FEWEST_ENTRIES else begin


# -- Paragraphs


def paragraphs(lines: Sequence[Line]) -> list[Block]:
    """Lines that belong together joined: words apart stay apart, words that a line end divided are one again."""
    if not lines:
        return []
    words = vocabulary(lines)
    usual = usual_distance(lines)
    wrapped = are_wrapped(lines)
    right = defaultdict(float)
    for line in lines:
        right[line.page] = max(right[line.page], line.right)
    groups: list[list[Line]] = [[lines[0]]]
    for before, line in pairwise(lines):
        if begins(before, line, usual, right[before.page], groups[-1], wrapped=wrapped):
            groups.append([])
        groups[-1].append(line)
    return [joined(group, words) for group in groups]


def usual_distance(lines: Sequence[Line]) -> float:
    """Of two lines of one sentence, in sizes of their letters: what parts paragraphs of one line is larger."""
    steps = [
        (after.bottom - before.bottom) / before.size
        for before, after in pairwise(lines)
        if goes_on(before, after) and 0 < after.bottom - before.bottom < 3 * before.size
    ]
    return median(steps) if steps else USUAL


def goes_on(before: Line, line: Line) -> bool:
    """Whether a line is in the middle of the sentence that the one before begins."""
    inside = line.text[0].islower() and not ENUMERATED.match(line.text)
    return before.page == line.page and inside and not ENDS.search(before.text)


def are_wrapped(lines: Sequence[Line]) -> bool:
    """Whether lines end where they are full; else each is a paragraph. Lines without small letters do not tell."""
    if sum(line.text != line.text.upper() for line in lines) < ENOUGH:
        return True
    return sum(starmap(goes_on, pairwise(lines))) >= WRAPPED * len(lines)


def begins(
    before: Line, line: Line, usual: float, right: float, group: list[Line], *, wrapped: bool
) -> bool:
    """Whether a line begins a paragraph."""
    if before.strong != line.strong or abs(before.size - line.size) > 0.15 * before.size:
        return not is_same_row(before, line) and not (before.strong and runs_in(group))
    if before.page != line.page or line.top < before.top - before.size:
        return bool(ENDS.search(before.text)) or bool(ENUMERATED.match(line.text)) or stands_alone(group)
    if is_same_row(before, line):
        return False
    if (line.bottom - before.bottom) / before.size > max(APART * usual, 1.0):
        return True
    if not wrapped:
        return not goes_on(before, line)
    ended, short = bool(ENDS.search(before.text)), before.right < right * SHORT
    if short:
        return ended or not line.text[0].islower()
    return ended and (bool(ENUMERATED.match(line.text)) or line.left > before.left + 1.5 * line.size)


def is_same_row(before: Line, line: Line) -> bool:
    return before.page == line.page and abs(before.bottom - line.bottom) < 0.3 * before.size


def runs_in(group: list[Line]) -> bool:
    """A strong line that is the beginning of a sentence: only its first words are strong."""
    return len(group) > 1 and not group[0].strong


def stands_alone(group: list[Line]) -> bool:
    if group[0].strong or len(group) > FEW_LINES:
        return group[0].strong
    text = " ".join(line.text for line in group)
    return text.upper() == text and len(text) < 80


def vocabulary(lines: Iterable[Line]) -> set[str]:
    """Words that stand unbroken inside lines, lower case, hyphenated ones whole."""
    return {
        word.lower()
        for line in lines
        for word in re.findall(r"[^\W\d_]+(?:-[^\W\d_]+)*", line.text.removesuffix("-").rpartition(" ")[0])
    }


def joined(group: Sequence[Line], words: set[str]) -> Block:
    parts: list[str] = []
    pages: list[tuple[int, int]] = []
    length = 0
    for line in group:
        if parts:
            kept, between = joint(parts[-1], line.text, words)
            length += len(kept) - len(parts[-1]) + len(between)
            parts[-1:] = [kept, between]
        if not pages or pages[-1][1] != line.page:
            pages.append((length, line.page))
        parts.append(line.text)
        length += len(line.text)
    text, shift = unglued("".join(parts))
    return Block(
        text=text,
        pages=tuple((start + shift if start else 0, page) for start, page in pages),
        strong=all(line.strong for line in group),
        size=max(line.size for line in group),
    )


GLUED = re.compile(r"(?P<number>\d{1,3}(?:\.\d{1,3})+|\(\w{1,4}\))(?=[A-Z“])")


def unglued(text: str) -> tuple[str, int]:
    """A number that a tab without width parts from its paragraph, "2.1Fees", parted by a space; and by how many."""
    match = GLUED.match(text)
    return (f"{match[0]} {text[match.end() :]}", 1) if match else (text, 0)


BROKEN = re.compile(r"(?P<left>[^\W\d_]+(?:-[^\W\d_]+)*)[-\xad‐]$")


def joint(line: str, following: str, words: set[str]) -> tuple[str, str]:
    """(a line as it goes on, what stands between it and the next): a hyphen at its end is kept only where the word is
    written with it.
    """
    broken = BROKEN.search(line[-LONGEST_WORD:])
    if broken is None or not following[0].isalpha():
        return line, "" if line.endswith(("-", "/", "—")) and not line.endswith(" -") else " "
    left, right = broken["left"].lower(), re.match(r"[^\W\d_]+", following)[0].lower()
    soft = line.endswith("\xad")
    return (line if not soft and keeps_hyphen(left, right, following, words) else line[:-1]), ""


def keeps_hyphen(left: str, right: str, line: str, words: set[str]) -> bool:
    """By how the file writes the word elsewhere; else, two words that both stand alone are a compound."""
    if f"{left}-{right}" in words:
        return True
    if left + right in words:
        return False
    return line[0].isupper() or (left in words and right in words)
