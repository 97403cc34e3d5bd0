"""The stage that looks again where what was found probably does not answer: at most twice, each time for a reason."""

from collections.abc import Sequence
from dataclasses import replace
from functools import reduce

from retrieval.pipeline import Stage, run_stage
from retrieval.ranking import Ranking
from rules.sufficiency.evidence import features, in_force


class Sufficient:
    """How probable it is that what was found answers the question."""

    def __call__(self, ranking: Ranking) -> Ranking:
        support = supported(ranking)
        return replace(ranking, support=support).noting(f"supported with a probability of {support:.3f}")


class UntilSufficient:
    """Runs its stages; where the evidence is poor, puts the question right by the first of its corrections that applies
    and runs them again, at most `most` times. The trace has every attempt.

    1. An answer by citation alone, one that lacks a leg, and evidence that suffices are left as they are.
    2. A correction begins with the question of the best supported search so far; one that does not apply costs none.
    3. Another answer takes the place of the first only if it is shown and its evidence suffices.
    """

    essential = True

    def __init__(self, *stages: Stage, corrections: Sequence[Stage], most: int):
        self.stages = (*stages, Sufficient())
        self.corrections = tuple(corrections)
        self.most = most

    def __repr__(self) -> str:
        told = ", ".join(map(repr, self.stages[:-1]))
        return f"UntilSufficient({told}, corrections={self.corrections}, most={self.most})"

    def __call__(self, ranking: Ranking) -> Ranking:
        first = best = self._run(ranking)
        if not may_be_better(first):
            return first.noting("the order is final, or a part did not run", skipped=True)
        enough, support = in_force().minimum, first.support or 0.0
        told, reports, tries = [f"{support:.3f}"], first.reports, 0
        for correction in self.corrections:
            if support >= enough or tries == self.most:
                break
            asked = run_stage(correction, replace(best, reports=()))
            if asked.query == best.query:
                continue
            tries += 1
            again = self._run(replace(ranking, query=asked.query, reports=(*reports, *asked.reports)))
            reports, found = again.reports, again.support or 0.0
            told.append(f"{type(correction).__name__} {found:.3f}")
            if found > support:
                best, support = replace(again, corrected=(*best.corrected, type(correction).__name__)), found
        given = best if support >= enough and not best.abstained else first
        note = f"supported with a probability of {', then by '.join(told)}"
        return replace(given, reports=reports).noting(note, tries=tries)

    def _run(self, ranking: Ranking) -> Ranking:
        return reduce(lambda so_far, stage: run_stage(stage, so_far), self.stages, ranking)


def may_be_better(ranking: Ranking) -> bool:
    """Whether another search could find more: not where a citation or a rule answered, nor a domain without thresholds,
    of which the reranker knows nothing.
    """
    query = ranking.query
    if ranking.final or ranking.notice or ranking.degraded or query.unresolved or query.rewritten:
        return False
    return ranking.abstained or any(query.thresholds_for(first).version for first in ranking.candidates[:1])


def supported(ranking: Ranking) -> float:
    """The probability that the evidence answers. Where no reranker served, what declines is poor, and nothing else."""
    if ranking.answer is None:
        return 0.0 if ranking.abstained else 1.0
    return in_force().of(features(ranking))
