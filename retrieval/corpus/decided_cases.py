"""The names of the decided cases that are here, kept in memory for each version of their domain."""

from functools import lru_cache

from retrieval.access.caller import ANONYMOUS
from retrieval.citations.case_names import CaseNames
from retrieval.models import Section
from retrieval.ranking import Query

DOMAIN = "supreme_court_cases"


def names_for(query: Query) -> CaseNames | None:
    """The names of the cases among the domains searched; None where cases are not searched."""
    for domain in query.domains:
        if domain.slug == DOMAIN and not domain.private:
            return case_names(domain.id, domain.corpus_version)
    return None


@lru_cache(maxsize=2)  # of the domain, as it is and as it was before the last publication
def case_names(domain: int, corpus_version: int) -> CaseNames:
    cases = Section.objects.readable(ANONYMOUS).filter(domain_id=domain, level="case")
    rows = cases.order_by("position", "id").values_list("locator", "heading", "plain_name")
    return CaseNames((locator, name, short.split("; ") if short else ()) for locator, name, short in rows)
