"""Matters: one's own, opened, worked on, closed and erased. To others one does not exist."""

from typing import Any
from uuid import UUID

from django.http import HttpResponse
from drf_spectacular.utils import extend_schema
from rest_framework import serializers as s
from rest_framework.request import Request

from retrieval.access import matters
from retrieval.access.caller import Caller
from retrieval.api.authentication import caller_of
from retrieval.api.base import ApiView, answers, as_stored, reply
from retrieval.api.documents import PagedParameters, key_for_documents, upload_account
from retrieval.api.parameters import Choice, Day, Nothing, Parameters, Text, YesOrNo
from retrieval.api.serializers import Page, UploadState
from retrieval.errors import NotFound
from retrieval.ingestion import erasing
from retrieval.models import Matter, MatterMember
from retrieval.request import paging

ROLES = MatterMember.Role.values
LISTED = 500  # documents, and files that are no documents yet, in one answer


class MatterBody(Parameters):
    reference = Text(max_length=200, help_text="By which its members know it.")
    client = Text(
        max_length=200, required=False, help_text="Told to members in the matter itself, nowhere else."
    )


class MatterEdit(MatterBody):
    """What is left out stays as it is."""

    reference = Text(max_length=200, required=False)


class MemberBody(Parameters):
    name = Text(
        max_length=160, help_text="user:NAME, group:NAME or key:ID; whether anybody has it is not told."
    )
    role = Choice(choices=ROLES, default="reader", required=False)


class MemberGone(Parameters):
    name = Text(max_length=160, required=False, help_text="Left out: the caller leaves.")


class DeadlineBody(Parameters):
    what = Text(max_length=300)
    due_on = Day()


class DeadlineEdit(Parameters):
    """What is left out stays as it is."""

    what = Text(max_length=300, required=False)
    due_on = Day(required=False)
    done = YesOrNo(required=False)


class EraseBody(Parameters):
    reference = Text(max_length=200, help_text="The matter's own, as a confirmation.")


class MatterLine(s.Serializer):
    id = s.UUIDField()
    reference = s.CharField()
    role = s.ChoiceField(ROLES)
    opened_on = s.DateField()
    closed_on = s.DateField(allow_null=True, help_text="Null while it is open.")
    next_due = s.DateField(allow_null=True, help_text="The first deadline that is not done, be it past.")


class MatterPage(Page):
    matters = MatterLine(many=True)


class MemberItem(s.Serializer):
    name = s.CharField()
    role = s.ChoiceField(ROLES)


class DeadlineItem(s.Serializer):
    id = s.IntegerField()
    what = s.CharField()
    due_on = s.DateField()
    done_on = s.DateField(allow_null=True)
    overdue = s.BooleanField()


class MatterDocument(s.Serializer):
    locator = s.CharField()
    title = s.CharField()
    domain = s.CharField()


class MatterAccount(MatterLine):
    client = s.CharField(allow_blank=True)
    members = MemberItem(many=True)
    deadlines = DeadlineItem(many=True, help_text="What is to do first, by its day.")
    documents = MatterDocument(many=True)
    uploads = UploadState(many=True, help_text="Files that became no document, or not yet.")


class MatterGone(s.Serializer):
    id = s.UUIDField()


def line(matter: Matter, role: str) -> dict[str, Any]:
    told = as_stored(matter, "reference", "opened_on", "closed_on", "next_due")
    return {"id": matter.public_id, "role": role, **told}


def account(public_id: UUID, caller: Caller) -> dict[str, Any]:
    """Everything in it. Raises NotFound for who is no member."""
    found = matters.matter_of(public_id, caller)
    with matters.acting_as(found):
        matter = Matter.objects.most_urgent_first().get(pk=found.pk)
        return line(matter, matters.role_of(matter, caller)) | {
            "client": matter.client,
            "members": list(matter.members.values("name", "role")),
            "deadlines": [
                {"id": each.pk, **as_stored(each, "what", "due_on", "done_on"), "overdue": each.is_overdue}
                for each in matter.deadlines.all()
            ],
            "documents": [
                {"locator": each.locator, "title": each.title, "domain": each.domain.slug}
                for each in matters.documents_of(matter)[:LISTED]
            ],
            "uploads": [upload_account(each) for each in matters.uploads_of(matter)[:LISTED]],
        }


ERRORS = (401, 403, 404, 422, 429)


class MattersView(ApiView):
    @extend_schema(
        operation_id="matters", parameters=[PagedParameters], responses=answers(MatterPage, 401, 404, 429)
    )
    def get(self, request: Request) -> HttpResponse:
        """List the matters that the caller is a member of. Open ones come first, by their next deadline."""
        asked, caller = PagedParameters.from_url(request), caller_of(request)
        if not caller.principals:
            raise NotFound("Without a key nothing private is held.")
        held, k, page = Matter.objects.held_by(caller).most_urgent_first(), asked["k"], asked["page"]
        shown = [line(each, matters.role_of(each, caller)) for each in held[(page - 1) * k : page * k]]
        return reply({"matters": shown, **paging(held.count(), k=k, page=page)})

    @extend_schema(
        operation_id="open_matter", request=MatterBody, responses=answers(MatterAccount, *ERRORS, success=201)
    )
    def post(self, request: Request) -> HttpResponse:
        """Open a matter, which the caller leads."""
        said, caller = MatterBody.from_json(request), key_for_documents(request).caller
        opened = matters.open_matter(said["reference"], said.get("client", ""), caller)
        return reply(account(opened.public_id, caller), status=201)


