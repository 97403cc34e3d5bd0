"""What may be done with a private document besides reading it: its owner alone replaces, shares, withdraws and offers
it. Row-level security (migration 0028) holds the same; this says so in words.
"""

from collections.abc import Sequence
from functools import reduce
from operator import or_

from django.contrib.auth import get_user_model
from django.contrib.auth.models import Group
from django.db import transaction
from django.db.models import CharField, Q, QuerySet, Value
from django.db.models.functions import Cast, Concat
from django.utils import timezone

from retrieval.access.caller import Caller
from retrieval.access.row_security import as_system
from retrieval.errors import Forbidden, NotFound, Unprocessable, gettext_noop
from retrieval.models import ApiKey, Document, DocumentGrant
from retrieval.models.access import NOBODY, name_of, principal_of
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


def share(document: Document, name: str, role: str, caller: Caller) -> None:
    """Opens the document to a name; given again, it changes the role, and an offer to it stands no more. The answer is
    the same for unknown names.
    """
    grant(document, name, checked_principal(name), role, caller)


def grant(document: Document, name: str, principal: str, role: str, caller: Caller) -> None:
    """Opens it to whom a name meant when it was said."""
    check_owner(document, caller)
    if not document.private:
        raise Unprocessable(gettext_noop("This document is public: it needs no grants."))
    others = document.grants.filter(name=name).exclude(principal=principal)  # whoever the name meant before
    end_offer(document, [principal, *others.values_list("principal", flat=True)])
    others.filter(principal__startswith=NOBODY).delete()  # a second line would tell that the name is somebody's now
    if role == Role.READER:
        others.update(role=role)
    DocumentGrant.objects.update_or_create(
        document=document, principal=principal, defaults={"name": name, "role": role}
    )


def end_offer(document: Document, principals: Sequence[str]) -> None:
    """None of these can become the owner by accepting any more."""
    Document.objects.filter(pk=document.pk, offered_to__in=principals).update(offered_to="")


def take_back(document: Document, name: str, caller: Caller) -> None:
    check_owner(document, caller)
    grants = document.grants.filter(name=name)
    if not (principals := list(grants.values_list("principal", flat=True))):
        raise NotFound(gettext_noop("The document is not shared with this name."))
    end_offer(document, principals)
    grants.delete()


@transaction.atomic
def leave(document: Document, caller: Caller) -> None:
    """The caller reads the document no more. Raises Unprocessable where a group or ownership still opens it."""
    if document.owner in caller.principals:
        raise Unprocessable(gettext_noop("You own this document: offer it to somebody, or withdraw it."))
    if document.owner.startswith(PREFIX):
        raise Unprocessable(gettext_noop("This document belongs to a matter: leave the matter."))
    own = own_principal(caller)
    with as_system():  # whom it was offered to may accept the offer, and otherwise not change it
        end_offer(document, [own])
    DocumentGrant.objects.filter(document=document, principal=own).delete()
    if DocumentGrant.objects.filter(document=document, principal__in=caller.principals).exists():
        raise Unprocessable(gettext_noop("A group of yours still reads this document."))


def offer(document: Document, name: str, caller: Caller) -> None:
    """Lets another become the owner by accepting; until then they may contribute."""
    principal = checked_principal(name)
    grant(document, name, principal, Role.CONTRIBUTOR, caller)
    Document.objects.filter(pk=document.pk).update(offered_to=principal)


@transaction.atomic
def accept(document: Document, caller: Caller) -> None:
    """The offered document changes hands; the former owner stays a contributor. Raises Forbidden without an offer."""
    mine, before = own_principal(caller), document.owner
    offered = Document.objects.filter(pk=document.pk, offered_to=mine).exclude(offered_to="")
    if not offered.update(owner=mine, offered_to=""):
        raise Forbidden(gettext_noop("This document was not offered to you."))
    DocumentGrant.objects.filter(document=document, principal=mine).delete()
    if before:
        DocumentGrant.objects.update_or_create(
            document=document,
            principal=before,
            defaults={"name": name_of(before), "role": Role.CONTRIBUTOR},
        )


def is_somebody(field: str) -> Q:
    """Whether the principal in this field is an account, a key that is not revoked, or a group that has members."""
    keys = ApiKey.objects.filter(revoked_at=None)
    return is_among(field, get_user_model().objects.all(), Group.objects.filter(user__isnull=False), keys)


def can_come(field: str) -> Q:
    """Whether the principal in this field is let in now: an account that is active, a key that is usable, or a group
    with such accounts.
    """
    keys = ApiKey.objects.filter(Q(expires_at=None) | Q(expires_at__gt=timezone.now()), revoked_at=None)
    users = get_user_model().objects.filter(is_active=True)
    return is_among(field, users, Group.objects.filter(user__is_active=True), keys)


def is_among(field: str, users: QuerySet, groups: QuerySet, keys: QuerySet) -> Q:
    named = (
        rows.annotate(principal=Concat(Value(f"{kind}:"), Cast("pk", CharField()))).values("principal")
        for kind, rows in (("user", users), ("group", groups), ("key", keys))
    )
    return reduce(or_, (Q(**{f"{field}__in": principals}) for principals in named))


def owners_gone() -> Q:
    """Documents whose owner is an account that was deleted, or a key that was revoked or deleted."""
    return ~(is_somebody("owner") | Q(owner="") | Q(owner__startswith=PREFIX))


@as_system()
def assign(document: Document, principal: str) -> None:
    """Staff give a document that nobody owns, or nobody any more, to a person or key. Raises Forbidden for one that is
    owned.
    """
    nobodys = Document.objects.filter(Q(owner="") | owners_gone(), pk=document.pk)
    if not nobodys.update(owner=principal, offered_to=""):
        raise Forbidden(gettext_noop("This document has an owner."))
    DocumentGrant.objects.filter(document=document, principal=principal).delete()


def own_principal(caller: Caller) -> str:
    """The person or key, without groups."""
    return next((name for name in caller.principals if not name.startswith("group:")), "")
