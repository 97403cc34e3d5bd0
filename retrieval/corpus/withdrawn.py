"""Documents that were withdrawn: their texts stay readable as the past, and nobody finds them."""

from datetime import date

from django.db.models import Max

from retrieval.models import Document, Section
from retrieval.models.corpus import SectionQuerySet


def withdrawn_on(document: Document) -> date | None:
    """The day from which nothing of a document has been in force; None of one that still holds a text."""
    return last_day(Section.objects.live().filter(document=document))


def last_day(texts: SectionQuerySet) -> date | None:
    """The day from which none of them has been in force; None where one is."""
    return None if texts.in_force().exists() else texts.aggregate(last=Max("valid_to"))["last"]
