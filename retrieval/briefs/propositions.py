"""The sentences that carry citations, beside the law they cite. The law is read by `library`; no other I/O."""

import logging
import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import chain, pairwise

from retrieval.briefs.answered import answered_otherwise
from retrieval.briefs.citing import Cited, admits
from retrieval.briefs.holdings import set_free, turned_round
from retrieval.briefs.library import Library, Source, Stand
from retrieval.briefs.quoting import Quotation, Unit, is_only_citations
from retrieval.corpus import history
from retrieval.engines.cross_encoders import CrossEncoderUnavailable
from retrieval.parsing.cases import holding_begins
from retrieval.proof.alignment import Clause, clauses, tokens
from retrieval.proof.types import Claim
from retrieval.proof.types import Source as Proving
from retrieval.proof.verify import verify
from retrieval.text.language import detect
from retrieval.text.separate_opinions import SEPARATE

logger = logging.getLogger(__name__)

LONGEST_SOURCE = 20_000  # characters; what a whole article or chapter says proves no sentence
LONGEST_SENTENCE = 4_000  # characters, and
# Places that one sentence rests on: the work grows with both, and what has more is left, and told.
MOST_CITED = 20
FEWEST = 4  # words that mean something, of a sentence that the law cited is missed in: fewer do not tell what it says
OF_THEN = 1 / 3  # of the words that tell of former law, which a sentence that states it has
MORE = 0.1  # by which that share is above the share of the words that tell of the law now

_UNCHANGED = re.compile(
    r"\b(?:(?:stands?|remains?|is|sigue|permanece|queda|está)\s(?:still\s)?(?:un(?:altered|changed|amended|touched)|"
    r"intact[ao]?|inalterad[ao]|sin cambios)|(?:has|have|was) never (?:been )?(?:amended|changed|altered|modified)|"
    r"nunca (?:ha sido|fue) (?:enmendad[ao]|cambiad[ao]|modificad[ao]))\b",
    re.IGNORECASE,
)
_STILL = re.compile(
    r"\b(?:still|continu\w+|remain\w*|to this day|unaltered|unchanged|aún|todavía|sigue\w*)\b", re.IGNORECASE
)
_PLEADED = re.compile(
    r"\b(?:aris\w+|arose|mov(?:es?|ed|ing)|su(?:es?|ed|ing)|br(?:ings?|ought)|plead\w*|claims?|relief|petition\w*|seeks?|"
    r"fil(?:es?|ed))\s(?:\w+\s){0,4}under\s+(?:the\s+)?\Z",
    re.IGNORECASE,
)
_DRAWN = re.compile(
    r"\b(?:therefore|thus|hence|accordingly|consequently|por (?:lo )?tanto|por consiguiente|en consecuencia)\b",
    re.IGNORECASE,
)
_BINDING = re.compile(r"\b(?:may|can|cannot|must|shall|puede[ns]?|debe[ns]?)\b", re.IGNORECASE)
# That nobody else may is seldom said by the words that give a power: "Congress alone may declare war".
_ALONE = re.compile(
    r"\b(?:only(?! (?:if|when|where|after|upon|on|by|with|for|in|to|as|until|unless|once)\b)|alone|solely|sole"
    r"|exclusive(?:ly)?|s[oó]lo(?! (?:si|cuando|donde|por|con|para|en|hasta)\b)|[uú]nicamente|exclusivamente"
    r"|exclusiv[oa])\b",
    re.IGNORECASE,
)
_YEAR = re.compile(r"\((?:[^()]{0,20}\s)?[12]\d{3}\)")
_BESIDE_BRACKETS = re.compile(r"(\([^()]{0,300}\))|\S")
_MONEY = re.compile(r"\$\s?\d")  # an amount tells what a sentence says, however short it is
Reader = Callable[[Proving], Sequence[Clause]]


