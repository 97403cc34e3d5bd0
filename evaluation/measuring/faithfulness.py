"""Whether an answer, as people see it, says what the law cited says: claim by claim, by `retrieval.proof`, beside the
provisions as they stand in the database now; and whether what it quotes stands at its place there.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from retrieval.access.caller import Caller
from retrieval.answers.passages import passages_at
from retrieval.answers.selection import Passage
from retrieval.answers.spanish import GAP
from retrieval.proof.alignment import clauses
from retrieval.proof.types import Source
from retrieval.proof.verify import verify

LAW, LEAD, GENERATED = KINDS = "law", "lead", "generated"
# A name that only asks claims nothing: "Who can be a senator: age, citizenship and residence".
ASKS = re.compile(
    r"\W*(?:who|whom|whose|what|when|where|why|how|which|whether"
    r"|qui[eé]n(?:es)?|qué|cuándo|dónde|por qué|cómo|cuál(?:es)?|cuánt[oa]s?)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Judged:
    """The claims of one entry of an answer, and those that what it cites does not bear out."""

    kind: str
    claims: int
    unsupported: int


def judged(entries: Sequence[dict], caller: Caller) -> tuple[Judged, ...]:
    """Of the entries of one answer. Raises CrossEncoderUnavailable where claims cannot be read."""
    law_at = cache(lambda locator: passages_at(locator, (), caller, None))
    read = cache(clauses)
    found = []
    for entry in entries:
        if entry["kind"] not in KINDS:
            continue  # "Yes." and "No.", in which proof has nothing to read
        law = {locator: law_at(locator) for locator in (place["locator"] for place in entry["citations"])}
        sources = [source_of(one) for passages in law.values() for one in passages]
        asks = entry["kind"] == LEAD and ASKS.match(entry["text"])
        claims = () if asks else verify(entry["text"], sources, language=entry["language"], read=read)
        verdicts = [claim.verdict for claim in claims if claim.verdict != "not_a_claim"]
        if is_quoted_rightly(entry, law):
            wrong = sum(verdict != "supported" for verdict in verdicts)
            found.append(Judged(entry["kind"], len(verdicts), wrong))
        else:
            found.append(Judged(entry["kind"], max(1, len(verdicts)), max(1, len(verdicts))))
    return tuple(found)


def source_of(passage: Passage) -> Source:
    return Source(passage.locator, passage.citation, passage.text, passage.language)


def is_quoted_rightly(entry: dict, law: dict[str, list[Passage]]) -> bool:
    """Whether all that it quotes stands at its place word by word, and law shows these words alone."""
    quoted = [place for place in entry["citations"] if place["quote"]]
    if entry["kind"] == LAW and plain(entry["text"]) != plain(GAP.join(one["quote"] for one in quoted)):
        return False
    return all(any(stands(place, one) for one in law[place["locator"]]) for place in quoted)


def stands(place: dict, passage: Passage) -> bool:
    return plain(passage.text[place["start"] : place["end"]]) == plain(place["quote"])


def plain(text: str) -> str:
    return " ".join(text.split())
