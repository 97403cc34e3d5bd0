"""The leg that finds provisions whose curated names mean nearly what the question asks."""

from dataclasses import dataclass, replace

from retrieval.errors import NotRun
from retrieval.ranking import Candidate, Query, Ranking, Reason
from rules import published
from rules.aliases.sections import NONE_NEAR, named_sections


@dataclass(frozen=True)
class NearestAliasRetriever:
    """Provisions one of whose curated names means nearly what the question asks: cosine of at least the domain's
    threshold `alias_search`, or `least` in a domain without thresholds.
    """

    k: int = 50
    least: float = 0.4
    weight: float = 2.0

    def __call__(self, ranking: Ranking) -> Ranking:
        query = ranking.query
        if query.vector is None:
            raise NotRun("the question has no vector")
        nearest = self._nearest(query)
        if not nearest:
            return ranking.noting("no curated name is near to the question", skipped=True)
        sections = dict(named_sections(query, [locator for locator, _, _ in nearest]))
        ordered = [
            (sections[locator], name, cosine) for locator, name, cosine in nearest if locator in sections
        ]
        candidates = [near_candidate(*row, rank) for rank, row in enumerate(ordered, start=1)]
        note = ordered[0][1] if ordered else NONE_NEAR
        return replace(ranking, candidates=tuple(candidates)).noting(note)

    def _nearest(self, query: Query) -> list[tuple[str, str, float]]:
        version = query.versions.get("aliases", 0)
        most = self.k if query.include is None else None  # what rules leave is among all that are near
        near_enough = []
        for domain in query.domain_ids:
            least = query.thresholds[domain].alias_search if domain in query.thresholds else self.least
            names = published.alias_vectors(domain, version, query.embedded_by)
            near_enough += names.nearest(query.vector, k=most, least=least)
        return sorted(near_enough, key=lambda near: (-near[2], near[0]))[:most]


def near_candidate(section: int, name: str, cosine: float, rank: int) -> Candidate:
    return Candidate(
        section_id=section,
        scores={"alias_near": cosine},
        ranks={"alias_near": rank},
        reasons=(Reason("alias_near", {"alias": name, "similarity": round(cosine, 3)}),),
    )
