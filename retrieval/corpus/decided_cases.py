"""The names of the decided cases that are here, kept in memory and brought up to each version of their domains: a
publication of one case reads the name of one.
"""

from threading import Lock
from typing import NamedTuple

from django.db.models import Max

from retrieval.access.caller import ANONYMOUS
from retrieval.citations.case_names import CaseNames
from retrieval.indexes.lexical_sync import must_rebuild
from retrieval.models import IndexChange, Section
from retrieval.models.corpus import SectionQuerySet
from retrieval.ranking import Query

OF_CASES = ("/us/scotus", "/us/case")  # what the locators of their domains begin with
Name = tuple[int, int, str, str, str]  # position, section, locator, heading, short names: in their order


class Known(NamedTuple):
    """What was read at a version and a position of the change log: each name by its section, and all of them made ready
    to be found.
    """

    versions: tuple[int, ...]
    position: int
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
    """Reads what the change log tells of, or all where it does not reach back. Where a name has gone all are made ready
    again, from memory.
    """
    position = IndexChange.objects.aggregate(last=Max("pk"))["last"] or 0
    cases = Section.objects.readable(ANONYMOUS).filter(domain__in=domains, level="case").order_by()
    if known is None or must_rebuild(known.position):
        read = names_of(cases)
        return Known(versions, position, {name[1]: name for name in read}, CaseNames(map(written, read)))
    log = IndexChange.objects.filter(pk__gt=known.position, pk__lte=position, section_id__isnull=False)
    changed = set(log.values_list("section_id", flat=True))
    read = names_of(cases.filter(pk__in=changed)) if changed else []
    before = {known.names[section][2:] for section in changed & known.names.keys()}
    names = {section: name for section, name in known.names.items() if section not in changed}
    names |= {name[1]: name for name in read}
    if before - {name[2:] for name in read}:
        return Known(versions, position, names, CaseNames(map(written, sorted(names.values()))))
    unheard = [name for name in read if name[2:] not in before]
    return Known(versions, position, names, CaseNames(map(written, unheard), before=known.found))


def names_of(cases: SectionQuerySet) -> list[Name]:
    return sorted(cases.values_list("position", "pk", "locator", "heading", "plain_name"))


def written(name: Name) -> tuple[str, str, list[str]]:
    *_, locator, heading, short = name
    return locator, heading, short.split("; ") if short else []
