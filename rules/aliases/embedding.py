"""Vectors of aliases: made where they are missing, by the embedder of the stored corpus. A Spanish name is put into
English first, by the translation that Spanish questions pass through.
"""

import time
from collections.abc import Iterator, Sequence
from contextlib import suppress

import numpy as np
from django.db import transaction
from django.db.models import QuerySet

from retrieval.corpus import statements
from retrieval.engines import loaded
from retrieval.engines.apertium import TranslationUnavailable
from retrieval.engines.embedders import Embedder, EmbeddingUnavailable
from retrieval.engines.translation import translate
from retrieval.errors import NotRun
from retrieval.models import EmbeddingModel
from retrieval.text.analyzer import stems
from rules import published
from rules.models import Alias, AliasVector

BATCH = 2_000  # aliases looked up, or saved, in one call
AT_ONCE = 200  # aliases embedded before the clock is looked at, or while somebody waits: most often under a second
SECONDS = 60.0  # of a task: the queue ends one after two minutes, and begins another each minute


def missing(model: EmbeddingModel) -> QuerySet[Alias]:
    return Alias.objects.in_use().exclude(vectors__model=model)


def embed_missing(**among: object) -> int:
    """Embeds the aliases, of all or among these, that have no vector by the active model; gives how many. May run
    twice.
    """
    return saved([row for portion in embedded(**among) for row in portion])


def saved(rows: list[AliasVector]) -> int:
    """Saves them at once: each time names change, every process that searches reads what came. Names that are others by
    now, or gone, are left for the next time.
    """
    with transaction.atomic():
        its = Alias.objects.filter(pk__in=[row.alias_id for row in rows]).order_by("pk").select_for_update()
        now = {pk: name for pk, *name in its.values_list("pk", "text", "language")}
        current = [row for row in rows if now.get(row.alias_id) == [row.alias.text, row.alias.language]]
        return len(AliasVector.objects.bulk_create(current, batch_size=BATCH, ignore_conflicts=True))


def embedded(**among: object) -> Iterator[list[AliasVector]]:
    """Portion after portion of what is missing, embedded when it is asked for. Raises EmbeddingUnavailable."""
    model = EmbeddingModel.objects.filter(status=EmbeddingModel.Status.ACTIVE).first()
    last = 0
    while model and (batch := list(missing(model).filter(pk__gt=last, **among).order_by("pk")[:BATCH])):
        try:
            embedder = loaded.active_embedder().embedder
        except NotRun:
            return  # searches report it, and the system checks
        for start in range(0, len(batch), AT_ONCE):
            yield vectors_of(batch[start : start + AT_ONCE], model, embedder)
        last = batch[-1].pk


def vectors_of(aliases: Sequence[Alias], model: EmbeddingModel, embedder: Embedder) -> list[AliasVector]:
    english = [english_of(alias) for alias in aliases]
    return [
        AliasVector(
            alias=alias,
            model=model,
            vector=vector.astype(np.float16).tobytes(),
            stems=" ".join(stems(text, "en")),
        )
        for alias, text, vector in zip(aliases, english, embedder.embed_documents(english), strict=True)
    ]


def embed_saved(aliases: Sequence[int]) -> None:
    """Embeds what somebody has just saved (ids), without which its name alone is not enough to be found by; of a long
    file only the first. The rest, and what an embedder that fails leaves, are embedded by the clock.
    """
    with suppress(EmbeddingUnavailable):
        embed_missing(pk__in=aliases[:AT_ONCE])


def english_of(alias: Alias) -> str:
    if alias.language != "es":
        return alias.text
    terms = published.glossary(statements.current_versions().get("glossary", 0))
    try:
        return translate(alias.text, terms, loaded.apertium()).text
    except TranslationUnavailable:
        return translate(alias.text, terms).text


def embed_all(seconds: float = SECONDS) -> int:
    """Embeds until none is missing or the time is over, and saves what a minute has brought at once; gives how many."""
    until, total = time.monotonic() + seconds, 0
    while time.monotonic() < until and (rows := embedded_until(min(until, time.monotonic() + SECONDS))):
        total += saved(rows)
    return total


def embedded_until(moment: float) -> list[AliasVector]:
    """At least one portion, and no other that would probably not be ready by then. Raises EmbeddingUnavailable if there
    is nothing to save first.
    """
    rows: list[AliasVector] = []
    portions, now, took = embedded(), time.monotonic(), 0.0
    while not rows or now + took < moment:
        try:
            more = next(portions, None)
        except EmbeddingUnavailable:
            if not rows:
                raise
            break
        if not more:
            break
        rows += more
        now, took = time.monotonic(), time.monotonic() - now
    return rows
