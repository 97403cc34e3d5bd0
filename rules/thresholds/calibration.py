"""The stage that gives candidates probabilities, by weights fitted on judged topics."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace

from retrieval.errors import NotRun
from retrieval.pipeline import unless_final
from retrieval.ranking import Candidate, Ranking, Thresholds
from retrieval.stages.dense import DenseRetriever
from retrieval.stages.lexical import LexicalRetriever
from retrieval.stages.query_embedding import EmbedQuery
from rules.aliases.exact import AliasRetriever
from rules.aliases.lexical import LexicalAliasRetriever
from rules.aliases.nearest import NearestAliasRetriever

FITTED_ON = {
    stage.__name__
    for stage in (
        EmbedQuery, DenseRetriever, LexicalRetriever, NearestAliasRetriever, LexicalAliasRetriever, AliasRetriever,
    )
}  # fmt: skip


@dataclass(frozen=True)
class Calibrate:
    """Gives every candidate the probability that it is relevant: a logistic of its scores, fitted per domain on
    judged topics. A domain without a fit gives none.
    """

    @unless_final
    def __call__(self, ranking: Ranking) -> Ranking:
        if missing := [name for name in ranking.degraded if name in FITTED_ON]:
            raise NotRun(f"the calibration rests on what did not run: {', '.join(missing)}", degrades=False)
        of = ranking.query.thresholds
        candidates = tuple(with_probability(c, of.get(c.domain_id)) for c in ranking.candidates)
        fitted = sum(c.probability is not None for c in candidates)
        if candidates and not fitted:
            raise NotRun("no calibration for these domains", degrades=False)
        return replace(ranking, candidates=candidates).noting(f"{fitted} of {len(candidates)} calibrated")


def with_probability(candidate: Candidate, thresholds: Thresholds | None) -> Candidate:
    if thresholds is None or not thresholds.calibration:
        return candidate
    return candidate.but(probability=logistic(features(candidate), thresholds.calibration))


def features(candidate: Candidate) -> dict[str, float]:
    """What the calibration reads: cosine, lexical coverage, how names and their words match, whether a citation does.
    Weights fitted before a score was there leave it out.
    """
    return {
        "dense": candidate.scores.get("dense", 0.0),
        "coverage": candidate.scores.get("coverage", 0.0),
        "alias": min(candidate.scores.get("alias", 0.0), 3.0),
        "alias_near": candidate.scores.get("alias_near", 0.0),
        "alias_coverage": candidate.scores.get("alias_coverage", 0.0),
        "citation": candidate.scores.get("citation", 0.0),
    }


def logistic(values: Mapping[str, float], weights: Mapping[str, float]) -> float:
    total = weights["intercept"] + sum(weights.get(name, 0.0) * value for name, value in values.items())
    return 1.0 / (1.0 + math.exp(-total))
