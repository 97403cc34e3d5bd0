"""The quotations of a text, and the citations that each may belong to. Pure.

A quotation is what stands in curly, straight or angled quotation marks; marks within it are its own. A term that is
given a name in brackets (the "Act") is none. A citation that is a sentence of its own belongs to the sentence before,
in a note to the one that calls it: that has a "[1]", with which the line of the note begins.
"""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, pairwise
from typing import Literal

from retrieval.text.sentences import sentences

Span = tuple[int, int]
WRAPPED = 45  # characters: a line this long is wrapped where it ends without a mark
LONGEST_AROUND = 1_000  # characters beside the citations of what is only citations

_MARK = re.compile(r"[“”«»\"]")
_BREAK = re.compile(r"\n\s*\n|\n(?=\s*[“«\"])")
_TERM = re.compile(
    r"\((?:[^()“”«»\"]{0,60}\s)?[“«\"][^“”«»\"]{1,60}[”»\"](?:\s*(?:,|or|and|o|y)\s*[“«\"][^“”«»\"]{1,60}[”»\"])*\s*\)"
)
MOST_WORDS = 3  # of a term that is not written in capitals throughout
_NAMING = re.compile(
    r"\([^“«\"]*\b(?:the|an?|hereinafter|hereafter|collectively|together|el|la|los|las|adelante),?\s*[“«\"]"
)
_QUOTED = re.compile(r"[“«\"]([^“”«»\"]+)[”»\"]")
_CLOSED = re.compile(r"…|\.\s?\.|\b[a-zà-ÿ][\w’'-]*[.!?;]\s*\Z")  # as a sentence is, or with words left out
_LITTLE = "a an and at by for from in of on or the to with y o de del la las el los en para por"
_NO_CAPITALS = frozenset(_LITTLE.split())
_CITED = re.compile(
    r"(?:(?:§|\b(?:U\.\s?S\.(?:\s?C\.)?|C\.\s?F\.\s?R\.|F\.\s?(?:2d|3d|4th|Supp\.)|S\.\s?Ct\.|[Aa](?:mend|rt)\.|at))"
    r"\s?§?\s?[\dIVX][\w.,§\s–-]{0,30}?(?:\(\w{1,5}\))*|Amendment|\([^()]{0,30}\b[12]\d{3}\))\s*\Z"
)
# What stands between a quotation and the citation right after it, or the other way round.
_LINK = re.compile(
    r"[\s.,;:()—–-]*(?:(?:see|see also|cf|accord|but see|e\.g|in|under|of|at|id|from|by|quoting|citing|as|véase|ver|en|"
    r"de|del|según|como|the|la|el)[\s.,;:()—–-]*)*",
    re.IGNORECASE,
)
_SIGNALS = re.compile(
    r"(?:see|also|cf|accord|but|e\.g|compare|with|contra|generally|and|quoting|citing|in|id|véase|ver|también"
    r"|por ejemplo|p\.\s?ej|y|the|u\.?s|ex|rel|re|matter|supra|at|const|of)\b",
    re.IGNORECASE,
)
_BESIDE = re.compile(r"\W*(?:see also|cf|accord|but see)\b", re.IGNORECASE)  # other law than what was quoted
_BRACKETED = re.compile(r"\([^()]{0,300}\)")
_CASE_NAME = re.compile(r"[A-Z][\w.'’&-]*(?:\s+[\w.'’&,-]+){0,8}?\s+v\.?s?\.?\s+[A-Z][\w.'’&,\s-]{0,60}")
_SHORT_NAME = re.compile(r"[A-Z][\w.'’&-]{0,40}(?:\s+[A-Z][\w.'’&-]{0,40}){0,3},\s*\Z")
_AT = re.compile(r"\d{1,4}\s[A-Z][\w.\s]{1,15},?\sat\s\d")
_SAYS = re.compile(
    r"\b(?:provid|stat|say|said|read|guarant|command|declar|prohibit|forbid|promis|secur|protect|requir|permit|grant|vest|give"
    r"|hold|held|wrote|explain|defin|direct|assur|mandat|bar|ensur|recogni|conclu|reason|observ|dispon|establec|dice|señal"
    r"|garantiz|prohíb|exig|ordena|afirm)\w*\b|[:,]\s*$|\bthat\s*$|\bque\s*$|['’]s?\s*$",
    re.IGNORECASE,
)
_ABOVE = re.compile(r"\n\s*\n")
_WRAPPED = re.compile(rf"[^\n]{{{WRAPPED - 4}}}(?:[\w,&’']|\bv\.)[ \t]*\n\Z")
_CALL = re.compile(r"(?<=\S)[ .,;]{0,2}\[(?P<number>\d{1,4})\]")
_CALL_OR_NOTE = re.compile(rf"{_CALL.pattern}|^\[(?P<note>\d{{1,4}})\] ", re.MULTILINE)
_STOP = re.compile(r"\.[”’\"')\]»]*\s+(?=[A-Z“«\"])")


