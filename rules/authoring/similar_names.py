"""Names in the corpus that look like one that matches nothing: “did you mean” for a rule's targets."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from functools import reduce
from operator import or_

from django.db.models import Q, QuerySet
from django.utils.translation import gettext as _

from retrieval.access.caller import Caller
from retrieval.corpus.filters import below, in_part, worded
from retrieval.models import Chunk, Document, Domain, Section
from retrieval.models.corpus import SectionQuerySet
from retrieval.targets import Part
from retrieval.text.analyzer import tokens

NEAR = 5  # names offered where one matches nothing
COMPARED = 2_000  # names looked at for likeness


@dataclass(frozen=True)
class Scope:
    """What a rule in these domains can name, as its author may read it."""

    domains: QuerySet[Domain]
    documents: QuerySet[Document]
    sections: SectionQuerySet

    @classmethod
    def of(cls, slugs: Sequence[str], caller: Caller) -> "Scope":
        """No slug means every domain that the caller may see."""
        visible = Domain.objects.visible_to(caller)
        domains = visible.filter(slug__in=slugs) if slugs else visible
        return cls(
            domains,
            Document.objects.visible_to(caller).filter(domain__in=domains),
            Section.objects.readable(caller).filter(domain__in=domains),
        )

    def chunks(self, part: Part) -> QuerySet[Chunk]:
        return Chunk.objects.filter(in_part(part), section__in=self.sections)


def similar_names(part: Part, scope: Scope) -> list[str]:
    """Names that exist and look like the one that does not."""
    documents = scope.documents
    match part.kind:
        case "filename" | "document" as kind:
            field = "filename" if kind == "filename" else "locator"
            named = documents.filter(**{field: part.value})
            return lengths(named, part) or alike(part.value, documents.values_list(field, flat=True))
        case "tag":
            tags = documents.values_list("tags", flat=True)
            return alike(part.value, (tag for several in tags for tag in several))
        case "metadata":
            return alike_metadata(part, documents)
        case "heading":
            return alike_headings(str(part.value), scope.sections)
        case "pages":
            return lengths(documents.order_by("-pages"), part)
        case "chunk":
            return []
    return nearest_locators(str(part.value), scope.sections)


def alike(name: str | float, names: Iterable[str]) -> list[str]:
    known = {known for known in names if known and known != name}
    return get_close_matches(str(name), sorted(known)[:COMPARED], n=NEAR, cutoff=0.4)


def lengths(documents: QuerySet[Document], part: Part) -> list[str]:
    """How many pages the documents have, where it is only the pages that are missing."""
    if not part.pages:
        return []
    known = documents.filter(pages__isnull=False).values_list("locator", "pages")[:NEAR]
    return [_("%(name)s has %(pages)d pages") % {"name": name, "pages": pages} for name, pages in known]


def alike_metadata(part: Part, documents: QuerySet[Document]) -> list[str]:
    known = [metadata for metadata in documents.values_list("metadata", flat=True)[:COMPARED] if metadata]
    values = {str(metadata[part.key]) for metadata in known if part.key in metadata}
    if values:
        return alike(part.value, values) or sorted(values)[:NEAR]
    return alike(part.key, {key for metadata in known for key in metadata})


def alike_headings(words: str, sections: SectionQuerySet) -> list[str]:
    """Headings that have one of the words."""
    has_one = reduce(or_, (Q(heading__regex=worded(word)) for word in tokens(words)))
    return alike(words, sections.filter(has_one).values_list("heading", flat=True).distinct()[:COMPARED])


def nearest_locators(locator: str, sections: SectionQuerySet) -> list[str]:
    """The likest locators under the nearest place above that exists."""
    parts = locator.split("/")
    for length in range(len(parts) - 1, 1, -1):
        under = sections.filter(below("locator", "/".join(parts[:length]))).order_by("document", "position")
        if found := list(under.values_list("locator", flat=True)[:COMPARED]):
            return get_close_matches(locator, found, n=NEAR, cutoff=0.0)
    return []
