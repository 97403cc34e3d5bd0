"""A signed-in person's private documents: what they own, with whom they share it, and what was shared with them."""

from dataclasses import dataclass

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext
from django.views.decorators.http import require_POST, require_safe

from retrieval.access import passwords, sharing
from retrieval.access.caller import Caller
from retrieval.errors import ArfError, Unprocessable
from retrieval.ingestion import uploading
from retrieval.models import Document, DocumentGrant
from retrieval.models.access import name_of
from retrieval.models.uploads import in_words
from retrieval.pages.forms import SharingForm
from retrieval.pages.views import personal, rationed, unlisted

SHOWN = 200  # documents on the page


@dataclass(frozen=True, slots=True)
class HeldDocument:
    """A private document as one of its readers sees it; `grants` are its owner's to see."""

    document: Document
    role: str
    offered: bool
    grants: list[DocumentGrant]


@require_safe
@unlisted
@login_required(login_url="admin:login")
@personal
def private_documents(request: HttpRequest) -> HttpResponse:
    return page(request)


@require_POST
@unlisted
@rationed
@login_required(login_url="admin:login")
@personal
def confirm_password(request: HttpRequest) -> HttpResponse:
    """Opens the documents again that a password set by somebody else had closed."""
    if passwords.confirm(request.user, request.POST.get("former", "")):
        return redirect("retrieval:private")
    return page(request, problem=gettext("That is not your former password."), status=403)


@require_POST
@unlisted
@login_required(login_url="admin:login")
@personal
def change_private_document(request: HttpRequest, path: str) -> HttpResponse:
    """One act on one document; a refusal is said above the list."""
    form = SharingForm(request.POST)
    document = Document.objects.held_by(request.caller).filter(locator=f"/{path}").first()
    if document is None or not form.is_valid():
        raise Http404
    try:
        act(document, request.caller, **form.cleaned_data)
    except Unprocessable as refused:
        return page(request, problem=in_words(refused.refusal), status=refused.status)
    except ArfError as refused:
        return page(request, problem=gettext(refused.message), status=refused.status)
    return redirect("retrieval:private")


def page(request: HttpRequest, *, problem: str = "", status: int = 200) -> HttpResponse:
    context = {
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
        for document in sharing.held(caller)[:SHOWN]
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
