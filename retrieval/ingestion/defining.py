"""Keeps the terms that published sections define, each under the provision in which it governs."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from retrieval.citations.definitions import Definition as Found
from retrieval.citations.definitions import definitions
from retrieval.models import Anchor, Definition, Document, Section


@dataclass(frozen=True, slots=True)
class Level:
    """A node that has others below it."""

    kind: str
    number: str
    above: str


def keep(document: Document, sections: Iterable[Section]) -> None:
    """Of sections that have just gone live; those of other sections stay as they are, and go with these."""
    able = [section for section in sections if defines(section)]
    anchors: dict[int, list[Anchor]] = {}
    for anchor in Anchor.objects.filter(section__in=able).order_by("section_id", "start", "-end"):
        anchors.setdefault(anchor.section_id, []).append(anchor)
    current = document.sections.live().filter(valid_to=None, is_leaf=False)
    levels = {
        locator: Level(*level)
        for locator, *level in current.values_list("locator", "level", "number", "parent_locator")
    }
    rows = [row for one in able for row in rows_of(one, anchors.get(one.pk, []), levels, document.locator)]
    Definition.objects.bulk_create(rows, batch_size=2_000)


def defines(section: Section) -> bool:
    """Whether it is worth looking: most sections define nothing."""
    text = section.text
    marked = "“" in text or '"' in text or "definition" in section.heading.lower()
    return marked and any(word in text for word in ("mean", "include", "refer"))


def rows_of(
    section: Section, anchors: Sequence[Anchor], levels: Mapping[str, Level], document: str
) -> Iterator[Definition]:
    steps = min((anchor.locator.count("/") for anchor in anchors), default=0)
    highest = [(a.start, a.end) for a in anchors if a.locator.count("/") == steps]
    for found in definitions(section.text, section.heading, highest):
        around = [anchor.locator for anchor in anchors if anchor.start <= found.start < anchor.end]
        place = around[-1] if around else section.locator
        for scope in governed(section, found, levels, document):
            yield Definition(section=section, term=found.term, locator=place, scope=scope)


def governed(section: Section, found: Found, levels: Mapping[str, Level], document: str) -> list[str]:
    """The locators under which it governs: the section's own where what it names is not there. What names nothing
    governs all of a private document, as in contracts, and of law its section.
    """
    if not found.kind:
        return [document if section.private else section.locator]
    above = list(ancestors(section.parent_locator, levels))
    if found.numbers:
        named = [
            locator
            for locator, level in levels.items()
            if level.kind == found.kind and level.number in found.numbers and level.above in above
        ]
        return named or [section.locator]
    kind = "chapter" if found.kind == "act" else found.kind  # the Code sets an act as a chapter
    nearest = next((place for place in above if levels[place].kind == kind), None)
    return [nearest or (document if kind == "title" else section.locator)]


def ancestors(locator: str, levels: Mapping[str, Level]) -> Iterator[str]:
    """Nearest first."""
    while locator in levels:
        yield locator
        locator = levels[locator].above
