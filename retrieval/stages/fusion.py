"""What legs share, and reciprocal rank fusion: several legs, one ranking of what this caller may read."""

from collections import defaultdict
from collections.abc import Iterable, Sequence

from retrieval.corpus import statements
from retrieval.corpus.filters import condition
from retrieval.errors import SearchUnavailable
from retrieval.indexes.terms import QueryWords
from retrieval.pipeline import Stage, run_stage, unless_final
from retrieval.ranking import Candidate, Query, Ranking, Reason, replace

# Chunks fetched for every section wanted, since a long section may fill several places. With three a search of the US
# Code takes an eighth longer (63 and 56 ms), and of 160 tune questions none is the better for it: MRR@10 .330 and .333.
CHUNKS_A_SECTION = 2


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


def words_of(query: Query) -> QueryWords:
    texts = texts_by_language(query)
    return query.once(("words", *texts.items()), lambda: QueryWords.of(texts))


def ranking_of(ranking: Ranking, candidates: list[Candidate]) -> Ranking:
    """A leg's answer: its candidates in the order of their ranks."""
    return replace(ranking, candidates=tuple(candidates))


PLACES = (
    "SELECT id, domain_id, locator FROM ({readable}) AS readable WHERE id = ANY(%s) AND domain_id = ANY(%s)"
)


def reciprocal_rank(rank: int, k: int) -> float:
    """1 / (k + rank), ranks 1-based (Cormack, Clarke and Büttcher, SIGIR 2009)."""
    return 1.0 / (k + rank)


def weight_of(leg: Stage, query: Query) -> float:
    """A leg whose worth depends on the body of law that is searched tells it by `weight_in`."""
    return leg.weight_in(query) if hasattr(leg, "weight_in") else leg.weight


def merge(candidates: Sequence[Candidate], **changes) -> Candidate:
    """One candidate of the same section's appearances: scores, ranks and reasons of all legs together."""
    first, *others = candidates
    if not others:
        return first.but(**changes)
    chunk_id, pin = first.chunk_id, first.pin
    scores, ranks, reasons = dict(first.scores), dict(first.ranks), list(first.reasons)
    for other in others:
        scores |= other.scores
        ranks |= other.ranks
        reasons += [reason for reason in other.reasons if reason not in reasons]
        chunk_id, pin = chunk_id or other.chunk_id, pin or other.pin
    together = {"scores": scores, "ranks": ranks, "reasons": tuple(reasons), "chunk_id": chunk_id, "pin": pin}
    return first.but(**together, **changes)


class Fuse:
    """Runs its legs, adds up their weighted reciprocal ranks, and reads every section found again from Postgres
    under the caller's scope, so that no leg's index can show what is not, or no longer, for this caller.
    A leg that cannot run leaves the others. Raises SearchUnavailable where legs failed and none worked.
    """

    essential = True

    def __init__(self, *legs: Stage, k: int = 60):
        self.legs = legs
        self.k = k

    def __repr__(self) -> str:
        return f"Fuse({', '.join(map(repr, self.legs))}, k={self.k})"

    @unless_final
    def __call__(self, ranking: Ranking) -> Ranking:
        asked = replace(ranking, candidates=(), reports=(), dropped=())
        answers = [(leg, run_stage(leg, asked)) for leg in self.legs]
        outcomes = {answer.reports[-1].status for _, answer in answers}
        if "failed" in outcomes and "applied" not in outcomes:
            raise SearchUnavailable
        found: dict[int, list[Candidate]] = defaultdict(list)
        fused: dict[int, float] = defaultdict(float)
        for leg, answer in answers:
            weight = weight_of(leg, ranking.query)
            for candidate in answer.candidates:
                rank = min(candidate.ranks.values())
                found[candidate.section_id].append(candidate)
                fused[candidate.section_id] += weight * reciprocal_rank(rank, self.k)
        readable = readable_places(ranking.query, list(found))
        merged = [
            merge(same, score=fused[section], domain_id=readable[section][0], locator=readable[section][1])
            for section, same in found.items()
            if section in readable
        ]
        degraded = [name for _, answer in answers for name in answer.degraded if name not in ranking.degraded]
        reports = tuple(report for _, answer in answers for report in answer.reports)
        return ranking.with_candidates(
            merged,
            dropped=ranking.dropped + tuple(d for _, answer in answers for d in answer.dropped),
            reports=ranking.reports + reports,
            degraded=ranking.degraded + tuple(degraded),
        ).noting(f"{len(merged)} sections from {sum(bool(a.candidates) for _, a in answers)} legs")


def readable_places(query: Query, sections: list[int]) -> dict[int, tuple[int, str]]:
    """Domain and locator of those sections that the caller may read and that are left to search, by id."""
    readable, scope = statements.readable(query.caller, query.as_of, "id", "domain_id", "locator")
    left, among = condition("id", "section_id", query)
    parameters = [*scope, sections, query.domain_ids, *among]
    found = statements.rows(PLACES.format(readable=readable) + left, parameters)
    return {pk: (domain, locator) for pk, domain, locator in found}
