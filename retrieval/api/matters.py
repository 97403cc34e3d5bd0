"""Matters: one's own, opened, worked on, closed and erased. To others one does not exist."""

from collections.abc import Callable
from typing import Any
from uuid import UUID

from rest_framework import serializers as s
from rest_framework.request import Request

from retrieval.access import matters
from retrieval.access.caller import Caller
from retrieval.api.authentication import caller_of
from retrieval.api.base import ApiView, operation, require
from retrieval.api.documents import DOCUMENTS, PagedParameters, Share, TakenBack
from retrieval.api.parameters import Choice, Day, Parameters, Text, YesOrNo
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


class MemberBody(Share):
    role = Choice(choices=ROLES, default="reader", required=False)


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


# Makes the answer too, of a matter with its caller's role.
class MatterLine(s.Serializer):
    id = s.UUIDField(source="public_id")
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
    id = s.IntegerField(source="number", help_text="Within the matter.")
    what = s.CharField()
    due_on = s.DateField()
    done_on = s.DateField(allow_null=True)
    overdue = s.BooleanField(source="is_overdue")


class MatterDocument(s.Serializer):
    locator = s.CharField()
    title = s.CharField()
    domain = s.CharField(source="domain.slug")


class MatterAccount(MatterLine):
    client = s.CharField(allow_blank=True)
    members = MemberItem(many=True)
    deadlines = DeadlineItem(many=True, help_text="What is to do first, by its day.")
    documents = MatterDocument(many=True)
    uploads = UploadState(many=True, help_text="Files that became no document, or not yet.")


class MatterGone(s.Serializer):
    id = s.UUIDField()


def account(public_id: UUID, caller: Caller) -> dict[str, Any]:
    """Everything in it. Raises NotFound for who is no member."""
    found = matters.matter_of(public_id, caller)
    with matters.acting_as(found):
        matter = Matter.objects.most_urgent_first().get(pk=found.pk)
        matter.role = matters.role_of(matter, caller)
        matter.documents = matters.documents_of(matter)[:LISTED]
        matter.uploads = matters.uploads_of(matter)[:LISTED]
        return MatterAccount(matter).data


ERRORS = (404, 422)


class MattersView(ApiView):
    @operation("matters", MatterPage, 404, url=PagedParameters)
    def get(self, request: Request, asked: dict) -> dict:
        """List the matters that the caller is a member of. Open ones come first, by their next deadline."""
        caller, k, page = caller_of(request), asked["k"], asked["page"]
        if not caller.principals:
            raise NotFound("Without a key that searches nothing private is held.")
        held = Matter.objects.held_by(caller).most_urgent_first()
        shown = list(held[(page - 1) * k : page * k])
        for matter in shown:
            matter.role = matters.role_of(matter, caller)
        return {"matters": MatterLine(shown, many=True).data, **paging(held.count(), k=k, page=page)}

    @operation("open_matter", MatterAccount, *ERRORS, body=MatterBody, scope=DOCUMENTS, success=(201,))
    def post(self, request: Request, said: dict) -> dict:
        """Open a matter, which the caller leads."""
        caller = request.auth.caller
        opened = matters.open_matter(said["reference"], said.get("client", ""), caller)
        return account(opened.public_id, caller)


def changed(request: Request, matter_id: UUID, change: Callable, *values, **named) -> dict[str, Any]:
    """A matter after a change by this caller. Raises NotFound for who is no member."""
    caller = request.auth.caller
    change(matters.matter_of(matter_id, caller), *values, caller=caller, **named)
    return account(matter_id, caller)


class MatterView(ApiView):
    @operation("matter", MatterAccount, 404)
    def get(self, request: Request, asked: dict, matter_id: UUID) -> dict:
        """A matter with its members, deadlines and documents."""
        return account(matter_id, caller_of(request))

    @operation("edit_matter", MatterAccount, *ERRORS, body=MatterEdit, scope=DOCUMENTS)
    def patch(self, request: Request, said: dict, matter_id: UUID) -> dict:
        """Change reference and client, as a lead."""
        return changed(request, matter_id, matters.rename, **said)


class MembersView(ApiView):
    @operation("set_member", MatterAccount, *ERRORS, body=MemberBody, scope=DOCUMENTS)
    def post(self, request: Request, said: dict, matter_id: UUID) -> dict:
        """Add a member, or give one another role, as a lead. Its documents open or close to them at once."""
        return changed(request, matter_id, matters.set_member, **said)

    @operation("remove_member", MatterGone, 403, *ERRORS, url=TakenBack)
    def delete(self, request: Request, said: dict, matter_id: UUID) -> dict:
        """Remove a member, as a lead; without a name, the caller leaves, also by a key that only searches."""
        caller = caller_of(request)
        if said or not caller.principals:
            require(request, DOCUMENTS)
            caller = request.auth.caller
        part = matters.remove_member if said else matters.leave
        part(matters.matter_of(matter_id, caller), **said, caller=caller)
        return {"id": matter_id}


class DeadlinesView(ApiView):
    @operation("add_deadline", MatterAccount, *ERRORS, body=DeadlineBody, scope=DOCUMENTS, success=(201,))
    def post(self, request: Request, said: dict, matter_id: UUID) -> dict:
        """Add a deadline, as a lead or contributor."""
        return changed(request, matter_id, matters.add_deadline, **said)


class DeadlineView(ApiView):
    @operation("edit_deadline", MatterAccount, *ERRORS, body=DeadlineEdit, scope=DOCUMENTS)
    def patch(self, request: Request, said: dict, matter_id: UUID, number: int) -> dict:
        """Change a deadline, or say that it is done."""
        return changed(request, matter_id, matters.change_deadline, number, **said)

    @operation("drop_deadline", MatterAccount, *ERRORS, scope=DOCUMENTS)
    def delete(self, request: Request, asked: dict, matter_id: UUID, number: int) -> dict:
        """Take a deadline out."""
        return changed(request, matter_id, matters.drop_deadline, number)


class CloseView(ApiView):
    @operation("close_matter", MatterAccount, *ERRORS, scope=DOCUMENTS)
    def post(self, request: Request, asked: dict, matter_id: UUID) -> dict:
        """Close a matter, as a lead. Nobody finds its documents any more; `search` with `matter` does."""
        return changed(request, matter_id, matters.close)


class ReopenView(ApiView):
    @operation("reopen_matter", MatterAccount, *ERRORS, scope=DOCUMENTS)
    def post(self, request: Request, asked: dict, matter_id: UUID) -> dict:
        """Reopen a matter, as a lead."""
        return changed(request, matter_id, matters.reopen)


class EraseView(ApiView):
    @operation("erase_matter", MatterGone, *ERRORS, body=EraseBody, scope=DOCUMENTS)
    def post(self, request: Request, said: dict, matter_id: UUID) -> dict:
        """Erase a matter with all that is in it, for good, as a lead. Its reference confirms that. From then on nobody
        finds it; a job deletes its text.
        """
        caller = request.auth.caller
        erasing.erase(matters.matter_of(matter_id, caller), said["reference"], caller)
        return {"id": matter_id}
