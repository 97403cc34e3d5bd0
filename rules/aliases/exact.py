"""The leg that finds provisions by their curated names in the question."""

from dataclasses import dataclass, replace

from retrieval.ranking import Candidate, Query, Ranking, Reason
from rules import published
from rules.aliases.sections import named_sections
from rules.published import AliasMatch


@dataclass(frozen=True)
class AliasRetriever:
    """Provisions by their curated names. A longer name, and one that few provisions share, ranks first."""

    weight: float = 2.0

    def __call__(self, ranking: Ranking) -> Ranking:
        matches = self._matches(ranking.query)
        if not matches:
            return ranking.noting("no alias in the question", skipped=True)
        best = best_by_locator(matches)
        sections = named_sections(ranking.query, list(best))
        ranks = dense_ranks([strength(best[locator]) for locator, *_ in sections])
        candidates = [
            alias_candidate(section, best[locator], rank)
            for (locator, section), rank in zip(sections, ranks, strict=True)
        ]
        names = ", ".join(sorted({best[locator].text for locator, _section in sections}))
        return replace(ranking, candidates=tuple(candidates)).noting(names)

    def _matches(self, query: Query) -> list[AliasMatch]:
        version = query.versions.get("aliases", 0)
        texts = {"en": query.text} | (
            {query.language: query.corrected_text} if query.language != "en" else {}
        )
        return [
            match
            for domain in query.domain_ids
            for language, text in texts.items()
            for match in published.alias_table(domain, version).matches(text, language)
        ]


def strength(match: AliasMatch) -> float:
    """Longer names say more; a name shared by several provisions says less of each."""
    return match.words / match.shared


def best_by_locator(matches: list[AliasMatch]) -> dict[str, AliasMatch]:
    best: dict[str, AliasMatch] = {}
    for match in matches:
        if match.locator not in best or strength(match) > strength(best[match.locator]):
            best[match.locator] = match
    return best


def dense_ranks(strengths: list[float]) -> list[int]:
    """1-based ranks, equal strengths sharing one: [3, 5, 3] -> [2, 1, 2]."""
    order = {value: rank for rank, value in enumerate(sorted(set(strengths), reverse=True), start=1)}
    return [order[value] for value in strengths]


def alias_candidate(section: int, match: AliasMatch, rank: int) -> Candidate:
    return Candidate(
        section_id=section,
        scores={"alias": strength(match)},
        ranks={"alias": rank},
        reasons=(Reason("alias", {"alias": match.text}),),
    )
