"""A question that is all of the heading of a private document's section asks for that section."""

from dataclasses import dataclass, replace

from retrieval.models import Section
from retrieval.pipeline import unless_final
from retrieval.ranking import EXACT, Candidate, Ranking, Reason
from retrieval.text.analyzer import tokens

HEADED = "headed"


@dataclass(frozen=True)
class HeadedFirst:
    """Puts sections of private documents first whose heading has the question's words and no others: "confidentiality";
    what is cited stays before them. Scores stay with their places.
    """

    @unless_final
    def __call__(self, ranking: Ranking) -> Ranking:
        query = ranking.query
        private = {domain.id for domain in query.domains if domain.private}
        among = [c.section_id for c in ranking.candidates if c.domain_id in private]
        asked = {words_of(text) for text in (query.original, query.text)} - {()}
        if not among:
            return ranking.noting("no private documents", skipped=True)
        headings = Section.objects.readable(query.caller, query.as_of).filter(pk__in=among)
        named = {pk: heading for pk, heading in headings.values_list("pk", "heading") if words_of(heading) in asked}
        reasons = {pk: Reason(HEADED, {"heading": heading}) for pk, heading in named.items()}
        told = [
            one.but(reasons=(*one.reasons, reasons[one.section_id])) if one.section_id in reasons else one
            for one in ranking.candidates
        ]
        places = zip(sorted(told, key=order_of), ranking.candidates, strict=True)
        ordered = tuple(one.but(score=place.score) for one, place in places)
        return replace(ranking, candidates=ordered).noting(f"{len(named)} have this heading")


def order_of(candidate: Candidate) -> int:
    """What is cited or put there by a rule, then what is headed so, then all others; each as they were."""
    if any(reason.code in EXACT for reason in candidate.reasons):
        return 0
    return 1 if is_headed(candidate) else 2


def words_of(heading: str) -> tuple[str, ...]:
    """Without its number: "8. Confidentiality"."""
    words = tokens(heading)
    return tuple(words[1:] if words and words[0].isdigit() else words)


def is_headed(candidate: Candidate) -> bool:
    return any(reason.code == HEADED for reason in candidate.reasons)