class OfMatter(ApiView):
    """What is done in a matter that the caller is a member of."""

    def asked(self, request: Request, matter_id: UUID) -> tuple[Matter, Caller]:
        """Raises Forbidden for a key that may hand nothing in, NotFound for who is no member."""
        caller = key_for_documents(request).caller
        return matters.matter_of(matter_id, caller), caller


class MatterView(OfMatter):
    @extend_schema(operation_id="matter", responses=answers(MatterAccount, 401, 404, 429))
    def get(self, request: Request, matter_id: UUID) -> HttpResponse:
        """A matter with its members, deadlines and documents."""
        Nothing.from_url(request)
        return reply(account(matter_id, caller_of(request)))

    @extend_schema(operation_id="edit_matter", request=MatterEdit, responses=answers(MatterAccount, *ERRORS))
    def patch(self, request: Request, matter_id: UUID) -> HttpResponse:
        """Change reference and client, as a lead."""
        said, (matter, caller) = MatterEdit.from_json(request), self.asked(request, matter_id)
        now = {"reference": matter.reference, "client": matter.client} | said
        matters.rename(matter, **now, caller=caller)
        return reply(account(matter_id, caller))


class MembersView(OfMatter):
    @extend_schema(operation_id="set_member", request=MemberBody, responses=answers(MatterAccount, *ERRORS))
    def post(self, request: Request, matter_id: UUID) -> HttpResponse:
        """Add a member, or give one another role, as a lead. Its documents open or close to them at once."""
        said, (matter, caller) = MemberBody.from_json(request), self.asked(request, matter_id)
        matters.set_member(matter, said["name"], said["role"], caller)
        return reply(account(matter_id, caller))

    @extend_schema(
        operation_id="remove_member", parameters=[MemberGone], responses=answers(MatterGone, *ERRORS)
    )
    def delete(self, request: Request, matter_id: UUID) -> HttpResponse:
        """Remove a member, as a lead; without a name, the caller leaves."""
        said, (matter, caller) = MemberGone.from_url(request), self.asked(request, matter_id)
        if "name" in said:
            matters.remove_member(matter, said["name"], caller)
        else:
            matters.leave(matter, caller)
        return reply({"id": matter_id})


class DeadlinesView(OfMatter):
    @extend_schema(
        operation_id="add_deadline",
        request=DeadlineBody,
        responses=answers(MatterAccount, *ERRORS, success=201),
    )
    def post(self, request: Request, matter_id: UUID) -> HttpResponse:
        """Add a deadline, as a lead or contributor."""
        said, (matter, caller) = DeadlineBody.from_json(request), self.asked(request, matter_id)
        matters.add_deadline(matter, said["what"], said["due_on"], caller)
        return reply(account(matter_id, caller), status=201)


class DeadlineView(OfMatter):
    @extend_schema(
        operation_id="edit_deadline", request=DeadlineEdit, responses=answers(MatterAccount, *ERRORS)
    )
    def patch(self, request: Request, matter_id: UUID, number: int) -> HttpResponse:
        """Change a deadline, or say that it is done."""
        said, (matter, caller) = DeadlineEdit.from_json(request), self.asked(request, matter_id)
        matters.change_deadline(matter, number, caller, **said)
        return reply(account(matter_id, caller))

    @extend_schema(operation_id="drop_deadline", responses=answers(MatterAccount, *ERRORS))
    def delete(self, request: Request, matter_id: UUID, number: int) -> HttpResponse:
        """Take a deadline out."""
        Nothing.from_url(request)
        matter, caller = self.asked(request, matter_id)
        matters.drop_deadline(matter, number, caller)
        return reply(account(matter_id, caller))


class CloseView(OfMatter):
    @extend_schema(operation_id="close_matter", request=None, responses=answers(MatterAccount, *ERRORS))
    def post(self, request: Request, matter_id: UUID) -> HttpResponse:
        """Close a matter, as a lead. Nobody finds its documents any more; `search` with `matter` does."""
        Nothing.from_url(request)
        matter, caller = self.asked(request, matter_id)
        matters.close(matter, caller)
        return reply(account(matter_id, caller))


class ReopenView(OfMatter):
    @extend_schema(operation_id="reopen_matter", request=None, responses=answers(MatterAccount, *ERRORS))
    def post(self, request: Request, matter_id: UUID) -> HttpResponse:
        """Reopen a matter, as a lead."""
        Nothing.from_url(request)
        matter, caller = self.asked(request, matter_id)
        matters.reopen(matter, caller)
        return reply(account(matter_id, caller))


class EraseView(OfMatter):
    @extend_schema(operation_id="erase_matter", request=EraseBody, responses=answers(MatterGone, *ERRORS))
    def post(self, request: Request, matter_id: UUID) -> HttpResponse:
        """Erase a matter with all that is in it, for good, as a lead. Its reference confirms that."""
        said, (matter, caller) = EraseBody.from_json(request), self.asked(request, matter_id)
        erasing.erase(matter, said["reference"], caller)
        return reply({"id": matter_id})
