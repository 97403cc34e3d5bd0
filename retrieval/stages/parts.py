"""What stands together in the law, put together after the first page: a question about a whole subject is answered by a
chapter, not by twenty places.
"""

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import sqrt

from retrieval.corpus import statements
from retrieval.pipeline import unless_final
from retrieval.ranking import Candidate, Query, Ranking
from retrieval.stages.fusion import reciprocal_rank

SMOOTHING = 60  # of reciprocal ranks, as in fusion

PARTS = "SELECT id, parent_id FROM ({readable}) AS readable WHERE id = ANY(%s)"
SEARCHED = "SELECT coalesce(sum(sections), 0) FROM retrieval_vocabulary WHERE domain_id = ANY(%s)"
SIZES = """
SELECT parent_id, count(*) FROM ({readable}) AS readable WHERE parent_id = ANY(%s) GROUP BY parent_id
"""


@dataclass(frozen=True)
class GatherParts:
    """Leaves the first `kept` candidates alone and brings forward, behind them, what stands in the same part of the law
    as several of the first `read`: to its own reciprocal rank is added `weight` times the sum of theirs over the root
    of the part's size (contextualisation: Arvola, Junkkari and Kekäläinen, CIKM 2005). Nothing is added or dropped,
    and scores stay with their places.

    What is found in public bodies of fewer than `least` provisions, and in private documents, stays as it is: in the
    Constitution this found no more of broad questions, and less of others.
    """

    kept: int = 10
    read: int = 40
    weight: float = 4.0
    least: int = 1_000

    @unless_final
    def __call__(self, ranking: Ranking) -> Ranking:
        first, rest = ranking.candidates[: self.kept], ranking.candidates[self.kept :]
        page = ranking.query.page
        if len(rest) < 2 or (page and page.number * page.k <= self.kept):
            return ranking.noting("one page", skipped=True)
        [(provisions,)] = statements.rows(SEARCHED, [ranking.query.domain_ids])
        if provisions < self.least:
            return ranking.noting("a small body of law", skipped=True)
        parts = parts_of(ranking.query, ranking.candidates)
        worth = self._worth(ranking, parts)
        if not worth:
            return ranking.noting("no part has several of them", skipped=True)
        own = {c.section_id: reciprocal_rank(n, SMOOTHING) for n, c in enumerate(rest, start=self.kept + 1)}
        ordered = sorted(rest, key=lambda c: -own[c.section_id] - worth.get(parts.get(c.section_id), 0.0))
        gathered = [one.but(score=place.score) for one, place in zip(ordered, rest, strict=True)]
        told = f"by {len(worth)} parts that have several of the first {self.read}"
        return replace(ranking, candidates=(*first, *gathered)).noting(told)

    def _worth(self, ranking: Ranking, parts: dict[int, int]) -> dict[int, float]:
        """By part, what each candidate in it gains."""
        gains, held = defaultdict(float), Counter()
        for rank, candidate in enumerate(ranking.candidates[: self.read], start=1):
            if part := parts.get(candidate.section_id):
                gains[part] += reciprocal_rank(rank, SMOOTHING)
                held[part] += 1
        sizes = sizes_of(ranking.query, [part for part, number in held.items() if number > 1])
        return {part: self.weight * gains[part] / sqrt(size) for part, size in sizes.items()}


def parts_of(query: Query, candidates: Sequence[Candidate]) -> dict[int, int]:
    """By section, the part that it stands directly in; none has what stands at the top of its document."""
    readable, scope = statements.readable(query.caller, query.as_of, "id", "parent_id")
    found = statements.rows(PARTS.format(readable=readable), [*scope, [one.section_id for one in candidates]])
    return {section: part for section, part in found if part}


def sizes_of(query: Query, parts: Sequence[int]) -> dict[int, int]:
    """How much that the caller may read stands directly in each part."""
    readable, scope = statements.readable(query.caller, query.as_of, "parent_id")
    return dict(statements.rows(SIZES.format(readable=readable), [*scope, list(parts)]))
