"""Brings this node's lexical index up to the change log in Postgres, or rebuilds it from nothing."""

import logging
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import timedelta
from pathlib import Path

from django.db import connection, transaction
from django.db.models import Max, Min, QuerySet, TextField, Value
from django.db.models.functions import Coalesce, Concat
from django.utils import timezone

from retrieval.indexes.lexical import IndexedChunk, LexicalIndex, LexicalWriter, set_aside
from retrieval.models import Chunk, IndexChange

logger = logging.getLogger(__name__)
BATCH = 2_000  # chunks a commit
COMPARED = 10_000  # ids of chunks compared at a time
KEPT = timedelta(days=30)  # changes: a node that was away for longer builds its index anew


def open_writer(path: Path) -> LexicalWriter:
    """The writer of the index there. One that is damaged is set aside first, and another begun. Raises ValueError
    while another writer has it open.
    """
    index = LexicalIndex(path)
    if index.exists and (damaged := index.integrity.damaged()):
        logger.error("%s is damaged (%s): kept as %s, and built anew.", path, damaged, set_aside(path))
    return LexicalWriter(path)


def catch_up(writer: LexicalWriter, position: int) -> int:
    """Applies every change after `position`, in batches; gives the new position."""
    if must_rebuild(position):
        return rebuild(writer)
    while changes := list(IndexChange.objects.filter(pk__gt=position).order_by("pk")[:BATCH]):
        position = changes[-1].pk
        changed = sorted({change.chunk_id for change in changes if change.chunk_id})
        writer.apply(changed, indexed_chunks(changed), position)
    writer.complete()
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
    writer.complete()
    return position


def batches_of_ids() -> Iterator[list[int]]:
    last = 0
    while ids := list(Chunk.objects.filter(pk__gt=last).order_by("pk").values_list("pk", flat=True)[:BATCH]):
        yield ids
        last = ids[-1]


def belonging() -> QuerySet[Chunk]:
    """What the shared index holds: live and public chunks."""
    return Chunk.objects.filter(private=False, section__live=True)


def indexed_chunks(ids: Sequence[int]) -> Iterator[IndexedChunk]:
    """Those of the chunks that belong in the shared index."""
    rows = belonging().filter(pk__in=ids).values_list(
        "pk",
        "section_id",
        "domain_id",
        "section__document__language",
        "context",
        "text",
        "section__valid_from",
        "section__valid_to",
        Concat("section__plain_name", Value(" "), "section__terms__called", output_field=TextField()),
        Coalesce("section__terms__cited_by", 0),
    )
    return (IndexedChunk(*row) for row in rows)


def differing(index: LexicalIndex) -> Iterator[tuple[list[int], list[int]]]:
    """Range by range of ids: chunks that the index lacks, and those it has that it should not have, or twice."""
    last = max(Chunk.objects.aggregate(last=Max("pk"))["last"] or 0, index.last_chunk())
    for first in range(0, last + 1, COMPARED):
        between = first, first + COMPARED - 1
        has = Counter(index.chunks_between(*between))
        wanted = set(belonging().filter(pk__range=between).values_list("pk", flat=True))
        yield sorted(wanted - has.keys()), sorted(pk for pk, n in has.items() if pk not in wanted or n > 1)


def index_again(chunks: Sequence[int]) -> None:
    """Has every node's writer put these chunks into its index as they are now, or take them out."""
    IndexChange.objects.bulk_create((IndexChange(chunk_id=pk) for pk in chunks), batch_size=BATCH)


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
