"""What the words of a claim change of those of the law, taken in order: negation, opposites, modals, parties,
exceptions, numbers in another's place. Pure.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import cached_property
from itertools import zip_longest

from retrieval.proof.alignment import Token
from retrieval.proof.facts import Facts, Measure, facts
from retrieval.proof.opposites import Axis, exchanged, telling, within
from retrieval.proof.vocabulary import (
    ABSOLUTELY,
    BOUNDING,
    CONDITIONS,
    CROSS_REFERENCE,
    EXCEPTING,
    GOES_ON,
    LACKING,
    MODALS,
    MONTH,
    NEGATIVE,
    NO_PARTIES,
    OBLIGES,
    OPTIONAL,
    PARTIES,
    PERMITS,
    PLACE,
    POWERS,
    PRONOUNS,
    REQUIRING,
)
from retrieval.text.normalization import fold

NEAR = 0.7  # of the claim's words, in the law's order: from here on it may have nearly the law's words
VERBATIM = 0.85  # of the claim's words: from here on a missing exception was left out, not said otherwise
MOST_PAIRS = 20_000  # equal words, one of the claim and one of the law: no sentence beside its provision has so many
LEADING = 3  # words before those that agree, in which a "no" or "nor shall any" belongs to them
FEW = 4  # words put in for others between words of the law, so many of which stand
BESIDE = 2
_POWER_GIVEN = re.compile(r"\bshall have (?:\w+ ){0,2}powers?\b")
_DOUBLY = re.compile(
    r"\b(?:no|not|nor|neither|cannot|nobody|none|never)\b.{0,300}?\b"
    r"(unless|until|without|except|before|but (?:upon|on|by|in|with))\b"
)
_NO_WHO = re.compile(r"\bno (?:\w+ ){1,10}(?:who|which|that) (?:\w+ ){0,2}not\b")  # binds as "must" does


@dataclass(frozen=True, slots=True)
class Aligned:
    """`order` is the share of the claim's words that stand in the law's order, `tight` their share of the law's words
    from the first to the last of them; `region` is where in the law these stand.
    """

    steps: tuple[tuple[str, int, int, int, int], ...]
    order: float
    tight: float
    region: tuple[int, int]


def in_order(claim: Sequence[Token], law: Sequence[Token]) -> Aligned:
    one, other = [token.term or token.word for token in claim], [token.term or token.word for token in law]
    steps = tuple(SequenceMatcher(repeated(one, other).__contains__, one, other, autojunk=False).get_opcodes())
    equal = [(c, d) for kind, _, _, c, d in steps if kind == "equal"]
    same = sum(d - c for c, d in equal)
    start, end = (equal[0][0], equal[-1][1]) if equal else (0, 0)
    return Aligned(steps, same / max(1, len(claim)), same / max(1, end - start), (start, end))


def repeated(one: Sequence[str], other: Sequence[str]) -> Set[str]:
    """Words that begin no agreement, since two texts repeat them without end: each pair of equal words is compared."""
    mine, theirs = Counter(one), Counter(other)
    pairs = {word: times * theirs[word] for word, times in mine.items()}
    if sum(pairs.values()) <= MOST_PAIRS:
        return frozenset()
    return {word for word, number in pairs.items() if number > MOST_PAIRS / 100}


def reworded(
    claim: Sequence[Token],
    law: Sequence[Token],
    aligned: Aligned,
    numbers: tuple[Sequence[Measure | None], Sequence[Measure | None]],
) -> Iterator[str]:
    """What the words change that differ, where nearly all are the same. `numbers` are those that the words tell."""
    for kind, a, b, c, d in aligned.steps:
        if kind != "equal":
            yield from _swapped(claim, law, (a, b), (c, d), is_verbatim=aligned.order >= VERBATIM)
            kind = _kind_of_number(claim[max(0, a - 4) : b])
            if kind == "number":
                mine, theirs = {*numbers[0][a:b]} - {None}, {*numbers[1][c:d]} - {None}
            else:
                mine, theirs = _values(claim[a:b]), _values(law[c:d])
            if mine and theirs and not mine <= theirs:
                yield kind
    yield from Beside(claim, law, aligned.order).turned_round(*_differing(claim, law, aligned))


def _differing(
    claim: Sequence[Token], law: Sequence[Token], aligned: Aligned
) -> tuple[Sequence[Token], Sequence[Token]]:
    """The claim's words that the law does not have there, and the law's that it leaves out."""
    mine: list[Token] = []
    theirs: list[Token] = []
    for place, (kind, a, b, c, d) in enumerate(aligned.steps):
        if kind != "equal":
            is_tail = place == len(aligned.steps) - 1
            until = min(d, c + 2 * (b - a)) if is_tail else d  # what the law goes on with is not left out
            mine += claim[a:b]
            theirs += law[max(c, d - LEADING) if place == 0 and a == b else c : until]
    return mine, theirs


class Beside:
    """A claim and the law beside it, whose differing words are looked at one by one; `order` as in `Aligned`."""

    def __init__(self, claim: Sequence[Token], law: Sequence[Token], order: float = 0.0):
        self.claim, self.law, self.order = claim, law, order

    def turned_round(self, mine: Sequence[Token], theirs: Sequence[Token]) -> Iterator[str]:
        """Whether words that differ deny, or are opposites; "not lawful" says what "unlawful" says."""
        denied = self.denials(mine, theirs)
        lacking = LACKING & {*folded_words(mine if denied[1] else theirs)}  # "not paid" says what "without pay" says
        is_denied = bool(denied[0]) != bool(denied[1]) and not lacking and not self._requires
        is_opposed = self.opposed(mine, theirs)
        if is_denied != is_opposed:
            yield "opposite" if is_opposed else "negation"

    def opposed(self, mine: Sequence[Token], theirs: Sequence[Token]) -> bool:
        """Whether words of the claim and of the law are opposites."""
        idle_mine, idle_theirs = self._idle
        mine = [token for token in mine if token not in idle_mine]
        theirs = [token for token in theirs if token not in idle_theirs]
        return exchanged(folded_words(mine), folded_words(theirs), self._axes)

    def denials(self, mine: Sequence[Token], theirs: Sequence[Token]) -> tuple[int, int]:
        """How often words of the claim and of the law deny."""
        return _denials(mine, self._denying[0]), _denials(theirs, self._denying[1])

    @cached_property
    def _denying(self) -> tuple[Set[str], Set[str]]:
        return _denying(self.claim), _denying(self.law)

    @cached_property
    def _folded(self) -> tuple[list[str], list[str]]:
        return folded_words(self.claim), folded_words(self.law)

    @cached_property
    def _axes(self) -> tuple[Axis, ...]:
        mine, theirs = ({token.term for token in tokens} for tokens in (self.claim, self.law))
        is_laws_own = self.order >= NEAR and mine <= theirs | {""}
        return telling(*self._folded, is_laws_own=is_laws_own)

    @cached_property
    def _idle(self) -> tuple[Set[Token], Set[Token]]:
        """The words of "before the end of" where the other has no end."""
        mine, theirs = self._folded
        return {self.claim[at] for at in within(mine, theirs)}, {self.law[at] for at in within(theirs, mine)}

    @cached_property
    def _requires(self) -> bool:
        """Whether one says by two negatives what the other requires: "no warrant, but upon oath", "needs an oath"."""
        claimed, written = (" ".join(words) for words in self._folded)
        return _by_two(claimed, written) or _by_two(written, claimed)


def _by_two(double: str, simple: str) -> bool:
    if NEGATIVE & set(simple.split()):
        return False
    doubled = _DOUBLY.search(double)
    is_required = doubled and REQUIRING.search(simple) and not re.search(rf"\b{doubled[1]}\b", simple)
    return bool(is_required or _NO_WHO.search(double))


def turned(claim: Sequence[Token], law: Sequence[Token], aligned: Aligned) -> Iterator[str]:
    """What a few words turn round that are put in, left out or exchanged between words of the law."""
    mine, theirs = _differing(claim, law, aligned)
    beside_law = Beside(claim, law, aligned.order)
    denied = beside_law.denials(mine, theirs)
    for before, (_, a, b, c, d), after in zip(aligned.steps, aligned.steps[1:], aligned.steps[2:], strict=False):
        beside = before[2] - before[1] + after[2] - after[1]
        is_between = before[0] == after[0] == "equal" and beside >= BESIDE
        if is_between and max(b - a, d - c) <= FEW:
            for code in beside_law.turned_round(claim[a:b], law[c:d]):
                if code == "opposite" or denied[0] != denied[1]:
                    yield code


def excepting(claim: Sequence[Token], law: Sequence[Token], aligned: Aligned) -> bool:
    """Whether words are left out that begin with "except", "unless" and the like."""
    for kind, a, b, c, d in aligned.steps:
        if CROSS_REFERENCE.match(fold(" ".join(token.word for token in law[c:d][:8]))):
            continue
        left_out = fold(" ".join(token.word for token in law[c : min(d, c + 4)]))
        marker = EXCEPTING.search(left_out) if kind in ("delete", "replace", "insert") else None
        if marker and left_out[: marker.start()].count(" ") < 2:
            said = fold(" ".join(token.word for token in claim[a:b]))
            if not CONDITIONS.search(said):
                return True
    return False


def _swapped(
    claim: Sequence[Token],
    law: Sequence[Token],
    put_in: tuple[int, int],
    taken_out: tuple[int, int],
    *,
    is_verbatim: bool,
) -> Iterator[str]:
    mine, theirs = claim[slice(*put_in)], law[slice(*taken_out)]
    modals = _modals(mine), _modals(theirs)
    if all(modals) and not modals[0] & modals[1]:
        both_forbid = _negative(claim[max(0, put_in[0] - 4) : put_in[1] + 2]) and _negative(
            law[max(0, taken_out[0] - 8) : taken_out[1] + 2]
        )
        if not both_forbid:
            yield "modal"
    new, old = parties(mine), parties(theirs)
    if new - old and not any(t.word in PRONOUNS for t in theirs):
        is_moved = is_verbatim and (new - old) & {token.term for token in law}
        if old - new or is_moved:
            yield "party"


def _modals(tokens: Sequence[Token]) -> set[str]:
    """ "duty" or "leave": what is said to be a power or a right is no duty, though it "shall" be had."""
    words = word_set(tokens)
    if words & OBLIGES and words & POWERS:
        return {"leave"}
    return {MODALS[word] for word in words if word in MODALS}


def power_made_duty(mine: Set[str], around: Sequence[Token]) -> bool:
    """Whether the law gives a power there and binds to nothing, but the claim binds: "Congress shall declare war"."""
    law = " ".join(fold(token.word) for token in around)
    others = _POWER_GIVEN.sub(" ", law)
    return bool(mine & OBLIGES) and not mine & PERMITS and others != law and not OBLIGES & set(others.split())


def excepts_nothing(said: str, around: Sequence[Token]) -> bool:
    """Whether it always holds, as the claim says, what the law has exceptions from."""
    law = " ".join(folded_words(around))
    return bool(ABSOLUTELY.search(fold(said)) and EXCEPTING.search(law) and not ABSOLUTELY.search(law))


def duty_made_leave(said: str, around: Sequence[Token]) -> bool:
    """Whether it need not be, as the claim says, what the law binds to."""
    words = folded_words(around)
    binds = OBLIGES & set(words) and not PERMITS & set(words) and not OPTIONAL.search(" ".join(words))
    return bool(binds and OPTIONAL.search(fold(said)))


def _kind_of_number(tokens: Sequence[Token]) -> str:
    """The problem of another number at the end of these words: of a section, a date, or a quantity."""
    words = set(folded_words(tokens))
    return "section" if words & PLACE.keys() else "date" if words & MONTH.keys() else "number"


def _values(tokens: Sequence[Token]) -> set[Measure]:
    return {quantity.measure for quantity in facts(" ".join(token.word for token in tokens)).quantities}


def measured(words: Sequence[Token], known: Facts, *, start: int = 0) -> list[Measure | None]:
    """The quantity, if any, of which each word is a part; `start` is where the text begins that the facts are of."""
    return [
        next((q.measure for q in known.quantities if q.start < word.end - start and word.start - start < q.end), None)
        for word in words
    ]


def _negative(tokens: Sequence[Token]) -> bool:
    return bool(said_by(tokens) & NEGATIVE)


def _denying(text: Sequence[Token]) -> Set[str]:
    """The words of a text that deny; "nor" only goes on with another "not" of it."""
    denying = said_by(text) & NEGATIVE
    return denying - GOES_ON or denying


def _denials(tokens: Sequence[Token], denying: Set[str]) -> int:
    return sum(word in denying for word in folded_words(tokens))


def said_by(tokens: Sequence[Token]) -> set[str]:
    """The folded words, but for the "not" of "not later than", which denies nothing."""
    words = [fold(token.word).replace("'", "").replace("’", "") for token in tokens]
    return {word for word, after in zip_longest(words, words[1:]) if not (word in NEGATIVE and after in BOUNDING)}


def folded_words(tokens: Sequence[Token]) -> list[str]:
    return [fold(token.word) for token in tokens]


def word_set(tokens: Sequence[Token]) -> set[str]:
    return {fold(token.word).replace("'", "").replace("’", "") for token in tokens}


def parties(tokens: Sequence[Token]) -> set[str]:
    """The terms of those whom they name."""
    return {token.term for token in tokens if is_party(token)}


def is_party(token: Token) -> bool:
    return token.term in PARTIES and fold(token.word) not in NO_PARTIES