@dataclass(frozen=True, slots=True)
class Quotation:
    """Words in quotation marks. `start` and `end` bound them with their marks."""

    words: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Unit:
    """A sentence with the citations that stand behind it or in its notes as sentences of their own; `says` is the first
    alone.
    """

    start: int
    end: int
    says: int
    citations: tuple[int, ...]  # their places in the list of citations


@dataclass(frozen=True, slots=True)
class Belongs:
    """The citations that a quotation may belong to, likeliest first: the first one `surely`, one in its `sentence`, or
    one `above`, if the words are there.
    """

    citations: tuple[int, ...]
    how: Literal["surely", "sentence", "above"]


def quotations(text: str) -> list[Quotation]:
    terms = [match.span() for match in _TERM.finditer(text) if _gives_a_name(text, match)]
    return [
        quotation
        for part in paragraphs(text)
        for quotation in _in_paragraph(text, *part)
        if quotation.words.strip() and not _within(quotation, terms)
    ]


def _gives_a_name(text: str, bracket: re.Match[str]) -> bool:
    """Whether what is in the bracket is a name, and not what a citation before it says."""
    quoted = _QUOTED.findall(bracket[0])
    if all(map(is_capitalised, quoted)):
        return True
    introduced = _NAMING.match(bracket[0]) is not None
    few = all(introduced or len(words.split()) <= MOST_WORDS for words in quoted)
    closed = any(map(_CLOSED.search, quoted))
    return few and not closed and not _CITED.search(text[max(0, bracket.start() - 80) : bracket.start()])


def is_capitalised(name: str) -> bool:
    """ "Department of Homeland Security", "the Act"."""
    words = [word for word in re.findall(r"[^\W_][\w’'.-]*", name) if word not in _NO_CAPITALS]
    return bool(words) and not _CLOSED.search(name) and all(not word[0].islower() for word in words)


def _within(quotation: Quotation, terms: Sequence[Span]) -> bool:
    before = bisect_left(terms, (quotation.start, 0)) - 1
    return before >= 0 and quotation.end <= terms[before][1]


def paragraphs(text: str) -> Iterator[Span]:
    cuts = [0, *(match.end() for match in _BREAK.finditer(text)), len(text)]
    yield from pairwise(cuts)


def _in_paragraph(text: str, first: int, end: int) -> Iterator[Quotation]:
    """Marks in pairs; an opening mark that nothing closes is left alone."""
    closing, begun, depth = "", 0, 0
    for mark in _MARK.finditer(text, first, end):
        sign = mark[0]
        if not closing:
            if sign in "“«" or (sign == '"' and not text[mark.start() - 1 : mark.start()].isdigit()):
                closing, begun, depth = {"“": "”", "«": "»", '"': '"'}[sign], mark.start(), 0
        elif sign == closing and depth:
            depth -= 1
        elif sign == closing:
            yield Quotation(text[begun + 1 : mark.start()], begun, mark.end())
            closing = ""
        elif sign == text[begun]:
            depth += 1


def units(text: str, cited: Sequence[Span]) -> list[Unit]:
    """The sentences of a text that are not only citations, each with its citations."""
    found: list[Unit] = []
    begun: list[int] = []  # where each begins
    notes = notes_of(text)
    for start, end in whole_sentences(text, cited, notes):
        inside = tuple(place for place, (a, _) in enumerate(cited) if start <= a < end)
        before = found[-1] if found else None
        near = before is not None and start not in notes and not _ABOVE.search(text[before.start : before.end])
        only = inside and is_only_citations(text, start, end, [cited[place] for place in inside])
        if only and near:
            found[-1] = Unit(before.start, end, before.says, (*before.citations, *inside))
        else:
            found.append(Unit(start, end, end, inside))
            begun.append(start)
        call = notes.get(text.rfind("\n", 0, start) + 1) if only else None
        if call is not None:
            calling = bisect_right(begun, call) - 1
            found[calling] = replace(found[calling], citations=(*found[calling].citations, *inside))
    return found


def notes_of(text: str) -> dict[int, int]:
    """Where the line of each note begins, and where it is called last before that."""
    found: dict[int, int] = {}
    calls: dict[str, int] = {}  # that no note answers yet
    for mark in _CALL_OR_NOTE.finditer(text):
        if mark["number"]:
            calls[mark["number"]] = mark.start()
        elif mark["note"] in calls:
            found[mark.start()] = calls.pop(mark["note"])
    return found


