"""What is told of a place that has no text on a day though texts of it are here: it had ended, or was yet to come; or
nobody knows here, since the texts of its document begin later.
"""

from collections import defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta

from django.db.models import Exists, F, OuterRef, Subquery
from django.utils.formats import date_format
from django.utils.translation import gettext

from retrieval.access.caller import Caller
from retrieval.citations.reporters import CASE, UNITED_STATES_REPORTS
from retrieval.corpus import history
from retrieval.corpus.filters import above
from retrieval.corpus.statements import rows, written
from retrieval.corpus.withdrawn import withdrawn_days, withdrawn_on
from retrieval.errors import gettext_noop
from retrieval.models import Document, Section
from retrieval.models.corpus import SectionQuerySet
from retrieval.ranking import Query

ENDED, NOT_YET, UNKNOWN = "no_longer_in_force", "not_yet_in_force", "unknown"
ENDED_BY_LAW = gettext_noop("There was no %(citation)s in force on %(asked)s.")
WITHDRAWN = gettext_noop("There was no %(citation)s in force on %(asked)s: it was withdrawn on %(day)s.")
REASONS = (ENDED, NOT_YET, UNKNOWN)
KNOWN_WHOLE = (history.WHOLE, UNITED_STATES_REPORTS, CASE)  # nothing was law or decided there that is not here
SENTENCES = {
    ENDED: gettext_noop("There was no %(citation)s in force on %(asked)s: it ended on %(day)s."),
    NOT_YET: gettext_noop("There was no %(citation)s in force on %(asked)s: it begins on %(day)s."),
    UNKNOWN: gettext_noop(
        "Whether there was %(citation)s on %(asked)s is not known: the texts that are here begin on %(day)s."
    ),
}


@dataclass(frozen=True, slots=True)
class Absence:
    """Of a provision or document, on the day `asked`. `day`: when its last text before had ended, or its first one
    after begins; of what is not known, from when on its document is here. `text`: the one that ended or begins.
    `withdrawn`: it ended since its whole document was withdrawn.
    """

    kind: str
    asked: date
    day: date
    place: Section | Document
    text: Section
    withdrawn: bool = False

    @property
    def change(self) -> history.Change | None:
        """The later law that had ended it."""
        stands = history.standing(self.place.locator, self.asked)
        return stands.ended if stands.has_ended else None

    @property
    def readable_on(self) -> date:
        """A day on which it is read."""
        return self.day - timedelta(days=1) if self.kind == ENDED else self.text.valid_from or self.day

    def to_dict(self) -> dict:
        """As the API shows it; `in_words` tells it."""
        return {
            "locator": self.place.locator,
            "citation": str(self.place),
            "url": f"/law{self.place.locator}?as_of={self.readable_on}",
            "reason": self.kind,
            "asked": self.asked.isoformat(),
            "day": self.day.isoformat(),
            "by": self.change.to_dict() if self.change else None,
            "withdrawn": self.withdrawn,
        }


def in_words(absent: Mapping, written: Callable[[date], str] = date_format) -> str:
    """What an absence tells, but for the later law; in the language of the moment, with days as they are written."""
    days = {name: written(date.fromisoformat(absent[name])) for name in ("asked", "day")}
    told = WITHDRAWN if absent["withdrawn"] else SENTENCES[absent["reason"]]
    return gettext(ENDED_BY_LAW if absent["by"] else told) % {"citation": absent["citation"], **days}


def absence_at(locator: str, known: SectionQuerySet, asked: date) -> Absence | None:
    """Of a provision, or of the one that the place stands in, or else of a document; among known texts of any day."""
    found = absences([locator, *above(locator)], known, asked)
    nearest = next((place for place in (locator, *reversed(above(locator))) if place in found), None)
    if nearest and (nearest == locator or found[nearest].text.is_result):
        return found[nearest]
    text = known.filter(document__locator=locator).order_by("domain_id", "pk").select_related("document").first()
    return absence_of(text.document, known, asked) if text else None


HAS_TEXTS = """
SELECT EXISTS (SELECT FROM ({known}) AS known
               WHERE locator = ANY(%s) AND (is_result OR locator = %s) AND domain_id = ANY(%s))
    OR EXISTS (SELECT FROM retrieval_document WHERE locator = %s AND domain_id = ANY(%s))
"""


def may_be_told(locator: str, query: Query) -> bool:
    """Whether `absence_at` may tell anything: texts of any day are here of the place or what it stands in, or it is a
    document. Of most places that are not here there are none, which one statement says that is written once.
    """
    known, scope = written(_known, query.caller.principals)
    places, domains = [locator, *above(locator)], query.domain_ids
    (found,) = rows(HAS_TEXTS.format(known=known), [*scope, places, locator, domains, locator, domains])
    return found[0]


