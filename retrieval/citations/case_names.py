"""Decided cases by their names, as people write them: "roe v wade", "Brown vs. the Board of Education",
"NYT v Sullivan", "Miranda contra Arizona". The names are given, those of the cases that are here. Pure.
"""

import re
from collections import defaultdict
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import TypeVar

from retrieval.citations import short_names
from retrieval.citations.citation import Found, Source
from retrieval.citations.heads import apart, shortened, words

K, V = TypeVar("K", bound=Hashable), TypeVar("V", bound=Hashable)
_WORD = re.compile(r"[a-z0-9]+(?:['.][a-z0-9]+)*")
_AGAINST = re.compile(r"(?<![a-z0-9])(?:v|vs|versus|contra|c(?=\.\s))(?![a-z0-9])\.?")
_ONE_PARTY = re.compile(r"(?<![a-z])(?:in re|ex parte|matter of)(?![a-z])")
_SKIPPED = frozenset(words("the of and for a an la el los las de del y inc co corp ltd llc company et al"))
_UNITED_STATES = {"us": ("united", "states"), "u.s": ("united", "states"), "usa": ("united", "states")}
_A_CASE = "case|decision|ruling|opinion|holding"
_CALLED = re.compile(
    rf"(?<![a-z0-9])(?P<before>[a-z]{{3,20}})\s{{1,2}}(?:{_A_CASE})(?![a-z]){short_names.NO_DECISION}"
    r"|(?<![a-z])(?:caso|fallo|sentencia|decision)\s{1,2}(?:de\s{1,2})?(?P<after>[a-z]{3,20})(?![a-z])"
)
# Before or behind a name: it is that of a person, or no name at all ("a minor case", "Judge Martin ruling").
_NO_NAME = "an?|my|his|her|its|our|your|their|this|that|mis?|sus?|una?"
_TITLES = "judge|justice|officer|general|agent|juez|jueza|oficial"
_OF_A_PERSON = re.compile(rf"(?<![a-z])(?:{_NO_NAME}|{_TITLES})\.?\s{{1,2}}\Z")
_WHO_IS = re.compile(r",?\s{1,2}(?:my|mis?)(?![a-z])")
SIDES = ("before", "after")  # of the "v."; one party alone stands after "In re"
_CAPITALISED = re.compile(r"[A-Z][\w.'’-]*")
_GOES_ON = re.compile(r"\s{1,2}(?:(?:&|and|of|the)\s{1,2}){0,2}(?=[A-Z])")  # within the name of a party
_ENDING = re.compile(r"(?:['’]s|[.'’-]+)\Z")
_LONGEST_PARTY, _SHORTEST_PARTY = 5, 4  # words of its name; letters of one that is called by a word
# What begins the names of many parties, or is a place: no name by itself.
_OF_MANY = frozenset(
    words(
        "united states state people commonwealth government department dept board commission commissioner bureau "
        "office secretary attorney general director warden superintendent sheriff governor mayor president senate "
        "house congress city county town village township borough parish district school university college "
        "church hospital bank trust insurance railroad railway rail airlines steamship telephone telegraph "
        "electric gas power light oil steel coal mining manufacturing national american federal international "
        "first second southern northern eastern western central union association society league committee "
        "council authority agency local court appeal appeals circuit supreme superior trial judge justice "
        "magistrate new north south west east great grand los san santa saint republican democratic party labor "
        "industrial pacific atlantic public alabama alaska arizona arkansas california carolina colorado "
        "connecticut dakota delaware florida georgia hawaii idaho illinois indiana iowa kansas kentucky louisiana "
        "maine maryland massachusetts michigan minnesota mississippi missouri montana nebraska nevada hampshire "
        "jersey mexico york ohio oklahoma oregon pennsylvania rhode island tennessee texas utah vermont virginia "
        "washington wisconsin wyoming columbia puerto rico guam chicago boston philadelphia orleans francisco "
        "angeles detroit houston dallas denver seattle atlanta miami baltimore cleveland cincinnati memphis "
        "america england france germany china japan canada india cuba iran matter estate company corporation "
        "industries services systems products home family health tax stock exchange securities trade reserve army "
        "navy military workers employees employers best worst test civil criminal"
    )
)
_MOST_NAMED = 4  # cases in one question
_REACH = 8  # words on either side that may be a party's
_BREAK = re.compile(r"[?!;:()\n]")
_ONE_SLIP, _TWO_SLIPS = 5, 8  # letters of a word that may be misspelt by one, and by two


@dataclass(frozen=True, slots=True)
class Word:
    text: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Case:
    locator: str
    parties: tuple[tuple[str, ...], ...]  # the words of each, of one or two parties

    @property
    def size(self) -> int:
        return sum(map(len, self.parties))

    @property
    def order(self) -> tuple[int, ...]:
        """The earlier of two cases of one name is what people mean by it."""
        return tuple(-int(part) for part in self.locator.split("/") if part.isdigit())


