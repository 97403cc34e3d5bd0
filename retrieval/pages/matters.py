"""The pages of a matter, for its members: each act is a form of its own; one that is refused keeps what was typed."""

from datetime import date
from uuid import UUID

from django import forms
from django.contrib import messages
from django.db.models import Q, QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext_lazy as _
from django.utils.translation import gettext_noop, pgettext_lazy
from django.views.decorators.http import require_safe

from retrieval.access import matters
from retrieval.access.caller import Caller
from retrieval.access.row_security import as_caller
from retrieval.errors import ArfError, Unprocessable
from retrieval.ingestion import erasing, uploading
from retrieval.models import Domain, Matter, MatterMember, Upload
from retrieval.models.uploads import in_words
from retrieval.pages import private
from retrieval.pages.fields import DayField
from retrieval.pages.views import form_on, signed_in
from retrieval.parsing.files.formats import READERS

SHOWN = 500  # documents on the page
OF_MATTERS = "client_cases"  # the private domain that ships, in which anybody's matter begins
LEFT = _("You have left the matter.")
SAVED = {  # what is said after an act; of others the page itself shows it
    "deadline": _("The deadline is kept."),
    "member": _("The member is kept, with this role."),
    "rename": _("Reference and client are kept."),
    "upload": _("The file is handed in."),
}
AT_FAULT = {"member": "name", "deadline": "due_on", "upload": "file", "rename": "reference", "erase": "reference"}
ERASED = _("The matter is erased: nobody finds anything of it any more, and its texts are being deleted.")


class MatterForm(forms.Form):
    """One act in a matter, with the fields that it takes."""

    action = forms.CharField()
    reference = forms.CharField(required=False, max_length=200, label=_("Reference"))
    client = forms.CharField(required=False, max_length=200, label=_("Client"))
    name = forms.CharField(required=False, max_length=160, label=_("Name"))
    role = forms.ChoiceField(required=False, choices=MatterMember.Role.choices, label=_("Role"))
    what = forms.CharField(required=False, max_length=300, label=_("What is to be done"))
    due_on = DayField(required=False, label=pgettext_lazy("deadline", "By"))
    number = forms.IntegerField(required=False)
    upload = forms.UUIDField(required=False)
    domain = forms.SlugField(required=False)
    file = forms.FileField(required=False, label=_("File"))

    @property
    def problem(self) -> str:
        """The first, with the field's name."""
        name, problems = next(iter(self.errors.items()))
        return f"{self[name].label}: {problems[0]}"


@form_on("retrieval:private")
@signed_in
def open_matter(request: HttpRequest) -> HttpResponse:
    form = MatterForm(request.POST)
    if not form.is_valid():
        return private.page(request, problem=form.problem, status=400, said=request.POST)
    try:
        said = form.cleaned_data
        opened = matters.open_matter(said["reference"], said["client"], request.caller)
    except ArfError as refused:
        return private.page(request, problem=in_words(refused.refusal), status=refused.status, said=request.POST)
    return redirect("retrieval:matter", opened.public_id)


@require_safe
@signed_in
def matter_page(request: HttpRequest, matter_id: UUID) -> HttpResponse:
    return page(request, matters.matter_of(matter_id, request.caller))


@form_on("retrieval:matter", "matter_id")
@signed_in
def change_matter(request: HttpRequest, matter_id: UUID) -> HttpResponse:
    """One act; a refusal is said above the page, whose fields keep what was typed. Who then is no member any more is
    told so on their own page.
    """
    matter = matters.matter_of(matter_id, request.caller)
    form = MatterForm(request.POST, request.FILES)
    if not form.is_valid():
        return page(request, matter, problem=form.problem, wrong=next(iter(form.errors)), status=400)
    action = form.cleaned_data["action"]
    try:
        act(matter, request, form.cleaned_data)
    except ArfError as refused:
        told = {"problem": in_words(refused.refusal), "wrong": at_fault(form.cleaned_data), "status": refused.status}
        return page(request, matter, **told)
    if matters.is_member(matter.principal, request.caller):
        if action in SAVED:
            messages.success(request, SAVED[action])
        return redirect("retrieval:matter", matter_id)
    messages.success(request, ERASED if action == "erase" else LEFT)
    return redirect("retrieval:private")


