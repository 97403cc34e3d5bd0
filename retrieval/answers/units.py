"""The units of a provision that an answer may quote: a sentence or an item of a list, with the words that frame it.
Pure.

An item is never quoted without the stems of its lists ("The report shall include—"), nor a rule without the exception
that follows it in a sentence of its own ("This paragraph does not apply if …"), nor what a summary says was held
without the sentence of its paragraph that tells of later law ("Brandenburg later rejected that view"), nor a row of a
table without the names of its columns, nor a bare reply ("No.") or a number's caption ("1.3 Delivery.") by itself.
"""

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby, islice, takewhile
from operator import attrgetter
from typing import NamedTuple
from zlib import crc32

from retrieval.parsing.designators import CODE, Path, leading, lines_of, nested
from retrieval.text.later_law import tells_of_departure
from retrieval.text.normalization import fold
from retrieval.text.sentences import sentences

LONGEST_HEADING = 120  # characters
LONGEST_CAPTION = 60  # characters
LONGEST_LIST = 900  # characters of a list that is quoted whole
MOST_STEMS = 16  # of an item, and headings: law has seven levels with captions, forms a "Name:" in every line
MOST_EXCEPTIONS = 8
TELLING = 60  # letters of its beginning, by which a unit is told from the others of its provision
REACH = 2_000  # characters behind a sentence in which its paragraph may tell of later law

Span = tuple[int, int]


class Window(NamedTuple):
    """Whole lines of a long text that are read, and `leads`: the lines of the numbered places that they stand in,
    outermost first.
    """

    start: int
    end: int
    leads: tuple[Span, ...] = ()


