"""Brings this node's lexical index up to the change log in Postgres, or rebuilds it from nothing."""

import time
from collections.abc import Iterator, Sequence
from datetime import timedelta

from django.db import connection, transaction
from django.db.models import Max, Min
from django.utils import timezone

from retrieval.indexes.lexical import IndexedChunk, LexicalWriter
from retrieval.models import Chunk, IndexChange

BATCH = 2_000  # chunks a commit
KEPT = timedelta(days=30)  # changes: a node that was away for longer builds its index anew


def catch_up(writer: LexicalWriter, position: int) -> int:
    """Applies every change after `position`, in batches; gives the new position."""
    if must_rebuild(position):
        return rebuild(writer)
    while changes := list(IndexChange.objects.filter(pk__gt=position).order_by("pk")[:BATCH]):
        position = changes[-1].pk
        changed = sorted({change.chunk_id for change in changes})
        writer.apply(changed, indexed_chunks(changed), position)
    return position


def must_rebuild(position: int) -> bool:
    """A new index, one from another database, or one so old that changes it lacks have been pruned."""
    log = IndexChange.objects.aggregate(first=Min("pk"), last=Max("pk"))
    if log["last"] is None:
        return position > 0 or Chunk.objects.exists()
    return position > log["last"] or position < log["first"] - 1


def rebuild(writer: LexicalWriter) -> int:
    """Indexes every public live chunk anew; gives the position of the log it began at."""
    position = IndexChange.objects.aggregate(last=Max("pk"))["last"] or 0
    writer.clear()
    for ids in batches_of_ids():
        writer.apply([], indexed_chunks(ids), 0)
    writer.apply([], [], position)
    return position


def batches_of_ids() -> Iterator[list[int]]:
    last = 0
    while ids := list(Chunk.objects.filter(pk__gt=last).order_by("pk").values_list("pk", flat=True)[:BATCH]):
        yield ids
        last = ids[-1]


def indexed_chunks(ids: Sequence[int]) -> Iterator[IndexedChunk]:
    """Those of the chunks that belong in the shared index: live and public."""
    rows = Chunk.objects.filter(pk__in=ids, private=False, section__live=True).values_list(
        "pk",
        "section_id",
        "domain_id",
        "section__document__language",
        "context",
        "text",
        "section__valid_from",
        "section__valid_to",
    )
    return (IndexedChunk(*row) for row in rows)


def behind(position: int) -> int:
    """How many changes the index lacks."""
    return IndexChange.objects.filter(pk__gt=position).count()


def prune() -> int:
    """Deletes old changes but the last, which tells how far the log has come; gives how many."""
    last = IndexChange.objects.aggregate(last=Max("pk"))["last"]
    return IndexChange.objects.filter(created_at__lt=timezone.now() - KEPT).exclude(pk=last).delete()[0]


@transaction.atomic
def begin_log_anew() -> None:
    """Has every node rebuild its index, after a restore: positions they have reached mean other changes now.

    The log goes on at the time in microseconds, past any position ever reached; so no key of a cached answer,
    of which the position is part, comes again either.
    """
    IndexChange.objects.all().delete()
    with connection.cursor() as cursor:
        sequence = "pg_get_serial_sequence('retrieval_indexchange', 'id')"
        cursor.execute(f"SELECT setval({sequence}, %s)", [time.time_ns() // 1000])
    IndexChange.objects.create(chunk_id=0)  # where the new log begins
