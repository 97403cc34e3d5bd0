"""A corpus for measuring alone: made by the ordinary code, searchable to one transaction, then rolled back."""

import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from django.conf import settings
from django.db import transaction

from retrieval.indexes.lexical import LexicalWriter
from retrieval.indexes.lexical_sync import indexed_chunks
from retrieval.models import Chunk, Domain


@contextmanager
def rolled_back(load: Callable[[], Domain]) -> Iterator[Domain]:
    """What `load` makes, with an index of its own."""
    kept = settings.ARF_LEXICAL_DIR
    with tempfile.TemporaryDirectory(prefix="arf-corpus-") as folder, transaction.atomic():
        settings.ARF_LEXICAL_DIR = Path(folder)
        try:
            domain = load()
            build_index(Path(folder), domain)
            yield domain
        finally:
            settings.ARF_LEXICAL_DIR = kept
            transaction.set_rollback(True)


def build_index(path: Path, domain: Domain) -> None:
    writer = LexicalWriter(path)
    writer.apply(
        [], indexed_chunks(list(Chunk.objects.filter(domain=domain).values_list("pk", flat=True))), 0
    )
    writer.close()
