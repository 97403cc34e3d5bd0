"""Acts by their popular names: where each is codified, and which section of the Code each of its own sections is.

The names are those of `corpora/acts.jsonl`, in English and Spanish. Reads one file, once.
"""

import json
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import product
from pathlib import Path

from retrieval.citations.citation import Source
from retrieval.citations.heads import apart, shortened
from retrieval.citations.numbers import cased_section

FILE = Path(__file__).parents[1] / "corpora" / "acts.jsonl"
_TOKEN = re.compile(r"[a-z]+(?:'[a-z0-9]+)*|[0-9]+[a-z]*")
_SKIPPED = frozenset(("and", "the"))  # "Food, Drug, and Cosmetic Act" is also written without
_WHOLE = 100  # sections: an act of which as many are known is known whole
_LEFT_OUT = 3  # hundreds of an act's own numbers that the table may not tell of; of more it has none
AROUND = 200  # characters on either side that tell how a name is meant; all of a long text for each takes long
_CORRECTED = 6  # letters: a shorter word misspelt is too near to others
_LONGEST_CORRECTED = 400  # characters of text; the slips of a whole document's words are left alone
_RUN = re.compile(r"(?P<first>\w+?)(?:-(?P<last>[0-9]+))?:(?:(?P<title>\w+)/)?(?P<code>\S+)")
_WHOLE_TITLE = re.compile(r"title (\w+)")
_COUNTED = re.compile(r"(.*?)(?:([0-9]+)|(([a-z])\4*))")
_OF_ANOTHER = re.compile(r"\s{1,2}(?:of|de|del)\b")
_TWO_LETTERS = re.compile(r"[A-Za-z]{2}")
_PIECE = re.compile(r"[0-9]+|[A-Za-z]+|-")
_LAW_NAMES = ("pub l", "pub l no", "public law", "public law no", "p l", "pl", "ley publica")


@dataclass(frozen=True, slots=True, eq=False)
class Act:
    """An act of Congress, or a part of one that has a name of its own."""

    name: str
    first: str  # locator of the first section of the Code it is codified in
    last: str
    within: str  # locator of the smallest division of the Code that holds it
    law: str  # "88-352", the number of its public law; "" where it has none or it is not certain
    title: str  # of the Code, where the act is a whole title and has its numbers
    sections: Mapping[str, str] = field(repr=False)  # its own section number, in capitals, to a locator
    amends: Mapping[str, str] = field(repr=False, default_factory=dict)  # "301(b)", to where the Code has its change

    def amended(self, number: str, subs: Sequence[str]) -> str | None:
        """Where what one of its sections put into another act stands: "IIRIRA 301(b)"."""
        called = [number + "".join(f"({sub.lower()})" for sub in subs[:n]) for n in range(len(subs), 0, -1)]
        return next((self.amends[name] for name in called or [number] if name in self.amends), None)

    def only_amends(self, number: str) -> bool:
        return any(name.partition("(")[0] == number for name in self.amends)

    def section(self, number: str) -> str | None:
        """The locator of one of its sections by the act's own number, or by the Code's: "CERCLA 9607"."""
        if self.title:
            return f"/us/usc/t{self.title}/s{cased_section(int(self.title), number)}"
        title = self.first.split("/")[3].removeprefix("t")
        in_code = f"/us/usc/t{title}/s{cased_section(int(title), number) if title.isdigit() else number}"
        is_of_code = self.holds(in_code) and not self.may_have(number)
        return self.sections.get(number.upper()) or (in_code if is_of_code else None)

    def may_have(self, number: str) -> bool:
        """Whether it may have such a section of its own, of which the table does not tell, between two of those that it
        tells of: "section 462 of the Social Security Act" is not 42 U.S.C. § 462.
        """
        if _TWO_LETTERS.search(number):  # "PHSA 300gg-11"
            return False
        known, its = [int(each) for each in self.sections if each.isdigit()], int(re.match(r"[0-9]+", number)[0])
        before = max((each for each in known if each <= its), default=None)
        after = min((each for each in known if each >= its), default=None)
        return None not in (before, after) and after // 100 - before // 100 <= _LEFT_OUT

    def ends_before(self, number: str) -> bool:
        """Whether the act is known section by section, and the number is past the last hundred of them."""
        if len(self.sections) < _WHOLE:
            return False
        last = max(int(known) for known in self.sections if known.isdigit())
        return int(re.match(r"[0-9]+", number)[0]) // 100 > last // 100

    def holds(self, locator: str) -> bool:
        """Whether the locator is in the range of sections from its first to its last, or below one of them."""
        prefix, found, below = locator.partition("/s")
        if not found or self.first.partition("/s")[0] != prefix:
            return False
        number = below.partition("/")[0]
        ends = (self.first.partition("/s")[2], self.last.partition("/s")[2])
        return _order(ends[0]) <= _order(number) <= _order(ends[1])


@dataclass(frozen=True, slots=True)
class NamedAct:
    """An act that a text names. `start` and `end` bound the name in the folded text."""

    act: Act
    start: int
    end: int


@cache
def acts() -> tuple[Act, ...]:
    return tuple(_act(row) for row in _rows())


def named_acts(text: str) -> tuple[NamedAct, ...]:
    """The acts that a text names, in its order; the longest of names that overlap. A name of several gives each."""
    return tuple(find_names(Source.of(text)))


