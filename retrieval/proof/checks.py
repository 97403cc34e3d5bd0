"""What a claim changes of the words it rests on: numbers, units, dates, negation, modals, parties, exceptions, places
of the law and quotations. Pure.

Facts are compared by value. Where the claim has nearly the words of the law, the words that differ are compared, too;
where it says them in its own, differences are hints only.
"""

import re
from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import count, zip_longest

from retrieval.proof.alignment import Token, tokens
from retrieval.proof.bounds import bound
from retrieval.proof.facts import Facts, Measure, Quantity, facts, places_of
from retrieval.proof.opposites import exchanged, rivals
from retrieval.proof.types import PROBLEMS, Source
from retrieval.proof.vocabulary import (
    ABSOLUTELY,
    BOUNDING,
    CONDITIONS,
    CROSS_REFERENCE,
    EXCEPTING,
    EXCLUDED,
    EXCLUDES,
    FORBIDDING,
    GOES_ON,
    INSTITUTIONS,
    LACKING,
    LIMITS,
    MODALS,
    MONTH,
    NEGATIVE,
    NO_PARTIES,
    OBLIGES,
    OF_A_RULE,
    OPTIONAL,
    PARTIES,
    PARTS,
    PERMITS,
    PLACE,
    POWERS,
    PREPOSITIONS,
    PRONOUNS,
    REQUIRING,
)
from retrieval.text.analyzer import tokens as plain_tokens
from retrieval.text.normalization import fold

NEAR = 0.7  # of the claim's words, in the law's order: with TIGHT, from here on it has nearly the law's words
TIGHT = 0.55  # of the law's words among these
VERBATIM = 0.85  # of the claim's words: from here on a missing exception was left out, not said otherwise
HEAD = 8  # words that begin what the law says there: "No person shall", "It shall be unlawful"
AROUND = 5  # words of the law beside those that the claim has
GOVERNED = 7  # words behind "of", "by" and the like, among which is the party that they bind
FEW = 4  # words put in for others between words of the law, so many of which stand
BESIDE = 2
SAME_MATTER = 0.5  # of the claim's words in the law's order: with fewer, its date is of something else
SHORTEST_QUOTE = 3  # words; fewer in quotation marks are a name or a term
FOLLOWING = 12  # words in which a verb's subject is looked for
LEADING = 3  # words before those that agree, in which a "no" or "nor shall any" belongs to them
_QUOTED = re.compile(r"[“\"«]([^“”\"«»]{8,})[”\"»]")
_CAPITAL = re.compile(r"\[(\w)\]")  # "[N]o": another letter's case
_POWER_GIVEN = re.compile(r"\bshall have (?:\w+ ){0,2}powers?\b")
_NO_WHO = re.compile(r"\bno (?:\w+ ){1,10}(?:who|which|that) (?:\w+ ){0,2}not\b")  # binds as "must" does
_DOUBLY = re.compile(
    r"\b(?:no|not|nor|neither|cannot|nobody|none|never)\b.*?\b"
    r"(unless|until|without|except|before|but (?:upon|on|by|in|with))\b"
)
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
    aligned = _aligned(claim, law)
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
        numbers = _measured(claim, known[0]), _measured(law, known[1], start=span[0])
        otherwise |= set(_reworded(claim, law, aligned, numbers))
        hints.clear()
    changed |= otherwise
    contradicts = contradicts or bool(otherwise)
    return Comparison(
        _sorted(changed), _sorted(hints - changed), contradicts, aligned.order, aligned.tight, around
    )


def _said_otherwise(
    said: str,
    claim: Sequence[Token],
    law: Sequence[Token],
    around: Sequence[Token],
    aligned: "_Aligned",
    language: str,
) -> Iterator[str]:
    """What contradicts the law in whatever words the rest is said."""
    if _of_other_party(claim, law):
        yield "party"
    if (
        (aligned.order >= VERBATIM and _excepting(claim, law, aligned))
        or _excepts_nothing(said, around)
        or _excludes_what_is_named(said, law, around, language)
    ):
        yield "exception"
    if _power_made_duty(_words(claim), around) or _duty_made_leave(said, around):
        yield "modal"
    yield from _turned(claim, law, aligned)


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
    for quantity in claim.quantities:
        if code := _quantity_changed(quantity, said, law, window):
            changed.add(code)
            contradicts = contradicts or bool(law.quantities)
    years = {int(q.value) for q in law.quantities if q.value.denominator == 1}
    kinds = {kind for kind, _ in law.dates}
    for kind, value in claim.dates - law.dates:
        if not (kind in ("year", "day") and value in years):
            changed.add("date")
            contradicts = contradicts or (kind in kinds and order >= SAME_MATTER)
    if claim.places - law.places - places_of(source.locator, source.citation):
        changed.add("section")
        contradicts = True
    return changed, contradicts


