"""What is proven, by which sources, and how it went: values only. Pure."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal, get_args

Verdict = Literal["supported", "contradicted", "not_found", "not_a_claim"]
Outcome = Literal["verified", "not_verified", "nothing_to_verify"]
OUTCOMES = get_args(Outcome)
PROBLEMS = (
    "quotation", "number", "unit", "date", "negation", "opposite", "modal", "party", "exception", "section",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Source:
    """A provision that a text rests on."""

    locator: str
    citation: str
    text: str
    language: str = "en"


@dataclass(frozen=True, slots=True)
class Claim:
    """One thing that a text says, and what the sources say of it.

    `start` and `end` are its place in the text that was checked, `confidence` is the probability of the verdict,
    `source` is the source's place among those given, `span` the place in its text that shows it, and `problems`
    are of `PROBLEMS`: what the checks found changed, of a claim that is not supported.
    """

    text: str
    start: int
    end: int
    verdict: Verdict
    confidence: float
    source: int | None = None
    span: tuple[int, int] | None = None
    problems: tuple[str, ...] = ()


def outcome(verdicts: Iterable[Verdict]) -> Outcome:
    """Of a whole text, by the verdicts of its claims. What claims nothing has nothing to verify: it is not verified."""
    claimed = set(verdicts) - {"not_a_claim"}
    if not claimed:
        return "nothing_to_verify"
    return "verified" if claimed == {"supported"} else "not_verified"
