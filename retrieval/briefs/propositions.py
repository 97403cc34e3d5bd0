"""The sentences that carry citations, beside the law they cite. Pure but for what a library reads."""

import re
from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import chain

from retrieval.briefs.citing import Cited, admits
from retrieval.briefs.library import Library, Source, Stand
from retrieval.briefs.quoting import Quotation, Unit
from retrieval.corpus import history
from retrieval.proof.alignment import Clause, clauses, tokens
from retrieval.proof.types import Claim
from retrieval.proof.types import Source as Proving
from retrieval.proof.verify import verify
from retrieval.text.language import detect

LONGEST_SOURCE = 20_000  # characters; what a whole article or chapter says proves no sentence
FEWEST = 4  # words that mean something, of a sentence that the law cited is missed in: fewer do not tell what it says
OF_THEN = 1 / 3  # of the words that tell of former law, which a sentence that states it has
MORE = 0.1  # by which that share is above the share of the words that tell of the law now

_STILL = re.compile(
    r"\b(?:still|continu\w+|remain\w*|to this day|unaltered|unchanged|aún|todavía|sigue\w*)\b", re.IGNORECASE
)

Reader = Callable[[Proving], Sequence[Clause]]


@dataclass(frozen=True, slots=True)
class PropositionCheck:
    """The citations that a sentence rests on by their numbers, the claim in it that is worst off, in its place, and
    what is to be looked at: "contradicted", "unsupported" where the law does not say it, "outdated" where it once did.
    """

    citations: tuple[int, ...]
    claim: Claim
    findings: tuple[str, ...] = ()

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
    text: str,
    among: Sequence[Unit],
    cited: Sequence[Cited],
    stands: Sequence[Stand],
    quoted: Sequence[Quotation],
    library: Library,
) -> tuple[PropositionCheck, ...]:
    """Of sentences whose law is here. One that quotes is asked only whether it states former law: part of a provision,
    word for word, is no claim that the rest does not follow.
    """
    found = []
    read = cache(clauses)  # each source once, however many sentences cite it
    ends = [quotation.end for quotation in quoted]
    for unit in among:
        numbers = [number for number in unit.citations if number < len(stands)]
        own = [number for number in numbers if not cited[number].again] or numbers
        here = tuple(number for number in own if stands[number].leads and stands[number].place)
        if not here:
            continue
        if library.is_late():
            break
        said = blanked(text[unit.start : unit.says], unit.start, [cited[number] for number in numbers])
        following = bisect_right(ends, unit.start)
        quotes = following < len(quoted) and quoted[following].start < unit.says
        if states_former_law(said, [stands[number] for number in here], library):
            claim = Claim(said, unit.start, unit.start + len(said), "contradicted", 1.0)
            found.append(PropositionCheck(here, claim, ("outdated",)))
        elif not quotes:
            law = [sources_of(stands[number], library) for number in here]
            all_read = len(here) == len(own) and all(law)
            if check := proven(said, list(chain(*law)), all_read=all_read, read=read):
                claim, findings = check
                start, end = unit.start + claim.start, unit.start + claim.end
                found.append(PropositionCheck(here, replace(claim, start=start, end=end), findings))
    return tuple(found)


def blanked(said: str, start: int, cited: Sequence[Cited]) -> str:
    """Without the citations, each word in its place: what they say the law need not say."""
    said = re.sub(r"\s", " ", said).rstrip()
    for one in cited:
        first, last = max(0, one.start - start), min(len(said), one.end - start)
        said = said[:first] + " " * max(0, last - first) + said[max(first, last) :]
    return said


def states_former_law(said: str, stands: Sequence[Stand], library: Library) -> bool:
    """Whether it has more of the words that tell what a changed provision said then than of those that tell of now; or
    enough of them, and says that they still hold.
    """
    if admits(said):
        return False
    language = detect(said)
    words = terms(said, language)
    places = {stand.pin or stand.section.locator for stand in stands if stand.section}
    made = chain(*(history.standing(place, library.day).made for place in places))
    holds = _STILL.search(said) is not None
    return any(
        (of_then := shared(words, change.then[language], language)) >= OF_THEN
        and (holds or of_then >= shared(words, change.now[language], language) + MORE)
        for change in made
        if change.effect == "changed"
    )


def terms(text: str, language: str) -> set[str]:
    return {token.term for token in tokens(text, language)} - {""}


def shared(words: set[str], text: str, language: str) -> float:
    """The share of a text's words that are among these."""
    wanted = terms(text, language)
    return len(wanted & words) / max(1, len(wanted))


def proven(
    said: str, sources: Sequence[Source], *, all_read: bool, read: Reader
) -> tuple[Claim, tuple[str, ...]] | None:
    """The claim of a sentence that is worst off beside the law cited, and its finding. That the law does not say it is
    one only where `all_read`.
    """
    language = detect(said)
    claim = worst(verify(said, sources, language=language, read=read)) if sources else None
    if claim is None:
        return None
    if claim.verdict == "contradicted":
        return claim, ("contradicted",)
    missed = claim.verdict == "not_found" and all_read and len(terms(claim.text, language)) >= FEWEST
    return claim, ("unsupported",) if missed else ()


def sources_of(stand: Stand, library: Library) -> list[Source]:
    short = (source for source in library.sources(stand) if len(source.text) <= LONGEST_SOURCE)
    return [source for source in short if source.language == "en"]


def worst(claims: Sequence[Claim]) -> Claim | None:
    order = ("contradicted", "not_found", "supported")
    judged = [claim for claim in claims if claim.verdict in order]
    return min(judged, key=lambda claim: (order.index(claim.verdict), -claim.confidence), default=None)
