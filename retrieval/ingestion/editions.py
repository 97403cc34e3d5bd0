"""Editions of law: the day from which a source holds, in which order they may come, and what one is compared with."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import date

from django.db.models import Max, Q
from django.utils import timezone

from retrieval.corpus.withdrawn import last_day, withdrawn_on
from retrieval.errors import SourceRefused, gettext_noop
from retrieval.models import Document, Section
from retrieval.models.corpus import SectionQuerySet
from retrieval.parsing.tree import SourceDocument

WHOLE = ""  # the place of an edition of all of a document; else those are that its source tells of


def of_edition(source: SourceDocument, given: str) -> SourceDocument:
    """With the day of its edition where people gave one, which is also that of each provision without its own. It names
    the edition where the source does not.
    """
    edition = date.fromisoformat(given) if given else source.edition
    return replace(source, edition=edition, publication=source.publication or given)


def dated(edition: date | None) -> str:
    return edition.isoformat() if edition else ""


def standing(document: Document | None) -> SectionQuerySet:
    """The texts that an edition is compared with: those in force. Law that was withdrawn comes back as it was, so there
    the last of each place are.
    """
    live = Section.objects.live().filter(document=document)
    if document is None or (day := withdrawn(document)) is None:
        return live.in_force()
    last = live.filter(valid_to=day).values("locator").annotate(last=Max("pk"))
    return live.filter(pk__in=last.values("last"))


def withdrawn(document: Document) -> date | None:
    """The day on which law was withdrawn. A document of people's own that comes back begins anew."""
    return None if document.domain.takes_uploads else withdrawn_on(document)


def check_order(document: Document | None, covered: SectionQuerySet, source: SourceDocument) -> None:
    """Refuses an edition older than the last one of what it covers, or than a change of that: it would end what is in
    force; and one of a day to come. What begins or ends only later than today was told by an edition of today.
    """
    if source.edition is None:
        return
    if source.edition > timezone.localdate():
        raise SourceRefused(
            gettext_noop("This is the edition of %(edition)s: ingest it from that day on."),
            edition=source.edition,
        )
    if document is None:
        return
    loaded = max(loaded_of(document, places_of(source)), default=date.min)
    if source.edition < loaded:
        raise SourceRefused(
            gettext_noop(
                "This is the edition of %(edition)s, but that of %(latest)s is loaded: ingest editions in their order."
            ),
            edition=source.edition,
            latest=loaded,
        )
    left = None if document.domain.takes_uploads else last_day(covered)
    changes = covered.aggregate(begun=until_today("valid_from"), ended=until_today("valid_to", left))
    latest = max((day for day in changes.values() if day), default=None)
    if latest and source.edition < latest:
        raise SourceRefused(
            gettext_noop(
                "This is the edition of %(edition)s, but changes up to %(latest)s are known: ingest "
                "editions in their order."
            ),
            edition=source.edition,
            latest=latest,
        )


def until_today(column: str, but: date | None = None) -> Max:
    return Max(column, filter=Q(**{f"{column}__lte": timezone.localdate()}) & ~Q(**{column: but}))


def places_of(source: SourceDocument) -> Sequence[str] | None:
    """Those by which a document keeps the day of an edition: few, as it is read with each of its provisions."""
    return source.shares or source.scope


def loaded_of(document: Document, places: Sequence[str] | None) -> Iterator[date]:
    """The days of the editions that were loaded of these places, of what holds them, and of what they hold."""
    asked = {WHOLE} if places is None else {*places}
    above = {WHOLE}.union(*map(with_above, asked))
    for place, day in document.editions.items():
        if place in above or not asked.isdisjoint(with_above(place)):
            yield date.fromisoformat(day)


def with_above(place: str) -> set[str]:
    """It and all that hold it, by their locators; also the whole."""
    steps = place.split("/")
    return {"/".join(steps[:count]) for count in range(1, len(steps) + 1)}


def with_edition(document: Document, places: Sequence[str] | None, edition: str) -> dict[str, str]:
    """What a document keeps of its editions once another is published."""
    if not edition:
        return document.editions
    return {WHOLE: edition} if places is None else document.editions | dict.fromkeys(places, edition)
