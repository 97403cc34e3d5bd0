"""The defined terms that a provision uses, as a caller may read what defines them."""

from collections.abc import Sequence
from dataclasses import dataclass

from retrieval.citations.citation import cite
from retrieval.citations.definitions import used_in
from retrieval.models import Definition, Section
from retrieval.models.corpus import SectionQuerySet

MOST_READ = 3_000  # definitions that govern a provision
MOST_TOLD = 50


@dataclass(frozen=True, slots=True)
class DefinedTerm:
    """A term, the place that defines it, and where that definition governs."""

    term: str
    locator: str
    citation: str
    scope: str


def terms_used(section: Section, above: Sequence[str], readable: SectionQuerySet) -> list[DefinedTerm]:
    """Terms that the section uses and others define, each as the nearest that governs it does; those of the nearest
    first, then by the alphabet. `above` are the locators above the section, outermost first.
    """
    if not section.text:
        return []
    scopes = [section.document.locator, *above, section.locator]
    rows = (
        Definition.objects.filter(scope__in=scopes, section__in=readable)
        .exclude(section__locator=section.locator)
        .order_by("section__position", "pk")
        .values_list("term", "locator", "section__citation", "scope")[:MOST_READ]
    )
    nearest: dict[str, DefinedTerm] = {}
    for term, locator, citation, scope in sorted(rows, key=lambda row: -scopes.index(row[3])):
        nearest.setdefault(term.lower(), DefinedTerm(term, locator, cite(locator) or citation, scope))
    used = used_in(section.text, list(nearest))
    told = sorted(used, key=lambda term: (-scopes.index(nearest[term].scope), term))
    return [nearest[term] for term in told[:MOST_TOLD]]
