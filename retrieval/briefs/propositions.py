"""The sentences that carry citations, beside the law they cite. Pure but for what a library reads."""

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache

from retrieval.briefs.library import Library, Source, Stand
from retrieval.briefs.quoting import Quotation, Unit
from retrieval.proof.alignment import clauses
from retrieval.proof.types import Claim
from retrieval.proof.verify import verify
from retrieval.text.language import detect

LONGEST_SOURCE = 20_000  # characters; what a whole article or chapter says proves no sentence
LEAST_CONFIDENT = 0.5


@dataclass(frozen=True, slots=True)
class PropositionCheck:
    """The citations that a sentence rests on by their numbers, and the claim in it that is worst off, in its place."""

    citations: tuple[int, ...]
    claim: Claim

    @property
    def findings(self) -> tuple[str, ...]:
        verdict = self.claim.verdict
        return (verdict,) if verdict == "contradicted" and self.claim.confidence >= LEAST_CONFIDENT else ()

    def to_dict(self) -> dict:
        return {
            "start": self.claim.start,
            "end": self.claim.end,
            "citations": list(self.citations),
            "verdict": self.claim.verdict,
            "confidence": round(self.claim.confidence, 3),
            "problems": list(self.claim.problems),
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
        claims = verify(said, sources, language=detect(said), read=read) if sources else ()
        if claim := worst(claims):
            start, end = unit.start + claim.start, unit.start + claim.end
            found.append(PropositionCheck(cited, replace(claim, start=start, end=end)))
    return tuple(found)


def sources_of(stand: Stand, library: Library) -> list[Source]:
    short = (source for source in library.sources(stand) if len(source.text) <= LONGEST_SOURCE)
    return [source for source in short if source.language == "en"]


def worst(claims: Sequence[Claim]) -> Claim | None:
    order = ("contradicted", "not_found", "supported")
    judged = [claim for claim in claims if claim.verdict in order]
    return min(judged, key=lambda claim: (order.index(claim.verdict), -claim.confidence), default=None)