def act(matter: Matter, request: HttpRequest, said: dict) -> None:
    """Raises what the functions of matters do, and Http404 for an act that nobody knows."""
    caller = request.caller
    match said["action"]:
        case "rename":
            matters.rename(matter, caller, reference=said["reference"], client=said["client"])
        case "member":
            matters.set_member(matter, said["name"], said["role"] or MatterMember.Role.READER, caller)
        case "remove":
            matters.remove_member(matter, said["name"], caller)
        case "leave":
            matters.leave(matter, caller)
        case "deadline":
            matters.add_deadline(matter, said["what"], day_of(said), caller)
        case "done" | "undone" as state:
            matters.change_deadline(matter, said["number"], caller, done=state == "done")
        case "drop":
            matters.drop_deadline(matter, said["number"], caller)
        case "upload":
            hand_in(matter, request, said)
        case "drop-upload":
            matters.drop_upload(matter, said["upload"], caller)
        case "withdraw":
            withdraw(matter, said["name"], caller)
        case "close":
            matters.close(matter, caller)
        case "reopen":
            matters.reopen(matter, caller)
        case "erase":
            erasing.erase(matter, said["reference"], caller)
        case _:
            raise Http404


def at_fault(said: dict) -> str:
    """The field that a refused act turns on, if it takes one."""
    return "what" if said["action"] == "deadline" and not said["what"] else AT_FAULT.get(said["action"], "")


def day_of(said: dict) -> date:
    if said["due_on"] is None:
        raise Unprocessable(gettext_noop("There is no such day. Write it like 1791-12-15."))
    return said["due_on"]


def hand_in(matter: Matter, request: HttpRequest, said: dict) -> None:
    domain, file = domains_for(request).filter(slug=said["domain"]).first(), said["file"]
    if domain is None:
        raise Http404
    if file is None:
        raise Unprocessable(gettext_noop("Choose a file."))
    uploading.accept_into(matter, domain, file.name, file.read(), request.caller, by=request.user)


def withdraw(matter: Matter, locator: str, caller: Caller) -> None:
    with matters.acting_as(matter):
        document = get_object_or_404(matters.documents_of(matter), locator=locator)
    uploading.withdraw(document, caller)


def domains_for(request: HttpRequest) -> QuerySet[Domain]:
    """Those that somebody's file may stand in: the one that ships for matters, and private ones in which they read a
    document already; of others they are told nothing. Staff who hand in anywhere choose among all.
    """
    private = Domain.objects.filter(visibility=Domain.Visibility.PRIVATE, citation_style="plain")
    if request.user.has_perm("retrieval.add_upload"):
        return private
    with as_caller(request.caller):
        known = list(Domain.objects.visible_to(request.caller).values_list("pk", flat=True))
    return private.filter(Q(slug=OF_MATTERS) | Q(pk__in=known))


def page(
    request: HttpRequest, matter: Matter, *, problem: str = "", wrong: str = "", status: int = 200
) -> HttpResponse:
    """The matter as it is; after a refusal with what was typed, `wrong` being the name of the field at fault."""
    with matters.acting_as(matter):
        now = Matter.objects.filter(pk=matter.pk).first()
        if now is None:
            raise Http404
        role = matters.role_of(now, request.caller)
        context = {
            "matter": now,
            "role": role,
            "leads": role in matters.LEADS,
            "writes": role in matters.WRITERS and now.is_open,
            "members": list(now.members.all()),
            "deadlines": list(now.deadlines.all()),
            "documents": list(matters.documents_of(now)[:SHOWN]),
            "uploads": (uploads := list(matters.uploads_of(now)[:SHOWN])),
            "is_reading": any(upload.status == Upload.Status.WAITING for upload in uploads),
            "domains": domains_for(request),
            "accepted": ",".join(READERS),
            "roles": MatterMember.Role,
            "shown": SHOWN,
            "problem": problem,
            "wrong": wrong,
            "said": request.POST if problem else {},
        }
        return render(request, "retrieval/matter.html", context, status=status)