class CaseNames:
    """The names of many cases, found by any of their words. Takes (locator, name, short names) of each, of which those
    with parties are names as good as the first; what was known before is not read again.
    """

    def __init__(self, names: Iterable[tuple[str, str, Iterable[str]]], *, before: "CaseNames | None" = None):
        self.cases: list[Case] = [*before.cases] if before else []
        self.short: dict[str, str] = {**before.short} if before else {}
        self.proper: dict[str, str] = {**before.proper} if before else {}  # of several decisions: of none
        by_word: dict[tuple[str, str], set[int]] = defaultdict(set)
        for locator, name, short in names:
            case, *others = (case_of(locator, called) for called in (name, *short))
            for one in dict.fromkeys(filter(None, (case, *others))):
                for side, party in zip(SIDES[-len(one.parties) :], one.parties, strict=True):
                    for word in (*party, initials(party)):
                        by_word[side, word].add(len(self.cases))
                self.cases.append(one)
            self.short |= {Source.of(called).folded: locator for called in short}
            for called in filter(short_names.can_be_alone, short if case else (name, *short)):
                folded = Source.of(called).folded
                self.proper[folded] = locator if self.proper.get(folded, locator) == locator else ""
        slips: dict[str, set[str]] = defaultdict(set)
        for _, word in by_word:
            if len(word) >= _ONE_SLIP:
                for left in shortened(word):
                    slips[left].add(word)
        # By side and word, to places in `cases`; and a word less one letter, to the words it may be.
        self.by_word = joined(before.by_word, by_word) if before else dict(by_word)
        self.slips = joined(before.slips, slips) if before else dict(slips)

    def __bool__(self) -> bool:
        return bool(self.cases)

    def find(self, source: Source, *, turned: bool = False) -> Iterator[Found]:
        """The case that each "A v. B" and "In re A" names, if it is among these; the best of several. Also those
        called by a short name: "the Marbury case". `turned`: where there is no "A v. B", the "B v. A" that alone has
        such a party.
        """
        for sides, start, end in islice(parties_in(source.folded), _MOST_NAMED):
            found = [*self._matches(sides)] or ([*self._matches(sides, turned=True)] if turned else [])
            best = max(found, key=lambda found: found[0], default=None)
            if best:
                _, case, first, last = best
                yield Found.one(min(first, start), max(last, end), case.locator)
        for match in _CALLED.finditer(source.folded):
            locator = self.short.get(match["before"] or match["after"])
            if locator and _is_called(source.folded, match):
                yield Found.one(*match.span(), locator)

    def asked_about(self, source: Source) -> Iterator[Found]:
        """The cases that a question calls by a short name without "case": "What did Marbury decide?"."""
        return short_names.asked_about(source.folded, self.proper)

    def by_party(self, source: Source) -> Iterator[Found]:
        """The one case that has a party of this name, beside words that are said of decisions: "the Skidmore case", "el
        caso Youngstown", "Was Skidmore overruled?". With capitals: parties are called by words of every text.
        """
        return short_names.asked_about(source.folded, dict(self._parties(source)), of_parties=True)

    def _parties(self, source: Source) -> Iterator[tuple[str, str]]:
        """Names of parties that the text has, as they stand in it, and the case that alone has such a party."""
        for begin in _CAPITALISED.finditer(source.visible):
            for end in _ends_of_name(source.visible, begin):
                name = source.folded[begin.start() : end]
                said = [word.text for word in words_of(name)]
                if case := self._with_party(said):
                    yield name.replace("’", "'"), case.locator

    def _with_party(self, said: Sequence[str]) -> Case | None:
        """The only case that has these words, if one of its parties is called so or begins so."""
        if not said or said[-1] in _OF_MANY or len(said[0]) < _SHORTEST_PARTY * (len(said) == 1):
            return None
        having = (set().union(*(self.by_word.get((side, word), ()) for side in SIDES)) for word in said)
        cases = [self.cases[place] for place in sorted(set.intersection(*having))]
        begins = any(party[: len(said)] == tuple(said) for case in cases for party in case.parties)
        return cases[0] if begins and len({case.locator for case in cases}) == 1 else None

    def _tells_apart(self, *parties: Sequence[str]) -> bool:
        """Whether people are meant by all of these, or one is in one case alone: "State v. Jones" may be any."""
        return all(not _OF_MANY.issuperset(party) for party in parties) or any(map(self._with_party, parties))

    def all_of(self, source: Source) -> Iterator[Found]:
        """The case whose short name is all of a question: "Marbury"."""
        return short_names.all_of(source.folded, self.proper)

    def _matches(
        self, sides: Sequence[Sequence[Word]], *, turned: bool = False
    ) -> Iterator[tuple[tuple, Case, int, int]]:
        """How well each case fits the words nearest to the "v.": (what decides, case, start, end)."""
        *before, after = sides
        if not after or (before and not before[0]) or (turned and not before):
            return
        first, last = SIDES[::-1] if turned else SIDES
        places = self._with_word(last, after[0].text)
        if before:
            places = places & self._with_word(first, before[0][-1].text)
        for case in (self.cases[place] for place in sorted(places)):
            if len(case.parties) != len(sides):
                continue
            parties = case.parties[::-1] if turned else case.parties
            right = _run(after, parties[-1])
            left = _run(before[0][::-1], parties[0], backwards=True) if before else ()
            if turned and not self._tells_apart([word.text for word in left[::-1]], [word.text for word in right]):
                continue
            if right and (left or not before):
                said = [*left, *right]
                rank = (len(said), -case.size, case.order)
                yield rank, case, min(word.start for word in said), max(word.end for word in said)

    def _with_word(self, side: str, word: str) -> set[int]:
        """The cases that have the word on this side, or where none has it a word that is a slip away."""
        if exact := self.by_word.get((side, word)):
            return exact
        slips = {known for left in shortened(word) for known in self.slips.get(left, ())}
        near = (self.by_word.get((side, known), set()) for known in slips if alike(word, known))
        return set().union(*near)


