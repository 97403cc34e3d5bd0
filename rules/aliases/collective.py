"""Queries that are a curated name of several provisions together, or ask what changed what a name means."""

from dataclasses import dataclass, replace

from retrieval.citations.amending import changed_words
from retrieval.citations.finding import unframed
from retrieval.corpus import history
from retrieval.pipeline import unless_final
from retrieval.ranking import Candidate, Query, Ranking, Reason
from retrieval.stages.changes import with_changes
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


@dataclass(frozen=True)
class AnswerChangesOfNamed:
    """What changed a provision that the question calls by a curated name: "what replaced the fugitive slave clause"."""

    @unless_final
    def __call__(self, ranking: Ranking) -> Ranking:
        for words in changed_words(ranking.query.original):
            named = {
                locator: Reason("alias", {"alias": name}) for name, locator in named_by(ranking.query, words)
            }
            changed = {locator: named[locator] for locator in named if history.concerning(locator)}
            if changed:
                return with_changes(ranking, changed)
        return ranking.noting("the question does not ask what changed a named provision", skipped=True)


def named_by(query: Query, words: str) -> list[tuple[str, str]]:
    """The curated names, with their locators, that are all of these words, neutral ones apart; in either language."""
    version = query.versions.get("aliases", 0)
    tables = [published.alias_table(domain, version) for domain in query.domain_ids]
    readings = ((text, language) for text in unframed(words) for language in LANGUAGES)
    found = (table.exactly(text, language) for text, language in readings for table in tables)
    return next(filter(None, found), [])


def named_together(query: Query) -> tuple[str, list[str]]:
    """The name that is all of the question, neutral words apart, and what it means; in either language."""
    version = query.versions.get("aliases", 0)
    for text in unframed(query.original):
        for domain in query.domain_ids:
            names = published.collective_names(domain, version)
            for language in LANGUAGES:
                if found := names.get((language, *stems(text, language))):
                    return found[0], list(found[1])
    return "", []
