"""Provisions that stand for several numbers, as "§§ 1.106-1.108 [Reserved]" and "§§ 665 to 665e. Repealed" do: a number
between their ends leads to them.
"""

import re
from collections.abc import Iterable
from functools import reduce
from operator import or_

from django.db.models import Q

from retrieval.models import Section
from retrieval.models.corpus import SectionQuerySet

Key = list[tuple[int, str]]  # of a number, in its order: 293, 293a, 293b, 293aa, 294
_CITED = re.compile(r"(?P<under>/us/(?:cfr/t\w+/s(?P<part>\d+\.)|usc/t\w+/s))(?P<number>\d[\w-]*)(?:/.*)?")
_RANGE = re.compile(r"/us/(?:cfr|usc)/t\w+/s(?:(?P<part>\d+\.)(\w+)-(?P=part)(\w+)|([\w-]+)\.\.\.([\w-]+))")


def holding_ranges(locators: Iterable[str], readable: SectionQuerySet) -> dict[str, Section]:
    """By locator of a section, or a place in one, the provision that stands for its number; by one statement, and one
    more where there is any.
    """
    cited = {locator: found for locator in locators if (found := _CITED.fullmatch(locator))}
    named = {(one["under"], f"-{one['part']}" if one["part"] else "...") for one in cited.values()}
    if not named:
        return {}
    alike = reduce(or_, (Q(locator__under=under, locator__contains=mark) for under, mark in named))
    found = readable.filter(alike).order_by("document_id", "position", "id").values_list("pk", "locator")
    ranges = [(pk, place, ends) for pk, place in found if (ends := ends_of(place))]
    holding = {
        locator: pk
        for locator, one in cited.items()
        for pk, place, (first, last) in ranges
        if place.startswith(one["under"]) and first <= key(one["number"]) <= last
    }
    sections = readable.in_bulk(holding.values()) if holding else {}
    return {locator: sections[pk] for locator, pk in holding.items() if pk in sections}


def ends_of(locator: str) -> tuple[Key, Key] | None:
    """Of a range; None of any other section."""
    found = _RANGE.fullmatch(locator)
    return (key(found[2] or found[4]), key(found[3] or found[5])) if found else None


def key(number: str) -> Key:
    pieces = re.findall(r"\d+|[a-z]+", number.lower())
    return [(int(piece), "") if piece.isdigit() else (len(piece), piece) for piece in pieces]