def _ends_of_name(visible: str, begin: re.Match[str]) -> Iterator[int]:
    """Where a name of one word, of two and so on ends that begins there: "Youngstown Sheet & Tube"."""
    word = begin
    for _ in range(_LONGEST_PARTY):
        yield word.start() + len(_ENDING.sub("", word[0]))
        link = _GOES_ON.match(visible, word.end())
        if link is None:
            return
        word = _CAPITALISED.match(visible, link.end())


def _is_called(folded: str, match: re.Match[str]) -> bool:
    """Whether a case is meant: not a person, nor an ordinary word behind an article. Most people type no capitals."""
    start, end = match.span()
    return not (_OF_A_PERSON.search(folded, max(0, start - 20), start) or _WHO_IS.match(folded, end))


def joined(before: Mapping[K, set[V]], more: Mapping[K, set[V]]) -> dict[K, set[V]]:
    """Both, with none of the sets changed."""
    return {**before, **{key: before.get(key, set()) | values for key, values in more.items()}}


def case_of(locator: str, name: str) -> Case | None:
    folded = Source.of(name).folded
    parts = _AGAINST.split(folded, maxsplit=1)
    if len(parts) == 1:
        parts = [_ONE_PARTY.sub(" ", folded)] if _ONE_PARTY.search(folded) else []
    parties = tuple(tuple(word.text for word in words_of(part)) for part in parts)
    return Case(locator, parties) if parties and all(parties) else None


def parties_in(folded: str) -> Iterator[tuple[tuple[list[Word], ...], int, int]]:
    """What stands on both sides of each "v.", or after each "In re", and where that stands."""
    for match in _AGAINST.finditer(folded):
        before = _BREAK.split(folded[: match.start()])[-1]
        left = words_of(before, offset=match.start() - len(before))[-_REACH:]
        yield (left, _after(folded, match.end())), *match.span()
    for match in _ONE_PARTY.finditer(folded):
        yield (_after(folded, match.end()),), *match.span()


def _after(folded: str, start: int) -> list[Word]:
    return words_of(_BREAK.split(folded[start : start + 200])[0], offset=start)[:_REACH]


def words_of(text: str, offset: int = 0) -> list[Word]:
    found = []
    for match in _WORD.finditer(text):
        said = match[0].rstrip(".")
        for word in _UNITED_STATES.get(said, (re.sub(r"['.]", "", said),)):
            if word not in _SKIPPED:
                found.append(Word(word, offset + match.start(), offset + match.end()))
    return found


def _run(said: Sequence[Word], party: Sequence[str], *, backwards: bool = False) -> tuple[Word, ...]:
    """The words said, from the "v." on, that are the party's in its order; or its initials."""
    if said[0].text == initials(party) and len(party) > 1:
        return (said[0],)
    rest = list(reversed(party)) if backwards else list(party)
    run: list[Word] = []
    for word in said:
        place = next((n for n, known in enumerate(rest) if alike(word.text, known)), None)
        if place is None:
            break
        run.append(word)
        del rest[: place + 1]
    return tuple(run)


def initials(party: Sequence[str]) -> str:
    """ "nrdc" of the Natural Resources Defense Council."""
    return "".join(word[0] for word in party)


def alike(word: str, known: str) -> bool:
    """The same, or a slip away."""
    if word == known:
        return True
    most = (len(known) >= _ONE_SLIP) + (len(known) >= _TWO_SLIPS)
    return len(word) >= _ONE_SLIP - 1 and most > 0 and apart(word, known) <= most
