"""The stage that shows nothing as an answer where it is improbable that one was found."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace

from retrieval.pipeline import unless_final
from retrieval.ranking import Ranking, Reason, Thresholds
from retrieval.stages.reranker.features import USUAL_MINIMUM
from rules.thresholds.marks import is_confident

OTHER_SCALE = "its answer minimum was chosen on another scale"
JUDGED_BY = 10  # candidates whose best probability stands for "the answer is here": the first page


@dataclass(frozen=True)
class Abstain:
    """Shows nothing as an answer when it is improbable that one was found; near misses remain. It also abstains when
    the query is only a citation that does not exist here.

    The probability is the reranker's or, where none ran, comes from the best calibrated candidate of the first page.
    Of several domains the lowest minimum holds; those without thresholds never abstain.
    """

    @unless_final
    def __call__(self, ranking: Ranking) -> Ranking:
        if named := ranking.query.unresolved:
            reason = Reason("no_such_provision", {"citation": named})
            return ranking.abstaining(reason, type(self)).noting(f"there is no {named} here")
        first = ranking.candidates[:JUDGED_BY]
        if not first:
            return replace(ranking, abstained=True).noting("nothing was found")
        own = ranking.query.thresholds
        if any(candidate.domain_id not in own for candidate in first):
            return replace(ranking, confident=is_confident(first, own))
        return self._judged(
            ranking, min((own[c.domain_id] for c in first), key=lambda o: minimum_of(ranking, o))
        )

    def _judged(self, ranking: Ranking, own: Thresholds) -> Ranking:
        minimum, probability = minimum_of(ranking, own), answer_probability(ranking, own)
        note = "" if minimum == own.answer_minimum else f"{own.name}: {OTHER_SCALE}, {minimum} holds"
        if probability is not None and probability < minimum:
            reason = Reason("abstained", {"probability": round(probability, 3)})
            below = f"probability of an answer {probability:.3f}, below {minimum:.3f}"
            return ranking.abstaining(reason, type(self)).noting("; ".join(filter(None, (below, note))))
        first = ranking.candidates[:JUDGED_BY]
        return replace(ranking, confident=is_confident(first, ranking.query.thresholds)).noting(note)


def minimum_of(ranking: Ranking, own: Thresholds) -> float:
    """Below what the search abstains: the domain's minimum or, where that was chosen on another scale than the
    reranker's, the one that fits every reranker of this scale.
    """
    return own.answer_minimum if ranking.answer is None or own.is_on_scale else USUAL_MINIMUM


def answer_probability(ranking: Ranking, own: Thresholds) -> float | None:
    """The probability that an answer was found; None where nothing was calibrated."""
    if ranking.answer is not None:
        return ranking.answer
    first = [candidate.probability for candidate in ranking.candidates[:JUDGED_BY]]
    return None if None in first else answered_by(max(first), own.calibration)


def answered_by(best: float, weights: Mapping[str, float]) -> float:
    """The probability that an answer was found when the best candidate is relevant with this one: a page of ten has
    more than one chance. Weights fitted before that was known take the candidate's for it.
    """
    if "answer_slope" not in weights:
        return best
    odds = math.log(max(best, 1e-9) / max(1.0 - best, 1e-9))
    return 1.0 / (1.0 + math.exp(-(weights["answer_slope"] * odds + weights["answer_intercept"])))
