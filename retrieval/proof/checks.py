"""What a claim changes of the words it rests on: numbers, units, dates, negation, modals, parties, exceptions, places
of the law and quotations. Pure.

Facts are compared by value. Where the claim has nearly the words of the law, the words that differ are compared, too;
where it says them in its own, differences are hints only.
"""

import re
from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass
from fractions import Fraction
from itertools import count

from retrieval.proof.alignment import Token, tokens
from retrieval.proof.bounds import bound
from retrieval.proof.facts import Facts, Measure, Quantity, facts, places_of
from retrieval.proof.opposites import rivals
from retrieval.proof.types import PROBLEMS, Source
from retrieval.proof.vocabulary import (
    CONDITIONS,
    EXCEPTING,
    EXCLUDED,
    EXCLUDES,
    FORBIDDING,
    INSTITUTIONS,
    LIMITS,
    NEGATIVE,
    OBLIGES,
    OF_A_RULE,
    PARTS,
    PERMITS,
    PREPOSITIONS,
    PRONOUNS,
)
from retrieval.proof.wording import (
    NEAR,
    VERBATIM,
    Aligned,
    Beside,
    duty_made_leave,
    excepting,
    excepts_nothing,
    in_order,
    is_party,
    measured,
    parties,
    power_made_duty,
    reworded,
    said_by,
    turned,
    word_set,
)
from retrieval.text.analyzer import tokens as plain_tokens
from retrieval.text.normalization import fold

TIGHT = 0.55  # of the law's words among these: with NEAR, the claim has nearly the law's words
HEAD = 8  # words that begin what the law says there: "No person shall", "It shall be unlawful"
AROUND = 5  # words of the law beside those that the claim has
GOVERNED = 7  # words behind "of", "by" and the like, among which is the party that they bind
SAME_MATTER = 0.5  # of the claim's words in the law's order: with fewer, its date is of something else
SHORTEST_QUOTE = 3  # words; fewer in quotation marks are a name or a term
FOLLOWING = 12  # words in which a verb's subject is looked for
_QUOTED = re.compile(r"[“\"«]([^“”\"«»]{8,})[”\"»]")
_CAPITAL = re.compile(r"\[(\w)\]")  # "[N]o": another letter's case
_GAP = re.compile(r"\[[^\]]*\]|\.\s?\.\s?\.(?:\s?\.)?|…")


@dataclass(frozen=True, slots=True)
class Comparison:
    """`problems` are likelier than `hints`; `contradicts` says that the law has another value in that place, `dated`
    that the claim has a date that the whole source has not; `order` is the share of the claim's words that stand in the
    law's order, `tight` that of the law's words there which the claim has, and `around` are the law's words in that
    place.
    """

    problems: tuple[str, ...]
    hints: tuple[str, ...]
    contradicts: bool
    dated: bool
    order: float
    tight: float
    around: tuple[Token, ...]


def compare(
    said: str,
    claim: Sequence[Token],
    source: Source,
    span: tuple[int, int],
    law: Sequence[Token],
    language: str,
) -> Comparison:
    """`claim` and `law` are the words of the claim and of the window `span` of the source."""
    start, end = span
    window = source.text[start:end]
    aligned = in_order(claim, law)
    known = facts(said), facts(window)
    changed, contradicts = _facts_changed(said, window, source, known, aligned.order)
    quotes = [quote for quote in _QUOTED.findall(said) if language == source.language or _copied(quote, source.text)]
    if not all(_quoted_in(quote, source.text) for quote in quotes):
        changed.add("quotation")
    start, end = aligned.region
    begun = max(0, start - AROUND)
    around = (*law[: min(HEAD, begun)], *law[begun : end + AROUND])
    otherwise = set(_said_otherwise(said, claim, law, around, aligned, language))
    if rivals(fold(said), fold(window)):
        otherwise.add("opposite")
    hints = set(_hints(said, claim, around))
    if aligned.order >= NEAR and aligned.tight >= TIGHT:
        numbers = measured(claim, known[0]), measured(law, known[1], start=span[0])
        otherwise |= set(reworded(claim, law, aligned, numbers))
        hints.clear()
    changed |= otherwise
    contradicts = contradicts or bool(otherwise)
    dated = "date" in changed and bool(known[0].dates - _dates(facts(source.text)))
    return Comparison(
        _sorted(changed), _sorted(hints - changed), contradicts, dated, aligned.order, aligned.tight, around
    )


