"""What a source that is not yet ingested would change: its sections beside those in force."""

from dataclasses import asdict, dataclass

from retrieval.ingestion.staging import (
    check_identity,
    check_length,
    check_order,
    differs,
    in_scope,
    of_edition,
    section_rows,
)
from retrieval.models import Domain, Section
from retrieval.parsing.tree import SourceDocument

# Of what is known: less is taken for a download that was cut short, or a page that says why not.
SHORTEST = 0.8
NAMED = 200  # locators of a kind that are named; the others are counted


@dataclass(frozen=True, slots=True)
class Differences:
    """Of one document: how many sections are given, and the locators of those that are new, changed and gone."""

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
    live = Section.objects.filter(document__domain=domain, document__locator=source.identifier).live()
    covered = in_scope(live, source.scope)
    check_order(covered, source)
    current = covered.filter(valid_to=None)
    known = {section.locator: section for section in current.only("locator", "content_hash")}
    rows = {row.locator: (row, node) for row, node in section_rows(domain, source)}
    given = sum(node.given for _, node in rows.values())
    check_length(len(known), given, force=force, shortest=SHORTEST)
    return Differences(
        title=source.title,
        given=given,
        new=tuple(locator for locator, (_, node) in rows.items() if locator not in known and node.given),
        changed=tuple(
            locator
            for locator, (row, node) in rows.items()
            if locator in known and node.given and differs(known[locator], row)
        ),
        repealed=tuple(locator for locator in known if locator not in rows),
    )
