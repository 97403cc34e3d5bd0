"""The order of a document on all of its days. Every place that a provision ever had stands in it once, so the texts of
a day are in the order of that day, whatever joined or left the document since.
"""

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date
from itertools import chain

from django.db import connection

from retrieval.indexes import terms
from retrieval.ingestion.editions import standing
from retrieval.models import Document, Section

Place = tuple[str, ...]  # the locators above a provision, outermost first, and its own
Row = tuple[int, str, str, date | None, int]  # of a text that was published: id, locator, that above it, end, position

MOVE = """
UPDATE retrieval_section section SET position = moved.position
FROM unnest(%s::bigint[], %s::int[]) moved (id, position) WHERE section.id = moved.id
"""


def arrange(document: Document, rows: Sequence[Section]) -> set[str]:
    """Gives the rows of a source their positions among all that was ever published of the document, which moves on
    where it has grown. Gives the locators of what is in force in another place.
    """
    columns = ("pk", "locator", "parent_locator", "valid_to", "position")
    published: list[Row] = list(document.sections.live().order_by("position", "pk").values_list(*columns))
    places = places_of(published)
    given = places_with(document, rows)
    given = {row.locator: given[row.locator] for row in rows}
    ordered = merged([places[pk] for pk, *_ in published], given.values())
    positions = {place: number for number, place in enumerate(ordered, start=1)}
    for row in rows:
        row.position = positions[given[row.locator]]
    moved = [(pk, positions[places[pk]]) for pk, *_, known in published if positions[places[pk]] != known]
    if moved:
        with terms.unchanged(document.domain), connection.cursor() as cursor:
            cursor.execute(MOVE, [list(column) for column in zip(*moved, strict=True)])
    return moved_to(places_with(document), given)


def moved_to(before: Mapping[str, Place], after: Mapping[str, Place]) -> set[str]:
    return {locator for locator, place in after.items() if before.get(locator, place) != place}


def places_with(document: Document, rows: Iterable[Section] = (), *, gone: Iterable[int] = ()) -> dict[str, Place]:
    """By locator the places of what stands, once it is changed by these rows and some (ids) are gone."""
    kept = standing(document).exclude(pk__in=gone)
    parents = dict(kept.values_list("locator", "parent_locator")) | {row.locator: row.parent_locator for row in rows}
    return places_in(parents)


def places_in(parents: Mapping[str, str]) -> dict[str, Place]:
    """The places in one edition, of which each locator's parent is known."""
    known: dict[str, Place] = {"": ()}

    def place(locator: str) -> Place:
        if locator not in known:
            known[locator] = (*place(parents.get(locator, "")), locator)
        return known[locator]

    return {locator: place(locator) for locator in parents}


def places_of(published: Sequence[Row]) -> dict[int, Place]:
    """By its id the place of each text: below what stood above it on its last day."""
    versions: dict[str, list[tuple[date, Row]]] = defaultdict(list)
    for row in sorted(published, key=ends):
        versions[row[1]].append((ends(row), row))
    known: dict[int, Place] = {}

    def place(row: Row) -> Place:
        pk, locator, above, *_ = row
        if pk not in known:
            holders = versions.get(above, [])
            at = min(bisect_left(holders, ends(row), key=lambda each: each[0]), len(holders) - 1)
            known[pk] = (*(place(holders[at][1]) if holders else filter(None, [above])), locator)
        return known[pk]

    return {row[0]: place(row) for row in published}


def ends(row: Row) -> date:
    return row[3] or date.max


# -- Pure


def merged(known: Iterable[Place], given: Iterable[Place]) -> Iterator[Place]:
    """All places, each below what holds it: those given in their order, and each of the others behind the one that it
    stood behind.
    """
    before, now = below(known), below(given)

    def walk(above: Place) -> Iterator[Place]:
        for place in joined(before[above], now[above]):
            yield place
            yield from walk(place)

    return walk(())


def below(places: Iterable[Place]) -> dict[Place, dict[Place, None]]:
    """By each place those right below it, in order."""
    found: dict[Place, dict[Place, None]] = defaultdict(dict)
    for place in places:
        for depth in range(len(place)):
            found[place[:depth]][place[: depth + 1]] = None
    return found


def joined(known: Iterable[Place], given: Mapping[Place, None]) -> Iterator[Place]:
    """One order of what stands side by side."""
    last, behind = None, defaultdict(list)
    for place in known:
        if place in given:
            last = place
        else:
            behind[last].append(place)
    return chain(behind[None], chain.from_iterable((place, *behind[place]) for place in given))
