"""The words of notes, kept apart from those of the text: in an index of their own beside the lexical one, so that no
note changes what a word counts in a search of the law.

It holds the notes of public sections of whatever day, and follows the same change log. The notes of a row never change,
so rows that are there tell what belongs; who searches reads them again from Postgres.
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

from django.db.models import Max, QuerySet

from retrieval.indexes.lexical import IndexedChunk, LexicalIndex, Weights
from retrieval.indexes.lexical_sync import must_rebuild, open_writer
from retrieval.models import IndexChange, Section

FOLDER = "section_notes"
NUMBERED = 10_000  # notes that a section can have: a note is named by its section and its number, from 0
BATCH = 2_000  # sections compared, and indexed, at a time
BY_WORDS = Weights(head=0.0, called=0.0, prior=0.0)


def note_of(key: int) -> tuple[int, int]:
    """The section and the number of a note."""
    return divmod(key, NUMBERED)


def belonging() -> QuerySet[Section]:
    return Section.objects.live().filter(private=False).exclude(notes=[])


def catch_up(index: LexicalIndex) -> None:
    """Brings the index of notes up to the change log; one that is new, or lacks changes that were pruned, is built."""
    last = IndexChange.objects.aggregate(last=Max("pk"))["last"] or 0
    if index.position == last and not index.problem:
        return
    writer = open_writer(index.path)
    if not writer.position or must_rebuild(writer.position):
        writer.clear()
        sections = belonging().values_list("pk", flat=True)
    else:
        sections = changed(writer.position, last)
    for some in batches(sections.order_by().iterator()):
        writer.apply(some, indexed_notes(some), writer.position, by="section")
    writer.apply([], [], last)
    writer.complete()
    writer.close()


def changed(after: int, last: int) -> QuerySet:
    """The sections whose notes have come or gone, by the log from one position to another."""
    changes = IndexChange.objects.filter(pk__gt=after, pk__lte=last, section_id__isnull=False)
    return changes.values_list("section_id", flat=True).distinct()


def batches(sections: Iterable[int]) -> Iterator[list[int]]:
    left = iter(sections)
    while some := list(islice(left, BATCH)):
        yield some


def indexed_notes(sections: Sequence[int]) -> Iterator[IndexedChunk]:
    """The notes of those of the sections whose notes belong in the index."""
    rows = belonging().filter(pk__in=sections).values_list("pk", "domain_id", "document__language", "notes")
    return (
        IndexedChunk(pk * NUMBERED + number, pk, domain, language, "", note, None, None)
        for pk, domain, language, notes in rows
        for number, note in enumerate(notes[:NUMBERED])
    )


def differing(index: LexicalIndex) -> Iterator[int]:
    """The sections whose notes the index lacks, and those whose notes it should not have: all are compared."""
    last = max(belonging().aggregate(last=Max("pk"))["last"] or 0, note_of(index.last_chunk())[0])
    for first in range(0, last + 1, BATCH):
        keys = index.chunks_between(first * NUMBERED, (first + BATCH) * NUMBERED - 1)
        wanted = belonging().filter(pk__range=(first, first + BATCH - 1)).values_list("pk", flat=True)
        yield from sorted({note_of(key)[0] for key in keys} ^ set(wanted))


def index_again(sections: Iterable[int]) -> None:
    """Has every node's writer put the notes of these sections into its index, or take them out."""
    IndexChange.objects.bulk_create((IndexChange(section_id=pk) for pk in sections), batch_size=BATCH)