def _known(principals: tuple[str, ...]) -> SectionQuerySet:
    return Section.objects.live().visible_to(Caller(principals)).order_by()


def absence_of(document: Document, known: SectionQuerySet, asked: date) -> Absence | None:
    """Of a whole document."""
    texts = known.filter(document=document).results()
    if texts.valid_on(asked).exists():
        return None
    last = texts.filter(valid_to__lte=asked).order_by("-valid_to", "-position").first()
    first = texts.filter(valid_from__gt=asked).order_by("valid_from", "position").first()
    if last:
        return Absence(ENDED, asked, last.valid_to, document, last, withdrawn_on(document) == last.valid_to)
    if first is None:
        return None
    kind = NOT_YET if f"{document.locator}/".startswith(KNOWN_WHOLE) else UNKNOWN
    return Absence(kind, asked, first.valid_from, document, first)


def absences(locators: Collection[str], known: SectionQuerySet, asked: date) -> dict[str, Absence]:
    """By locator of the provisions that have no text on that day."""
    versions: dict[str, list[Section]] = defaultdict(list)
    texts = known.filter(locator__in=locators).select_related("document")
    for text in texts.order_by(F("valid_from").asc(nulls_first=True), "pk"):
        versions[text.locator].append(text)
    absent = {at: each for at, each in versions.items() if not any(is_in_force(text, asked) for text in each)}
    begins = known_from([each[0] for each in absent.values()]) if absent else {}
    gone = withdrawn_days({text.document_id for each in absent.values() for text in each if text.valid_to})
    return {at: absent_on(asked, each, begins[each[0].pk], gone) for at, each in absent.items()}


def absent_on(asked: date, texts: Sequence[Section], here: date | None, withdrawn: Mapping[int, date]) -> Absence:
    """Of all texts of a provision, the first to begin first; `here`: from when on what holds it is known; `withdrawn`:
    when its document was, by id.
    """
    ended = [text for text in texts if has_ended(text, asked)]
    if ended:
        last = max(ended, key=end_of)
        return Absence(ENDED, asked, end_of(last), last, last, withdrawn.get(last.document_id) == end_of(last))
    first = texts[0]
    if here is None or here <= asked or first.locator.startswith(KNOWN_WHOLE):
        return Absence(NOT_YET, asked, first.valid_from, first, first)
    return Absence(UNKNOWN, asked, min(here, first.valid_from), first, first)


def known_from(firsts: Sequence[Section]) -> dict[int, date | None]:
    """By id of the first text of a provision, from when on what holds it is here, in which it would have stood; None
    where that does not say since when it holds. Parts of a document may come in one after the other, and its source may
    tell of some provisions alone that they are older than it.
    """
    places = {(text.document_id, text.parent_locator) for text in firsts}
    holding = Section.objects.live().filter(document__in={pk for pk, _ in places}, locator__in={at for _, at in places})
    days: dict[tuple[int, str], list[date | None]] = defaultdict(list)
    for *place, day in holding.values_list("document", "locator", "valid_from"):
        days[*place].append(day)
    whole = first_days({text.document_id for text in firsts if (text.document_id, text.parent_locator) not in days})

    def of(text: Section) -> date | None:
        if known := days.get((text.document_id, text.parent_locator)):
            return None if None in known else min(known)
        return whole[text.document_id] if text.is_result else text.valid_from

    return {text.pk: of(text) for text in firsts}


def first_days(documents: Collection[int]) -> dict[int, date | None]:
    """From when on there are texts of each document; None where one does not say since when it holds."""
    texts = Section.objects.live().filter(document=OuterRef("pk"))
    dated = texts.filter(valid_from__isnull=False).order_by("valid_from").values("valid_from")[:1]
    undated = Exists(texts.filter(valid_from__isnull=True))
    found = Document.objects.filter(pk__in=documents).annotate(first=Subquery(dated), is_undated=undated)
    rows = found.values_list("pk", "first", "is_undated")
    return {pk: None if is_undated else first for pk, first, is_undated in rows}


def end_of(text: Section) -> date | None:
    return history.standing(text.locator, None).end(text.valid_to)


def has_ended(text: Section, day: date) -> bool:
    end = end_of(text)
    return end is not None and end <= day


def is_in_force(text: Section, day: date) -> bool:
    return (text.valid_from is None or text.valid_from <= day) and not has_ended(text, day)
