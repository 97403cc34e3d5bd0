"""What a source that is not yet ingested would change: its sections beside those in force."""

from dataclasses import asdict, dataclass

from retrieval.ingestion.editions import check_order, of_edition, standing
from retrieval.ingestion.ordering import moved_to, places_with
from retrieval.ingestion.staging import (
    brought,
    check_identity,
    check_length,
    differs,
    given_in,
    in_scope,
    section_rows,
)
from retrieval.models import Document, Domain, Section
from retrieval.parsing.tree import SourceDocument

# Of what is known: less is taken for a download that was cut short, or a page that says why not.
SHORTEST = 0.8
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
        for kind in ("new", "changed", "repealed"):
            said |= {kind: len(said[kind]), f"{kind}_named": list(said[kind][:NAMED])}
        return said


def differences(domain: Domain, source: SourceDocument, edition: str, *, force: bool = False) -> Differences:
    """Raises SourceRefused for a document that is another's, older than what is known, or too short."""
    source = of_edition(source, edition)
    check_identity(domain, source)
    document = Document.objects.filter(domain=domain, locator=source.identifier).first()
    covered = in_scope(Section.objects.live().filter(document=document), source.scope)
    check_order(document, covered, source)
    everything = standing(document)
    current = everything.filter(pk__in=covered)
    known = {section.locator: section for section in current.only("locator", "content_hash", "valid_from")}
    rows = {row.locator: (row, node) for row, node in brought(section_rows(domain, source), source, everything)}
    given = given_in(rows.values())
    check_length(current.results().count(), given, force=force, shortest=SHORTEST)
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