def note_called(text: str, call: re.Match[str] | None) -> Span | None:
    """The next line that begins with this mark."""
    start = text.find(f"\n[{call['number']}] ", call.end()) + 1 if call else 0
    end = text.find("\n", start)
    return (start, end if end >= 0 else len(text)) if start else None


def whole_sentences(text: str, cited: Sequence[Span], notes: Iterable[int] = ()) -> Iterator[Span]:
    """Sentences, of which none ends within a citation or a quotation, nor where a long line is only wrapped; a full
    stop behind a citation ends one, and so does a note where it begins.
    """
    closed = sorted([*cited, *((quotation.start, quotation.end) for quotation in quotations(text))])
    reached = [0, *accumulate((b for _, b in closed), max)]  # how far those go that begin before each
    behind = (_STOP.match(text, end) for _, end in cited)
    ends = {
        end
        for _, end in sentences(text, max_chars=len(text) + 1)
        if not _WRAPPED.search(text, max(0, end - 2 * WRAPPED), end)
    }
    ends |= {*notes, *(m.end() for m in behind if m)}
    begun = 0
    for end in sorted(ends):
        if reached[bisect_left(closed, (end, 0))] <= end and not text[end : end + 1].islower():
            yield begun, end
            begun = end
    if begun < len(text):
        yield begun, len(text)


def is_only_citations(text: str, start: int, end: int, cited: Sequence[Span]) -> bool:
    """Whether nothing stands around the citations but signals, names of cases and what is in brackets."""
    rest, place = [], start
    for a, b in cited:
        rest.append(_without_short_name(text, place, a))
        place = max(place, b)
    rest.append(text[place:end])
    if any(len(piece) > LONGEST_AROUND for piece in rest):
        return False
    around = " ".join(_BRACKETED.sub(" ", _CASE_NAME.sub(" ", piece)) for piece in rest)
    return not re.search(r"[^\W\d_]{2,}", _SIGNALS.sub(" ", around))


def belongs(quotation: Quotation, text: str, cited: Sequence[Span], among: Sequence[Unit]) -> Belongs:
    """Those of the note that is called right after it; else the citation right after it, unless one in this sentence
    introduces the quotation and that begins a sentence of its own, or "see also"; else the nearest before it in its
    sentence, else the next, else the last above.
    """
    if note := note_called(text, _CALL.match(text, quotation.end)):
        noted = tuple(place for place, (start, _) in enumerate(cited) if note[0] <= start < note[1])
        if noted:
            return Belongs(noted, "surely" if len(noted) == 1 else "sentence")
    following = next((place for place, (start, _) in enumerate(cited) if start >= quotation.end), None)
    unit = next((u for u in among if u.start <= quotation.start < u.end), None)
    inside = unit.citations if unit else ()
    after = [place for place in inside if cited[place][0] >= quotation.end]
    before = [place for place in inside if cited[place][1] <= quotation.start][::-1]
    own = [place for place in before if cited[place][0] < unit.says]
    introduced = bool(own) and is_introduced(text, cited[own[0]][1], quotation.start)
    is_other = introduced and (following not in inside or _BESIDE.match(text, quotation.end))
    if following is not None and not is_other and is_link(text, quotation.end, cited[following][0]):
        return Belongs(tuple(dict.fromkeys((following, *after, *before))), "surely")
    if not (after or before):
        return Belongs(last_above(quotation.start, cited), "above")
    behind = [place for place in after if cited[place][0] >= unit.says]
    how = "surely" if introduced else "sentence"
    return Belongs(tuple(dict.fromkeys((*own, *behind, *after, *before))), how)


def last_above(start: int, cited: Sequence[Span]) -> tuple[int, ...]:
    return tuple([place for place, (_, end) in enumerate(cited) if end <= start][-1:])


def is_introduced(text: str, start: int, end: int) -> bool:
    """Whether the citation is said to say what is quoted: "The Fourth Amendment provides that ..."."""
    between = text[start:end]
    return end - start <= 120 and _SAYS.search(between) is not None and not _MARK.search(between)


def is_link(text: str, start: int, end: int) -> bool:
    """Whether little stands between: signals, brackets and the name of a case."""
    if end - start > 150:
        return False
    between = _CASE_NAME.sub(" ", _without_short_name(text, start, end))
    return not _ABOVE.search(between) and _LINK.fullmatch(between) is not None


def _without_short_name(text: str, start: int, end: int) -> str:
    """What stands before a citation, without the name in "Mapp, 367 U.S. at 655"."""
    before = text[start:end]
    if not _AT.match(text, end):
        return before
    cut = max(0, len(before) - 170)
    return before[:cut] + _SHORT_NAME.sub(" ", before[cut:])
