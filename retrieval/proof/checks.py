"""What a claim changes of the words it rests on: numbers, units, dates, negation, modals, parties, exceptions, places
of the law and quotations. Pure.

Facts are compared by value. Where the claim has nearly the words of the law, the words that differ are compared, too;
where it says them in its own, differences are hints only.
"""

import re
from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass
from difflib import SequenceMatcher
from fractions import Fraction
from itertools import count, zip_longest

from retrieval.proof.alignment import Token, tokens
from retrieval.proof.facts import Facts, Quantity, facts, places_of
from retrieval.proof.types import PROBLEMS, Source
from retrieval.proof.vocabulary import (
    BOUNDING,
    CONDITIONS,
    CROSS_REFERENCE,
    EXCEPTING,
    EXCLUDED,
    EXCLUDES,
    FORBIDDING,
    INSTITUTIONS,
    LEAST,
    LIMITS,
    MODALS,
    MONTH,
    MOST,
    NEGATIVE,
    OBLIGES,
    OF_A_RULE,
    PARTIES,
    PARTS,
    PERMITS,
    PLACE,
    POWERS,
    PREPOSITIONS,
    PRONOUNS,
)
from retrieval.text.analyzer import tokens as plain_tokens
from retrieval.text.normalization import fold

NEAR = 0.7  # of the claim's words, in the law's order: with TIGHT, from here on it has nearly the law's words
TIGHT = 0.55  # of the law's words among these
VERBATIM = 0.85  # of the claim's words: from here on a missing exception was left out, not said otherwise
HEAD = 8  # words that begin what the law says there: "No person shall", "It shall be unlawful"
AROUND = 5  # words of the law beside those that the claim has
GOVERNED = 7  # words behind "of", "by" and the like, among which is the party that they bind
SHORTEST_QUOTE = 3  # words; fewer in quotation marks are a name or a term
FOLLOWING = 12  # words in which a verb's subject is looked for
LEADING = 3  # words before those that agree, in which a "no" or "nor shall any" belongs to them
_QUOTED = re.compile(r"[“\"«]([^“”\"«»]{8,})[”\"»]")
_CAPITAL = re.compile(r"\[(\w)\]")  # "[N]o": another letter's case
_POWER_GIVEN = re.compile(r"\bshall have (?:\w+ ){0,2}powers?\b")
_DOUBLY = re.compile(r"\bno (?:\w+ ){1,10}(?:who|which|that) (?:\w+ ){0,2}not\b")  # binds as "must" does
_GAP = re.compile(r"\[[^\]]*\]|\.\s?\.\s?\.(?:\s?\.)?|…")


@dataclass(frozen=True, slots=True)
class Comparison:
    """`problems` are certain, `hints` are not; `contradicts` says that the law has another value in that place;
    `order` is the share of the claim's words that stand in the law's order, `tight` that of the law's words there
    which the claim has, and `around` are the law's words in that place.
    """

    problems: tuple[str, ...]
    hints: tuple[str, ...]
    contradicts: bool
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
    changed, contradicts = _facts_changed(said, window, source)
    quotes = [quote for quote in _QUOTED.findall(said) if language == source.language or _copied(quote, source.text)]
    if not all(_quoted_in(quote, source.text) for quote in quotes):
        changed.add("quotation")
    aligned = _aligned(claim, law)
    if aligned.order >= VERBATIM and _excepting(claim, law, aligned):
        changed.add("exception")
        contradicts = True
    start, end = aligned.region
    begun = max(0, start - AROUND)
    around = (*law[: min(HEAD, begun)], *law[begun : end + AROUND])
    if _of_other_party(claim, law):
        changed.add("party")
        contradicts = True
    if _excludes_what_is_named(said, law, around, language):
        changed.add("exception")
        contradicts = True
    if _power_made_duty(_words(claim), around):
        changed.add("modal")
        contradicts = True
    hints = set(_hints(said, claim, around))
    if aligned.order >= NEAR and aligned.tight >= TIGHT:
        reworded = set(_reworded(claim, law, aligned))
        changed |= reworded
        contradicts = contradicts or bool(reworded)
        hints.clear()
    return Comparison(
        _sorted(changed), _sorted(hints - changed), contradicts, aligned.order, aligned.tight, around
    )