def _said_otherwise(
    said: str,
    claim: Sequence[Token],
    law: Sequence[Token],
    around: Sequence[Token],
    aligned: "Aligned",
    language: str,
) -> Iterator[str]:
    """What contradicts the law in whatever words the rest is said."""
    if _of_other_party(claim, law):
        yield "party"
    if (
        (aligned.order >= VERBATIM and excepting(claim, law, aligned))
        or excepts_nothing(said, around)
        or _excludes_what_is_named(said, law, around, language)
    ):
        yield "exception"
    if power_made_duty(word_set(claim), around) or duty_made_leave(said, around):
        yield "modal"
    yield from turned(claim, law, aligned)


def _sorted(codes: set[str]) -> tuple[str, ...]:
    return tuple(code for code in PROBLEMS if code in codes)


# -- facts


def _facts_changed(
    said: str, window: str, source: Source, known: tuple[Facts, Facts], order: float
) -> tuple[set[str], bool]:
    """Codes of what the law does not have; whether it has another value there."""
    claim, law = known
    changed: set[str] = set()
    contradicts = False
    there = _Quantities(law, fold(window))
    said = fold(said)
    for quantity in claim.quantities:
        if code := _quantity_changed(quantity, said, there):
            changed.add(code)
            contradicts = contradicts or bool(law.quantities)
    kinds = {kind for kind, _ in law.dates}
    for kind, _ in claim.dates - _dates(law):
        changed.add("date")
        contradicts = contradicts or (kind in kinds and order >= SAME_MATTER)
    if claim.places - law.places - places_of(source.locator, source.citation):
        changed.add("section")
        contradicts = True
    return changed, contradicts


def _dates(law: Facts) -> Set[tuple[str, int]]:
    """With what may be a year or a day though nothing says so."""
    whole = {int(one.value) for one in law.quantities if one.value.denominator == 1}
    return law.dates | {(kind, value) for kind in ("year", "day") for value in whole}


class _Quantities:
    """Those of the law's window, found by what they are worth; `folded` is that window."""

    def __init__(self, law: Facts, folded: str):
        self.folded = folded
        self.dated = {value for _, value in law.dates}
        self.nouns = {one.noun for one in law.quantities} - {""}
        self.has_shares = any(one.value < 1 or one.unit == "percent" for one in law.quantities)
        self._worth: dict[Measure | Fraction, list[Quantity]] = {}
        for one in law.quantities:
            for key in {one.measure, one.value}:
                self._worth.setdefault(key, []).append(one)
        self._bounds: dict[Measure | Fraction, set[int]] = {}

    def of(self, worth: Measure | Fraction) -> list[Quantity]:
        return self._worth.get(worth, [])

    def bounds(self, worth: Measure | Fraction) -> set[int]:
        if worth not in self._bounds:
            self._bounds[worth] = {bound(self.folded, one.start, one.end) for one in self.of(worth)}
        return self._bounds[worth]


def _quantity_changed(quantity: Quantity, said: str, law: _Quantities) -> str:
    """`said` is the folded claim."""
    if quantity.noun in OF_A_RULE:
        return ""
    equal = law.of(quantity.measure)
    worth = quantity.measure if equal else quantity.value
    same = law.of(worth)
    if not same:
        if quantity.unit == "majority":  # of those who vote, unless the law tells another share
            return "number" if law.has_shares else ""
        if quantity.certain:
            return "" if quantity.value in law.dated else "number"
        alone = rf"\b(?:an?|each|every|the|per)\s+{re.escape(quantity.noun)}\b"
        return "number" if quantity.noun in law.nouns and not re.search(alone, law.folded) else ""
    if not equal and quantity.unit and all(other.unit and other.unit != quantity.unit for other in same):
        return "unit"
    mine = bound(said, quantity.start, quantity.end)
    return "number" if mine and law.bounds(worth) == {-mine} else ""


def _copied(quote: str, text: str) -> bool:
    """Whether it was meant to repeat this text: a translation of it has few of its words."""
    words, there = plain_tokens(quote), set(plain_tokens(text))
    return 2 * sum(word in there for word in words) > len(words)


