"""Documents: listed, opened a few levels at a time, handed in as files, edited, shared and withdrawn; and what became
of a file. An answer is bounded, however long or wide a document is.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from uuid import UUID

from django.db import transaction
from django.db.models import Count, Q, Window
from django.db.models.functions import RowNumber
from drf_spectacular.utils import extend_schema_serializer
from rest_framework import serializers as s
from rest_framework.request import Request

from retrieval.access import matters, sharing
from retrieval.access.caller import Caller
from retrieval.access.row_security import as_caller
from retrieval.access.sharing import may_edit
from retrieval.api.authentication import caller_of
from retrieval.api.base import ApiView, operation, require
from retrieval.api.errors import BadParameter
from retrieval.api.parameters import (
    Choice,
    Day,
    Facts,
    File,
    Files,
    Name,
    Number,
    Parameters,
    Text,
    Uuid,
)
from retrieval.api.sections import IN_MATTER, documents_in_force, no_such, reference
from retrieval.api.serializers import (
    DocumentItem,
    DocumentPage,
    DocumentTree,
    EditableDocument,
    Page,
    UploadState,
)
from retrieval.corpus import history, statements
from retrieval.corpus.editions import edition_on
from retrieval.errors import Forbidden, NotFound
from retrieval.ingestion import uploading
from retrieval.models import ApiKey, Document, Domain, Matter, Section, Upload
from retrieval.models.access import name_of
from retrieval.models.corpus import DocumentQuerySet, SectionQuerySet
from retrieval.request import MAX_K, MOST_PAGES, paging
from retrieval.search.service import in_scope
from retrieval.targets import facts_in

DOCUMENTS = ApiKey.Scope.DOCUMENTS  # what a key needs that hands in, shares and withdraws
MAX_LEVELS = 5
MAX_NODES = 500  # in one answer, of which it makes about 150 kB
NODE = (
    "locator",
    "parent_locator",
    "citation",
    "heading",
    "heading_es",
    "level",
    "number",
    "status",
    "is_result",
)
# Of each of some sections, how many are below it and how many directly.
BELOW = """
WITH RECURSIVE readable AS (
    SELECT locator, parent_locator FROM ({readable}) AS readable WHERE document_id = %s
), below AS (
    SELECT locator AS top, locator, parent_locator FROM readable WHERE locator = ANY(%s)
    UNION
    SELECT below.top, child.locator, child.parent_locator
    FROM below JOIN readable AS child ON child.parent_locator = below.locator
)
SELECT top, count(*) - 1, count(*) FILTER (WHERE parent_locator = top) FROM below GROUP BY top
"""

Row = dict[str, str | bool]


class TreeParameters(Parameters):
    under = Text(
        required=False,
        max_length=300,
        help_text="Locator of a section of the document: only what is below it.",
    )
    depth = Number(min_value=1, max_value=MAX_LEVELS, default=1, help_text="Levels to open.")
    k = Number(min_value=1, max_value=MAX_K, default=MAX_K, help_text="Children of one node.")
    page = Number(min_value=1, max_value=MOST_PAGES, default=1, help_text="Of the children on the first level.")
    as_of = Day(required=False, help_text="As the law was on that day.")
    matter = Uuid(required=False, help_text=IN_MATTER)


def tree_account(
    locator: str,
    caller: Caller,
    editor: Caller,
    *,
    depth: int,
    k: int,
    page: int,
    under: str | None = None,
    as_of: date | None = None,
) -> dict:
    """A document with one page of what is directly below it, or below one of its sections, and the first of what is
    below that. `editor`: the caller as itself, not as a matter. Raises NotFound.
    """
    document = documents_in_force(caller, as_of).filter(locator=locator).first()
    if document is None:
        raise NotFound(no_such(locator, caller, as_of, "There is no such document."))
    in_document = Section.objects.readable(caller, as_of).filter(document=document)
    top = in_document.filter(locator=under or locator).first()
    if top is None and under not in (None, locator):
        raise NotFound("The document has no such section.")
    above = top.locator if top else ""
    rows = opened(in_document, above, depth=depth, k=k, page=page)
    counts = in_document.aggregate(
        sections=Count("pk"),
        results=Count("pk", filter=Q(is_result=True)),
        total=Count("pk", filter=Q(parent_locator=above)),
    )
    below = counted_below(document, caller, as_of, [row["locator"] for row in rows])
    return DocumentItem(document).data | metadata_of(document, editor) | {
        "publication": edition_on(document, as_of),
        "under": reference(top.locator, top.citation, top.heading) if top else None,
        "sections": counts["sections"],
        "results": counts["results"],
        "children": branches(above, by_parent(rows), below, as_of),
        **paging(counts["total"], k=k, page=page),
    }


def metadata_of(document: Document, caller: Caller) -> dict:
    """For who may edit the document alone: staff and owners have noted them for themselves."""
    return {"metadata": facts_in(document.metadata)} if may_edit(document, caller) else {}


def opened(in_document: SectionQuerySet, above: str, *, depth: int, k: int, page: int) -> list[Row]:
    """The sections shown: a page of the first level, and on the others the first `k` below each section shown."""
    place = Window(RowNumber(), partition_by="parent_locator", order_by=["position", "pk"])
    rows: list[Row] = []
    parents, skipped = [above], (page - 1) * k
    for _level in range(depth):
        level = in_document.filter(parent_locator__in=parents).annotate(place=place)
        on_page = level.filter(place__gt=skipped, place__lte=skipped + k).order_by("position", "pk")
        found = list(on_page.values(*NODE)[: MAX_NODES - len(rows)])
        rows += found
        parents, skipped = [row["locator"] for row in found], 0
    return rows


def counted_below(
    document: Document, caller: Caller, as_of: date | None, locators: Sequence[str]
) -> dict[str, tuple[int, int]]:
    readable, scope = statements.readable(caller, as_of, "locator", "parent_locator", "document_id")
    found = statements.rows(BELOW.format(readable=readable), [*scope, document.pk, list(locators)])
    return {locator: (below, directly) for locator, below, directly in found}


def by_parent(rows: Iterable[Row]) -> Mapping[str, list[Row]]:
    children = defaultdict(list)
    for row in rows:
        children[row["parent_locator"]].append(row)
    return children


def branches(
    above: str,
    rows: Mapping[str, list[Row]],
    below: Mapping[str, tuple[int, int]],
    as_of: date | None,
) -> list[dict]:
    """Where fewer children are shown than a section has, `under` opens the others."""
    return [
        {
            **reference(row["locator"], row["citation"], stands.heading(row["heading"])),
            "title_es": stands.heading(row["heading_es"]),
            "status": stands.status(row["status"]),
            **{name: row[name] for name in ("level", "number", "is_result")},
            "sections": sections,
            "children_total": directly,
            "children": branches(row["locator"], rows, below, as_of),
        }
        for row in rows.get(above, ())
        for stands in [history.standing(row["locator"], as_of)]
        for sections, directly in [below.get(row["locator"], (0, 0))]  # (0, 0): withdrawn this moment
    ]


class PagedParameters(Parameters):
    """Of lists of documents."""

    k = Number(min_value=1, max_value=MAX_K, default=10)
    page = Number(min_value=1, max_value=MOST_PAGES, default=1)


class DocumentsParameters(PagedParameters):
    domain = s.ListField(child=Name(), required=False, help_text="Slugs; left out: all the caller may see.")


@extend_schema_serializer(component_name="UploadedFile")
class UploadForm(Parameters):
    """What `documents` takes as multipart/form-data."""

    domain = Name(help_text="Slug of a domain that takes files.")
    file = File(help_text="PDF, DOCX, HTML, Markdown or plain text, at most 50 MiB.")
    title = Text(required=False, max_length=500, help_text="Left out: what the file says.")
    tag = s.ListField(child=Text(max_length=60), required=False)
    grant = s.ListField(
        child=Text(max_length=160),
        required=False,
        help_text="Who else may read a private document: user:NAME, group:NAME, key:ID.",
    )
    matter = Uuid(
        required=False, help_text="The matter it belongs to, whose members read it: no `grant` beside."
    )


class Withdrawn(s.Serializer):
    locator = s.CharField()
    sections = s.IntegerField(help_text="How many were closed.")


class DocumentEdit(Parameters):
    """What is left out stays as it is."""

    title = Text(max_length=500, required=False, help_text="Later versions of the file keep it.")
    tags = s.ListField(child=Text(max_length=60), required=False)
    metadata = Facts(
        required=False, help_text="Words and numbers by name, which rules may ask for, in place of all that there were."
    )


class DocumentsView(ApiView):
    parser_classes = [Files]

    @operation("documents", DocumentPage, 404, url=DocumentsParameters)
    def get(self, request: Request, asked: dict) -> dict:
        """List the documents that the caller may read today; withdrawn ones are none of them."""
        caller = caller_of(request)
        domains = [scope.id for scope in in_scope(caller, asked.pop("domain", ()))[0]]
        documents = documents_in_force(caller).filter(domain__in=domains)
        return document_page(documents.order_by("domain", "locator", "pk"), **asked)

    @operation(
        "upload_document",
        UploadState,
        *(404, 422, 503),
        body=UploadForm,
        scope=DOCUMENTS,
        success=(202,),
    )
    def post(self, request: Request, said: dict) -> dict:
        """Hand in a file for a domain; it is read by a job. The same name again is a new version of its document."""
        return take(said, request.auth)


class DocumentView(ApiView):
    @operation("document", DocumentTree, 404, url=TreeParameters)
    def get(self, request: Request, asked: dict, path: str) -> dict:
        """A document and its tree, a level or more at a time; `under` opens what a section of it holds."""
        editor = caller_of(request)
        with matters.reading_in(asked.pop("matter", None), editor) as caller:
            return tree_account(path, caller, editor, **asked)

    @operation("withdraw_document", Withdrawn, 404, scope=DOCUMENTS)
    def delete(self, request: Request, asked: dict, path: str) -> dict:
        """Withdraw a document that came from a file: nobody finds it any more, its past stays readable."""
        caller = request.auth.caller
        document = document_at(path, caller)
        with as_caller(caller):
            return {"locator": path, "sections": uploading.withdraw(document, caller)}

    @operation("edit_document", EditableDocument, 404, body=DocumentEdit, scope=DOCUMENTS)
    def patch(self, request: Request, said: dict, path: str) -> dict:
        """Change title, tags and metadata of a document that one owns or contributes to."""
        caller = request.auth.caller
        document = document_at(path, caller)
        if not may_edit(document, caller):
            raise Forbidden("Only its owner and contributors edit this document.")
        if not (title := said.pop("title", document.title).strip()):
            raise BadParameter("title must not be empty.")
        with as_caller(caller), transaction.atomic():
            if title != document.title:
                uploading.rename(document, title, caller)
            if said:
                Document.objects.filter(pk=document.pk).update(**said)
            document.refresh_from_db()
        return DocumentItem(document).data | metadata_of(document, caller)


class UploadView(ApiView):
    @operation("upload", UploadState, 404, scope=DOCUMENTS)
    def get(self, request: Request, asked: dict, upload_id: UUID) -> dict:
        """What became of a file that this key handed in."""
        return upload_of(upload_id, request.auth)


def document_page(documents: DocumentQuerySet, *, k: int, page: int) -> dict:
    shown = DocumentItem(documents[(page - 1) * k : page * k], many=True).data
    return {"documents": shown, **paging(documents.count(), k=k, page=page)}


def take(said: dict, key: ApiKey) -> dict:
    file, caller = said["file"], key.caller
    matter = matters.matter_of(said["matter"], caller) if "matter" in said else None
    domain = domain_for(said["domain"], caller)
    described = {"title": said.get("title", ""), "tags": said.get("tag", ())}
    if matter is None:
        described |= {"principal": f"key:{key.pk}", "grants": said.get("grant", ())}
        return UploadState(uploading.accept(domain, file.name, file.read(), **described)).data
    if "grant" in said:
        raise BadParameter("A matter's documents are read by its members: leave grant out.")
    upload = uploading.accept_into(matter, domain, file.name, file.read(), caller, **described)
    return UploadState(upload).data


def domain_for(slug: str, caller: Caller) -> Domain:
    """A public domain, or a private one: somebody hands in its first file, and so a key with the scope may begin where
    it has read nothing yet, though that tells it that the domain is there. Raises NotFound.
    """
    domain = Domain.objects.filter(slug=slug).first()
    if domain is None or not domain.takes_uploads:
        raise NotFound("There is no domain of this name that takes files.")
    return domain


def upload_of(upload_id: UUID, key: ApiKey) -> dict:
    """What became of a file that this key, or a matter that it is a member of, handed in. Raises NotFound."""
    with as_caller(key.caller):
        own = [matter.principal for matter in Matter.objects.held_by(key.caller)]
        upload = Upload.objects.filter(public_id=upload_id, principal__in=[f"key:{key.pk}", *own]).first()
    if upload is None:
        raise NotFound("There is no such upload.")
    with as_caller(Caller((upload.principal,))):
        return UploadState(upload).data


def document_at(locator: str, caller: Caller) -> Document:
    """A document that came from a file. Raises NotFound for what this caller may not read."""
    with as_caller(caller):
        readable = Document.objects.visible_to(caller).filter(locator=locator).select_related("domain")
        document = readable.first()
    if document is None or not document.domain.takes_uploads:
        raise NotFound("There is no such document.")
    return document


# -- Who else reads one's private documents, and what was shared with oneself

ROLES = ("reader", "contributor", "owner")


class Share(Parameters):
    name = Text(
        max_length=160, help_text="user:NAME, group:NAME or key:ID; whether anybody has it is not told."
    )
    role = Choice(
        choices=ROLES,
        default="reader",
        required=False,
        help_text="“owner” offers the document, or accepts it where the name is one's own.",
    )


class TakenBack(Parameters):
    name = Text(max_length=160, required=False, help_text="Left out: the caller leaves.")


class GrantItem(s.Serializer):
    name = s.CharField()
    role = s.ChoiceField(ROLES)
    granted_at = s.DateTimeField()


class Grants(s.Serializer):
    locator = s.CharField()
    owner = s.CharField()
    grants = GrantItem(many=True)


class HeldItem(s.Serializer):
    locator = s.CharField()
    title = s.CharField()
    domain = s.CharField()
    role = s.ChoiceField(ROLES)
    offered = s.BooleanField(help_text="Whether the caller may become its owner.")


class Held(Page):
    name = s.CharField(help_text="Under which others share with this caller.")
    documents = HeldItem(many=True)


class Shared(s.Serializer):
    locator = s.CharField()
    name = s.CharField()
    role = s.ChoiceField(ROLES)


class Unshared(s.Serializer):
    locator = s.CharField()


class HeldView(ApiView):
    @operation("held", Held, 404, url=PagedParameters)
    def get(self, request: Request, asked: dict) -> dict:
        """List the private documents that the caller owns or that were shared with it. Anonymous callers hold none."""
        caller = caller_of(request)
        if not caller.principals:
            raise NotFound("Without a key that searches nothing private is held.")
        held, k, page = sharing.held(caller), asked["k"], asked["page"]
        documents = [
            {
                "locator": document.locator,
                "title": document.title,
                "domain": document.domain.slug,
                "role": sharing.role_of(document, caller),
                "offered": document.offered_to in caller.principals,
            }
            for document in held[(page - 1) * k : page * k]
        ]
        name = name_of(sharing.own_principal(caller))
        return {"name": name, "documents": documents, **paging(held.count(), k=k, page=page)}


class GrantsView(ApiView):
    @operation("grants", Grants, 404, scope=DOCUMENTS)
    def get(self, request: Request, asked: dict, path: str) -> dict:
        """List to its owner who else may read a document."""
        caller = request.auth.caller
        document = document_at(path, caller)
        sharing.check_owner(document, caller)
        rows = document.grants.order_by("name").values("name", "role", "granted_at")
        return {"locator": path, "owner": name_of(document.owner), "grants": list(rows)}

    @operation("share_document", Shared, 404, 422, body=Share, scope=DOCUMENTS)
    def post(self, request: Request, said: dict, path: str) -> dict:
        """Share a document that one owns, offer it, or accept one that was offered."""
        caller = request.auth.caller
        document = document_at(path, caller)
        name, role = said["name"], said.get("role", "reader")
        with as_caller(caller):
            if role != "owner":
                sharing.share(document, name, role, caller)
            elif name == name_of(sharing.own_principal(caller)):
                sharing.accept(document, caller)
            else:
                sharing.offer(document, name, caller)
        return {"locator": path, "name": name, "role": role}

    @operation("unshare_document", Unshared, 403, 404, 422, url=TakenBack)
    def delete(self, request: Request, said: dict, path: str) -> dict:
        """Take back what was granted to a name; without one, the caller leaves the document."""
        if "name" in said:
            require(request, DOCUMENTS)
        caller = request.auth.caller if "name" in said else caller_of(request)
        document = document_at(path, caller)
        with as_caller(caller):
            if "name" in said:
                sharing.take_back(document, said["name"], caller)
            else:
                sharing.leave(document, caller)
        return {"locator": path}
