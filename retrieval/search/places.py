"""Provisions that words may mean, for whoever is asked for one: what they cite, then what is named so, then what a
search of texts finds; of what the caller may read alone. Nothing is logged.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from textwrap import shorten

from django.db.models import OuterRef, Q, QuerySet, Subquery, Value
from django.db.models.functions import Concat, Length

from retrieval.access.caller import Caller
from retrieval.citations.citation import cite
from retrieval.citations.finding import only_citation
from retrieval.models import Anchor, Document, Domain, Section
from retrieval.models.corpus import SectionQuerySet
from retrieval.request import SearchRequest
from retrieval.search import service
from retrieval.stages.citations import own_instead, resolve
from retrieval.text.normalization import normalize

OFFERED = 12
LONGEST = 300  # characters of what is typed
SHORTEST = 2  # letters that are looked for in names
BEGINNING = 160  # characters of a text
NUMBERED = re.compile(  # "lease § 2", "manual section 4.1"
    r"(?P<title>.+?)[\s,]*(?:§+|\b(?:sections?|secs?|secci[oó]n(?:es)?|art[ií]culos?|articles?|arts?|cl[aá]usulas?|"
    r"clauses?|paragraphs?|p[aá]rrafos?)\b\.?)\s*(?P<number>\w[\w.-]{0,30})",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Provision:
    """A place as people know it: how it is cited, and how it begins (heading and text), in which language."""

    locator: str
    citation: str
    beginning: str
    language: str


def as_locator(typed: str, caller: Caller) -> str:
    """The locator of what is typed where it is a citation and nothing else; otherwise as it stands."""
    if typed.startswith("/"):
        return typed
    query, law = service.reading(caller), only_citation(typed)
    own = own_instead(typed, query, resolve(query, [law.locator] if law else []))
    if len(own) == 1:
        return own[0].locator
    return law.locator if law else typed


def offered(words: str, caller: Caller, domains: tuple[str, ...] = ()) -> list[Provision]:
    """The likeliest first, each once. Raises NotFound for a domain that the caller may not see."""
    words = words.strip()[:LONGEST]
    if not normalize(words):
        return []
    scopes, in_force = service.in_scope(caller, domains)
    among = Section.objects.readable(caller).filter(domain__in=[scope.id for scope in scopes])
    if words.startswith("/"):
        return provisions([words, *located(words, among)], caller)
    request = SearchRequest(words, domains, pipeline="places")
    ranking = service.run(request, caller, scopes, in_force)
    searched = [candidate.pin or candidate.locator for candidate in ranking.candidates]
    cited = searched[:OFFERED] if ranking.final else []
    found = [*cited, *numbered(words, among), *named(words, among), *searched]
    return provisions(found, caller)


def located(typed: str, among: SectionQuerySet) -> QuerySet:
    """Those whose locators begin so."""
    found = among.filter(locator__under=typed).order_by(Length("locator"), "document", "position")
    return found.values_list("locator", flat=True)[:OFFERED]


def numbered(words: str, among: SectionQuerySet) -> Iterable[str]:
    """Of documents that have the name, the sections that have the number."""
    if (match := NUMBERED.fullmatch(words)) is None:
        return ()
    title, number = match["title"].strip(" ,"), match["number"].rstrip(".")
    of_document = Q(document__title__icontains=title) | Q(document__filename__icontains=title)
    found = among.filter(of_document, number__iexact=number).order_by("depth", "document", "position")
    return found.values_list("locator", flat=True)[:OFFERED]


def named(words: str, among: SectionQuerySet) -> QuerySet:
    """Those whose citation or name holds the words."""
    names = ("citation", "heading", "heading_es", "plain_name", "plain_name_es")
    holding = Q(pk__in=[])
    for name in names if len(words) >= SHORTEST else ():
        holding |= Q(**{f"{name}__icontains": words})
    return among.filter(holding).in_order().values_list("locator", flat=True)[:OFFERED]


def provisions(locators: Iterable[str], caller: Caller) -> list[Provision]:
    """In this order, each once; those that the caller may not read are left out."""
    wanted = list(dict.fromkeys(locators))[:OFFERED]
    known = described(wanted, caller)
    return [known[locator] for locator in wanted if locator in known]


def described(locators: Iterable[str], caller: Caller) -> dict[str, Provision]:
    """By locator, of provisions, places in them, documents and domains, those that the caller may read now."""
    wanted = set(locators)
    if not wanted:
        return {}
    readable = Section.objects.readable(caller)
    sections = with_beginning(readable.filter(locator__in=wanted))
    known = {row.locator: section_named(row) for row in sections}
    if left := wanted - known.keys():
        anchors = Anchor.objects.filter(locator__in=left, section__in=readable)
        known |= {row.locator: anchor_named(row) for row in anchors.select_related("section__document")}
    if left := wanted - known.keys():
        documents = Document.objects.visible_to(caller).filter(locator__in=left)
        known |= {row.locator: Provision(row.locator, row.title, "", row.language) for row in documents}
    if left := wanted - known.keys():
        domains = Domain.objects.visible_to(caller).filter(locator_prefix__in=left)
        known |= {row.locator_prefix: Provision(row.locator_prefix, row.local_name, "", "") for row in domains}
    return known


def with_beginning(sections: SectionQuerySet) -> SectionQuerySet:
    """Adds `beginning`: of its own text, else of the first text below it."""
    below = Q(locator__under=Concat(OuterRef("locator"), Value("/"))) | Q(pk=OuterRef("pk"))
    texts = sections.model.objects.live().valid_on(None).filter(below, document=OuterRef("document"))
    first = texts.filter(position__gte=OuterRef("position")).exclude(text="").order_by("position")
    return sections.select_related("document").annotate(beginning=Subquery(first.values("text")[:1]))


def section_named(section: Section) -> Provision:
    words = ". ".join(filter(None, (section.heading, section.beginning)))
    return Provision(section.locator, str(section), shortened(words), section.document.language)


def anchor_named(anchor: Anchor) -> Provision:
    section = anchor.section
    numbers = re.sub(r"/([^/]+)", r"(\1)", anchor.locator.removeprefix(section.locator))
    citation = cite(anchor.locator) or f"{section}{numbers}"
    words = shortened(section.text[anchor.start : anchor.end])
    return Provision(anchor.locator, citation, words, section.document.language)


def shortened(text: str) -> str:
    return shorten(text, BEGINNING, placeholder=" …")
