"""What may be done with a private document besides reading it: its owner alone replaces, shares, withdraws and offers
it. Row-level security (migration 0028) holds the same; this says so in words.
"""

from django.db import transaction
from django.db.models import QuerySet

from retrieval.access.caller import Caller
from retrieval.access.row_security import as_system
from retrieval.errors import Forbidden, NotFound, Unprocessable, gettext_noop
from retrieval.models import Document, DocumentGrant
from retrieval.models.access import name_of, principal_of
from retrieval.models.matters import PREFIX

Role = DocumentGrant.Role


def may_replace(document: Document, caller: Caller) -> bool:
    """The owner; a public document also staff."""
    return document.owner in caller.principals or (not document.private and caller.is_staff)


def check_owner(document: Document, caller: Caller) -> None:
    if not may_replace(document, caller):
        raise Forbidden(gettext_noop("Only the owner of this document may do that."))


def may_edit(document: Document, caller: Caller) -> bool:
    """Tags and metadata: who may replace it, and contributors."""
    mine = document.grants.filter(principal__in=caller.principals, role=Role.CONTRIBUTOR)
    return may_replace(document, caller) or mine.exists()


def role_of(document: Document, caller: Caller) -> str:
    """Of the caller in a private document: "owner", "contributor" or "reader"."""
    if document.owner in caller.principals:
        return "owner"
    roles = {grant.role for grant in document.grants.all() if grant.principal in caller.principals}
    return Role.CONTRIBUTOR if Role.CONTRIBUTOR in roles else Role.READER


def held(caller: Caller) -> QuerySet[Document]:
    """The private documents that the caller owns or was granted, with their grants, in order."""
    documents = Document.objects.held_by(caller).select_related("domain").prefetch_related("grants")
    return documents.order_by("domain", "title", "pk")


def checked_principal(name: str) -> str:
    """Of a name, whether or not anybody has it. Raises Unprocessable for what is no name."""
    if (principal := principal_of(name)) is None:
        raise Unprocessable(
            gettext_noop("“%(name)s” is no name: write user:NAME, group:NAME or key:ID."), name=name[:60]
        )
    return principal


def share(document: Document, name: str, role: str, caller: Caller) -> DocumentGrant:
    """Opens the document to a name; given again, it changes the role. The answer is the same for unknown names."""
    check_owner(document, caller)
    if not document.private:
        raise Unprocessable(gettext_noop("This document is public: it needs no grants."))
    principal = checked_principal(name)
    grant, _ = DocumentGrant.objects.update_or_create(
        document=document, principal=principal, defaults={"name": name, "role": role}
    )
    return grant


def take_back(document: Document, name: str, caller: Caller) -> None:
    check_owner(document, caller)
    if not document.grants.filter(name=name).delete()[0]:
        raise NotFound(gettext_noop("The document is not shared with this name."))
    Document.objects.filter(pk=document.pk, offered_to=principal_of(name)).update(offered_to="")


def leave(document: Document, caller: Caller) -> None:
    """The caller reads the document no more. Raises Unprocessable where a group or ownership still opens it."""
    if document.owner in caller.principals:
        raise Unprocessable(gettext_noop("You own this document: offer it to somebody, or withdraw it."))
    if document.owner.startswith(PREFIX):
        raise Unprocessable(gettext_noop("This document belongs to a matter: leave the matter."))
    DocumentGrant.objects.filter(document=document, principal=own_principal(caller)).delete()
    if DocumentGrant.objects.filter(document=document, principal__in=caller.principals).exists():
        raise Unprocessable(gettext_noop("A group of yours still reads this document."))


def offer(document: Document, name: str, caller: Caller) -> None:
    """Lets another become the owner by accepting; until then they may contribute."""
    grant = share(document, name, Role.CONTRIBUTOR, caller)
    Document.objects.filter(pk=document.pk).update(offered_to=grant.principal)


@transaction.atomic
def accept(document: Document, caller: Caller) -> None:
    """The offered document changes hands; the former owner stays a contributor. Raises Forbidden without an offer."""
    mine, before = own_principal(caller), document.owner
    if not document.offered_to or document.offered_to != mine:
        raise Forbidden(gettext_noop("This document was not offered to you."))
    Document.objects.filter(pk=document.pk).update(owner=mine, offered_to="")
    DocumentGrant.objects.filter(document=document, principal=mine).delete()
    if before:
        DocumentGrant.objects.update_or_create(
            document=document,
            principal=before,
            defaults={"name": name_of(before), "role": Role.CONTRIBUTOR},
        )


@as_system()
def assign(document: Document, principal: str) -> None:
    """Staff give a document that nobody owns to a person or key. Raises Forbidden for one that is owned."""
    if not Document.objects.filter(pk=document.pk, owner="").update(owner=principal):
        raise Forbidden("This document has an owner.")
    DocumentGrant.objects.filter(document=document, principal=principal).delete()


def own_principal(caller: Caller) -> str:
    """The person or key, without groups."""
    return next((name for name in caller.principals if not name.startswith("group:")), "")
