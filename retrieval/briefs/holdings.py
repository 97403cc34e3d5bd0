"""Sentences that turn round what a decision holds: it allows what they say it forbids, or refuses what they say it lets
somebody do. Pure.

Of most decisions only our summary is here, too short to prove a sentence by; that it says the opposite, it shows.
"""

import re

from retrieval.proof.alignment import align, clauses, in_window, tokens, weights
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


def turned_round(said: str, holding: str, language: str) -> Claim | None:
    """The sentence as a claim that the holding contradicts; None where it does not surely do so."""
    claim = tokens(said, language)
    mine = {fold(token.word) for token in claim}
    lets = bool(mine & LETS) and not mine & (NEGATIVE | LIMITS)
    forbids = bool(mine & FORBIDS) and not mine & LETS
    every = clauses(Source("", "", holding)) if lets or forbids else []
    place = align({token.term for token in claim}, every, weights(every))
    if place is None or place.coverage < LEAST:
        return None
    words = [fold(token.word) for clause in every if in_window(clause, place) for token in clause.tokens]
    law = set(_NOT_LET.sub("not", " ".join(words)).split())
    if (bool(law & LETS), bool(law & REFUSES)) != (forbids, lets):
        return None
    return Claim(said, 0, len(said), "contradicted", 1.0, problems=("modal",))
