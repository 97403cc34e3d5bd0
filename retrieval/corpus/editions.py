"""Of which edition law is. A document names the last one that was loaded: what had ended before it is not in that."""

from datetime import date

from django.db.models import Q
from django.utils import timezone

from retrieval.models import Document, Section


def is_in_last(ends: date | None) -> bool:
    """Whether a text that ends on that day is in it."""
    return ends is None or ends > timezone.localdate()


def edition_with(section: Section) -> str:
    """The edition that holds this text; of a text that has ended none is known."""
    return section.document.publication if is_in_last(section.valid_to) else ""


def edition_on(document: Document, day: date | None) -> str:
    """The edition that says what the law of that day says: none is known where a text began or ended since."""
    if day is None:
        return document.publication
    today = timezone.localdate()
    since = Q(valid_from__gt=day, valid_from__lte=today) | Q(valid_to__gt=day, valid_to__lte=today)
    has_changed = Section.objects.live().filter(since, document=document).exists()
    return "" if has_changed else document.publication
