"""The stage that gives the query its domains' thresholds, which later stages go by."""

from dataclasses import dataclass, replace

from retrieval.ranking import Ranking
from rules import published


@dataclass(frozen=True)
class ReadThresholds:
    """Reads the published thresholds of the query's domains once; every other stage takes them from the query."""

    def __call__(self, ranking: Ranking) -> Ranking:
        query = ranking.query
        rows = published.thresholds(query.versions.get("thresholds", 0))
        found = {domain: rows[domain] for domain in query.domain_ids if domain in rows}
        names = (f"{scope.slug} v{found[scope.id].version}" for scope in query.domains if scope.id in found)
        return replace(ranking, query=replace(query, thresholds=found)).noting(
            ", ".join(names), skipped=not found
        )
