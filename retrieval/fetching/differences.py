"""What a source that is not yet ingested would change: its sections beside those in force."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from retrieval.access.row_security import as_system
from retrieval.ingestion import staging
from retrieval.ingestion.editions import check_order, of_edition, standing
from retrieval.ingestion.ordering import moved_to, places_with
from retrieval.ingestion.staging import (
    brought,
    check_identity,
    check_length,
    checked_rows,
    differs,
    given_in,
    in_scope,
    path_of,
)
from retrieval.models import Document, Domain, Section
from retrieval.parsing.sources import Found, Place, read_next

# Of what is known: less is taken for a download that was cut short, or a page that says why not.
SHORTEST = 0.8
KINDS = ("new", "changed", "repealed")
NAMED = 200  # locators of a kind that are named; the others are counted


@dataclass(frozen=True, slots=True)
class Differences:
    """Of one document: how many sections are given, and the locators of those that are new, changed (also what only
    stands elsewhere) and gone.
    """

    title: str
    given: int
    new: tuple[str, ...]
    changed: tuple[str, ...]
    repealed: tuple[str, ...]

    def to_dict(self) -> dict:
        """With the first locators of each kind, and how many there are."""
        said = asdict(self)
        for kind in KINDS:
            said |= {kind: len(said[kind]), f"{kind}_named": list(said[kind][:NAMED])}
        return said


def of_source(domain: Domain, source: str, edition: str, *, force: bool = False) -> Iterator[Differences]:
    """What `manage.py ingest` would change, document by document; it refuses what that refuses."""
    path, place = path_of(domain, source), Place()
    while place:
        found = read_next(path, domain, place)
        with as_system():
            made = differences(domain, found, edition, force=force, shortest=staging.SHORTEST)
        yield made
        place = found.following


def summary(domain: Domain, told: Sequence[dict]) -> str:
    """ "US Code: sections 3 new, 2 changed, 1 repealed, in 2 of 58 documents"."""
    counts = {kind: sum(each[kind] for each in told) for kind in KINDS}
    touched = sum(any(each[kind] for kind in KINDS) for each in told)
    said = ", ".join(f"{count} {kind}" for kind, count in counts.items())
    return f"{domain.name}: sections {said}, in {touched} of {len(told)} documents"


def differences(
    domain: Domain, found: Found, edition: str, *, force: bool = False, shortest: float = SHORTEST
) -> Differences:
    """Raises SourceRefused for a document that is another's, older than what is known, too short, or too long for the
    columns.
    """
    source = of_edition(found.document, edition)
    check_identity(domain, source)
    document = Document.objects.filter(domain=domain, locator=source.identifier).first()
    covered = in_scope(Section.objects.live().filter(document=document), source.scope)
    check_order(document, covered, source)
    everything = standing(document)
    current = everything.filter(pk__in=covered)
    known = {section.locator: section for section in current.only("locator", "content_hash", "valid_from")}
    given_rows = checked_rows(domain, source, Path(found.filename).name)
    rows = {row.locator: (row, node) for row, node in brought(given_rows, source, everything)}
    given = given_in(rows.values())
    check_length(current.results().count(), given, force=force, shortest=shortest)
    moved = moved_to(places_with(document), places_with(document, [row for row, _ in rows.values()]))
    return Differences(
        title=source.title,
        given=given,
        new=tuple(locator for locator, (_, node) in rows.items() if locator not in known and node.given),
        changed=tuple(
            locator
            for locator, (row, node) in rows.items()
            if locator in known and node.given and differs(known[locator], row, moved)
        ),
        repealed=tuple(locator for locator in known if locator not in rows),
    )
