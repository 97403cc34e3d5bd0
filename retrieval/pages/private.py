"""The page of one's own private documents and matters, and what its buttons do."""

from collections.abc import Mapping
from dataclasses import dataclass

from django import forms
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext
from django.views.decorators.http import require_safe

from retrieval.access import passwords, sharing
from retrieval.access.caller import Caller
from retrieval.api.authentication import hit
from retrieval.errors import ArfError
from retrieval.ingestion import uploading
from retrieval.models import Document, DocumentGrant, Matter
from retrieval.models.access import name_of
from retrieval.models.matters import PREFIX
from retrieval.models.uploads import in_words
from retrieval.pages.views import form_on, rationed, signed_in, too_often, unlisted

MOST_TRIES = 5  # of a former password in a minute, whoever sends them from wherever
SHOWN = 200  # documents on the page, and matters
EMPTY: Mapping[str, str] = {}


class SharingForm(forms.Form):
    """One act on a private document; `name` and `role` are of whom it is shared with."""

    action = forms.ChoiceField(
        choices=[(each, each) for each in ("share", "take_back", "leave", "accept", "withdraw")]
    )
    name = forms.CharField(required=False, max_length=160)
    role = forms.ChoiceField(
        required=False, choices=[(each, each) for each in ("reader", "contributor", "owner")]
    )


@dataclass(frozen=True, slots=True)
class HeldDocument:
    """A private document as one of its readers sees it; `grants` are its owner's to see."""

    document: Document
    role: str
    offered: bool
    grants: list[DocumentGrant]


@require_safe
@signed_in
def private_documents(request: HttpRequest) -> HttpResponse:
    return page(request)


@form_on("retrieval:private")
@unlisted
@rationed
@signed_in
def confirm_password(request: HttpRequest) -> HttpResponse:
    """Opens the documents again that a password set by somebody else had closed."""
    if wait := hit(f"former password:{request.user.pk}", MOST_TRIES):
        return too_often(request, wait)
    if passwords.confirm(request.user, request.POST.get("former", "")):
        return redirect("retrieval:private")
    return page(request, problem=gettext("That is not your former password."), status=403)


@form_on("retrieval:private")
@signed_in
def change_private_document(request: HttpRequest, path: str) -> HttpResponse:
    """One act on one document; a refusal is said above the list."""
    if not path.isprintable():  # no locator has such letters, and PostgreSQL no NUL
        raise Http404
    form = SharingForm(request.POST)
    document = Document.objects.held_by(request.caller).filter(locator=f"/{path}").first()
    if document is None or not form.is_valid():
        raise Http404
    try:
        act(document, request.caller, **form.cleaned_data)
    except ArfError as refused:
        said = {**form.cleaned_data, "locator": document.locator}
        return page(request, problem=in_words(refused.refusal), status=refused.status, said=said)
    return redirect("retrieval:private")


def page(
    request: HttpRequest, *, problem: str = "", status: int = 200, said: Mapping[str, str] = EMPTY
) -> HttpResponse:
    """`said`: what was typed into a form that was refused."""
    matters = Matter.objects.held_by(request.caller).most_urgent_first()
    context = {
        "matters": matters[:SHOWN],
        "today": timezone.localdate(),
        "said": said,
        "held": held(request.caller),
        "name": name_of(sharing.own_principal(request.caller)),
        "problem": problem,
        "waiting": passwords.waiting_for(request.user),
        "shown": SHOWN,
    }
    return render(request, "retrieval/private.html", context, status=status)


def held(caller: Caller) -> list[HeldDocument]:
    return [
        HeldDocument(
            document,
            role := sharing.role_of(document, caller),
            document.offered_to in caller.principals,
            sorted(document.grants.all(), key=lambda grant: grant.name) if role == "owner" else [],
        )
        for document in sharing.held(caller).exclude(owner__startswith=PREFIX)[:SHOWN]
    ]


def act(document: Document, caller: Caller, *, action: str, name: str, role: str) -> None:
    match action:
        case "share" if role == "owner":
            sharing.offer(document, name, caller)
        case "share":
            sharing.share(document, name, role or DocumentGrant.Role.READER, caller)
        case "take_back":
            sharing.take_back(document, name, caller)
        case "leave":
            sharing.leave(document, caller)
        case "accept":
            sharing.accept(document, caller)
        case "withdraw":
            uploading.withdraw(document, caller)
