"""Who else reads one's private documents, and what was shared with oneself."""

from django.http import HttpResponse
from drf_spectacular.utils import extend_schema
from rest_framework import serializers as s
from rest_framework.request import Request

from retrieval.access import sharing
from retrieval.access.row_security import as_caller
from retrieval.api.authentication import caller_of
from retrieval.api.base import ApiView, answers, paging, reply
from retrieval.api.documents import PATH, PagedParameters, document_at, key_for_documents
from retrieval.api.parameters import Choice, Nothing, Parameters, Text
from retrieval.api.serializers import Page
from retrieval.errors import NotFound
from retrieval.models.access import name_of

ROLES = ("reader", "contributor", "owner")


class Share(Parameters):
    name = Text(max_length=160, help_text="user:NAME, group:NAME or key:ID; whether anybody has it is not told.")
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
    @extend_schema(
        operation_id="held", parameters=[PagedParameters], responses=answers(Held, 401, 404, 429)
    )
    def get(self, request: Request) -> HttpResponse:
        """List the private documents that the caller owns or that were shared with it. Anonymous callers hold none."""
        asked, caller = PagedParameters.from_url(request), caller_of(request)
        if not caller.principals:
            raise NotFound("Without a key nothing private is held.")
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
        return reply({"name": name, "documents": documents, **paging(held.count(), k=k, page=page)})


class GrantsView(ApiView):
    @extend_schema(operation_id="grants", parameters=[PATH], responses=answers(Grants, 401, 403, 404, 429))
    def get(self, request: Request, path: str) -> HttpResponse:
        """List to its owner who else may read a document."""
        Nothing.from_url(request)
        caller = key_for_documents(request).caller
        document = document_at(path, caller)
        sharing.check_owner(document, caller)
        rows = document.grants.order_by("name").values("name", "role", "granted_at")
        return reply({"locator": document.locator, "owner": name_of(document.owner), "grants": list(rows)})

    @extend_schema(
        operation_id="share_document",
        parameters=[PATH],
        request=Share,
        responses=answers(Shared, 401, 403, 404, 422, 429),
    )
    def post(self, request: Request, path: str) -> HttpResponse:
        """Share a document that one owns, offer it, or accept one that was offered."""
        said, caller = Share.from_json(request), key_for_documents(request).caller
        document = document_at(path, caller)
        name, role = said["name"], said.get("role", "reader")
        with as_caller(caller):
            if role != "owner":
                sharing.share(document, name, role, caller)
            elif name == name_of(sharing.own_principal(caller)):
                sharing.accept(document, caller)
            else:
                sharing.offer(document, name, caller)
        return reply({"locator": document.locator, "name": name, "role": role})

    @extend_schema(
        operation_id="unshare_document",
        parameters=[PATH, TakenBack],
        responses=answers(Unshared, 401, 403, 404, 422, 429),
    )
    def delete(self, request: Request, path: str) -> HttpResponse:
        """Take back what was granted to a name; without one, the caller leaves the document."""
        said = TakenBack.from_url(request)
        caller = key_for_documents(request).caller if "name" in said else caller_of(request)
        document = document_at(path, caller)
        with as_caller(caller):
            if "name" in said:
                sharing.take_back(document, said["name"], caller)
            else:
                sharing.leave(document, caller)
        return reply({"locator": document.locator})
