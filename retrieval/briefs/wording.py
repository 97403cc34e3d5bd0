"""A quotation compared word by word with the words it is said to come from. Pure.

Capitals, punctuation and line breaks are no difference. As lawyers quote, an ellipsis leaves words out, "[t]he" changes
a letter, "violat[ed]" and "violate[]" an ending, and "[the officer]" puts a few words in the place of others; "[sic]"
says nothing. What is left out must not turn the sense: a "not" behind an ellipsis is a difference.
"""

import re
import unicodedata
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import cache
from math import log
from typing import Literal

from retrieval.briefs.quoting import notes_of
from retrieval.proof.alignment import tokens
from retrieval.proof.wording import is_party

MOST_REPLACED = 12  # words of the source that one bracket stands for
ALIKE = 0.6  # of the words: from here on a quotation is an altered one of this place, and not one of another
FEWEST = 3  # words that can be an altered quotation; of fewer nobody can tell
SHORT_GAP = 4  # words: what an ellipsis leaves out beside a "not"
LONGEST_RUN = 200  # words that are aligned at once: the work grows with their square
MOST_RUNS = 40  # between ellipses and brackets; a quotation of more is found nowhere word by word
LONGEST = 2_000  # words; what is longer is not aligned with a source, only found or not
COMMON = 300  # places in a source; a word that has more tells nothing of where a quotation begins
LEFT_OUT = 80  # words of the source that a quotation may leave out before its end goes on with it
TRIED = 4  # places in a source that are compared with one altered quotation
NEGATIONS = frozenset(
    ["no", "not", "nor", "never", "neither", "none", "nothing", "without", "unless", "except", "cannot"]
    + ["ni", "nunca", "sin", "salvo"]
)
MODALS = frozenset(
    ["shall", "must", "may", "should", "will", "can", "cannot", "debe", "deberá", "puede", "podrá"]
)
ONES = "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen"
UNOS = "uno dos tres cuatro cinco seis siete ocho nueve diez once doce trece catorce quince"
TENS = "ten twenty thirty forty fifty sixty seventy eighty ninety hundred"
DIEZ = "diez veinte treinta cuarenta cincuenta sesenta setenta ochenta noventa cien"
NUMBERS = {
    **{word: number for words in (ONES, UNOS) for number, word in enumerate(words.split(), start=1)},
    **{word: 10 * number for words in (TENS, DIEZ) for number, word in enumerate(words.split(), start=1)},
    "eighteen": 18, "nineteen": 19,
}  # fmt: skip
ORDER = frozenset(["before", "after", "antes", "después"])
GOVERNMENT = "govern"  # its stem: a party in brackets, though not in every sentence
MAY_BE_SAME = (  # one may have become or be the other: the Attorney General's are the Secretary's now
    "government state executive president secretary attorney general administrator commissioner director agency board "
    "officer chief",
    "alien applicant people citizen defendant",
    "alien applicant people citizen plaintiff",
    "court judge justice",
)

_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
_MARKS = re.compile(  # of notes, right behind a word or what closes one: "$[500]" and "within [30] days" have a number
    r"(?:(?<=[^\W\d_])|(?<=[;!?)”’»])|(?<=[^\W\d_][.,:\]\"'])|(?<=[)”’»][.,:])|(?<=[.,;!?)][\"']))(?:\[\d{1,4}\])+"
)
_CALL = re.compile(r"\[\d{1,4}\]")
_BROKEN = re.compile(r"(?<=[^\W\d_])-\s*\n\s*(?=[^\W\d_])")
_ELLIPSIS = r"(?:\[\s*)?(?:…|\.(?:\s?\.){2,3}|\*(?:\s?\*){2,})(?:\s*\])?"
_PIECE = re.compile(
    rf"(?P<gap>{_ELLIPSIS})|(?P<head>[^\W\d_]*)\[(?P<inside>[^\[\]]{{0,200}})\](?P<tail>[^\W\d_]*)"
    rf"|(?P<word>{_WORD.pattern})"
)

Status = Literal["exact", "altered", "not_found"]


@dataclass(frozen=True, slots=True)
class Difference:
    """Words of the quotation, and what the source has in their place; either may be empty."""

    quoted: str
    source: str