def _sorted(codes: set[str]) -> tuple[str, ...]:
    return tuple(code for code in PROBLEMS if code in codes)


# -- facts


def _facts_changed(said: str, window: str, source: Source) -> tuple[set[str], bool]:
    """Codes of what the law does not have; whether it has another value there."""
    claim, law = facts(said), facts(window)
    changed: set[str] = set()
    rivals = False
    for quantity in claim.quantities:
        if code := _quantity_changed(quantity, said, law, window):
            changed.add(code)
            rivals = rivals or bool(law.quantities)
    years = {int(q.value) for q in law.quantities if q.value.denominator == 1}
    for kind, value in claim.dates - law.dates:
        if not (kind in ("year", "day") and value in years):
            changed.add("date")
            rivals = rivals or bool(law.dates)
    if claim.places - law.places - places_of(source.locator, source.citation):
        changed.add("section")
        rivals = True
    return changed, rivals


def _quantity_changed(quantity: Quantity, said: str, law: Facts, window: str) -> str:
    if quantity.noun in OF_A_RULE:
        return ""
    same = [other for other in law.quantities if other.value == quantity.value]
    if not same:
        if quantity.certain:
            dated = any(value == quantity.value for _, value in law.dates)
            return "" if dated else "number"
        counted = {other.noun for other in law.quantities} - {""}
        alone = re.search(rf"\b(?:an?|each|every|the|per)\s+{re.escape(quantity.noun)}\b", fold(window))
        return "number" if quantity.noun in counted and not alone else ""
    if quantity.unit and all(other.unit and other.unit != quantity.unit for other in same):
        return "unit"
    bounds = {_bound(fold(window), other) for other in same}
    mine = _bound(fold(said), quantity)
    return "number" if mine and bounds == {-mine} else ""


def _bound(folded: str, quantity: Quantity) -> int:
    """1 where the number is a minimum, -1 where a maximum, else 0."""
    near = folded[max(0, quantity.start - 24) : quantity.end + 18]
    return bool(LEAST.search(near)) - bool(MOST.search(near))


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


# -- words in order


@dataclass(frozen=True, slots=True)
class _Aligned:
    """`order` is the share of the claim's words that stand in the law's order, `tight` their share of the law's words
    from the first to the last of them; `region` is where in the law these stand.
    """

    steps: tuple[tuple[str, int, int, int, int], ...]
    order: float
    tight: float
    region: tuple[int, int]


def _aligned(claim: Sequence[Token], law: Sequence[Token]) -> _Aligned:
    one, other = [token.term or token.word for token in claim], [token.term or token.word for token in law]
    steps = tuple(SequenceMatcher(None, one, other, autojunk=False).get_opcodes())
    equal = [(c, d) for kind, _, _, c, d in steps if kind == "equal"]
    same = sum(d - c for c, d in equal)
    start, end = (equal[0][0], equal[-1][1]) if equal else (0, 0)
    return _Aligned(steps, same / max(1, len(claim)), same / max(1, end - start), (start, end))


def _reworded(claim: Sequence[Token], law: Sequence[Token], aligned: _Aligned) -> Iterator[str]:
    """What the words change that differ, where nearly all are the same."""
    mine: list[Token] = []
    theirs: list[Token] = []
    for place, (kind, a, b, c, d) in enumerate(aligned.steps):
        if kind == "equal":
            continue
        is_tail = place == len(aligned.steps) - 1
        mine += claim[a:b]
        until = min(d, c + 2 * (b - a)) if is_tail else d  # what the law goes on with is not left out
        theirs += law[max(c, d - LEADING) if place == 0 and a == b else c : until]
        yield from _swapped(claim, law, (a, b), (c, d))
    doubly = not _negative(claim) and _DOUBLY.search(" ".join(fold(token.word) for token in law))
    if _negative(mine) != _negative(theirs) and not doubly:
        yield "negation"


