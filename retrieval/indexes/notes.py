"""The words of notes, kept apart from those of the text: in an index of their own beside the lexical one, so that no
note changes what a word counts in a search of the law.

It holds the notes of public sections of whatever day. The notes of a row never change, so rows that are there tell what
belongs; who searches reads them again from Postgres.
"""

from django.db.models import Max, QuerySet, Sum

from retrieval.indexes.lexical import IndexedChunk, LexicalIndex, LexicalWriter, Weights
from retrieval.indexes.lexical_sync import open_writer
from retrieval.models import Domain, Section

FOLDER = "notes"
NUMBERED = 10_000  # notes that a section can have: a note is named by its section and its number, from 0
COMPARED = 2_000  # sections compared, and indexed, at a time
BY_WORDS = Weights(head=0.0, called=0.0, prior=0.0)


def note_of(key: int) -> tuple[int, int]:
    """The section and the number of a note."""
    return divmod(key, NUMBERED)


def belonging() -> QuerySet[Section]:
    return Section.objects.live().filter(private=False).exclude(notes=[])


def catch_up(index: LexicalIndex) -> None:
    """Brings the index of notes up to the versions of the public corpora."""
    public = Domain.objects.filter(visibility=Domain.Visibility.PUBLIC)
    version = public.aggregate(all=Sum("corpus_version"))["all"] or 0
    if index.position == version and not index.problem:
        return
    writer = open_writer(index.path)
    index.reload()
    last = max(belonging().aggregate(last=Max("pk"))["last"] or 0, note_of(index.last_chunk())[0])
    for first in range(0, last + 1, COMPARED):
        bring_up(writer, index, first)
    writer.apply([], [], version)
    writer.complete()
    writer.close()


def bring_up(writer: LexicalWriter, index: LexicalIndex, first: int) -> None:
    """Takes out the notes of sections that have gone, and adds those of new ones, from this section on."""
    has = index.chunks_between(first * NUMBERED, (first + COMPARED) * NUMBERED - 1)
    here = {note_of(key)[0] for key in has}
    wanted = belonging().filter(pk__range=(first, first + COMPARED - 1))
    stay = set(wanted.values_list("pk", flat=True))
    gone = [key for key in has if note_of(key)[0] not in stay]
    new = wanted.exclude(pk__in=here).values_list("pk", "domain_id", "document__language", "notes")
    added = [
        IndexedChunk(pk * NUMBERED + number, pk, domain, language, "", note, None, None)
        for pk, domain, language, notes in new
        for number, note in enumerate(notes[:NUMBERED])
    ]
    if gone or added:
        writer.apply(gone, added, 0)
