"""Whether a text says what its sources say, claim by claim. Pure."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from retrieval.proof.alignment import Alignment, Clause, align, clauses, in_window, tokens, weights
from retrieval.proof.checks import Comparison, compare
from retrieval.proof.claims import statements
from retrieval.proof.model import Model, features, shipped
from retrieval.proof.types import Claim, Source, Verdict

LONGEST = 1_000  # words of a claim
FACTS = frozenset(("number", "unit", "date"))


@dataclass(frozen=True, slots=True)
class Evidence:
    """Where a claim is said best, what it changes there, and what the model weighs."""

    place: Alignment
    compared: Comparison
    features: list[float]


def verify(
    text: str,
    sources: Sequence[Source],
    *,
    language: str,
    read: Callable[[Source], Sequence[Clause]] = clauses,
) -> tuple[Claim, ...]:
    """All claims of a text in reading order, those that are none included. `language` is that of the text; each source
    has its own. `read` may remember the clauses of sources that several texts rest on.
    """
    every = tuple(replace(clause, source=number) for number, one in enumerate(sources) for clause in read(one))
    weight = weights(every)
    found = []
    for said in statements(text, language=language):
        if not said.is_claim:
            found.append(Claim(said.text, said.start, said.end, "not_a_claim", 1.0))
            continue
        seen = evidence(said.text, sources, every, weight, language)
        if seen is None:
            found.append(Claim(said.text, said.start, said.end, "not_found", 1.0))
            continue
        verdict, confidence = judged(seen, shipped())
        problems = seen.compared.problems or (seen.compared.hints if verdict == "contradicted" else ())
        span = seen.place.start, seen.place.end
        found.append(
            Claim(said.text, said.start, said.end, verdict, confidence, seen.place.source, span, problems)
        )
    return tuple(found)


def evidence(
    said: str, sources: Sequence[Source], every: Sequence[Clause], weight: dict[str, float], language: str
) -> Evidence | None:
    """None where no word of the claim is in any source, and of what is too long for a sentence."""
    claim = tokens(said, language)
    if len(claim) > LONGEST:
        return None
    place = align({token.term for token in claim}, every, weight)
    if place is None:
        return None
    law = [token for clause in every if in_window(clause, place) for token in clause.tokens]
    compared = compare(said, claim, sources[place.source], (place.start, place.end), law, language)
    return Evidence(place, compared, features(claim, law, place, compared, language))


def judged(seen: Evidence, model: Model) -> tuple[Verdict, float]:
    """The likeliest verdict and its probability; never "supported" where something is certainly changed, nor
    "contradicted" where only numbers and dates are changed in whose place the law has none.
    """
    share = dict(model.probabilities(seen.features))
    if seen.compared.problems:
        share["supported"] = 0.0
        if not seen.compared.contradicts and FACTS.issuperset(seen.compared.problems):
            share["contradicted"] = 0.0
    verdict = max(share, key=share.__getitem__)
    return verdict, share[verdict] / sum(share.values())
