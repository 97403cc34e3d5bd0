"""Documents that were withdrawn: their texts stay readable as the past, and nobody finds them."""

from collections.abc import Collection
from datetime import date

from django.db.models import Exists, Max, OuterRef, Subquery

from retrieval.models import Document, Section
from retrieval.models.corpus import SectionQuerySet


def withdrawn_on(document: Document) -> date | None:
    """The day from which nothing of a document has been in force; None of one that still holds a text."""
    return last_day(Section.objects.live().filter(document=document))


def withdrawn_days(documents: Collection[int]) -> dict[int, date]:
    """By id, of those that were withdrawn, the same day."""
    if not documents:
        return {}
    texts = Section.objects.live().filter(document=OuterRef("pk"))
    last = texts.order_by("-valid_to").values("valid_to")[:1]
    gone = Document.objects.filter(~Exists(texts.in_force()), Exists(texts), pk__in=documents)
    return dict(gone.annotate(last=Subquery(last)).values_list("pk", "last"))


def last_day(texts: SectionQuerySet) -> date | None:
    """The day from which none of them has been in force; None where one is."""
    return None if texts.in_force().exists() else texts.aggregate(last=Max("valid_to"))["last"]
