"""The action that keeps results within the caller's token budget."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from retrieval.models import Chunk
from retrieval.ranking import Candidate, Ranking, Reason
from rules.engine.actions.account import telling
from rules.engine.actions.effects import covered_by, over_budget

MAX_TOLD = 20  # passages named as left out for the token budget


@dataclass(frozen=True)
class KeepToBudget:
    """Keeps as many passages as the caller's token budget holds, and tells what it leaves out."""

    def __call__(self, ranking: Ranking) -> Ranking:
        budget = ranking.query.rules.token_budget
        if budget is None:
            return ranking.noting("no token budget", skipped=True)
        tokens = tokens_of(ranking.candidates)
        left_out = over_budget(ranking.candidates, tokens, budget)
        reason = Reason("over_token_budget", {"budget": budget})
        kept = ranking.drop({c.section_id: reason for c in left_out}, type(self))
        return telling(kept, withheld=[withheld(c, tokens) for c in left_out[:MAX_TOLD]])


def tokens_of(candidates: Sequence[Candidate]) -> dict[int, int]:
    """Tokens of the passage that each is shown by: its best chunk, or its first."""
    chunks = {candidate.chunk_id for candidate in candidates}
    tokens: dict[int, int] = {}
    rows = Chunk.objects.filter(section__in=[candidate.section_id for candidate in candidates])
    for section, chunk, count in rows.order_by("position").values_list("section_id", "pk", "token_count"):
        if chunk in chunks:
            tokens[section] = count
        tokens.setdefault(section, count)
    return tokens


def withheld(candidate: Candidate, tokens: dict[int, int]) -> dict[str, Any]:
    return {
        "locator": candidate.locator,
        "tokens": tokens.get(candidate.section_id, 0),
        "rules": sorted(covered_by(candidate)),
    }
