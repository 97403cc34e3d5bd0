"""What is proven, by which sources, and how it went: values only. Pure."""

from dataclasses import dataclass
from typing import Literal

Verdict = Literal["supported", "contradicted", "not_found", "not_a_claim"]
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
