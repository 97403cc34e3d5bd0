"""The names of the decided cases that are here, kept in memory and brought up to each version of their domains: a
publication of one case reads the name of one.
"""

from threading import Lock
from typing import NamedTuple

from retrieval.access.caller import ANONYMOUS
from retrieval.citations.case_names import CaseNames
from retrieval.models import Section
from retrieval.ranking import Query

OF_CASES = ("/us/scotus", "/us/case")  # what the locators of their domains begin with
Name = tuple[int, int, str, str, str]  # position, section, locator, heading, short names: in their order


class Known(NamedTuple):
    """What was read at a version: each name by its section, and all of them made ready to be found."""

    versions: tuple[int, ...]
    names: dict[int, Name]
    found: CaseNames


_known: dict[tuple[int, ...], Known] = {}  # by domains
_lock = Lock()


def names_for(query: Query) -> CaseNames | None:
    """The names of the cases among the domains searched; None where cases are not searched."""
    domains = [domain for domain in query.domains if domain.prefix in OF_CASES and not domain.private]
    if not domains:
        return None
    filled = [domain for domain in domains if domain.corpus_version] or domains
    return case_names(tuple(domain.id for domain in filled), tuple(domain.corpus_version for domain in filled))


def case_names(domains: tuple[int, ...], versions: tuple[int, ...]) -> CaseNames:
    with _lock:
        known = _known.get(domains)
        if known is None or known.versions != versions:
            known = _known[domains] = brought_up(known, domains, versions)
        return known.found


def brought_up(known: Known | None, domains: tuple[int, ...], versions: tuple[int, ...]) -> Known:
    """Reads the names that are new. Where one has gone all are made ready again, from memory."""
    before = known.names if known else {}
    cases = Section.objects.readable(ANONYMOUS).filter(domain__in=domains, level="case").order_by()
    current = set(cases.values_list("pk", flat=True))
    new = current - before.keys()
    rows = cases.filter(pk__in=new) if before else cases
    read = sorted(rows.values_list("position", "pk", "locator", "heading", "plain_name")) if new else []
    names = {section: name for section, name in before.items() if section in current}
    names |= {name[1]: name for name in read}
    told, told_before = ({name[2:] for name in those.values()} for those in (names, before))
    if known is None or told_before - told:
        return Known(versions, names, CaseNames(map(written, sorted(names.values()))))
    unheard = [name for name in read if name[2:] not in told_before]
    return Known(versions, names, CaseNames(map(written, unheard), before=known.found))


def written(name: Name) -> tuple[str, str, list[str]]:
    *_, locator, heading, short = name
    return locator, heading, short.split("; ") if short else []