@dataclass(frozen=True, slots=True)
class Comparison:
    """How a quotation stands to a source; `span` is where it is in it, and `alike` how much of it is there (0 to 1)."""

    status: Status
    span: tuple[int, int] | None = None
    differences: tuple[Difference, ...] = ()
    alike: float = 0.0

    @property
    def is_turned(self) -> bool:
        """Whether a "not" or a number differs."""
        sides = ((_WORD.findall(fold(side)) for side in (each.quoted, each.source)) for each in self.differences)
        return any(
            numbers_of(said) != numbers_of(known) or bool(NEGATIONS & {*said}) != bool(NEGATIONS & {*known})
            for said, known in sides
        )


class Words:
    """The words of a source, folded, and where each stands: in the text, and among all words."""

    def __init__(self, text: str):
        found = [(fold(word[0]), word.span()) for word in _WORD.finditer(uncalled(text))]
        self.text = text
        self.folded = [word for word, _ in found]
        self.spans = [span for _, span in found]
        self.places: dict[str, list[int]] = defaultdict(list)
        for place, word in enumerate(self.folded):
            self.places[word].append(place)

    def said(self, first: int, end: int) -> str:
        return self.text[self.spans[first][0] : self.spans[end - 1][1]] if first < end else ""


@dataclass(frozen=True, slots=True)
class Piece:
    """A word of a quotation; of one with brackets what is sure of its beginning (`head`) or its end."""

    said: str
    kind: Literal["word", "head", "tail"] = "word"

    def fits(self, word: str) -> bool:
        if self.kind == "head":
            return word.startswith(self.said)
        return word.endswith(self.said) if self.kind == "tail" else word == self.said


@dataclass(frozen=True, slots=True)
class Run:
    """Words that stand side by side, after at most `reach` words of the source; None: however many. `inside` are the
    words in the bracket before them.
    """

    pieces: tuple[Piece, ...]
    reach: int | None = 0
    inside: tuple[str, ...] = ()


def unmarked(quotation: str) -> str:
    """Without what looks like the marks of notes."""
    return _MARKS.sub(" ", quotation)


def uncalled(text: str) -> str:
    """Without the marks of the notes that the text has, each word in its place."""
    calls = {text.index("[", call) for call in notes_of(text).values()}
    return _CALL.sub(lambda mark: " " * len(mark[0]) if mark.start() in calls else mark[0], text)


def fold(word: str) -> str:
    if word.isascii():
        return word.lower()
    return unicodedata.normalize("NFKC", word).casefold().replace("’", "'")


def count_words(quotation: str) -> int:
    return sum(len(run.pieces) for run in runs(quotation))


def compare(quotation: str, words: Words) -> Comparison:
    """The quotation beside the source, where they are most alike."""
    return found_exactly(quotation, words) or altered(readings_of(quotation)[0], words)


def found_exactly(quotation: str, words: Words) -> Comparison | None:
    """Where its very words are; altered where what is left out turns their sense."""
    for read in readings_of(quotation):
        if 0 < len(read) <= MOST_RUNS and (placed := exact(read, words)):
            hidden = tuple(turned(read, placed, words))
            span = words.spans[placed[0][0]][0], words.spans[placed[-1][1] - 1][1]
            return Comparison("altered" if hidden else "exact", span, hidden, 1.0)
    return None


def readings_of(quotation: str) -> list[list[Run]]:
    """A hyphen at the end of a line divides a word, or is its own."""
    return [
        runs(_BROKEN.sub(hyphen, quotation)) for hyphen in ("", "-")[: 1 + bool(_BROKEN.search(quotation))]
    ]


def runs(quotation: str) -> list[Run]:
    """The quotation, cut where words of the source are left out or replaced."""
    found, pieces, reach, inside = [], [], 0, ()

    def close(next_reach: int | None, next_inside: Sequence[str] = ()) -> None:
        nonlocal pieces, reach, inside
        if pieces:
            found.append(Run(tuple(pieces), reach, inside))
            pieces, reach, inside = [], next_reach, tuple(next_inside)
        elif found:  # an ellipsis beside a bracket
            reach = None if None in (reach, next_reach) else reach + next_reach
            inside = (*inside, *next_inside)

    for match in _PIECE.finditer(unmarked(quotation)):
        if match["gap"]:
            close(None)
        elif match["word"]:
            pieces.append(Piece(fold(match["word"])))
        elif piece := bracketed(match):
            pieces.append(piece)
        elif (said := match["inside"].strip().casefold()) not in ("sic", ""):
            close(MOST_REPLACED, [fold(word) for word in _WORD.findall(said)])
    if pieces:
        found.append(Run(tuple(pieces), reach, inside))
    return found


