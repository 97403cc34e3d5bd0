"""The last stage of every pipeline: one page of results, as pages and the API show it."""

from dataclasses import dataclass, replace
from typing import ClassVar

from retrieval.ranking import Ranking
from retrieval.search.response import present


@dataclass(frozen=True)
class Present:
    """Reads the page that the caller asked for from Postgres, under the caller's scope. A ranking that is only
    measured asks for no page.
    """

    essential: ClassVar = True

    def __call__(self, ranking: Ranking) -> Ranking:
        page = ranking.query.page
        if page is None:
            return ranking.noting("no page is asked for", skipped=True)
        shown = present(ranking, k=page.k, page=page.number)
        return replace(ranking, shown=shown).noting(f"page {page.number}: {len(shown['results'])} results")