def find_names(source: Source) -> Iterator[NamedAct]:
    names = _names()
    found = [match for match in _TOKEN.finditer(source.folded) if match[0] not in _SKIPPED]
    words = [_word(match[0], corrected=len(source.folded) <= _LONGEST_CORRECTED) for match in found]
    place = 0
    while place < len(words):
        for length in names.lengths.get(words[place], ()):
            called = names.acts.get(tuple(words[place : place + length]))
            if called and (place + length) <= len(words):
                start, end = found[place].start(), found[place + length - 1].end()
                parted = words[place] in ("title", "titulo") and length == 2
                if parted and (
                    _OF_ANOTHER.match(source.folded, end)
                    or source.folded[max(0, start - 3) : start].rstrip().endswith(",")
                ):
                    continue  # "title VI of this Act", "Pub. L. 104-294, title VI"
                meant = [act for act, cased in called if not cased or _is_cased(source, start, end)]
                yield from (NamedAct(act, start, end) for act in meant)
                if meant:
                    place += length - 1
                    break
        place += 1


def _is_cased(source: Source, start: int, end: int) -> bool:
    """Written in capitals, in a text that is not all in capitals: "the IDEA", not "the idea" and not "MY IDEA"."""
    around = source.visible[max(0, start - AROUND) : start] + source.visible[end : end + AROUND]
    return source.visible[start:end].isupper() and not (len(around.split()) > 1 and around.isupper())


@dataclass(frozen=True, slots=True)
class _Names:
    acts: Mapping[tuple[str, ...], list[tuple[Act, bool]]]  # by words; whether only in capitals
    lengths: Mapping[str, list[int]]  # of the names that begin with a word, longest first
    vocabulary: frozenset[str]
    slips: Mapping[str, list[str]]  # a word less one letter, to the words it may be


@cache
def _names() -> _Names:
    called: dict[tuple[str, ...], list[tuple[Act, bool]]] = defaultdict(list)
    for row, act in zip(_rows(), acts(), strict=True):
        plain = (row["act"], *row.get("names", ()), *row.get("spanish", ()))
        for name, cased in (*product(plain, [False]), *product(row.get("cased", ()), [True])):
            if (act, cased) not in called[words_of(name)]:
                called[words_of(name)].append((act, cased))
        if (act.sections or act.amends or act.title) and act.law:
            for name in _LAW_NAMES:
                called[(*name.split(), *act.law.split("-"))].append((act, False))
    lengths: dict[str, set[int]] = defaultdict(set)
    for words in called:
        lengths[words[0]].add(len(words))
    vocabulary = frozenset(word for words in called for word in words)
    slips: dict[str, list[str]] = defaultdict(list)
    for word in sorted(vocabulary):
        if len(word) >= _CORRECTED:
            for left in shortened(word):
                slips[left].append(word)
    longest_first = {word: sorted(counts, reverse=True) for word, counts in lengths.items()}
    return _Names(dict(called), longest_first, vocabulary, dict(slips))


def words_of(name: str) -> tuple[str, ...]:
    """A name as it is compared: folded words, neither "and" nor "the" among them."""
    return tuple(_word(word) for word in _TOKEN.findall(Source.of(name).folded) if word not in _SKIPPED)


def _word(token: str, *, corrected: bool = False) -> str:
    word = token.replace("'", "")
    if not corrected or len(word) < _CORRECTED or word in _names().vocabulary:
        return word
    slips = _names().slips
    near = {known for left in shortened(word) for known in slips.get(left, ())}
    return min((known for known in near if apart(word, known) == 1), default=word)


def _rows() -> list[dict]:
    return [json.loads(line) for line in FILE.read_text(encoding="utf-8").splitlines()]


def _act(row: Mapping) -> Act:
    written = row.get("sections", "")
    whole = _WHOLE_TITLE.fullmatch(written)
    code_title = row["first"].removeprefix("/us/usc/t").partition("/")[0]
    return Act(
        name=row["act"],
        first=row["first"],
        last=row.get("last", row["first"]),
        within=row["within"],
        law=row.get("law", ""),
        title=whole[1] if whole else "",
        sections={} if whole else dict(_sections(written, code_title)),
        amends=row.get("amends", {}),
    )


def _sections(written: str, title: str) -> Iterator[tuple[str, str]]:
    """ "101-105:1101 106:1105a 401:47/225": runs that are numbered alike, by the first of each."""
    for run in written.split():
        parts = _RUN.fullmatch(run)
        first, code = parts["first"], parts["code"]
        count = int(parts["last"]) - int(first) + 1 if parts["last"] else 1
        for n in range(count):
            number = str(int(first) + n) if n else first
            yield number.upper(), f"/us/usc/t{parts['title'] or title}/s{_after(code, n)}"


def _after(code: str, n: int) -> str:
    """The section of the Code that is n after: 1105 after 1101, 77k after 77a, 360bb after 360aa, 2000e-5 after -1."""
    if n == 0:
        return code
    before, number, letters, letter = _COUNTED.fullmatch(code).groups()
    return before + (str(int(number) + n) if number else chr(ord(letter) + n) * len(letters))


def _order(section: str) -> list[tuple[int, int, str]]:
    """A key under which sections stand as in the Code: 1395w, 1395w-4, 1395x."""
    pieces = _PIECE.findall(section.partition("...")[0])
    return [
        (2, int(piece), "") if piece.isdigit() else (0 if piece == "-" else 1, len(piece), piece)
        for piece in pieces
    ]
