"""Whether judged provisions are there, as an import asks of each and measuring by a file of all."""

from collections.abc import Iterable

from evaluation.topics.reading import LineRefused
from evaluation.topics.topic import Topic
from retrieval.errors import gettext_noop
from retrieval.models import Anchor, Domain, Section


class Provisions:
    """Of these locators those that the corpus has, in whichever version, as far as that can be told."""

    def __init__(self, locators: set[str], domains: Iterable[Domain]):
        self._known, self._unchecked = known_locators(locators), unchecked(domains)

    def require(self, locator: str, domain: Domain) -> None:
        """Raises LineRefused."""
        if not within(locator, domain.locator_prefix):
            told = gettext_noop("%(locator)s is not in %(slug)s")
            raise LineRefused(told, locator=locator, slug=domain.slug)
        if domain.slug not in self._unchecked and locator not in self._known:
            raise LineRefused(gettext_noop("there is no provision %(locator)s"), locator=locator)


def not_here(topics: Iterable[Topic]) -> dict[str, str]:
    """Why topics, by id, name a domain or a judged provision that nothing could ever find."""
    topics = list(topics)
    domains = Domain.objects.in_bulk({topic.domain for topic in topics}, field_name="slug")
    provisions = Provisions({locator for topic in topics for locator in topic.judged}, domains.values())
    found = {}
    for topic in topics:
        try:
            if topic.domain not in domains:
                raise LineRefused(gettext_noop("there is no domain %(slug)s"), slug=topic.domain)
            for locator in topic.judged:
                provisions.require(locator, domains[topic.domain])
        except LineRefused as problem:
            found[topic.id] = str(problem)
    return found


def known_locators(wanted: set[str]) -> set[str]:
    sections = Section.objects.filter(locator__in=wanted, private=False).values_list("locator", flat=True)
    return {*sections, *Anchor.objects.filter(locator__in=wanted).values_list("locator", flat=True)}


def unchecked(domains: Iterable[Domain]) -> set[str]:
    """Of an empty corpus nothing can be checked; of a private one, looking would tell what is in it."""
    return {domain.slug for domain in domains if domain.is_private or not domain.sections.exists()}


def within(locator: str, prefix: str) -> bool:
    return locator == prefix or locator.startswith(f"{prefix.rstrip('/')}/")
