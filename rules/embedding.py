"""Vectors of aliases: made where they are missing, by the embedder of the stored corpus."""

import numpy as np
from django.db.models import QuerySet

from retrieval import serving
from retrieval.errors import NotRun
from retrieval.models import EmbeddingModel
from rules.models import Alias, AliasVector

BATCH = 2_000  # aliases a call: a few seconds
READ_BY_THE_EMBEDDER = "en"  # questions are put into English before they are embedded


def missing(model: EmbeddingModel) -> QuerySet[Alias]:
    return Alias.objects.filter(enabled=True, language=READ_BY_THE_EMBEDDER).exclude(vectors__model=model)


def embed_missing() -> int:
    """Embeds the next aliases that have no vector by the active model; gives how many. May run twice."""
    model = EmbeddingModel.objects.filter(status=EmbeddingModel.Status.ACTIVE).first()
    batch = list(missing(model).order_by("pk")[:BATCH]) if model else []
    if not batch:
        return 0
    try:
        embedder = serving.active_embedder().embedder
    except NotRun:
        return 0  # searches report it, and the system checks
    vectors = embedder.embed_documents([alias.text for alias in batch])
    rows = [
        AliasVector(alias=alias, model=model, vector=vector.astype(np.float16).tobytes())
        for alias, vector in zip(batch, vectors, strict=True)
    ]
    return len(AliasVector.objects.bulk_create(rows, ignore_conflicts=True))


def embed_all() -> int:
    """Embeds until none is missing."""
    total = 0
    while done := embed_missing():
        total += done
    return total
