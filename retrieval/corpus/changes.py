"""What changed in the law: provisions that are new, changed and repealed in some time, by their versions."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta

from django.db.models import Case, Exists, F, OuterRef, Q, QuerySet, Value, When

from retrieval.access.caller import Caller
from retrieval.models import Domain, Section
from retrieval.models.corpus import SectionQuerySet

NEW, CHANGED, REPEALED = "new", "changed", "repealed"
KINDS = (NEW, CHANGED, REPEALED)
ROW = ("pk", "document_id", "position", "day", "kind")


@dataclass(frozen=True, slots=True)
class Made:
    """One change: the version that began or, of what was repealed, that ended; `before` is the one it replaced."""

    kind: str
    day: date
    section: Section
    before: Section | None


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
    results = known.results().filter(domain__in=domains) if domains else known.results()
    rows = began(results, known, span).filter(kind__in=kinds).values_list(*ROW)
    if REPEALED in kinds:
        rows = rows.union(ended(results, known, span).values_list(*ROW), all=True)
    first = (page - 1) * size
    found = list(rows.order_by("-day", "document_id", "position", "pk")[first : first + size + 1])
    return with_versions(known, found[:size]), len(found) > size


def began(results: SectionQuerySet, known: SectionQuerySet, span: Span) -> QuerySet:
    """Versions that follow another, and provisions that joined a document which was there before."""
    same = {"document": OuterRef("document"), "locator": OuterRef("locator")}
    earlier = Exists(known.filter(**same, valid_to__lte=OuterRef("valid_from")))
    of_document = known.filter(document=OuterRef("document"))
    older = Exists(of_document.filter(valid_from__lt=OuterRef("valid_from")))
    undated = Exists(of_document.filter(valid_from__isnull=True))
    found = results.filter(span.of("valid_from")).filter(earlier | older | undated)
    kind = Case(When(earlier, then=Value(CHANGED)), default=Value(NEW))
    return found.annotate(day=F("valid_from"), kind=kind).order_by()


def ended(results: SectionQuerySet, known: SectionQuerySet, span: Span) -> QuerySet:
    """Versions that none follows."""
    same = {"document": OuterRef("document"), "locator": OuterRef("locator")}
    later = known.filter(**same, valid_from__gte=OuterRef("valid_to"))
    found = results.filter(span.of("valid_to")).filter(~Exists(later))
    return found.annotate(day=F("valid_to"), kind=Value(REPEALED)).order_by()


def with_versions(known: SectionQuerySet, rows: Sequence[tuple]) -> list[Made]:
    sections = known.select_related("domain", "document").in_bulk([row[0] for row in rows])
    former = before([sections[pk] for pk, *_, kind in rows if kind == CHANGED], known)
    return [Made(kind, day, sections[pk], former.get(pk)) for pk, _, _, day, kind in rows]


def before(sections: Sequence[Section], known: SectionQuerySet) -> dict[int, Section]:
    """The version that each section replaced."""
    places = {section.locator for section in sections}
    closed = known.filter(locator__in=places, valid_to__isnull=False).order_by("valid_to", "pk")
    versions: dict[tuple[int, str], list[Section]] = {}
    for version in closed:
        versions.setdefault((version.document_id, version.locator), []).append(version)
    found = {}
    for section in sections:
        earlier = [
            v for v in versions[section.document_id, section.locator] if v.valid_to <= section.valid_from
        ]
        found[section.pk] = earlier[-1]
    return found


# -- The versions of one provision


def versions_of(caller: Caller, locator: str) -> list[Section]:
    """All texts that a provision has had, oldest first."""
    known = (
        Section.objects.live().visible_to(caller).filter(locator=locator).select_related("document", "domain")
    )
    return sorted(known, key=lambda version: (begins(version), version.pk))


def begins(version: Section) -> date:
    """A day on which a version was in force: its first, or where that is not known its last."""
    if version.valid_from or not version.valid_to:
        return version.valid_from or date.min
    return version.valid_to - timedelta(days=1)
