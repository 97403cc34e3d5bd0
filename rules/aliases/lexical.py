"""The leg that finds provisions by the words of their curated names (BM25)."""

from dataclasses import dataclass, replace

from retrieval.ranking import Candidate, Query, Ranking, Reason
from retrieval.text.analyzer import stems
from rules import published
from rules.aliases.sections import NONE_NEAR, named_sections


@dataclass(frozen=True)
class LexicalAliasRetriever:
    """Provisions by the words of their curated names and example questions taken together (BM25)."""

    k: int = 50
    weight: float = 1.0

    def __call__(self, ranking: Ranking) -> Ranking:
        query = ranking.query
        best = self._best(query)
        if not best:
            return ranking.noting("no curated name has a word of the question", skipped=True)
        sections = dict(named_sections(query, [locator for locator, _, _ in best]))
        known = [(sections[locator], *told) for locator, *told in best if locator in sections]
        candidates = [worded_candidate(*row, rank) for rank, row in enumerate(known, start=1)]
        note = next((locator for locator, *_ in best if locator in sections), NONE_NEAR)
        return replace(ranking, candidates=tuple(candidates)).noting(note)

    def _best(self, query: Query) -> list[tuple[str, float, float]]:
        version, words = query.versions.get("aliases", 0), stems(query.text, "en")
        found = [
            row
            for domain in query.domain_ids
            for row in published.wording(domain, version).best(words, self.k)
        ]
        return sorted(found, key=lambda row: (-row[1], row[0]))[: self.k]


def worded_candidate(section: int, score: float, coverage: float, rank: int) -> Candidate:
    return Candidate(
        section_id=section,
        scores={"alias_lexical": score, "alias_coverage": coverage},
        ranks={"alias_lexical": rank},
        reasons=(Reason("alias_lexical", {"rank": rank}),),
    )
