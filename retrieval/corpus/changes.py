"""What changed in the law: provisions that are new, changed and repealed in some time, by their versions; and what
later law did to provisions whose text stayed, and to decisions (`history`).

Which versions are changes is kept with them at each publication, and indexed by their days: a page reads what it shows.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from itertools import groupby, pairwise

from django.db import connection
from django.db.models import F, Q, QuerySet, Value

from retrieval.access.caller import Caller
from retrieval.corpus import history
from retrieval.corpus.moved import GONE
from retrieval.errors import NotFound
from retrieval.models import Domain, Section
from retrieval.models.corpus import SectionQuerySet

NEW, CHANGED, REPEALED, OVERRULED = "new", "changed", "repealed", "overruled"
KINDS = (NEW, CHANGED, REPEALED, OVERRULED)
KIND_OF = {"changed": CHANGED, "repealed": REPEALED, "superseded": REPEALED, "overruled": OVERRULED}  # of `history`
MOST = 10_000  # changes that paging reaches, since a page reads all before it; what is older is asked for by its days
ROW = ("pk", "document_id", "position", "day", "kind")
ORDER = ("-day", "document_id", "position", "-pk")
Row = tuple[int, int, int, date, str, history.Change | None]

# A version changes the law on which it follows without a day between; one that joins a document that was there before,
# or takes the place of what only says that nothing is there, is new. Law ends where no other follows on it, unless its
# document was withdrawn. What only stands elsewhere than before changes nothing.
KEEP = """
WITH version AS (
    SELECT id, valid_from, valid_to, text = '' AS is_empty, status = ANY(%(gone)s) AS is_gone,
        lag(id) OVER in_time AS before, coalesce(lag(valid_to) OVER in_time >= valid_from, false) AS follows,
        coalesce(lag(status) OVER in_time = ANY(%(gone)s), false) AS fills,
        coalesce(lead(valid_from) OVER in_time <= valid_to, false) AND lead(status) OVER in_time <> ALL(%(gone)s)
            AS goes_on,
        min(coalesce(valid_from, '-infinity')) OVER () AS first,
        CASE WHEN count(*) FILTER (WHERE valid_to IS NULL) OVER () = 0 THEN max(valid_to) OVER () END AS withdrawn
    FROM retrieval_section WHERE document_id = %(document)s AND live
    WINDOW in_time AS (PARTITION BY locator ORDER BY valid_from NULLS FIRST, valid_to NULLS LAST, id)
), told AS (
    SELECT id,
        CASE WHEN is_gone AND (is_empty OR follows) THEN ''
             WHEN follows AND NOT fills THEN CASE WHEN (
                 SELECT (old.text, old.heading) = (new.text, new.heading)
                 FROM retrieval_section old, retrieval_section new WHERE old.id = before AND new.id = version.id
             ) THEN '' ELSE 'changed' END
             WHEN valid_from > first THEN 'new' ELSE '' END AS began_as,
        valid_to IS NOT NULL AND valid_to IS DISTINCT FROM withdrawn AND NOT goes_on
            AND NOT (is_gone AND (is_empty OR follows)) AS ended
    FROM version
)
UPDATE retrieval_section section SET began_as = told.began_as, ended = told.ended
FROM told WHERE section.id = told.id AND (section.began_as, section.ended) IS DISTINCT FROM (told.began_as, told.ended)
"""


@dataclass(frozen=True, slots=True)
class Made:
    """One change: the version that began or, of what was repealed, that ended; `before` is the one it replaced. What
    later law did to a text that stayed is told as `by` has it.
    """

    kind: str
    day: date
    section: Section
    before: Section | None
    by: history.Change | None = None


@dataclass(frozen=True, slots=True)
class Span:
    """The days looked at, both ends included; None is without end."""

    since: date | None = None
    until: date | None = None

    def of(self, column: str) -> Q:
        asked = Q(**{f"{column}__isnull": False})
        if self.since:
            asked &= Q(**{f"{column}__gte": self.since})
        return asked & Q(**{f"{column}__lte": self.until}) if self.until else asked

    def __contains__(self, day: date) -> bool:
        return (self.since or date.min) <= day <= (self.until or date.max)


def changes(
    caller: Caller,
    span: Span,
    *,
    domains: Sequence[Domain] = (),
    kinds: Sequence[str] = KINDS,
    page: int,
    size: int,
) -> tuple[list[Made], bool]:
    """One page of what changed, newest first, and whether there is another. What a document held when it was first
    loaded is not new.
    """
    known = Section.objects.live().visible_to(caller)
    known = known.filter(domain__in=domains) if domains else known
    results = known.results()
    first = (page - 1) * size
    last = first + size + 1
    rows = began(results, span, kinds)[:last]
    if REPEALED in kinds:
        rows = rows.union(ended(results, span)[:last], all=True).order_by(*ORDER)
    of_texts = [(*row, None) for row in rows[:last]]
    found = sorted([*of_texts, *by_later_law(known, span, kinds)], key=in_order)[first:last]
    return with_versions(known, found[:size]), len(found) > size


def in_order(row: Row) -> tuple[int, int, int, int]:
    """Newest first, those of one section on one day too, as `ORDER` does."""
    pk, document, position, day, *_ = row
    return -day.toordinal(), document, position, -pk


def began(results: SectionQuerySet, span: Span, kinds: Sequence[str]) -> QuerySet:
    """Versions that follow another, and provisions that joined a document which was there before."""
    found = results.filter(span.of("valid_from"), began_as__gt="", began_as__in=kinds)
    return found.annotate(day=F("valid_from"), kind=F("began_as")).order_by(*ORDER).values_list(*ROW)


def ended(results: SectionQuerySet, span: Span) -> QuerySet:
    """Versions on which no law follows."""
    found = results.filter(span.of("valid_to"), ended=True)
    return found.annotate(day=F("valid_to"), kind=Value(REPEALED)).order_by(*ORDER).values_list(*ROW)


def by_later_law(known: SectionQuerySet, span: Span, kinds: Sequence[str]) -> Iterator[Row]:
    """What it did to provisions whose text stayed as it was, and to decisions."""
    made = [change for change in history.changes() if KIND_OF.get(change.effect) in kinds and change.day in span]
    here = known.in_force().filter(locator__in={change.provision for change in made})
    places = {locator: row for locator, *row in here.values_list("locator", *ROW[:3])}
    for change in made:
        if change.provision in places:
            yield (*places[change.provision], change.day, KIND_OF[change.effect], change)


def keep(document: int) -> None:
    """Keeps which versions of a document (its id) are changes; called whenever one of them began or ended."""
    with connection.cursor() as cursor:
        cursor.execute(KEEP, {"document": document, "gone": [*GONE, "reserved"]})


def with_versions(known: SectionQuerySet, rows: Sequence[Row]) -> list[Made]:
    sections = known.select_related("domain", "document").in_bulk([row[0] for row in rows])
    former = before(sections.values(), known)
    return [
        Made(kind, day, sections[pk], former.get(pk) if kind == CHANGED and not by else None, by)
        for pk, _, _, day, kind, by in rows
    ]


def before(sections: Iterable[Section], known: SectionQuerySet) -> dict[int, Section | None]:
    """By its id the version that each section replaced, None of a first one; all know their `of_day`."""
    versions: dict[tuple[int, str], list[Section]] = defaultdict(list)
    for version in known.filter(locator__in={section.locator for section in sections}):
        versions[version.document_id, version.locator].append(version)
    found = {}
    for section in sections:
        for earlier, later in pairwise([None, *in_time(versions[section.document_id, section.locator])]):
            if later.pk == section.pk:
                section.of_day = later.of_day
                found[section.pk] = earlier
    return found


# -- The versions of one provision


def versions_of(caller: Caller, locator: str) -> list[Section]:
    """All texts that a provision has had, oldest first."""
    known = (
        Section.objects.live().visible_to(caller).filter(locator=locator).select_related("document", "domain")
    )
    return in_time(known)


def in_time(versions: Iterable[Section]) -> list[Section]:
    """In their order. Of several that began on one day the last was in force on it, and the others for no whole day:
    these are told apart by `of_day`.
    """
    ordered = sorted(versions, key=lambda each: (begins(each), each.valid_to or date.max, each.pk))
    for _, same in groupby(ordered, begins):
        *others, _last = same
        for number, other in enumerate(others, start=1):
            other.of_day = number
    return ordered


def version_of(caller: Caller, locator: str, day: date | None, number: int) -> Section:
    """One of several texts of a day, as `in_time` numbers them. Raises NotFound."""
    for version in versions_of(caller, locator):
        if (begins(version), version.of_day) == (day, number):
            return version
    raise NotFound("There is no such version.")


def begins(version: Section) -> date:
    """A day on which a version was in force: its first, or where that is not known its last."""
    if version.valid_from or not version.valid_to:
        return version.valid_from or date.min
    return version.valid_to - timedelta(days=1)
