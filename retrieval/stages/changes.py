"""Questions of what changed a provision: answered by the provision that did, then by the one that is cited."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date

from retrieval.citations.amending import changed_provisions, changing_provisions
from retrieval.citations.citation import Citation
from retrieval.corpus import history
from retrieval.corpus.history import Change, is_within
from retrieval.pipeline import unless_final
from retrieval.ranking import Candidate, Ranking, Reason
from retrieval.stages.citations import Place, resolve


@dataclass(frozen=True)
class AnswerChanges:
    """Where a question asks what changed, repealed or replaced a cited provision, and the history of the law tells:
    what did, in the order of days, then what is cited, then the parts of it that were changed. Where it asks what a
    cited provision changed: that, then what is cited. Ranking stages pass.
    """

    @unless_final
    def __call__(self, ranking: Ranking) -> Ranking:
        text, changing = ranking.query.original, history.changing()
        if cited := changed_provisions(text, changing):
            return with_changes(ranking, reasons_of(cited))
        if cited := changing_provisions(text, changing):
            return with_changed(ranking, reasons_of(cited))
        return ranking.noting("the question asks of no change to or by a cited provision", skipped=True)


def reasons_of(cited: Sequence[Citation]) -> dict[str, Reason]:
    return {c.locator: Reason("citation", {"citation": c.normalized, "locator": c.locator}) for c in cited}


def with_changes(ranking: Ranking, asked: Mapping[str, Reason]) -> Ranking:
    """Answered by what changed the provisions asked about, then by these, then by their parts; else as it was."""
    day = ranking.query.as_of
    made = in_order({change for locator in asked for change in history.standing(locator, day).made})
    did = [(c.by, Reason(f"{c.effect}_it", {"citation": c.changed, "year": c.day.year})) for c in made]
    parts = [c.provision for c in made if any(is_within(c.provision, whole) for whole in asked)]
    changed = [(part, Reason("was_changed")) for part in parts]
    return answered(ranking, asked, [*did, *asked.items(), *changed] if made else [])


def with_changed(ranking: Ranking, asked: Mapping[str, Reason]) -> Ranking:
    """Answered by what the provisions asked about changed, then by these; else as it was."""
    day = ranking.query.as_of or date.max
    made = in_order(
        c for c in history.changes() if c.day <= day and any(is_within(c.by, whole) for whole in asked)
    )
    changed = [
        (c.provision, Reason(f"{c.effect}_by", {"citation": c.citation, "year": c.day.year})) for c in made
    ]
    return answered(ranking, asked, [*changed, *asked.items()] if made else [])


def in_order(made: Iterable[Change]) -> list[Change]:
    return sorted(made, key=history.changes().index)


def answered(ranking: Ranking, asked: Iterable[str], places: Sequence[tuple[str, Reason]]) -> Ranking:
    """By these places, of which the caller may read, for the first reason of each; without any as it was."""
    names = ", ".join(asked)
    found = resolve(ranking.query, [locator for locator, _ in places])
    by_locator = {place.locator: place for place in found if place.exact}
    first = {locator: reason for locator, reason in reversed(places) if locator in by_locator}
    in_turn = [locator for locator in dict.fromkeys(locator for locator, _ in places) if locator in first]
    if not in_turn:
        return ranking.noting(f"no change to or by {names} is known")
    candidates = tuple(
        candidate_of(by_locator[locator], first[locator]).but(score=1.0 / rank)
        for rank, locator in enumerate(in_turn, start=1)
    )
    return replace(ranking, candidates=candidates, final=True).noting(f"changes of {names}")


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