def bracketed(match: re.Match[str]) -> Piece | None:
    """A word that is partly in brackets."""
    head, inside, tail = fold(match["head"]), fold(match["inside"].strip()), fold(match["tail"])
    if head:
        return Piece(head, "head")
    if tail:
        return Piece(inside + tail) if len(inside) == 1 else Piece(tail, "tail")
    return None


Placed = list[tuple[int, int]]  # of each run, its words in the source: first, and end


def exact(quoted: Sequence[Run], words: Words) -> Placed | None:
    """Where all runs stand one after the other as near as each may be; None where they do not."""
    ways: dict[int, Placed] = {}  # by where the last run ends, how it got there
    for run in quoted:
        length = len(run.pieces)
        starts = list(occurrences(run.pieces, words))
        if not ways:
            ways = {start + length: [(start, start + length)] for start in starts}
        else:
            ends = sorted(ways)
            reached: dict[int, Placed] = {}
            for start in starts:
                place = bisect_left(ends, start + 1) - 1  # the nearest run before
                if place >= 0 and (run.reach is None or start - ends[place] <= run.reach):
                    reached[start + length] = [*ways[ends[place]], (start, start + length)]
            ways = reached
        if not ways:
            return None
    return min(ways.values(), key=lambda placed: placed[-1][1] - placed[0][0])


def occurrences(pieces: Sequence[Piece], words: Words) -> Iterator[int]:
    first, folded = pieces[0], words.folded
    starts = words.places.get(first.said, ()) if first.kind == "word" else range(len(folded))
    for start in starts:
        if start + len(pieces) <= len(folded) and all(
            piece.fits(folded[start + place]) for place, piece in enumerate(pieces)
        ):
            yield start


def turned(quoted: Sequence[Run], placed: Placed, words: Words) -> Iterator[Difference]:
    """What ellipses and brackets leave out, or brackets put in, that turns the sense."""
    for run, (_, before), (start, _) in zip(quoted[1:], placed, placed[1:], strict=False):
        left_out = words.folded[before:start]
        near = run.reach is not None or len(left_out) <= SHORT_GAP
        weighty = NEGATIONS | MODALS if run.reach is not None else NEGATIONS
        lost = set(left_out) & weighty - set(run.inside) if near else ()
        added = set(run.inside) & weighty - set(left_out)
        if lost or added or replaced(run.inside, left_out) or (near and is_other_party(run.inside, left_out)):
            yield Difference(f"[{' '.join(run.inside)}]" if run.inside else "…", words.said(before, start))


def replaced(inside: Iterable[str], left_out: Iterable[str]) -> bool:
    """Whether a bracket has another number than what it stands for, or "before" in place of "after"."""
    for of in (numbers_of, ORDER.intersection):
        said, meant = of(inside), of(left_out)
        if said and meant and said != meant:
            return True
    return False


def is_other_party(inside: Iterable[str], left_out: Iterable[str]) -> bool:
    """Whether a bracket names another party than it stands for, "[Government]" for "applicant", and not one that may be
    the same.
    """
    said, meant = parties_of(inside), parties_of(left_out)
    return bool(said and meant) and not said & meant and not any(said | meant <= group for group in may_be_same())


def parties_of(words: Iterable[str]) -> set[str]:
    text = " ".join(words)
    found = {token for language in ("en", "es") for token in tokens(text, language)} if text else set()
    return {token.term for token in found if is_party(token) or token.term == GOVERNMENT}


@cache
def may_be_same() -> tuple[set[str], ...]:
    return tuple(parties_of(group.split()) for group in MAY_BE_SAME)


def numbers_of(words: Iterable[str]) -> set[int]:
    """By their values: "thirty" is 30."""
    return {number for word in words if (number := number_of(word)) is not None}


def number_of(word: str) -> int | None:
    return int(word) if word.isdecimal() else NUMBERS.get(word)


# -- What is not there word by word