def _quantity_changed(quantity: Quantity, said: str, law: Facts, window: str) -> str:
    if quantity.noun in OF_A_RULE:
        return ""
    equal = [other for other in law.quantities if other.measure == quantity.measure]
    same = equal or [other for other in law.quantities if other.value == quantity.value]
    if not same:
        if quantity.unit == "majority":  # of those who vote, unless the law tells another share
            shares = (other for other in law.quantities if other.value < 1 or other.unit == "percent")
            return "number" if any(shares) else ""
        if quantity.certain:
            dated = any(value == quantity.value for _, value in law.dates)
            return "" if dated else "number"
        counted = {other.noun for other in law.quantities} - {""}
        alone = re.search(rf"\b(?:an?|each|every|the|per)\s+{re.escape(quantity.noun)}\b", fold(window))
        return "number" if quantity.noun in counted and not alone else ""
    if not equal and quantity.unit and all(other.unit and other.unit != quantity.unit for other in same):
        return "unit"
    bounds = {bound(fold(window), other.start, other.end) for other in same}
    mine = bound(fold(said), quantity.start, quantity.end)
    return "number" if mine and bounds == {-mine} else ""


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


def _reworded(
    claim: Sequence[Token],
    law: Sequence[Token],
    aligned: _Aligned,
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
    yield from _turned_round(*_differing(claim, law, aligned), claim, law)


def _differing(
    claim: Sequence[Token], law: Sequence[Token], aligned: _Aligned
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


def _turned_round(
    mine: Sequence[Token], theirs: Sequence[Token], claim: Sequence[Token], law: Sequence[Token]
) -> Iterator[str]:
    """Whether words that differ deny, or are opposites; "not lawful" says what "unlawful" says."""
    denied = bool(_denials(mine, claim)), bool(_denials(theirs, law))
    lacking = LACKING & {*_folded(mine if denied[1] else theirs)}  # "not paid" says what "without pay" says
    is_denied = denied[0] != denied[1] and not lacking and not _requires(claim, law)
    is_opposed = exchanged(_folded(mine), _folded(theirs))
    if is_denied != is_opposed:
        yield "opposite" if is_opposed else "negation"


def _requires(claim: Sequence[Token], law: Sequence[Token]) -> bool:
    """Whether one says by two negatives what the other requires: "no warrant, but upon oath", "needs an oath"."""
    claimed, written = (" ".join(_folded(tokens)) for tokens in (claim, law))
    return _by_two(claimed, written) or _by_two(written, claimed)


def _by_two(double: str, simple: str) -> bool:
    if NEGATIVE & set(simple.split()):
        return False
    doubled = _DOUBLY.search(double)
    is_required = doubled and REQUIRING.search(simple) and not re.search(rf"\b{doubled[1]}\b", simple)
    return bool(is_required or _NO_WHO.search(double))


def _turned(claim: Sequence[Token], law: Sequence[Token], aligned: _Aligned) -> Iterator[str]:
    """What a few words turn round that are put in, left out or exchanged between words of the law."""
    mine, theirs = _differing(claim, law, aligned)
    denied = _denials(mine, claim), _denials(theirs, law)
    for before, (_, a, b, c, d), after in zip(aligned.steps, aligned.steps[1:], aligned.steps[2:], strict=False):
        beside = before[2] - before[1] + after[2] - after[1]
        is_between = before[0] == after[0] == "equal" and beside >= BESIDE
        if is_between and max(b - a, d - c) <= FEW:
            for code in _turned_round(claim[a:b], law[c:d], claim, law):
                if code == "opposite" or denied[0] != denied[1]:
                    yield code


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
    words = _words(tokens)
    if words & OBLIGES and words & POWERS:
        return {"leave"}
    return {MODALS[word] for word in words if word in MODALS}


def _power_made_duty(mine: Set[str], around: Sequence[Token]) -> bool:
    """Whether the law gives a power there and binds to nothing, but the claim binds: "Congress shall declare war"."""
    law = " ".join(fold(token.word) for token in around)
    others = _POWER_GIVEN.sub(" ", law)
    return bool(mine & OBLIGES) and not mine & PERMITS and others != law and not OBLIGES & set(others.split())


def _excepts_nothing(said: str, around: Sequence[Token]) -> bool:
    """Whether it always holds, as the claim says, what the law has exceptions from."""
    law = " ".join(_folded(around))
    return bool(ABSOLUTELY.search(fold(said)) and EXCEPTING.search(law) and not ABSOLUTELY.search(law))


def _duty_made_leave(said: str, around: Sequence[Token]) -> bool:
    """Whether it need not be, as the claim says, what the law binds to."""
    words = _folded(around)
    binds = OBLIGES & set(words) and not PERMITS & set(words) and not OPTIONAL.search(" ".join(words))
    return bool(binds and OPTIONAL.search(fold(said)))


def _kind_of_number(tokens: Sequence[Token]) -> str:
    """The problem of another number at the end of these words: of a section, a date, or a quantity."""
    words = set(_folded(tokens))
    return "section" if words & PLACE.keys() else "date" if words & MONTH.keys() else "number"


def _values(tokens: Sequence[Token]) -> set[Measure]:
    return {quantity.measure for quantity in facts(" ".join(token.word for token in tokens)).quantities}


def _measured(words: Sequence[Token], known: Facts, *, start: int = 0) -> list[Measure | None]:
    """The quantity, if any, of which each word is a part; `start` is where the text begins that the facts are of."""
    return [
        next((q.measure for q in known.quantities if q.start < word.end - start and word.start - start < q.end), None)
        for word in words
    ]


def _negative(tokens: Sequence[Token]) -> bool:
    return bool(said_by(tokens) & NEGATIVE)


def _denials(tokens: Sequence[Token], text: Sequence[Token]) -> int:
    """How often words of a text deny; "nor" only goes on with another "not" of it."""
    denying = said_by(text) & NEGATIVE
    denying = denying - GOES_ON or denying
    return sum(word in denying for word in _folded(tokens))


def said_by(tokens: Sequence[Token]) -> set[str]:
    """The folded words, but for the "not" of "not later than", which denies nothing."""
    words = [fold(token.word).replace("'", "").replace("’", "") for token in tokens]
    return {word for word, after in zip_longest(words, words[1:]) if not (word in NEGATIVE and after in BOUNDING)}


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
    if exchanged(_folded(claim), _folded(law)):
        yield "opposite"


def allows_what_is_forbidden(mine: Set[str], theirs: Set[str]) -> bool:
    """Of the folded words of a claim and of the law."""
    return bool(mine & PERMITS and not mine & (NEGATIVE | LIMITS) and theirs & NEGATIVE)


def _folded(tokens: Sequence[Token]) -> list[str]:
    return [fold(token.word) for token in tokens]


def _words(tokens: Sequence[Token]) -> set[str]:
    return {fold(token.word).replace("'", "").replace("’", "") for token in tokens}


def _other_party(claim: Sequence[Token], law: Sequence[Token]) -> bool:
    """A party that the law does not name there, or one that does what another does in the law."""
    mine, theirs = parties(claim), parties(law)
    if theirs and mine - theirs and not _words(law) & PRONOUNS:
        return True
    return any(
        (agent := _agent(law, verb)) and agent != party and party in theirs for party, verb in _doings(claim)
    )


def _of_other_party(claim: Sequence[Token], law: Sequence[Token]) -> bool:
    """Whether it has "of the House" or "against the States" where the law has "of the Senate", "against the Union"."""
    said, known = _bound_parties(claim), _bound_parties(law)
    return any(known.get(words) and not parties & known[words] for words, parties in said.items())


def parties(tokens: Sequence[Token]) -> set[str]:
    """The terms of those whom they name."""
    return {token.term for token in tokens if _is_party(token)}


def _is_party(token: Token) -> bool:
    return token.term in PARTIES and fold(token.word) not in NO_PARTIES


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
        if _is_party(token):
            following = [t for t in tokens[place + 1 : place + 5] if t.term]
            if following and not _is_party(following[0]):
                yield token.term, following[0].term


def _agent(tokens: Sequence[Token], verb: str) -> str:
    """The party that does it: after "by", or the last one named before it."""
    at = next((place for place, token in enumerate(tokens) if token.term == verb), None)
    if at is None:
        return ""
    after = tokens[at + 1 : at + 6]
    by = next((place for place, token in enumerate(after) if token.word in ("by", "por")), None)
    if by is not None:
        named = [token.term for token in after[by:] if _is_party(token)]
        if named:
            return named[0]
    before = [token.term for token in tokens[max(0, at - FOLLOWING) : at] if _is_party(token)]
    return before[-1] if before else ""