@dataclass(frozen=True, slots=True)
class PropositionCheck:
    """The citations that a sentence rests on by their numbers, the claim in it that is worst off, in its place, and
    what is to be looked at: "contradicted", "unsupported" where the law does not say it, "outdated" where it once did.
    `sources` are what it was read beside, none where one is private; `all_read`: these are all that is cited;
    `opinion`: a language model was asked and has told.
    """

    citations: tuple[int, ...]
    claim: Claim
    findings: tuple[str, ...] = ()
    sources: tuple[Source, ...] = ()
    all_read: bool = False
    opinion: bool = False

    def to_dict(self) -> dict:
        return {
            "text": self.claim.text,
            "start": self.claim.start,
            "end": self.claim.end,
            "citations": list(self.citations),
            "verdict": self.claim.verdict,
            "confidence": round(self.claim.confidence, 3),
            "problems": list(self.claim.problems),
            "findings": list(self.findings),
            "opinion": self.opinion,
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
    word for word, is no claim that the rest does not follow. One that is drawn from the sentence before rests on the
    law cited there, and is asked only whether it has another number, party or place.
    """
    found = []
    read = cache(clauses)  # each source once, however many sentences cite it
    ends = [quotation.end for quotation in quoted]
    for before, unit in pairwise([Unit(0, 0, 0, ()), *among]):
        drawn = is_drawn(text, before, unit)
        numbers = [number for number in (before if drawn else unit).citations if number < len(stands)]
        own = [number for number in numbers if not cited[number].again] or numbers
        here = tuple(number for number in own if stands[number].leads and stands[number].place)
        if not here:
            continue
        if library.is_late():
            break
        places = {stands[number].key: stands[number] for number in here}
        if unit.says - unit.start > LONGEST_SENTENCE or len(places) > MOST_CITED:
            library.unsearched = True
            continue
        said = words_beside(text, unit, cited, numbers)
        following = bisect_right(ends, unit.start)
        quotes = following < len(quoted) and quoted[following].start < unit.says
        is_pleaded = any(_PLEADED.search(text, unit.start, cited[number].start) for number in here)
        if states_former_law(said, [*places.values()], library):
            claim = Claim(said, unit.start, unit.start + len(said), "contradicted", 1.0)
            found.append(PropositionCheck(here, claim, ("outdated",)))
        elif not quotes:
            law = [sources_of(stand, library) for stand in places.values()]
            all_read = len(here) == len(own) and all(law) and not is_pleaded
            names = [cited[number].name for number in here]
            check = reversed_holding(said, names, [*places.values()]) if len(here) == len(own) else None
            try:
                check = check or proven(said, list(chain(*law)), all_read=all_read, read=read)
            except CrossEncoderUnavailable:
                logger.exception("The sentences of a brief are left unread.")
                library.unsearched = True
                break
            if check and (check[0].problems or not drawn):
                beside_it = tuple(chain(*law)) if is_public(numbers, stands) else ()
                found.append(replace(placed(here, unit, *check), sources=beside_it, all_read=all_read))
    return tuple(found)


def is_public(numbers: Sequence[int], stands: Sequence[Stand]) -> bool:
    """Whether all that a sentence cites is; what leads nowhere may name a private document."""
    places = [stands[number].place for number in numbers]
    return all(place and not place.private for place in places)


def placed(
    citations: tuple[int, ...], unit: Unit, claim: Claim, findings: tuple[str, ...]
) -> PropositionCheck:
    """Of a claim whose place is told from its sentence on."""
    start, end = unit.start + claim.start, unit.start + claim.end
    return PropositionCheck(citations, replace(claim, start=start, end=end), findings)


def words_beside(text: str, unit: Unit, cited: Sequence[Cited], numbers: Sequence[int]) -> str:
    """What a sentence says beside its citations, each word in its place."""
    said = blanked(text[unit.start : unit.says], unit.start, [cited[number] for number in numbers])
    own = [cited[number] for number in unit.citations if number < len(cited)]
    spans = [(one.start, one.end) for one in own if one.start < unit.says]
    return in_brackets(said) if is_only_citations(text, unit.start, unit.says, spans) else said


def is_drawn(text: str, before: Unit, unit: Unit) -> bool:
    """Whether it says what therefore may or must be, cites nothing, and follows a sentence that does."""
    said = text[unit.start : unit.says]
    near = before.citations and not unit.citations and "\n\n" not in text[before.start : before.end]
    return bool(near and _DRAWN.search(said) and _BINDING.search(said))


def reversed_holding(
    said: str, names: Sequence[str], stands: Sequence[Stand]
) -> tuple[Claim, tuple[str, ...]] | None:
    """A sentence on one decision that says the opposite of what, by our summary, that holds."""
    if len(stands) != 1 or not stands[0].section or stands[0].section.level != "case":
        return None
    text, language = stands[0].section.text, detect(said)
    holding = text[holding_begins(text) :]
    stated = without_names(said, names)
    claim = (
        turned_round(said, holding, language)
        or set_free(stated, holding, language)
        or answered_otherwise(stated, text, holding, language)
    )
    return (replace(claim, text=said), ("contradicted",)) if claim else None


def without_names(said: str, names: Iterable[str]) -> str:
    """Without what decisions are called and their years, each word in its place."""
    for name in filter(None, names):
        said = said.replace(name, " " * len(name))
    return _YEAR.sub(lambda year: " " * len(year[0]), said)


def blanked(said: str, start: int, cited: Sequence[Cited]) -> str:
    """Without the citations, each word in its place: what they say the law need not say."""
    said = re.sub(r"\s", " ", said).rstrip()
    for one in cited:
        first, last = max(0, one.start - start), min(len(said), one.end - start)
        said = said[:first] + " " * max(0, last - first) + said[max(first, last) :]
    return said


def in_brackets(said: str) -> str:
    """What citations alone say of the law, each word in its place: signals and names say nothing."""
    return _BESIDE_BRACKETS.sub(lambda found: found[1] or " ", said)


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
        _UNCHANGED.search(said)
        or (of_then := shared(words, change.then[language], language)) >= OF_THEN
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
    """The claim of a sentence that is worst off beside the law cited, and its finding. One that says who alone may do
    something is right where the law says that they may.
    """
    found = beside(said, sources, all_read=all_read, read=read)
    shared_out = _ALONE.sub(lambda word: " " * len(word[0]), said)
    if found is None or not found[1] or shared_out == said:
        return found
    without = beside(shared_out, sources, all_read=all_read, read=read)
    return without if without and without[0].verdict == "supported" else found


def beside(
    said: str, sources: Sequence[Source], *, all_read: bool, read: Reader
) -> tuple[Claim, tuple[str, ...]] | None:
    """The worst claim and its finding. That the law does not say it is one only where `all_read`."""
    language = detect(said)
    claim = worst(verify(said, sources, language=language, read=read)) if sources else None
    return None if claim is None else (claim, of_claim(claim, language, all_read=all_read))


def of_claim(claim: Claim, language: str, *, all_read: bool) -> tuple[str, ...]:
    """The finding of it, if any."""
    if claim.verdict == "contradicted":
        return ("contradicted",)
    if claim.verdict != "not_found" or not all_read:
        return ()
    another_amount = _MONEY.search(claim.text) is not None and "number" in claim.problems
    words = [term for term in terms(claim.text, language) if not term.isdigit()]
    missed = another_amount or len(words) >= FEWEST
    return ("unsupported",) if missed else ()


def sources_of(stand: Stand, library: Library) -> list[Source]:
    """In English, each with the words before it that it goes on with; of a decision what the Court said."""
    read = [source for source in library.opened(stand) or library.sources(stand) if source.opinion not in SEPARATE]
    return [source for source in read if len(source.text) <= LONGEST_SOURCE and source.language == "en"]


def worst(claims: Sequence[Claim]) -> Claim | None:
    order = ("contradicted", "not_found", "supported")
    judged = [claim for claim in claims if claim.verdict in order]
    return min(judged, key=lambda claim: (order.index(claim.verdict), -claim.confidence), default=None)
