"""Questions of what changed a provision: answered by the provision that did, then by the one that is cited."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from retrieval.citations.amending import changed_provisions
from retrieval.corpus import history
from retrieval.corpus.history import Change, is_within
from retrieval.pipeline import unless_final
from retrieval.ranking import Candidate, Query, Ranking, Reason
from retrieval.stages.citations import Place, resolve


@dataclass(frozen=True)
class AnswerChanges:
    """Where a question asks what changed, repealed or replaced a cited provision, and the history of the law tells:
    what did, in the order of days, then what is cited, then the parts of it that were changed. Ranking stages pass.
    """

    @unless_final
    def __call__(self, ranking: Ranking) -> Ranking:
        query = ranking.query
        asked = [c.locator for c in changed_provisions(query.original, history.changing())]
        if not asked:
            return ranking.noting("the question does not ask what changed a provision", skipped=True)
        made = [change for locator in asked for change in history.standing(locator, query.as_of).made]
        if not made:
            return ranking.noting(f"nothing is known to have changed {', '.join(asked)}")
        candidates: dict[int, Candidate] = {}
        for candidate in answers(query, asked, made):
            candidates.setdefault(candidate.section_id, candidate)
        ordered = tuple(c.but(score=1.0 / rank) for rank, c in enumerate(candidates.values(), start=1))
        return replace(ranking, candidates=ordered, final=True).noting(f"changes of {', '.join(asked)}")


def answers(query: Query, asked: Sequence[str], made: Sequence[Change]) -> Iterator[Candidate]:
    """Of what the caller may read on the day asked for; what is there for two reasons comes twice."""
    parts = [c.provision for c in made if any(is_within(c.provision, whole) for whole in asked)]
    found = resolve(query, [*(c.by for c in made), *asked, *parts])
    places = {place.locator: place for place in found if place.exact}
    for change in made:
        if place := places.get(change.by):
            told = {"citation": change.changed, "year": change.day.year}
            yield candidate_of(place, Reason(f"{change.effect}_it", told))
    for locator in asked:
        if place := places.get(locator):
            yield candidate_of(
                place, Reason("citation", {"citation": place.section.citation, "locator": locator})
            )
    for locator in parts:
        if place := places.get(locator):
            yield candidate_of(place, Reason("was_changed"))


def candidate_of(place: Place, reason: Reason) -> Candidate:
    return Candidate(
        section_id=place.section.pk,
        domain_id=place.section.domain_id,
        locator=place.section.locator,
        scores={"citation": 1.0},
        ranks={"citation": 1},
        reasons=(reason,),
        pin=place.pin,
    )
