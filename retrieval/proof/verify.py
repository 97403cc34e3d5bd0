"""Whether a text says what its sources say, claim by claim. Pure."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from retrieval.proof.alignment import Alignment, Clause, align, clauses, in_window, tokens, weights
from retrieval.proof.checks import SAME_MATTER, Comparison, compare
from retrieval.proof.claims import statements
from retrieval.proof.entailment import Reading, passage, reading
from retrieval.proof.model import Model, features, shipped, with_reading
from retrieval.proof.types import Claim, Source, Verdict

LONGEST = 1_000  # words of a claim
READ_WHOLE = 60  # words of a claim that the entailment model reads to its end, beside the passage
FACTS = frozenset(("number", "unit", "date"))
# What the checks find in faithful claims, too, where these are in other words: the model weighs it with the reading.
WEIGHED = frozenset(("negation", "number", "date", "section"))
HALF = 0.5


@dataclass(frozen=True, slots=True)
class Evidence:
    """Where a claim is said best, what it changes there, what the model weighs, and the passage that the entailment
    model reads; empty where the claim or the passage is not in English, or the claim is too long.
    """

    place: Alignment
    compared: Comparison
    features: list[float]
    passage: str


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
        read_together = reading(said.text, seen.passage) if seen.passage else ()
        verdict, confidence = judged(seen, read_together, shipped(read=bool(seen.passage)))
        problems = seen.compared.problems if verdict != "supported" else ()
        if verdict == "contradicted":
            problems = problems or seen.compared.hints
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
    source = sources[place.source]
    compared = compare(said, claim, source, (place.start, place.end), law, language)
    is_read = language == source.language == "en" and len(claim) <= READ_WHOLE
    around = passage(source.text, place.start, place.end) if is_read else ""
    return Evidence(place, compared, features(claim, law, place, compared, language), around)


def judged(seen: Evidence, read_together: Reading, model: Model) -> tuple[Verdict, float]:
    """The likeliest verdict and its probability. Never "supported" where the checks find something changed; of what was
    read, only where that is not of `WEIGHED`, or a date is new to the source, and where that is less likely than not.
    "Contradicted" rather than "not found" where the law has another value in words in the same order; never where only
    numbers and dates are changed in whose place the law has none.
    """
    compared, was_read = seen.compared, bool(read_together)
    values = with_reading(seen.features, read_together) if was_read else seen.features
    share = dict(model.probabilities(values))
    certain = set(compared.problems) - (WEIGHED if was_read else set())
    if certain or compared.dated:
        share["supported"] = 0.0
    if was_read and compared.contradicts and compared.order >= SAME_MATTER:
        share["contradicted"] += share["not_found"]
        share["not_found"] = 0.0
    if compared.problems and not compared.contradicts and FACTS.issuperset(compared.problems):
        share["contradicted"] = 0.0
    least = HALF if was_read else 0.0
    told = [each for each in share if each != "supported" or share[each] >= least]
    verdict = max(told, key=share.__getitem__)
    return verdict, share[verdict] / sum(share.values())
