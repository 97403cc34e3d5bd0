"""Files handed in over the API, and what became of them."""

from rest_framework.request import Request

from retrieval import uploading
from retrieval.api.errors import Forbidden
from retrieval.errors import NotFound
from retrieval.models import ApiKey, Document, Domain, Upload
from retrieval.ranking import Caller
from retrieval.row_access import as_system


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


def upload_of(upload_id: int, key: ApiKey) -> dict:
    """What became of a file that this key handed in. Raises NotFound for any other."""
    with as_system():
        upload = Upload.objects.filter(pk=upload_id, principal=f"key:{key.pk}").first()
        if upload is None:
            raise NotFound("There is no such upload.")
        return upload_account(upload)


def upload_account(upload: Upload) -> dict:
    return {
        "id": upload.pk,
        "status": upload.status,
        "reason": upload.reason,
        "percent": upload.percent,
        "filename": upload.filename,
        "domain": upload.domain.slug,
        "sha256": upload.content_hash,
        "document": upload.document.locator if upload.document else None,
        "sections": upload.sections,
        "pages": upload.pages,
        "scanned_pages": upload.scanned_pages,
        "url": f"/api/v1/uploads/{upload.pk}",
    }


def withdraw(locator: str, caller: Caller) -> dict:
    """Closes a document that came from a file. Raises NotFound for what this caller may not read."""
    readable = Document.objects.visible_to(caller).filter(locator=locator).select_related("domain")
    document = readable.first()
    if document is None or not document.domain.takes_uploads:
        raise NotFound("There is no such document.")
    return {"locator": locator, "sections": uploading.withdraw(document)}
