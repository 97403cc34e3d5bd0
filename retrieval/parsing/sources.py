"""What formats a domain can be fed from. Each reader gives the same tree of provisions."""

from pathlib import Path

from retrieval.errors import SourceRefused
from retrieval.models import Domain
from retrieval.parsing.files.formats import READERS
from retrieval.parsing.files.structure import slug
from retrieval.parsing.sandbox import extract
from retrieval.parsing.tree import SourceDocument
from retrieval.parsing.uslm.reader import LeafPolicy, read


def read_source(path: Path, domain: Domain) -> SourceDocument:
    """The document at a path. Raises SourceRefused for a missing, broken or foreign one."""
    if not path.exists():
        raise SourceRefused(f"There is no file {path.name} in {path.parent.resolve()}.")
    if path.suffix.lower() == ".xml":
        lowest = domain.result_level == Domain.ResultLevel.LOWEST
        return read(path, leaf=LeafPolicy.LOWEST if lowest else LeafPolicy.SECTION)
    if path.suffix.lower() not in READERS or not domain.takes_uploads:
        raise SourceRefused(f"{path.name} is in no format that {domain.name} is read from.")
    place = f"{domain.locator_prefix}/{slug(path.stem)[:60].strip('-.') or 'document'}"
    return extract(path.read_bytes(), filename=path.name, identifier=place, name=path.stem)