def _excepting(claim: Sequence[Token], law: Sequence[Token], aligned: _Aligned) -> bool:
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
    claim: Sequence[Token], law: Sequence[Token], put_in: tuple[int, int], taken_out: tuple[int, int]
) -> Iterator[str]:
    mine, theirs = claim[slice(*put_in)], law[slice(*taken_out)]
    if code := _other_value(claim, put_in, theirs):
        yield code
    modals = _modals(mine), _modals(theirs)
    if all(modals) and not modals[0] & modals[1]:
        both_forbid = _negative(claim[max(0, put_in[0] - 4) : put_in[1] + 2]) and _negative(
            law[max(0, taken_out[0] - 8) : taken_out[1] + 2]
        )
        if not both_forbid:
            yield "modal"
    new, old = {t.term for t in mine} & PARTIES, {t.term for t in theirs} & PARTIES
    if new - old and not any(t.word in PRONOUNS for t in theirs):
        everywhere = {t.term for t in law}
        if old - new or (new - old) & everywhere:
            yield "party"


def _modals(tokens: Sequence[Token]) -> set[str]:
    """ "duty" or "leave": what is said to be a power or a right is no duty, though it "shall" be had."""
    words = _words(tokens)
    if words & OBLIGES and words & POWERS:
        return {"leave"}
    return {MODALS[word] for word in words if word in MODALS}


def _power_made_duty(mine: Set[str], around: Sequence[Token]) -> bool:
    """Whether the law gives a power there and binds to nothing, but the claim binds: "Congress shall declare war"."""
    law = " ".join(fold(token.word) for token in around)
    others = _POWER_GIVEN.sub(" ", law)
    return bool(mine & OBLIGES) and not mine & PERMITS and others != law and not OBLIGES & set(others.split())


def _other_value(claim: Sequence[Token], put_in: tuple[int, int], theirs: Sequence[Token]) -> str:
    """The problem of another number in a number's place: of a section, a date, or a quantity."""
    start, end = put_in
    mine = _values(claim[start:end])
    if not mine or not (old := _values(theirs)) or mine <= old:
        return ""
    before = {fold(token.word) for token in claim[max(0, start - 4) : end]}
    return "section" if before & PLACE.keys() else "date" if before & MONTH.keys() else "number"


def _values(tokens: Sequence[Token]) -> set[Fraction]:
    return {quantity.value for quantity in facts(" ".join(token.word for token in tokens)).quantities}


def _negative(tokens: Sequence[Token]) -> bool:
    words = [fold(token.word).replace("'", "").replace("’", "") for token in tokens]
    return any(word in NEGATIVE and after not in BOUNDING for word, after in zip_longest(words, words[1:]))


# -- hints


def _hints(said: str, claim: Sequence[Token], law: Sequence[Token]) -> Iterator[str]:
    """`law` are the words among which the claim's stand."""
    mine, theirs = _words(claim), _words(law)
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


def allows_what_is_forbidden(mine: Set[str], theirs: Set[str]) -> bool:
    """Of the folded words of a claim and of the law."""
    return bool(mine & PERMITS and not mine & (NEGATIVE | LIMITS) and theirs & NEGATIVE)


def _words(tokens: Sequence[Token]) -> set[str]:
    return {fold(token.word).replace("'", "").replace("’", "") for token in tokens}


def _other_party(claim: Sequence[Token], law: Sequence[Token]) -> bool:
    """A party that the law does not name there, or one that does what another does in the law."""
    mine = {token.term for token in claim} & PARTIES
    theirs = {token.term for token in law} & PARTIES
    if theirs and mine - theirs and not _words(law) & PRONOUNS:
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
        if token.term in PARTIES:
            following = [t.term for t in tokens[place + 1 : place + 5] if t.term]
            if following and following[0] not in PARTIES:
                yield token.term, following[0]


def _agent(tokens: Sequence[Token], verb: str) -> str:
    """The party that does it: after "by", or the last one named before it."""
    at = next((place for place, token in enumerate(tokens) if token.term == verb), None)
    if at is None:
        return ""
    after = tokens[at + 1 : at + 6]
    by = next((place for place, token in enumerate(after) if token.word in ("by", "por")), None)
    if by is not None:
        named = [token.term for token in after[by:] if token.term in PARTIES]
        if named:
            return named[0]
    before = [token.term for token in tokens[max(0, at - FOLLOWING) : at] if token.term in PARTIES]
    return before[-1] if before else ""
