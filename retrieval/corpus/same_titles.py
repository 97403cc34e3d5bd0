"""What tells documents apart that a site made itself and gave one title: their files, and when these came."""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable
from itertools import chain

from django.contrib.postgres.expressions import ArraySubquery
from django.db.models import Exists, OuterRef, Q, QuerySet
from django.utils import timezone
from django.utils.formats import date_format

from retrieval.access.caller import Caller
from retrieval.models import Document, Section

OFFICIAL = "/us/"  # what is published there has titles of its own
MOST = 100  # others of each title that is shown, of public ones and of those that the caller was granted


def told_apart(locators: Collection[str], caller: Caller) -> dict[str, str]:
    """By these locators, of documents or places in them, what tells those apart that have their title with each other
    or with another in force of their domain that the caller may read, in the language of the moment; of the rest
    nothing.
    """
    own = {locator for locator in locators if not locator.startswith(OFFICIAL)}
    if not own:
        return {}
    sections = Section.objects.live().visible_to(caller).filter(locator__in=own)
    holders = dict(sections.order_by().values_list("locator", "document"))
    documents = Document.objects.visible_to(caller).filter(Q(locator__in=own) | Q(pk__in=holders.values()))
    by_id = {document.pk: document for document in documents}
    holders |= {document.locator: document.pk for document in by_id.values() if document.locator in own}
    apart = apart_by_id(by_id.values(), of_same_titles(by_id.values(), caller))
    return {locator: apart[pk] for locator, pk in holders.items() if pk in apart}


def of_same_titles(shown: Collection[Document], caller: Caller) -> QuerySet[Document]:
    """The others of their domains in force, as far as they are looked for: by an index of titles, and among what was
    granted.
    """
    of_each_title = {(document.domain_id, document.title.casefold()): document.pk for document in shown}
    one_of_each = Document.objects.filter(pk__in=of_each_title.values())
    alike = {"cited_as": OuterRef("cited_as"), "domain": OuterRef("domain"), "title__iexact": OuterRef("title")}
    in_force = Exists(Section.objects.live().in_force().filter(document=OuterRef("pk")))
    read = [Document.objects.filter(private=False)]
    if caller.principals:
        read.append(Document.objects.held_by(caller))
    first = (ArraySubquery(each.filter(in_force, **alike).values("pk")[:MOST]) for each in read)
    found = {pk for lists in one_of_each.values_list(*first) for pk in chain(*lists)}
    return Document.objects.filter(pk__in=found - {document.pk for document in shown}).order_by("pk")


def apart_by_id(documents: Iterable[Document], others: Iterable[Document] = ()) -> dict[int, str]:
    """The name of its file, and where this is another's too, or nobody knows, when it came. `others`: of the same
    titles, which are not shown.
    """
    by_title = defaultdict(list)
    for document in {document.pk: document for document in (*documents, *others)}.values():
        by_title[document.title.casefold()].append(document)
    apart = {}
    for same in by_title.values():
        files = Counter(document.filename for document in same)
        for document in same if len(same) > 1 else ():
            is_told = document.filename and files[document.filename] == 1 and len(same) < MOST
            apart[document.pk] = document.filename if is_told else came(document)
    return apart


def came(document: Document) -> str:
    at = date_format(timezone.localtime(document.retrieved_at), "DATETIME_FORMAT")
    return ", ".join(filter(None, (document.filename, at)))
