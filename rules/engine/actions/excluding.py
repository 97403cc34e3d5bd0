"""The action that drops what rules exclude."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from retrieval.corpus.filters import in_selection
from retrieval.models import Chunk
from retrieval.ranking import Candidate, Ranking
from rules.engine.actions.account import with_rules
from rules.engine.actions.effects import rule_reason
from rules.engine.clauses import CompiledRule


@dataclass(frozen=True)
class DropExcluded:
    """Drops sections of which rules leave no chunk; one of which another chunk is left is shown by that."""

    @with_rules("exclude")
    def __call__(self, ranking: Ranking, rules: Sequence[CompiledRule]) -> Ranking:
        hidden, left = chunks_left(ranking)
        gone = {section for section, shown in left.items() if not shown}
        reason = rule_reason(rules[0], "rule_exclude")
        dropped = ranking.drop(dict.fromkeys(gone, reason), type(self))
        misses = (c for c in ranking.near_misses if c.section_id not in gone)
        return replace(
            dropped,
            candidates=tuple(by_chunk_left(c, hidden, left) for c in dropped.candidates),
            near_misses=tuple(by_chunk_left(c, hidden, left) for c in misses),
        )


def chunks_left(ranking: Ranking) -> tuple[set[int], dict[int, list[int]]]:
    """The excluded chunks of all candidates, and by section the others in their order."""
    sections = [c.section_id for c in (*ranking.candidates, *ranking.near_misses)]
    chunks = Chunk.objects.filter(section__in=sections)
    hidden = set(chunks.filter(in_selection(ranking.query.exclude)).values_list("pk", flat=True))
    left: dict[int, list[int]] = {}
    for section, chunk in chunks.order_by("section_id", "position").values_list("section_id", "pk"):
        left.setdefault(section, []).extend([] if chunk in hidden else [chunk])
    return hidden, left


def by_chunk_left(candidate: Candidate, hidden: set[int], left: dict[int, list[int]]) -> Candidate:
    if candidate.chunk_id not in hidden:
        return candidate
    return candidate.but(chunk_id=left[candidate.section_id][0])
