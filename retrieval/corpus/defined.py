"""The defined terms that a provision, or some words of it, use, as a caller may read what defines them."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate

from django.db.models import Value
from django.db.models.functions import Lower, StrIndex

from retrieval.citations.citation import cite
from retrieval.citations.definitions import definitions, used_in
from retrieval.models import Definition, Section
from retrieval.models.corpus import SectionQuerySet

MOST_READ = 3_000  # definitions that govern a provision
MOST_TOLD = 50
FEW = 4  # terms that are told of quoted words


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
    nearest = nearest_of(rows, scopes)
    used = used_in(section.text, list(nearest))
    told = sorted(used, key=lambda term: (-scopes.index(nearest[term].scope), term))
    return [nearest[term] for term in told[:MOST_TOLD]]


def terms_in(quoted: Mapping[tuple[str, ...], str], readable: SectionQuerySet) -> list[DefinedTerm]:
    """Terms in words that are quoted of sections (by their scopes), each as the nearest definition that governs it has
    it, where these words do not define it themselves; in the order of the words.
    """
    words = Value("\n".join(quoted.values()).lower())
    every = {scope for scopes in quoted for scope in scopes}
    rows = list(
        Definition.objects.filter(scope__in=every, section__in=readable)
        .annotate(place=StrIndex(words, Lower("term")))
        .filter(place__gt=0)
        .order_by("section__position", "pk")
        .values_list("term", "locator", "section__citation", "scope")[:MOST_READ]
    )
    told: dict[str, DefinedTerm] = {}
    for scopes, text in quoted.items():
        nearest = nearest_of([row for row in rows if row[3] in scopes], scopes)
        used = longest_used(text, nearest.keys() - {found.term.lower() for found in definitions(text)})
        for term in sorted(used, key=text.lower().index):
            told.setdefault(term, nearest[term])
    return list(told.values())[:FEW]


def longest_used(text: str, terms: Iterable[str]) -> set[str]:
    """Without those that are only part of a longer one there: "state" of "United States"."""
    left, used = text.lower(), set()
    for term in sorted(terms, key=len, reverse=True):
        if used_in(left, [term]):
            used.add(term)
            left = left.replace(term, " " * len(term))
    return used


def nearest_of(rows: Iterable[tuple[str, str, str, str]], scopes: Sequence[str]) -> dict[str, DefinedTerm]:
    """By their terms in small letters; `scopes` are outermost first."""
    nearest: dict[str, DefinedTerm] = {}
    for term, locator, citation, scope in sorted(rows, key=lambda row: -scopes.index(row[3])):
        nearest.setdefault(term.lower(), DefinedTerm(term, locator, cite(locator) or citation, scope))
    return nearest


def scopes_of(document: str, above: str, own: str) -> tuple[str, ...]:
    """The locators of what a provision stands in, outermost first, and its own: those above begin as its parent's."""
    return document, *accumulate(above.split("/"), lambda one, step: f"{one}/{step}"), own
