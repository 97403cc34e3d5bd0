"""What stands below a node of a document, by positions: locators do not always tell it, as sections of the US Code are
named without their chapters.
"""

from collections.abc import Sequence
from datetime import date
from itertools import chain

from retrieval.access.caller import Caller
from retrieval.errors import NotFound
from retrieval.models import Document, Domain, Section
from retrieval.models.corpus import SectionQuerySet
from retrieval.targets import Part, Selection


def within(locators: Sequence[str], caller: Caller, day: date | None) -> Selection | None:
    """The subtrees of these provisions, documents and domains; None where none is named. Raises NotFound for what the
    caller may not read on that day.
    """
    parts = chain.from_iterable(subtrees(locator, caller, day) for locator in locators)
    return Selection(tuple(parts)) if locators else None


def subtrees(locator: str, caller: Caller, day: date | None) -> Sequence[Part]:
    """Of a place inside a section, the section; of a domain, all of it, however many documents that is."""
    readable = Section.objects.readable(caller, day).order_by("pk")
    section = readable.filter(locator=locator).first() or readable.filter(anchors__locator=locator).first()
    if section is not None:
        end = end_of_subtree(section, readable.filter(document=section.document_id))
        return [Part("subtree", locator, document=section.document_id, positions=(section.position, end))]
    document = Document.objects.visible_to(caller).filter(locator=locator).order_by("pk").first()
    if document is not None:
        return [Part("subtree", locator, document=document.pk)]
    domains = Domain.objects.visible_to(caller).filter(locator_prefix=locator).order_by("pk")
    if not domains:
        raise NotFound("There is no such provision.")
    return [Part("subtree", locator, domain=domain.pk) for domain in domains]


def end_of_subtree(section: Section, in_document: SectionQuerySet) -> int | None:
    """The position after everything under a section; None at the document's end."""
    beyond = in_document.filter(position__gt=section.position, depth__lte=section.depth)
    return beyond.order_by("position").values_list("position", flat=True).first()
