"""Finds the designators that stand inside a line: "an alien (i) … (b) … or (c) …; or (ii)(a) …". Pure.

Words in parentheses and references ("subparagraph (O) or (P)") look alike, so a line has such places only where every
designator in it follows its predecessor: the first of its kind right below the one before, or the next of an open list.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from retrieval.parsing.designators import (
    CODE,
    Designator,
    Path,
    Scheme,
    in_order,
    is_below,
    lines_of,
    nested,
    values,
)
from retrieval.parsing.tree import Anchor
from retrieval.text.sentences import sentences

KINDS = 5  # of the Code's numbers: in a line they stand in any order
RUN_IN = Scheme(CODE.values[:KINDS] * 3, CODE.names[:KINDS] * 3, strict=True)

_MARK = re.compile(r"\(([A-Za-z]{1,5}|\d{1,2}|[a-z]\d)\)")
_INSERTED = re.compile(r"([a-z])\d")  # (b1) stands behind (b)
_WORD = (
    r"\b(?:(?:sub)?(?:sections?|secs?\.|paragraphs?|pars?\.|clauses?|divisions?|parts?|titles?|chapters?|items?)"
    r"|rules?|articles?|schedules?|forms?|columns?|phases?|categor(?:y|ies)|class(?:es)?)"
)
_CITED = r"(?:(?:\d[\w.–-]*\s?)?(?:\([A-Za-z0-9]{1,5}\))+|\d[\w.–-]*)"
_JOIN = r"(?:\s?[,;]\s(?:(?:and/or|and|or|through|to)\s)?|\s(?:and/or|and|or|through|to)\s|[–-])"
_REFERENCE = re.compile(rf"(?:{_WORD}\s|§§?\s?){_CITED}(?:{_JOIN}(?:{_WORD}\s|§§?\s?)?{_CITED})*", re.IGNORECASE)
_QUOTED = re.compile(r"“[^”]*(?:”|$)|\"[^\"]*(?:\"|$)")
_COUNTED = re.compile(r"\b(?:one|two|three|four|five|six|seven|eight|nine|ten|\d+)\s$", re.IGNORECASE)  # "two (2)"
_SEPARATED = re.compile(r"(?:^|[,;:.—\]”\"]|\b(?:and|or|nor|but|and/or))\s?\[?$")  # before all but the first of a list
_REACH = 24  # characters looked at before a designator
_CITING = re.compile(  # behind one that is a reference: "(A) of this paragraph", "(1) and (2)", "(i),"
    r"\s?(?:[,.;:)\]]|$|(?:of|or|and|through|to)\s"
    r"(?:\(|(?:this|that|such|the|said)\b|(?:sub)?(?:section|paragraph|clause)))"
)


@dataclass(frozen=True, slots=True)
class Line:
    """A line that belongs to a place, or to the whole section, with the places that its designators `given` at its
    beginning are.
    """

    start: int
    end: int
    above: Anchor
    given: Mapping[int, Anchor]


def with_run_in(text: str, locator: str, anchors: Sequence[Anchor]) -> tuple[Anchor, ...]:
    """A section's places in their order, with those inside its lines. Where two lines name the same place, neither
    has any.
    """
    found = [_places(text, line) for line in _lines(text, locator, anchors)]
    structural = {anchor.locator: anchor.start for anchor in anchors}
    taken = Counter(place.locator for places in found for place in places)
    known = {anchor.locator: anchor for anchor in anchors}
    for places in found:
        if all(taken[one.locator] == 1 and structural.get(one.locator, one.start) == one.start for one in places):
            known |= {one.locator: one for one in places}
    return tuple(sorted(known.values(), key=lambda anchor: (anchor.start, -anchor.end)))


def may_hold(text: str, numbers: Sequence[str]) -> bool:
    """Whether these stand in a text one behind the other, be they in doubt: a place that is not known may be there."""
    place = 0
    for number in numbers:
        place = text.find(f"({number})", place) + 1
        if not place:
            return False
    return bool(numbers)


def _lines(text: str, locator: str, anchors: Sequence[Anchor]) -> Iterator[Line]:
    """The lines that may hold a list: not that of a place which goes on in numbered lines, since these could be of its
    last item, nor one of a section in which lines have numbers but no places.
    """
    lines = [*lines_of(text)]
    has_none = not anchors and not any(_MARK.match(text, start) for start, _ in lines)
    for start, end in lines:
        if text.count("(", start, end) < 2:
            continue
        here = [anchor for anchor in anchors if start <= anchor.start < end]
        if has_none:
            yield Line(start, end, Anchor(locator, "", "", start, end), {})
        elif here and not any(end <= anchor.start < here[-1].end for anchor in anchors):
            yield Line(start, end, here[0], {anchor.start: anchor for anchor in here[1:]})


def _places(text: str, line: Line) -> list[Anchor]:
    """What the designators of a line stand for; empty where one of them is in doubt."""
    marks, doubtful = _designators(text, line)
    if any(mark.start >= line.above.end for mark in marks):
        return []  # two places stand in one line
    numbered = [mark for mark in marks if not _INSERTED.fullmatch(mark.number)]
    paths = nested(numbered, RUN_IN)
    if len(numbered) < 2 or not in_order(numbered, paths, RUN_IN) or not _are_lists(numbered, paths, line):
        return []
    placed = list(_with_inserted(marks, dict(zip(numbered, paths, strict=True))))
    if any(_goes_on(mark, placed) for mark in doubtful):
        return []
    return _anchors(text, line, placed)


def _designators(text: str, line: Line) -> tuple[list[Designator], list[Designator]]:
    """Those that number something, and those that may: an item of a list, or the end of a reference."""
    cited = [match.span() for match in _REFERENCE.finditer(text, line.start, line.end)]
    quoted = [match.span() for match in _QUOTED.finditer(text, line.start, line.end)]
    marks, doubtful, past = [], [], -1
    for match in _MARK.finditer(text, line.start, line.end):
        start = match.start()
        mark = Designator(match[1], start, chained=start == past)
        if start in line.given:
            marks.append(mark)
            past = match.end()
        elif start == line.above.start + text[line.above.start : start].count("[") and line.above.number:
            past = match.end()
        elif _may_number(text, line, mark) and not _within(quoted, start):
            separated = bool(_SEPARATED.search(text[max(line.start, start - _REACH) : start]))
            reference = _within(cited, start)
            is_cited = reference and (not separated or "(" in text[reference[0] : start])
            if is_cited or _CITING.match(text, match.end()):
                doubtful += [mark] if separated else []
            else:
                marks.append(mark)
                past = match.end()
    return marks, doubtful


def _may_number(text: str, line: Line, mark: Designator) -> bool:
    """Whether it stands by itself, and where an item of a list may begin."""
    if mark.chained:
        return True
    before = text[max(line.start, mark.start - _REACH) : mark.start]
    if before and before[-1] not in " [—" or _COUNTED.search(before):
        return False
    begins = any(first == 1 for _, first, _ in values(mark.number, "", RUN_IN))
    readable = _INSERTED.fullmatch(mark.number) or values(mark.number, "", RUN_IN)
    return begins or bool(readable and _SEPARATED.search(before))


def _within(spans: Iterable[tuple[int, int]], place: int) -> tuple[int, int] | None:
    return next((span for span in spans if span[0] <= place < span[1]), None)


def _are_lists(marks: Sequence[Designator], paths: Sequence[Path], line: Line) -> bool:
    """Whether every list has two items or more, and the outermost another kind of number than the place above."""
    lists = Counter((path[:-1], path[-1][0]) for path in paths)
    begun = {(path[:-1], path[-1][0]) for mark, path in zip(marks, paths, strict=True) if mark.start in line.given}
    above = CODE.names.index(line.above.level) % KINDS if line.above.level in CODE.names else -1
    alone = [one for one, items in lists.items() if items < 2 and one not in begun]
    return not alone and all(path[0][0] % KINDS != above for path in paths)


def _with_inserted(marks: Sequence[Designator], paths: Mapping[Designator, Path]) -> Iterator[tuple[Designator, Path]]:
    """Each with its path; (b1) stands beside an open (b)."""
    path: Path = ()
    for mark in marks:
        path = paths.get(mark, path)
        if mark in paths:
            yield mark, path
        else:
            letter = _INSERTED.fullmatch(mark.number)[1]
            depth = next((depth for depth, (_, number, _) in enumerate(path) if number == letter), None)
            if depth is not None:
                level, _, value = path[depth]
                yield mark, (*path[:depth], (level, mark.number, value))


def _goes_on(mark: Designator, placed: Sequence[tuple[Designator, Path]]) -> bool:
    """Whether a doubtful one is the next of a list that is open where it stands."""
    path = next((path for other, path in reversed(placed) if other.start < mark.start), ())
    firsts = {level: first for level, first, _ in values(mark.number, "", RUN_IN)}
    return any(firsts.get(level) == value + 1 for level, _, value in path)


def _anchors(text: str, line: Line, placed: Sequence[tuple[Designator, Path]]) -> list[Anchor]:
    """Each ends where the next of its level begins, the last with the sentence that the whole list is in."""
    last = _end_of_list(text, line, [mark.start for mark, _ in placed])
    anchors = []
    for place, (mark, path) in enumerate(placed):
        after = next((other for other, below in placed[place + 1 :] if not is_below(below, path)), None)
        end = last if after is None else after.start
        locator = "/".join([line.above.locator, *(number for _, number, _ in path)])
        new = Anchor(locator, mark.number, _level(path, line.above), mark.start, len(text[:end].rstrip(" [")))
        given = line.given.get(mark.start)
        if given and given.locator != locator:
            return []
        anchors.append(replace(given, end=new.end) if given else new)
    return anchors


def _end_of_list(text: str, line: Line, starts: Sequence[int]) -> int:
    end = min(line.end, line.above.end)
    spans = sentences(text[line.start : end], max_chars=end)
    holding = {_within(spans, start - line.start) for start in starts}
    return line.start + holding.pop()[1] if len(holding) == 1 else end


def _level(path: Path, above: Anchor) -> str:
    """Named by its kind of number, but below what it stands in."""
    index = CODE.names.index(above.level) if above.level in CODE.names else -1
    for level, _, _ in path:
        index = max(level % KINDS, index + 1)
    return CODE.names[min(index, len(CODE.names) - 1)]
