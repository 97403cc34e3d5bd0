"""What changed between two texts, word by word: what was taken out and what was put in. Pure.

Lines are compared first, then the words of those that differ; both texts can be read back from the answer.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import groupby

# Pairs of words that are compared, which takes half a second; longer passages are set whole.
MOST_PAIRS = 2_000_000
# Of lines or words: the work grows with the cube of what is repeated, of which real law has a hundredth.
MOST_STEPS = 200_000_000
OFTEN = 20  # times that a line or word stands in a text; from there on it tells no place
WORDS = re.compile(r"\n|[^\S\n]*[^\s]+|[^\S\n]+")
# What divides words and the columns of tables and says nothing: bars, leaders, dashes that stand by no word or number.
LAYOUT = re.compile(r"[\s|]+|\.{2,}|(?<![-–—_\d])(?<!\d )[-–—_]+(?!\w| ?\d)")  # a run is tried from its beginning only
BESIDE = 1  # unchanged lines that are shown before and after a change


@dataclass(frozen=True, slots=True)
class Change:
    """A piece of text; `kind` is "ins", "del", or "" for what both texts have."""

    text: str
    kind: str = ""


Line = tuple[Change, ...]


def redline(old: str, new: str) -> list[Line]:
    """The lines of both texts, in order."""
    before, after = old.split("\n"), new.split("\n")
    lines: list[Line] = []
    for kind, a, b, c, d in compared(before, after):
        if kind == "equal":
            lines += [(Change(line),) for line in before[a:b]]
        else:
            lines += parted(worded(before[a:b], after[c:d]))
    return lines


def compared(before: Sequence[str], after: Sequence[str]) -> list[tuple[str, int, int, int, int]]:
    """As difflib tells what became of what, found by what stands there seldom; one replacement where that might take
    seconds.
    """
    matcher = SequenceMatcher(None, before, after, autojunk=False)
    for often in [said for said, places in matcher.b2j.items() if len(places) > OFTEN]:
        del matcher.b2j[often]
    pairs = sum(len(matcher.b2j.get(said, ())) for said in before)
    if (pairs + len(before)) * min(len(before), len(after)) > MOST_STEPS:
        return [("replace", 0, len(before), 0, len(after))]
    return matcher.get_opcodes()


def worded(before: Sequence[str], after: Sequence[str]) -> Iterator[Change]:
    """What differs in some lines, word by word."""
    olds, news = ("\n".join(lines) for lines in (before, after))
    if not (before and after):
        yield Change(olds, "del") if before else Change(news, "ins")
        return
    one, other = WORDS.findall(olds), WORDS.findall(news)
    if len(one) * len(other) > MOST_PAIRS:
        yield from (Change(olds, "del"), Change("\n"), Change(news, "ins"))
        return
    for kind, a, b, c, d in compared(one, other):
        if kind == "equal":
            yield Change("".join(one[a:b]))
            continue
        if b > a:
            yield Change("".join(one[a:b]), "del")
        if d > c:
            yield Change("".join(other[c:d]), "ins")


def parted(changes: Iterable[Change]) -> Iterator[Line]:
    """The changes by line."""
    line: list[Change] = []
    for change in changes:
        first, *others = change.text.split("\n")
        line.append(Change(first, change.kind))
        for text in others:
            yield kept(line)
            line = [Change(text, change.kind)]
    yield kept(line)


def kept(line: Iterable[Change]) -> Line:
    return tuple(change for change in line if change.text)


def has_same_words(old: str, new: str) -> bool:
    """Whether the texts differ in their layout at most: no word, number or punctuation mark is another."""
    before, after = (LAYOUT.sub(" ", text).split() for text in (old, new))
    return before == after


@dataclass(frozen=True, slots=True)
class Stretch:
    """Lines that follow each other; `is_far`: from every change."""

    lines: list[Line]
    is_far: bool


def stretches(lines: Sequence[Line]) -> list[Stretch]:
    """The lines, divided into what is near a change and what is not; where nothing changed, all in one, and near."""
    changed = [any(change.kind for change in line) for line in lines]
    if not any(changed):
        return [Stretch(list(lines), is_far=False)]
    near = [any(changed[max(0, n - BESIDE) : n + BESIDE + 1]) for n in range(len(lines))]
    together = groupby(zip(near, lines, strict=True), key=lambda each: each[0])
    return [Stretch([line for _, line in group], is_far=not is_near) for is_near, group in together]


def excerpt(lines: Sequence[Line], *, most: int) -> list[Line]:
    """The first lines that changed, up to so many characters: for a list of many changes."""
    shown, room = [], most
    for line in lines:
        if any(change.kind for change in line):
            shown.append(tuple(shortened(line, room)))
            room -= sum(len(change.text) for change in shown[-1])
            if room <= 0:
                break
    return shown


AROUND = 80  # characters of unchanged text beside a change


def shortened(line: Line, room: int) -> Iterator[Change]:
    for place, change in enumerate(line):
        text = change.text
        if room <= 0:
            yield Change(" …")
            return
        if not change.kind and len(text) > 2 * AROUND:
            head, tail = text[:AROUND] if place else "", text[-AROUND:] if place < len(line) - 1 else ""
            text = f"{head} … {tail}"
        elif len(text) > room:
            text = f"{text[:room]}…"
        room -= len(text)
        yield Change(text, change.kind)
