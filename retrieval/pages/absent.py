"""What is told of a place that has no text on the day on which it is read, or that is not here at all."""

from django.utils import timezone

from retrieval.corpus.absence import ENDED, Absence, absence_at, end_of, has_ended
from retrieval.corpus.changes import versions_of
from retrieval.corpus.filters import above
from retrieval.corpus.withdrawn import withdrawn_on
from retrieval.models import Document, Section
from retrieval.pages.addresses import Reader
from retrieval.pages.reader import document_title


def lost(locator: str, reader: Reader) -> dict:
    """What is told of a place that is not there: of one that is there on other days why, and its texts; else the name
    and locator of the nearest above it.
    """
    if absence := absence_at(locator, reader.known, reader.as_of or timezone.localdate()):
        return {"absence": absence.to_dict(), "versions": versions_of(reader.caller, absence.text.locator)}
    return {"nearest": nearest_place(locator, reader)}


def ended_by_then(section: Section, reader: Reader) -> dict | None:
    """What is told of a text that had ended by the day on which it is read."""
    day = reader.as_of
    if day is None or reader.version or not has_ended(section, day):
        return None
    withdrawn = withdrawn_on(section.document) == end_of(section)
    return Absence(ENDED, day, end_of(section), section, section, withdrawn).to_dict()


def nearest_place(locator: str, reader: Reader) -> tuple[str, str] | None:
    """The name and locator of the nearest place above one that is not there."""
    places = above(locator.rstrip("/"))[::-1]
    documents = Document.objects.visible_to(reader.caller).filter(locator__in=places).select_related("domain")
    names = {document.locator: document_title(document) for document in documents}
    names |= dict(reader.readable.filter(locator__in=places).values_list("locator", "citation"))
    return next(((names[place], place) for place in places if place in names), None)