OPENS_LIST = re.compile(r"(?:[—:]|--?)\s*$")
LEADS_IN = re.compile(r"(?:[—:]|--?|\w)\s*$")  # to provisions of their own
BREAKS_OFF = re.compile(r"(?:—|--?)\s*$")  # older law ends whole sentences with a colon, too
# What contracts begin the items of their lists with, beside (a).
ITEM = re.compile(r"(?:\d{1,3}(?:\.\d{1,3})*[.)]|\d{1,3}(?:\.\d{1,3})+|(?:[a-z]{1,4}|[A-Z])[.)]|[-–•*▪])(?=\s)")
BULLET = re.compile(r"[-–•*▪]\s")
# A caption that runs into the text behind it: "1.3 Late delivery. Whoever is late pays …"; a sentence has a verb.
RUN_IN = re.compile(rf"(?:{ITEM.pattern})\s+[^.:;!?\n]{{1,{LONGEST_CAPTION}}}\.")
VERB = re.compile(
    r"\b(?:is|are|was|were|be|been|has|have|had|do|does|did|may|must|shall|should|can|will|would|not|no"
    r"|es|son|era|está|están|ha|han|hay|debe|deben|puede|pueden|tiene|tienen|se)\b",
    re.IGNORECASE,
)
ROW = re.compile(r"^[^\n]*\S \| [^\n]*$", re.MULTILINE)  # of a table, as files are read: its cells parted so
# A cell that is no name of a column: it begins with a number or an amount, and is no year.
VALUE = re.compile(r"(?:^|\| )(?!(?:19|20)\d\d(?: \||$))[$€£]? ?\d")
# What lines of a title page have digits for: years, and which version the whole is of.
ISSUED = re.compile(
    r"\b(?:version|edition|rev(?:ision)?|approved|adopted|revised|updated|published|page"
    r"|versión|edición|revisión|aprobad[oa]|actualizad[oa]|publicad[oa]|página)\b.*\d.*|\b(?:19|20)\d\d\b",
    re.IGNORECASE,
)
MARKED = re.compile(r"(?:\(\s*\w{1,5}\s*\)\s*)*")
# What some editions put before a sentence and others in a line of its own: "Time limit.— Subject to".
CAPTION = re.compile(r"[^.—\n]{1,150}\.\s*—\s*(?=\S)")
ENDED = re.compile(r"[.;:,!?—”\"’)\]-]\s*$|[;,]\s*(?:and|or)\s*$")
EXCEPTS = re.compile(
    r"(?:unless|except|provided|however|notwithstanding|but|subject to|exceptions?\b"
    r"|the (?:preceding|foregoing|previous) sentence"
    r"|(?:this|the foregoing) (?:section|subsection|paragraph|subparagraph|clause|rule) (?:shall|does|do) not"
    r"|(?:a menos|salvo|excepto|sin embargo|pero|no obstante))\b",
    re.IGNORECASE,
)
# A reply to a question that is not quoted with it, as summaries of decisions have: "No, not on this showing."
REPLIES = re.compile(
    r"(?:(?:(?:yes|no|s[ií])(?:, [^.;:]{1,40})?|(?:generally|usually|ordinarily)(?:,? (?:yes|no|not))?|sometimes"
    r"|not(?: \w+){1,4}|(?:they|it) do(?:es)?(?: not)?)\.\s*)+",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Unit:
    """A place that may be quoted, the stems of the lists it stands in, outermost first, and what follows of it: an
    exception, or the items of its own list. `headings` are the places of the headings above it. `opens`: it is all but
    the items of a list that follows.
    """

    start: int
    end: int
    stems: tuple[Span, ...] = ()
    after: tuple[Span, ...] = ()
    headings: tuple[Span, ...] = ()
    opens: bool = False

    @property
    def spans(self) -> list[Span]:
        """All that is quoted, in reading order."""
        return [*self.stems, (self.start, self.end), *self.after]


LISTED = ("columns", "row", "item")  # the names of a table's columns, a row, an item without a mark


@dataclass(frozen=True, slots=True)
class Line:
    """A sentence with the path of the numbered place it stands in."""

    start: int
    end: int
    path: Path
    kind: str  # heading, caption, number (a designator alone), stem, sentence; LISTED
    begins: bool  # with a designator

    @property
    def depth(self) -> int:
        return len(self.path)

    def holds(self, other: "Line", *, beside: bool = False) -> bool:
        """Whether the other stands below this one's place, or `beside` it in the same: (a) does not hold (b)(1)."""
        return self.path == other.path[: self.depth] and (beside or self.depth < other.depth)

    @property
    def is_listed(self) -> bool:
        return self.kind in LISTED


def units(text: str, windows: Sequence[Window] = (), *, is_summary: bool = False) -> tuple[Unit, ...]:
    """In reading order. Headings and bare numbers are none. Of a long text those of the windows, each by itself;
    `is_summary`: of a decision.
    """
    read = windows or (Window(0, len(text)),)
    return tuple(unit for window in read for unit in _units(text, window, is_summary=is_summary))


def _units(text: str, window: Window, *, is_summary: bool) -> Iterator[Unit]:
    past, whole = _behind(text, window.end)
    first = _table_start(text, window.start)
    leads = [lead for lead in window.leads if lead[0] < first]
    lines = _told_apart(text, list(_lines(text, (*leads, (first, past)))))
    departing = [line for line in lines if is_summary and tells_of_departure(text[line.start : line.end])]
    stems: list[Line] = []
    headings: list[Line] = []
    caption: tuple[Span, ...] = ()  # of the line of text
    for n, line in enumerate(lines):
        if line.start >= window.end:
            break
        if line.start == 0 or text[line.start - 1] == "\n":
            caption = (_span(line),) if line.kind == "caption" else ()
        goes_on = line.is_listed and n and lines[n - 1].is_listed
        if line.kind == "columns" or not goes_on:
            stems = [one for one in stems if one.kind != "columns"]
        if not goes_on and (line.begins or not _goes_on(text, line, stems)):
            stems = [one for one in stems if one.holds(line)]
            headings = [one for one in headings if one.holds(line, beside=not line.begins)]
        if line.kind == "heading":
            headings = [*headings[1 - MOST_STEMS :], line]
        elif line.kind not in ("number", "columns", "caption") and line.start >= window.start:
            is_stem = line.kind == "stem"
            listed = _listed(text, lines, n, window.end) if is_stem else ()
            after = listed if is_stem else _exceptions(text, lines, n, departing, whole)
            above, told = (*map(_span, stems), *caption), tuple(map(_span, headings))
            opens = is_stem and not after and _is_listed(text, lines[n : n + 2])
            yield Unit(line.start, line.end, above, after, told, opens)
        if line.kind in ("stem", "columns"):
            stems = [*stems[1 - MOST_STEMS :], line]


def _table_start(text: str, start: int) -> int:
    """Where the table begins that goes on there: its first rows name the columns. The place itself where none does."""
    first = start
    while first > 0 and ROW.fullmatch(text, line := text.rfind("\n", 0, first - 1) + 1, first - 1):
        first = line
    return first if ROW.match(text, start) else start


def _told_apart(text: str, lines: Sequence[Line]) -> list[Line]:
    """With what only the lines beside a line tell: the first row of a table has the names of its columns, and lines
    that look like headings of nothing, one behind the other, are a list or a table without marks.
    """
    told: list[Line] = []
    past = 0
    for likeness, group in groupby(lines, key=lambda line: _likeness(text, line)):
        run = list(group)
        past += len(run)
        if likeness == "row":
            run = list(_with_columns(text, run))
        elif likeness == "heading":
            run = _with_items(text, run, told, lines[past : past + 1])
        elif likeness and len(run) > 1:
            run = [replace(one, kind="sentence") for one in run]
        told += run
    if told and told[-1].kind == "heading" and not text[told[-1].end :].strip():
        told[-1] = replace(told[-1], kind="sentence")  # of nothing
    return told


def _with_columns(text: str, rows: Sequence[Line]) -> Iterator[Line]:
    """The first row of a table names its columns, unless it has values or the last cells of the second. A row that ends
    as these names do begins another table; one that repeats them, on a further page, is left out.
    """
    parts = [text[row.start : row.end].split(" | ") for row in rows]
    columns: list[str] = []
    for row, cells, behind in zip(rows, parts, [*parts[1:], []], strict=True):
        if cells == columns:
            continue
        is_first = row is rows[0] or cells[1:] == columns[1:] and cells[-1][:1].isupper()
        is_data = not behind or VALUE.search(text, row.start, row.end) or cells != behind and cells[1:] == behind[1:]
        if is_first and not is_data:
            columns, row = cells, replace(row, kind="columns")
        yield row


def _with_items(text: str, run: list[Line], above: Sequence[Line], behind: Sequence[Line]) -> list[Line]:
    """Lines that look like headings are items behind a stem. Else the first is a heading, and so is the last without
    digits where a sentence or table is behind it; the others are items where half have digits.
    """
    first, past = 1, len(run)
    if above and above[-1].kind == "stem":
        first = 0
    elif not _have_digits(text, run[1:], is_title=all(one.kind in ("heading", "number") for one in above)):
        return run
    elif any(not one.begins and one.kind != "heading" for one in behind) and not _have_digits(text, run[-1:]):
        past -= 1
    if len(run) < 2 + first:
        return run
    return [*run[:first], *(replace(one, kind="item") for one in run[first:past]), *run[past:]]


def _have_digits(text: str, run: Sequence[Line], *, is_title: bool = False) -> bool:
    """Half of them: what has none may be the lines of a title page, on which `ISSUED` counts for none."""
    written = (text[one.start : one.end] for one in run)
    return 2 * sum(any(map(str.isdecimal, ISSUED.sub("", one) if is_title else one)) for one in written) >= len(run)


def _likeness(text: str, line: Line) -> str:
    """What lines that may be one list or table share: rows, headings without a number, marks of one shape."""
    if line.kind != "heading" or line.begins:
        return "row" if line.kind == "row" else ""
    return _mark(text, line) or "heading"


def _mark(text: str, line: Line) -> str:
    """The shape of what begins the line as an item of a list."""
    mark = ITEM.match(text, line.start) if line.start == 0 or text[line.start - 1] == "\n" else None
    return shape(mark[0]) if mark else ""


def _behind(text: str, end: int) -> tuple[int, int]:
    """Up to where lines behind are read, and where the last whole one of these ends: they tell whether a list goes on,
    and an exception is read with its rule.
    """
    first = end + len(text[end : end + REACH]) - len(text[end : end + REACH].lstrip())
    past = min(first + REACH, len(text))
    whole = past if past == len(text) else text.rfind("\n", first, past)
    return (past, end) if whole < 0 else (whole, whole)


def breaks_off(text: str, unit: Unit) -> bool:
    """Whether its list is not quoted with it, or it ends with a dash: it says nothing by itself."""
    return unit.opens or not unit.after and bool(BREAKS_OFF.search(text, unit.start, unit.end))


def in_columns(text: str, unit: Unit) -> str:
    """A row of a table with the name of its column before each cell, "Test: MRI of the knee; Price: 410 €"; of what
    is none, or has other columns, the words alone.
    """
    written = text[unit.start : unit.end]
    above = text[slice(*unit.stems[-1])] if unit.stems else ""
    cells, columns = written.split(" | "), above.split(" | ")
    if len(cells) == 1 or len(cells) != len(columns):
        return written
    return "; ".join(f"{column}: {cell}" for column, cell in zip(columns, cells, strict=True))


def opening(written: str) -> str:
    """How a unit begins, without what numbers it and its caption: whole words, enough to tell it from the others of its
    provision.
    """
    begins, letters = _begins(written), 0
    for at, character in enumerate(written[begins:], start=begins):
        if letters >= TELLING and not character.isalnum():
            return written[begins:at]
        letters += character.isalnum()
    return written[begins:]


def key_of(written: str) -> int:
    """32 bits by which a unit is known by how it begins, whatever stands between its letters."""
    return crc32(_letters(written).encode())


def beginning_with(words: str, text: str) -> set[str]:
    """The opening of the unit of a text that begins so, else those of all that begin with these words."""
    wanted = _letters(words)
    written = [text[unit.start : unit.end] for unit in (units(text) if wanted else ())]
    openings = {_letters(each): opening(each) for each in written}
    if wanted in openings:
        return {openings[wanted]}
    return {begins for letters, begins in openings.items() if letters.startswith(wanted)}


def _letters(written: str) -> str:
    """The first letters and digits of the sentence itself."""
    return fold("".join(islice(filter(str.isalnum, islice(written, _begins(written), None)), TELLING)))


def _begins(written: str) -> int:
    """Where the sentence begins behind what numbers it and its caption."""
    begins = MARKED.match(written).end()
    caption = CAPTION.match(written, begins)
    return MARKED.match(written, caption.end()).end() if caption else begins


def _span(line: Line) -> Span:
    return line.start, line.end


def _lines(text: str, spans: Sequence[Span]) -> Iterator[Line]:
    """The sentences, trimmed, with their paths; what stands after a designator on a line of its own belongs to it."""
    paths = _paths(text, spans)
    path: Path = ()
    for start, end in _whole_sentences(text, spans):
        written = text[start:end]
        start, end = start + len(written) - len(written.lstrip()), start + len(written.rstrip())
        if start >= end:
            continue
        begins = bool(paths.get(start))
        path = paths[start] if begins else path
        after = end == len(text) or "\n" in text[end : end + 2]
        runs_on = not after and bool(text[end : end + 2].strip())
        kind = "caption" if runs_on and _is_caption(text[start:end]) else _kind(text[start:end], before_line_end=after)
        yield Line(start, end, path, kind, begins)


def _whole_sentences(text: str, spans: Sequence[Span]) -> Iterator[Span]:
    """Rows of tables are whole. Bare replies are joined to the sentence behind them; without one in their line they are
    left out.
    """
    for first, past in spans:
        replied: int | None = None
        for start, end in _sentences_and_rows(text, first, past):
            begins = start if replied is None else replied
            if REPLIES.fullmatch(text, start, end):
                replied = None if "\n" in text[start:end] else begins
            else:
                yield begins, end
                replied = None


def _sentences_and_rows(text: str, first: int, past: int) -> Iterator[Span]:
    for row in ROW.finditer(text, first, past):
        yield from ((first + start, first + end) for start, end in sentences(text[first : row.start()]))
        yield row.span()
        first = row.end()
    yield from ((first + start, first + end) for start, end in sentences(text[first:past]))


def _paths(text: str, spans: Sequence[Span]) -> dict[int, Path]:
    """By the start of a line, where its innermost designator leads."""
    read = [(first + start, first + end) for first, past in spans for start, end in lines_of(text[first:past])]
    found = [leading(text, start, end) for start, end in read]
    every = [one for line in found for one in line]
    of_designator = {one.start: path for one, path in zip(every, nested(every, CODE), strict=True)}
    return {line[0].start: of_designator[line[-1].start] for line in found if line}


def _is_caption(written: str) -> bool:
    return bool(RUN_IN.fullmatch(written)) and not VERB.search(written)


def _kind(written: str, *, before_line_end: bool) -> str:
    if ROW.fullmatch(written):
        return "row"
    rest = written[MARKED.match(written).end() :]
    if not rest:
        return "number"
    if OPENS_LIST.search(rest):
        return "stem"
    if BULLET.match(rest):
        return "sentence"
    is_heading = before_line_end and len(rest) <= LONGEST_HEADING and not ENDED.search(rest)
    return "heading" if is_heading and not rest[0].islower() else "sentence"


def _goes_on(text: str, line: Line, stems: list[Line]) -> bool:
    """Whether an unnumbered line belongs to the list before it: its first word is written small, nothing of the list
    came yet, or it is marked as its first item is.
    """
    mark = ITEM.match(text, line.start)
    first = text[mark.end() if mark else line.start : line.end].lstrip()[:1]
    return bool(stems) and (
        first.islower()
        or stems[-1].end >= line.start - 2
        or line.depth > stems[-1].depth
        or bool(mark and _is_item_of(text, line, stems[-1]))
    )


def _is_item_of(text: str, line: Line, stem: Line) -> bool:
    """Whether it has the mark of what stands right behind the stem, which has another."""
    mark, first = _mark(text, line), ITEM.match(text, min(stem.end + 1, len(text)))
    return bool(mark and first) and mark == shape(first[0]) != _mark(text, stem)


def _is_listed(text: str, pair: list[Line]) -> bool:
    """Whether the second line is an item of the list that the first one opens, and not the next of its own kind."""
    if len(pair) < 2:
        return False
    stem, line = pair
    if line.is_listed:
        return True
    own, other = (ITEM.match(text, one.start) for one in pair)
    is_item = other and not line.begins and not (own and shape(own[0]) == shape(other[0]))
    return stem.holds(line) or bool(is_item)


def shape(mark: str) -> str:
    """ "1.1." and "10.2." are alike."""
    return re.sub("[A-Z]", "A", re.sub("[a-z]+", "a", re.sub(r"\d+", "1", mark)))


def _listed(text: str, lines: list[Line], stem: int, end: int) -> tuple[Span, ...]:
    """The items of a short list; of a long one, or of one that goes on where nothing is read, none, since a part of a
    list misleads.
    """
    items = [_span(line) for line in takewhile(attrgetter("is_listed"), lines[stem + 1 :])]
    if items:
        is_cut = items[-1][1] > end or items[-1][1] - lines[stem].start > LONGEST_LIST
        return () if is_cut else tuple(items)
    for line in lines[stem + 1 :]:
        is_other = line.begins and not lines[stem].holds(line) or not (line.begins or items)
        if line.start >= end and items and OPENS_LIST.search(text, *items[-1]):
            return ()  # what stands behind may be an item of its own, however it is numbered
        if is_other or line.start >= end and line.kind == "heading":
            break
        if line.start >= end:
            return ()
        if line.kind != "heading":
            items.append(_span(line))
        if items and items[-1][1] - lines[stem].start > LONGEST_LIST:
            return ()
    return tuple(items)


def _exceptions(text: str, lines: list[Line], n: int, departing: list[Line], whole: int) -> tuple[Span, ...]:
    """The sentences directly behind that take back something of it, and those of its paragraph by which it is past."""
    found = []
    for line in lines[n + 1 :]:
        begins = MARKED.match(text, line.start, line.end).end()
        is_other = line.kind != "sentence" or line.depth < lines[n].depth or line.end > whole
        if is_other or not EXCEPTS.match(text, begins):
            break
        found.append(line)
        if len(found) == MOST_EXCEPTIONS:
            break
    end = lines[n].end
    line_end = text.find("\n", end, end + REACH)
    first = bisect_left(departing, end, key=attrgetter("start"))
    near = (one for one in departing[first : first + MOST_EXCEPTIONS] if one.start < end + REACH)
    found += [one for one in near if one not in found and (line_end < 0 or one.start < line_end)]
    return tuple(map(_span, sorted(found, key=_span)))
