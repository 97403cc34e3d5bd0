"""Documents: listed, handed in as files, edited, withdrawn; and what became of a file."""

from uuid import UUID

from django.http import Http404, HttpResponse
from drf_spectacular.utils import OpenApiParameter, extend_schema, extend_schema_serializer
from rest_framework import serializers as s
from rest_framework.request import Request

from retrieval.access.caller import Caller
from retrieval.access.row_security import as_caller
from retrieval.access.sharing import may_edit
from retrieval.api.authentication import caller_of
from retrieval.api.base import ApiView, answers, as_stored, paging, reply
from retrieval.api.parameters import Facts, File, Files, Name, Nothing, Number, Parameters, Text
from retrieval.api.sections import documents_in_force
from retrieval.api.serializers import DocumentItem, DocumentPage, DocumentTree, UploadState, Withdrawn
from retrieval.api.tree import TreeParameters, tree_account
from retrieval.errors import Forbidden, NotFound
from retrieval.ingestion import uploading
from retrieval.models import ApiKey, Document, Domain, Upload
from retrieval.models.corpus import DocumentQuerySet
from retrieval.request import MAX_K
from retrieval.search.service import visible_domains


class PagedParameters(Parameters):
    """Of lists of documents."""

    k = Number(min_value=1, max_value=MAX_K, default=10)
    page = Number(min_value=1, max_value=1_000, default=1)


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


class DocumentEdit(Parameters):
    """What is left out stays as it is."""

    tags = s.ListField(child=Text(max_length=60), required=False)
    metadata = Facts(required=False, help_text="Words and numbers by name, which rules may ask for.")


class DocumentsView(ApiView):
    parser_classes = [Files]

    @extend_schema(
        operation_id="documents",
        parameters=[DocumentsParameters],
        responses=answers(DocumentPage, 401, 404, 429),
    )
    def get(self, request: Request) -> HttpResponse:
        """List the documents that the caller may read today; withdrawn ones are none of them."""
        values, caller = DocumentsParameters.from_url(request), caller_of(request)
        domains = [scope.id for scope in visible_domains(caller, values.pop("domain", ()))]
        documents = documents_in_force(caller).filter(domain__in=domains)
        return reply(document_page(documents.order_by("domain", "locator", "pk"), **values))

    @extend_schema(
        operation_id="upload_document",
        request={"multipart/form-data": UploadForm},
        responses=answers(UploadState, 401, 403, 404, 413, 415, 422, 429, success=202),
    )
    def post(self, request: Request) -> HttpResponse:
        """Hand in a file for a domain; it is read by a job. The same name again is a new version of its document."""
        key = key_for_documents(request)
        return reply(take(UploadForm.from_form(request), key), status=202)


PATH = OpenApiParameter("path", str, "path", description="A document's locator without its leading slash.")


class DocumentView(ApiView):
    @extend_schema(
        operation_id="document",
        parameters=[PATH, TreeParameters],
        responses=answers(DocumentTree, 401, 404, 429),
    )
    def get(self, request: Request, path: str) -> HttpResponse:
        """A document and its tree, a level or more at a time; `under` opens what a section of it holds."""
        values = TreeParameters.from_url(request)
        if not path.isprintable():
            raise Http404
        return reply(tree_account(f"/{path}", caller_of(request), **values))

    @extend_schema(
        operation_id="withdraw_document",
        parameters=[PATH],
        responses=answers(Withdrawn, 401, 403, 404, 429),
    )
    def delete(self, request: Request, path: str) -> HttpResponse:
        """Withdraw a document that came from a file: nobody finds it any more, its past stays readable."""
        Nothing.from_url(request)
        return reply(withdraw(document_at(path, key_for_documents(request).caller), request.auth.caller))

    @extend_schema(
        operation_id="edit_document",
        parameters=[PATH],
        request=DocumentEdit,
        responses=answers(DocumentItem, 401, 403, 404, 429),
    )
    def patch(self, request: Request, path: str) -> HttpResponse:
        """Change the tags and metadata of a document that one owns or contributes to."""
        said, caller = DocumentEdit.from_json(request), key_for_documents(request).caller
        document = document_at(path, caller)
        if not may_edit(document, caller):
            raise Forbidden("Only its owner and contributors edit this document.")
        with as_caller(caller):
            Document.objects.filter(pk=document.pk).update(**said)
            document.refresh_from_db()
        return reply(DocumentItem(document).data)


class UploadView(ApiView):
    @extend_schema(
        operation_id="upload",
        responses=answers(UploadState, 401, 403, 404, 429),
    )
    def get(self, request: Request, upload_id: UUID) -> HttpResponse:
        """What became of a file that this key handed in."""
        Nothing.from_url(request)
        return reply(upload_of(upload_id, key_for_documents(request)))


def document_page(documents: DocumentQuerySet, *, k: int, page: int) -> dict:
    shown = DocumentItem(documents[(page - 1) * k : page * k], many=True).data
    return {"documents": shown, **paging(documents.count(), k=k, page=page)}


def key_for_documents(request: Request) -> ApiKey:
    """The caller's key, if it may upload and withdraw. Raises Forbidden."""
    key = request.auth
    if key is None or ApiKey.Scope.DOCUMENTS not in key.scopes:
        raise Forbidden("This needs a key with the scope “documents”.")
    return key


def take(said: dict, key: ApiKey) -> dict:
    file = said["file"]
    upload = uploading.accept(
        domain_for(said["domain"], key.caller),
        file.name,
        file.read(),
        principal=f"key:{key.pk}",
        title=said.get("title", ""),
        tags=said.get("tag", ()),
        grants=said.get("grant", ()),
    )
    return upload_account(upload)


def domain_for(slug: str, caller: Caller) -> Domain:
    """A public domain, or a private one: a key with the scope may begin where it has read nothing yet."""
    domain = Domain.objects.filter(slug=slug).first()
    if domain is None or not domain.takes_uploads:
        raise NotFound("There is no domain of this name that takes files.")
    return domain


def upload_of(upload_id: UUID, key: ApiKey) -> dict:
    """What became of a file that this key handed in. Raises NotFound for any other."""
    with as_caller(key.caller):
        upload = Upload.objects.filter(public_id=upload_id, principal=f"key:{key.pk}").first()
        if upload is None:
            raise NotFound("There is no such upload.")
        return upload_account(upload)


def upload_account(upload: Upload) -> dict:
    names = ("status", "reason", "percent", "filename", "sections", "pages", "scanned_pages")
    return as_stored(upload, *names) | {
        "id": str(upload.public_id),
        "domain": upload.domain.slug,
        "sha256": upload.content_hash,
        "document": upload.document.locator if upload.document else None,
        "url": f"/api/v1/uploads/{upload.public_id}",
    }


def document_at(path: str, caller: Caller) -> Document:
    """A document that came from a file. Raises NotFound for what this caller may not read."""
    if not path.isprintable():
        raise Http404
    with as_caller(caller):
        readable = Document.objects.visible_to(caller).filter(locator=f"/{path}").select_related("domain")
        document = readable.first()
    if document is None or not document.domain.takes_uploads:
        raise NotFound("There is no such document.")
    return document


def withdraw(document: Document, caller: Caller) -> dict:
    with as_caller(caller):
        return {"locator": document.locator, "sections": uploading.withdraw(document, caller)}
