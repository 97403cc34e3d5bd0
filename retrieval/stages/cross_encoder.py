"""The stage that has a cross-encoder read the first candidates, where one is configured."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from retrieval.engines import loaded
from retrieval.engines.cross_encoders import probabilities
from retrieval.errors import NotRun
from retrieval.models import Chunk, Section
from retrieval.pipeline import unless_final
from retrieval.ranking import Candidate, Query, Ranking
from retrieval.stages.reranker.reranker import serving


@dataclass(frozen=True)
class CrossEncoderReranker:
    """Keeps, for the first `depth` candidates, the cross-encoder's logit, its sigmoid, which the learned reranker
    reads, and the probability calibrated on judgments. It leaves the order to that reranker: what a model trained on
    other texts is worth here, judgments tell.
    """

    depth: int = 30

    def __repr__(self) -> str:
        encoder = loaded.cross_encoder()
        return f"CrossEncoderReranker(depth={self.depth}, model={encoder and encoder.name!r})"

    @unless_final
    def __call__(self, ranking: Ranking) -> Ranking:
        encoder = loaded.cross_encoder()
        if encoder is None:
            return ranking.noting("no cross-encoder is configured", skipped=True)
        pool, rest = ranking.candidates[: self.depth], ranking.candidates[self.depth :]
        logits = encoder.logits(ranking.query.text, passages(ranking.query, pool))
        plain = probabilities(logits)
        knots = calibration(ranking.query)
        calibrated = plain if knots is None else np.interp(plain, *knots)
        names = ("cross_encoder_logit", "cross_encoder", "cross_encoder_probability")
        read = [
            candidate.but(scores={**candidate.scores, **dict(zip(names, map(float, values), strict=True))})
            for candidate, *values in zip(pool, logits, plain, calibrated, strict=True)
        ]
        note = encoder.name if knots is not None else f"{encoder.name}, not calibrated yet"
        return ranking.with_candidates([*read, *rest]).noting(note)


def passages(query: Query, candidates: Sequence[Candidate]) -> list[str]:
    """Each candidate's best chunk with its context, or its section's text, read under the caller's scope."""
    readable = Section.objects.readable(query.caller, query.as_of)
    found = Chunk.objects.filter(pk__in=[c.chunk_id for c in candidates if c.chunk_id], section__in=readable)
    chunks = {chunk.section_id: chunk.indexed_text for chunk in found}
    missing = [c.section_id for c in candidates if c.section_id not in chunks]
    rows = readable.filter(pk__in=missing).values_list("pk", "heading", "text") if missing else ()
    whole = {pk: f"{heading}\n{text}" for pk, heading, text in rows}
    return [chunks.get(c.section_id) or whole.get(c.section_id, "") for c in candidates]


def calibration(query: Query) -> np.ndarray | None:
    """Knots fitted on judgments when the deployed reranker was trained; None where it never saw this model's words."""
    try:
        return serving(query)[0].cross
    except NotRun:
        return None
