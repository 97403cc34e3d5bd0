"""What tells documents apart that a site made itself and gave one title: their files, and when these came."""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable

from django.db.models import Q
from django.utils import timezone
from django.utils.formats import date_format

from retrieval.access.caller import Caller
from retrieval.models import Document, Section

OFFICIAL = "/us/"  # what is published there has titles of its own


def told_apart(locators: Collection[str], caller: Caller) -> dict[str, str]:
    """By these locators, of documents or places in them, what tells those of one title apart, in the language of the
    moment; of all others nothing.
    """
    own = {locator for locator in locators if not locator.startswith(OFFICIAL)}
    if len(own) < 2:
        return {}
    sections = Section.objects.live().visible_to(caller).filter(locator__in=own)
    holders = dict(sections.order_by().values_list("locator", "document"))
    documents = Document.objects.visible_to(caller).filter(Q(locator__in=own) | Q(pk__in=holders.values()))
    by_id = {document.pk: document for document in documents}
    holders |= {document.locator: document.pk for document in by_id.values() if document.locator in own}
    apart = apart_by_id(by_id.values())
    return {locator: apart[pk] for locator, pk in holders.items() if pk in apart}


def apart_by_id(documents: Iterable[Document]) -> dict[int, str]:
    """The name of its file, and where this is another's too when it came."""
    by_title = defaultdict(list)
    for document in {document.pk: document for document in documents}.values():
        by_title[document.title.casefold()].append(document)
    apart = {}
    for same in by_title.values():
        files = Counter(document.filename for document in same)
        for document in same if len(same) > 1 else ():
            is_told = document.filename and files[document.filename] == 1
            apart[document.pk] = document.filename if is_told else came(document)
    return apart


def came(document: Document) -> str:
    at = date_format(timezone.localtime(document.retrieved_at), "DATETIME_FORMAT")
    return ", ".join(filter(None, (document.filename, at)))
