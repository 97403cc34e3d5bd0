"""The sections that aliases name."""

from retrieval.corpus.filters import sections_within
from retrieval.models import Section
from retrieval.ranking import Query
from rules import published

NONE_NEAR = "no curated name of what may be read here is near"


def named_sections(query: Query, locators: list[str]) -> list[tuple[str, int]]:
    """(locator, section) of provisions by locator; the fusion reads each again under the caller's scope."""
    if (
        query.as_of is None
        and query.include is None
        and query.exclude is None
        and not any(domain.private for domain in query.domains)
    ):
        version = query.versions.get("aliases", 0)
        places = {
            locator: section
            for domain in query.domains
            for locator, section in published.named_places(domain.id, version, domain.corpus_version).items()
        }
        return [(locator, places[locator]) for locator in locators if locator in places]
    readable = Section.objects.readable(query.caller, query.as_of).filter(
        sections_within(query), domain__in=query.domain_ids, locator__in=locators
    )
    return list(readable.in_order().values_list("locator", "pk"))
