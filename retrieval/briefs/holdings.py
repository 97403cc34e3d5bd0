"""Sentences that turn round what a decision holds: it allows what they say it forbids, refuses what they say it lets
somebody do, or demands what they say nobody must do. Pure.

Of most decisions only our summary is here, too short to prove a sentence by; that it says the opposite, it shows.
"""

import re
from collections.abc import Sequence

from retrieval.proof.alignment import Token, align, clauses, in_window, tokens, weights
from retrieval.proof.types import Claim, Source
from retrieval.proof.vocabulary import LIMITS, NEGATIVE, a_set
from retrieval.text.normalization import fold

LEAST = 0.4  # of the weight of a sentence's words, which the summary has in one place
LETS = a_set(
    """may can could let lets letting allow allows allowed permit permits permitted authorize authorizes authorized free
    uphold upholds upheld lawful valid within puede pueden podra permite permiten autoriza deja"""
)
FORBIDS = a_set(
    """forbid forbids forbade bar bars barred prohibit prohibits denies cannot never prohibe prohiben niega impide
    nunca"""
)
REFUSES = NEGATIVE | a_set(
    """without except unless only against barred bars forbid forbids forbidden prohibits struck invalid unlawful
    unconstitutional violates violated denial denied deprived exceeded requires must protects protection limits"""
)
_NOT_LET = re.compile(
    r"\b(?:no|not|nor|neither|cannot|never)(?: \w+){0,3}? (?:let|allow|permit|authorize|free)\b"
)
_FREES = re.compile(
    r"\b(?:need not|(?:requires?|required|needs?) no|no \w+(?: \w+)? (?:is|are|was|were) (?:required|needed|necessary)"
    r"|(?:not|never) (?:required?|necessary|need|obliged|obligated)|no (?:exige\w*|requiere\w*|necesita\w*"
    r"|tienen? que|estan? obligad[oa]s?|es necesari[oa]))\b"
)
OBLIGES = a_set("must require requires required unless necessary needed obliged")


def turned_round(said: str, holding: str, language: str) -> Claim | None:
    """The sentence as a claim that the holding contradicts; None where it does not surely do so."""
    claim = tokens(said, language)
    mine = {fold(token.word) for token in claim}
    lets = bool(mine & LETS) and not mine & (NEGATIVE | LIMITS)
    forbids = bool(mine & FORBIDS) and not mine & LETS
    if not (lets or forbids):
        return None
    law = set(_NOT_LET.sub("not", words_about(claim, holding)).split())
    turned = (bool(law & LETS), bool(law & REFUSES)) == (forbids, lets)
    return contradicted(said) if turned else None


def set_free(said: str, holding: str, language: str) -> Claim | None:
    """The same of a sentence by which nobody must do what the holding demands."""
    claim = tokens(said, language)
    if not _FREES.search(fold(said)) or {fold(token.word) for token in claim} & LIMITS:
        return None
    law = words_about(claim, holding)
    demanded = not OBLIGES.isdisjoint(law.split()) and not _FREES.search(law)
    return contradicted(said) if demanded else None


def words_about(claim: Sequence[Token], holding: str) -> str:
    """The words of the holding on what the claim says, folded; none where it hardly speaks of that."""
    every = clauses(Source("", "", holding))
    place = align({token.term for token in claim}, every, weights(every))
    if place is None or place.coverage < LEAST:
        return ""
    return " ".join(
        fold(token.word) for clause in every if in_window(clause, place) for token in clause.tokens
    )


def contradicted(said: str) -> Claim:
    return Claim(said, 0, len(said), "contradicted", 1.0, problems=("modal",))