def _quoted_in(quote: str, text: str) -> bool:
    """Word for word, but for what ellipses leave out and brackets put in."""
    whole = f" {' '.join(plain_tokens(text))} "
    at = 0
    for part in _GAP.split(_CAPITAL.sub(r"\1", quote)):
        words = plain_tokens(part)
        if not words or len(plain_tokens(quote)) < SHORTEST_QUOTE:
            continue
        at = whole.find(f" {' '.join(words)} ", at)
        if at < 0:
            return False
    return True


# -- hints


def _hints(said: str, claim: Sequence[Token], law: Sequence[Token]) -> Iterator[str]:
    """`law` are the words among which the claim's stand."""
    mine, theirs = said_by(claim), said_by(law)
    if bool(mine & FORBIDDING) != bool(theirs & FORBIDDING) or allows_what_is_forbidden(mine, theirs):
        yield "negation"
    if mine & OBLIGES and not mine & PERMITS and theirs & PERMITS and not theirs & OBLIGES - {"shall"}:
        yield "modal"
    if mine & PERMITS and not mine & OBLIGES and theirs & OBLIGES and not theirs & PERMITS:
        yield "modal"
    if EXCEPTING.search(fold(" ".join(t.word for t in law))) and not CONDITIONS.search(fold(said)):
        yield "exception"
    if _other_party(claim, law):
        yield "party"
    if Beside(claim, law).opposed(claim, law):
        yield "opposite"


def allows_what_is_forbidden(mine: Set[str], theirs: Set[str]) -> bool:
    """Of the folded words of a claim and of the law."""
    return bool(mine & PERMITS and not mine & (NEGATIVE | LIMITS) and theirs & NEGATIVE)


def _other_party(claim: Sequence[Token], law: Sequence[Token]) -> bool:
    """A party that the law does not name there, or one that does what another does in the law."""
    mine, theirs = parties(claim), parties(law)
    if theirs and mine - theirs and not word_set(law) & PRONOUNS:
        return True
    return any(
        (agent := _agent(law, verb)) and agent != party and party in theirs for party, verb in _doings(claim)
    )


def _of_other_party(claim: Sequence[Token], law: Sequence[Token]) -> bool:
    """Whether it has "of the House" or "against the States" where the law has "of the Senate", "against the Union"."""
    said, known = _bound_parties(claim), _bound_parties(law)
    return any(known.get(words) and not parties & known[words] for words, parties in said.items())


def _bound_parties(tokens: Sequence[Token]) -> dict[tuple[str, str], set[str]]:
    """By a word and the preposition behind it, the institutions that follow; not by a fraction."""
    found: dict[tuple[str, str], set[str]] = {}
    for head, preposition, place in zip(tokens, tokens[1:], count(2)):
        if head.term and fold(head.word) not in PARTS and preposition.word in PREPOSITIONS:
            following = {token.term for token in tokens[place : place + GOVERNED]} & INSTITUTIONS
            if following:
                found.setdefault((head.term, PREPOSITIONS[preposition.word]), set()).update(following)
    return found


def _excludes_what_is_named(said: str, law: Sequence[Token], around: Sequence[Token], language: str) -> bool:
    """Whether it says that the law does not reach what the law names, word for word, and without exception."""
    near, whole = (fold(" ".join(token.word for token in words)) for words in (around, law))
    known = {token.term for token in law}
    left_out = EXCLUDED.search(fold(said))
    if not left_out or EXCEPTING.search(near) or EXCLUDES.search(whole):
        return False
    named = {token.term for token in tokens(next(filter(None, left_out.groups())), language)} - {""}
    return len(named) > 1 and named <= known


def _doings(tokens: Sequence[Token]) -> Iterator[tuple[str, str]]:
    """Who does what: a party, a modal or not, and the next word of meaning."""
    for place, token in enumerate(tokens):
        if is_party(token):
            following = [t for t in tokens[place + 1 : place + 5] if t.term]
            if following and not is_party(following[0]):
                yield token.term, following[0].term


def _agent(tokens: Sequence[Token], verb: str) -> str:
    """The party that does it: after "by", or the last one named before it."""
    at = next((place for place, token in enumerate(tokens) if token.term == verb), None)
    if at is None:
        return ""
    after = tokens[at + 1 : at + 6]
    by = next((place for place, token in enumerate(after) if token.word in ("by", "por")), None)
    if by is not None:
        named = [token.term for token in after[by:] if is_party(token)]
        if named:
            return named[0]
    before = [token.term for token in tokens[max(0, at - FOLLOWING) : at] if is_party(token)]
    return before[-1] if before else ""