def altered(quoted: Sequence[Run], words: Words) -> Comparison:
    """The place that is most alike, and what differs there."""
    pieces = [piece for run in quoted for piece in run.pieces]
    if not FEWEST <= len(pieces) <= LONGEST:
        return Comparison("not_found")
    parts = [best_place(part, words) for run in quoted for part in portions(run.pieces)]
    same = sum(part.same for part in parts)
    alike = same / max(len(pieces), sum(part.same + part.others for part in parts))
    if alike < ALIKE:
        return Comparison("not_found", alike=alike)
    found = [part for part in parts if part.same]
    span = (
        words.spans[min(part.first for part in found)][0],
        words.spans[max(part.end for part in found) - 1][1],
    )
    differences = tuple(difference for part in parts for difference in part.differences)
    sure = not differences and len(parts) == 1  # of several runs the order is not known
    return Comparison("exact" if sure else "altered", span, differences, alike)


def portions(pieces: Sequence[Piece]) -> Iterator[Sequence[Piece]]:
    return (pieces[first : first + LONGEST_RUN] for first in range(0, len(pieces), LONGEST_RUN))


@dataclass(frozen=True, slots=True)
class Aligned:
    """A run beside some words of the source: how many are the same, how many more these are, and what differs."""

    same: int
    others: int
    first: int
    end: int
    differences: tuple[Difference, ...]


def best_place(pieces: Sequence[Piece], words: Words) -> Aligned:
    said = [piece.said for piece in pieces]
    tried = [align(pieces, words, start) for start in likely_starts(said, words)]
    nothing = Aligned(0, 0, 0, 0, (Difference(" ".join(said), ""),))
    return max(tried, key=lambda aligned: (aligned.same - aligned.others, -aligned.first), default=nothing)


def likely_starts(said: Sequence[str], words: Words) -> list[int]:
    """Where the run may begin: the offsets on which most of its words agree, give or take; the rarer the more, by the
    logarithm, so that one rare word outweighs not all others.
    """
    votes: Counter[int] = Counter()
    for offset, word in enumerate(said):
        places = words.places.get(word, ())
        for place in places if len(places) <= COMMON else ():
            votes[(place - offset) // 4] += log(len(words.folded) / len(places))
    near = {bucket: votes[bucket] + votes[bucket - 1] / 2 + votes[bucket + 1] / 2 for bucket in [*votes]}
    best = sorted(near, key=lambda bucket: (-near[bucket], bucket))[:TRIED]
    return [bucket * 4 for bucket in best]


def align(pieces: Sequence[Piece], words: Words, start: int) -> Aligned:
    """The run beside the words from about this place on; what stands before and after them there is none of it."""
    slack = 4 + len(pieces) // 2
    first, last = max(0, start - slack), min(len(words.folded), start + len(pieces) + slack)
    window = words.folded[first:last]
    said = [next((w for w in window if piece.fits(w)), piece.said) for piece in pieces]
    codes = trimmed(SequenceMatcher(None, window, said, autojunk=False).get_opcodes())
    same = others = end = 0
    differences = []
    for kind, a, b, c, d in codes:
        if kind == "equal" or "".join(window[a:b]) == "".join(said[c:d]):
            same += d - c
        else:
            others += b - a
            place = goes_on_at(said[c:], words, first + a) if d == len(said) else None
            if place is not None:
                same, end = same + d - c, place + d - c
                differences.append(Difference("", words.said(first + a, place)))
            else:
                differences.append(Difference(" ".join(said[c:d]), words.said(first + a, first + b)))
    matched = [code for code in codes if code[0] == "equal"] or [("", 0, 1, 0, 0)]
    end = end or first + matched[-1][2]
    return Aligned(same, others, first + matched[0][1], end, tuple(differences))


def goes_on_at(said: Sequence[str], words: Words, start: int) -> int | None:
    """Where the end of a quotation stands word by word, some words further on in the source."""
    if len(said) < FEWEST:
        return None
    near = (place for place in words.places.get(said[0], ()) if start < place <= start + LEFT_OUT)
    return next((place for place in near if words.folded[place : place + len(said)] == said), None)


def trimmed(codes: Iterable[tuple]) -> list[tuple]:
    """Without words of the source at the ends that the quotation has nothing beside."""
    codes = list(codes)
    for end, first in ((0, True), (-1, False)):
        if codes and codes[end][0] == "delete":
            codes.pop(end)
        elif codes and codes[end][0] == "replace":
            kind, a, b, c, d = codes[end]
            kept = min(b - a, d - c)
            codes[end] = (kind, b - kept, b, c, d) if first else (kind, a, a + kept, c, d)
    return codes
