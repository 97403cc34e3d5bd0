"""A question that is all of the heading of a private document's section asks for that section."""

from dataclasses import dataclass, replace

from retrieval.models import Section
from retrieval.pipeline import unless_final
from retrieval.ranking import Candidate, Ranking, Reason
from retrieval.text.analyzer import tokens

HEADED = "headed"


@dataclass(frozen=True)
class HeadedFirst:
    """Puts sections of private documents first whose heading has the question's words and no others: "confidentiality".
    Scores stay with their places.
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
        headed = [
            c.but(reasons=(*c.reasons, Reason(HEADED, {"heading": named[c.section_id]})))
            for c in ranking.candidates
            if c.section_id in named
        ]
        others = (c for c in ranking.candidates if c.section_id not in named)
        ordered = (c.but(score=place.score) for c, place in zip((*headed, *others), ranking.candidates, strict=True))
        return replace(ranking, candidates=tuple(ordered)).noting(f"{len(headed)} have this heading")


def words_of(heading: str) -> tuple[str, ...]:
    """Without its number: "8. Confidentiality"."""
    words = tokens(heading)
    return tuple(words[1:] if words and words[0].isdigit() else words)


def is_headed(candidate: Candidate) -> bool:
    return any(reason.code == HEADED for reason in candidate.reasons)
