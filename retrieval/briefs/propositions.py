"""The sentences that carry citations, beside the law they cite. Pure but for what a library reads."""

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from retrieval.briefs.library import Library, Stand
from retrieval.briefs.quoting import Quotation, Unit
from retrieval.proof.alignment import clauses
from retrieval.proof.types import Claim, Source
from retrieval.proof.verify import verify
from retrieval.text.language import detect

LONGEST_SOURCE = 20_000  # characters; what a whole article or chapter says proves no sentence
LEAST_CONFIDENT = 0.5


@dataclass(frozen=True, slots=True)
class PropositionCheck:
    """A sentence, the citations that it rests on by their numbers, and the claim in it that is worst off."""

    start: int
    end: int
    citations: tuple[int, ...]
    verdict: str
    confidence: float
    problems: tuple[str, ...] = ()

    @property
    def findings(self) -> tuple[str, ...]:
        return (
            ("contradicted",) if self.verdict == "contradicted" and self.confidence >= LEAST_CONFIDENT else ()
        )

    def to_dict(self) -> dict:
        return {
            "start": self.start,
            "end": self.end,
            "citations": list(self.citations),
            "verdict": self.verdict,
            "confidence": round(self.confidence, 3),
            "problems": list(self.problems),
            "findings": list(self.findings),
        }


def check_propositions(
    text: str, among: Sequence[Unit], stands: Sequence[Stand], quoted: Sequence[Quotation], library: Library
) -> tuple[PropositionCheck, ...]:
    """Those of sentences whose law is here, and that do not quote: part of a provision, word for word, is no claim that
    the rest does not follow.
    """
    found = []
    read = cache(clauses)  # each source once, however many sentences cite it
    ends = [quotation.end for quotation in quoted]
    for unit in among:
        following = bisect_right(ends, unit.start)
        if following < len(quoted) and quoted[following].start < unit.says:
            continue
        if library.is_late():
            break
        cited = tuple(number for number in unit.citations if number < len(stands) and stands[number].leads)
        sources = [source for number in cited for source in sources_of(stands[number], library)]
        said = text[unit.start : unit.says].rstrip()
        claims = verify(said, sources, language=detect(said), read=read).claims if sources else ()
        if claim := worst(claims):
            found.append(
                PropositionCheck(
                    unit.start + claim.start,
                    unit.start + claim.end,
                    cited,
                    claim.verdict,
                    claim.confidence,
                    claim.problems,
                )
            )
    return tuple(found)


def sources_of(stand: Stand, library: Library) -> list[Source]:
    return [
        Source(source.locator, source.citation, source.text, source.language)
        for source in library.sources(stand)
        if len(source.text) <= LONGEST_SOURCE and source.language == "en"
    ]


def worst(claims: Sequence[Claim]) -> Claim | None:
    order = ("contradicted", "not_found", "supported")
    judged = [claim for claim in claims if claim.verdict in order]
    return min(judged, key=lambda claim: (order.index(claim.verdict), -claim.confidence), default=None)
