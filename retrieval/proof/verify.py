"""Whether a text says what its sources say, claim by claim. Pure."""

from collections.abc import Sequence

from retrieval.proof.alignment import Clause, align, clauses, in_window, tokens, weights
from retrieval.proof.checks import compare
from retrieval.proof.claims import Statement, statements
from retrieval.proof.types import Claim, Proof, Source

FOUND = 0.6  # of a claim's words, by weight: said in the source
RELATED = 0.4


def verify(text: str, sources: Sequence[Source], *, language: str) -> Proof:
    """`language` is that of the text; each source has its own."""
    every = tuple(clause for number, source in enumerate(sources) for clause in clauses(source, number))
    weight = weights(every)
    return Proof(
        tuple(_claim(said, sources, every, weight, language) for said in statements(text, language=language))
    )


def _claim(
    said: Statement, sources: Sequence[Source], every: Sequence[Clause], weight, language: str
) -> Claim:
    if not said.is_claim:
        return Claim(said.text, said.start, said.end, "not_a_claim", 1.0)
    found = tokens(said.text, language)
    place = align({token.term for token in found}, every, weight)
    if place is None:
        return Claim(said.text, said.start, said.end, "not_found", 0.9)
    source, span = sources[place.source], (place.start, place.end)
    law = [token for clause in every if in_window(clause, place) for token in clause.tokens]
    compared = compare(said.text, found, source, span, law, language)
    if compared.problems and place.coverage >= RELATED:
        verdict, confidence = "contradicted", place.coverage
    elif place.coverage >= FOUND and not compared.problems:
        verdict, confidence = "supported", place.coverage
    else:
        verdict, confidence = "not_found", 1 - place.coverage
    return Claim(said.text, said.start, said.end, verdict, confidence, place.source, span, compared.problems)
