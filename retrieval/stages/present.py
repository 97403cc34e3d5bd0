"""What ends a pipeline: questions suggested and notes found beside an answer, never answered from, and one page of
results.
"""

from dataclasses import dataclass, replace
from typing import ClassVar

from retrieval.errors import NotRun
from retrieval.ranking import UNSET, Query, Ranking
from retrieval.search.notes import notes_with
from retrieval.search.response import present
from retrieval.stages.reranker.reranker import serving
from retrieval.text.normalization import normalize


@dataclass(frozen=True)
class SuggestQuestions:
    """Names judged questions that mean nearly what is asked: by cosine at least their domain's threshold
    `query_search`. They are those of staff that the deployed reranker learned from, in the language of the question and
    in domains that are searched; what other readers asked is never among them.
    """

    most: int = 3

    def __call__(self, ranking: Ranking) -> Ranking:
        found = alike(ranking.query)[: self.most]
        return replace(ranking, suggestions=tuple(found)).noting(f"judged questions like this: {len(found)}")


def alike(query: Query) -> list[str]:
    """Raises NotRun where no reranker serves, which has degraded the answer already if it should."""
    try:
        reranker, _ = serving(query)
    except NotRun as problem:
        raise NotRun(problem.message, degrades=False) from problem
    least = {domain.slug: query.thresholds.get(domain.id, UNSET).query_search for domain in query.domains}
    texts = [q.text for q in reranker.judged.alike(query.vector, least) if q.language == query.language]
    return [text for text in dict.fromkeys(texts) if normalize(text) != query.normalized]


@dataclass(frozen=True)
class FindNotes:
    """Notes of the source that have the words, where the caller asks for them: told apart from what answers, so that
    they are never ranked with it, judged or quoted as law.
    """

    most: int = 10

    def __call__(self, ranking: Ranking) -> Ranking:
        if not (ranking.query.page and ranking.query.page.notes):
            return ranking.noting("notes are not asked for", skipped=True)
        found = tuple(notes_with(ranking.query, self.most))
        return replace(ranking, in_notes=found).noting(f"in the notes of {len(found)} sections")


@dataclass(frozen=True)
class Present:
    """Reads the page that the caller asked for from Postgres, under the caller's scope. A ranking that is only
    measured asks for no page.
    """

    essential: ClassVar = True
    presents: ClassVar = True  # also what is told instead of a search

    def __call__(self, ranking: Ranking) -> Ranking:
        page = ranking.query.page
        if page is None:
            return ranking.noting("no page is asked for", skipped=True)
        shown = present(ranking, page)
        return replace(ranking, shown=shown).noting(f"page {page.number}: {len(shown['results'])} results")
