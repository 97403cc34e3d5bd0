"""What legs share. A leg finds sections on its own and returns them best first, each by its best chunk."""

from collections.abc import Iterable
from dataclasses import replace

from retrieval.ranking import Candidate, Query, Ranking, Reason

CHUNKS_A_SECTION = 3  # chunks fetched for every section wanted, since a long section may fill several places


def fold(leg: str, hits: Iterable[tuple[int, int, float]], *, k: int) -> list[Candidate]:
    """The first k sections of (section, chunk, score) hits, best first, each by its best chunk."""
    best: dict[int, tuple[int, float]] = {}
    for section, chunk, score in hits:
        if section not in best and len(best) < k:
            best[section] = (chunk, score)
    return [
        Candidate(
            section_id=section,
            chunk_id=chunk,
            scores={leg: score},
            ranks={leg: rank},
            reasons=(Reason(leg, {"rank": rank}),),
        )
        for rank, (section, (chunk, score)) in enumerate(best.items(), start=1)
    ]


def texts_by_language(query: Query) -> dict[str, str]:
    """What to look for in texts of each language: the English of the question, and the original in its own."""
    texts = {"en": " ".join((query.text, *query.synonyms))}
    if query.language != "en" and any(query.language in domain.languages for domain in query.domains):
        texts[query.language] = query.corrected_text
    return texts


def ranking_of(ranking: Ranking, candidates: list[Candidate]) -> Ranking:
    """A leg's answer: its candidates in the order of their ranks."""
    return replace(ranking, candidates=tuple(candidates))
