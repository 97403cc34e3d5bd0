"""The names of the decided cases that are here, kept in memory and brought up to each version of their domain: a
publication of one case reads the name of one.
"""

from threading import Lock
from typing import NamedTuple

from retrieval.access.caller import ANONYMOUS
from retrieval.citations.case_names import CaseNames
from retrieval.models import Section
from retrieval.ranking import Query

DOMAIN = "supreme_court_cases"
Name = tuple[int, int, str, str, str]  # position, section, locator, heading, short names: in their order


class Known(NamedTuple):
    """What was read at a version: each name by its section, and all of them made ready to be found."""

    version: int
    names: dict[int, Name]
    found: CaseNames


_known: dict[int, Known] = {}  # by domain
_lock = Lock()


def names_for(query: Query) -> CaseNames | None:
    """The names of the cases among the domains searched; None where cases are not searched."""
    for domain in query.domains:
        if domain.slug == DOMAIN and not domain.private:
            return case_names(domain.id, domain.corpus_version)
    return None


def case_names(domain: int, corpus_version: int) -> CaseNames:
    with _lock:
        known = _known.get(domain)
        if known is None or known.version != corpus_version:
            known = _known[domain] = brought_up(known, domain, corpus_version)
        return known.found


def brought_up(known: Known | None, domain: int, version: int) -> Known:
    """Reads the names that are new. Where one has gone all are made ready again, from memory."""
    before = known.names if known else {}
    cases = Section.objects.readable(ANONYMOUS).filter(domain_id=domain, level="case").order_by()
    current = set(cases.values_list("pk", flat=True))
    new = current - before.keys()
    rows = cases.filter(pk__in=new) if before else cases
    read = sorted(rows.values_list("position", "pk", "locator", "heading", "plain_name")) if new else []
    names = {section: name for section, name in before.items() if section in current}
    names |= {name[1]: name for name in read}
    told, told_before = ({name[2:] for name in those.values()} for those in (names, before))
    if known is None or told_before - told:
        return Known(version, names, CaseNames(map(written, sorted(names.values()))))
    unheard = [name for name in read if name[2:] not in told_before]
    return Known(version, names, CaseNames(map(written, unheard), before=known.found))


def written(name: Name) -> tuple[str, str, list[str]]:
    *_, locator, heading, short = name
    return locator, heading, short.split("; ") if short else []
