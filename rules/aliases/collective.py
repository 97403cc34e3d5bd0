"""Queries that are only a curated name of several provisions together: all of them in order."""

from dataclasses import dataclass, replace

from retrieval.citations.finding import without_framing
from retrieval.pipeline import unless_final
from retrieval.ranking import Candidate, Query, Ranking, Reason
from retrieval.stages.citations import resolve
from retrieval.text.analyzer import LANGUAGES, stems
from rules import published


@dataclass(frozen=True)
class AnswerCollectiveName:
    """Answers "Reconstruction amendments" by the Thirteenth, Fourteenth and Fifteenth. Ranking stages pass."""

    @unless_final
    def __call__(self, ranking: Ranking) -> Ranking:
        name, locators = named_together(ranking.query)
        places = {place.locator: place.section for place in resolve(ranking.query, locators) if place.exact}
        if not places:
            return ranking.noting("no name of several provisions", skipped=True)
        candidates = tuple(
            Candidate(
                section_id=places[locator].pk,
                domain_id=places[locator].domain_id,
                locator=locator,
                score=1.0 / rank,
                scores={"alias": 1.0},
                ranks={"alias": rank},
                reasons=(Reason("collective", {"alias": name}),),
            )
            for rank, locator in enumerate(filter(places.get, locators), start=1)
        )
        return replace(ranking, candidates=candidates, final=True).noting(name)


def named_together(query: Query) -> tuple[str, list[str]]:
    """The name that is all of the question, neutral words apart, and what it means; in either language."""
    version = query.versions.get("aliases", 0)
    for text in (query.original, without_framing(query.original)):
        for domain in query.domain_ids:
            names = published.collective_names(domain, version)
            for language in LANGUAGES:
                if found := names.get((language, *stems(text, language))):
                    return found[0], list(found[1])
    return "", []
