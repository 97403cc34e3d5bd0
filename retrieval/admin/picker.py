"""Boxes of the admin that offer values while one types: provisions by citation or words. What is picked is shown beside
its box in words; without scripts one types, a locator or a citation.
"""

from collections.abc import Iterable
from typing import NamedTuple

from django import forms
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.safestring import SafeString
from django.utils.translation import gettext_lazy
from unfold.widgets import UnfoldAdminTextInputWidget

from retrieval.access.caller import ANONYMOUS, Caller
from retrieval.access.middleware import caller_of
from retrieval.admin.base import PRIMARY_KEY
from retrieval.errors import NotFound
from retrieval.models import Domain
from retrieval.search import places

PLACEHOLDER = gettext_lazy("14th amendment, due process, /us/const …")


class Offer(NamedTuple):
    """A value, and what it is in words."""

    value: str
    name: str
    words: str = ""
    language: str = ""


def offers_of(provisions: Iterable[places.Provision]) -> list[Offer]:
    return [Offer(place.locator, place.citation, place.beginning, place.language) for place in provisions]


def described(locators: Iterable[str], caller: Caller) -> dict[str, Offer]:
    """Those that the caller may read, by locator."""
    known = places.described(locators, caller)
    return dict(zip(known, offers_of(known.values()), strict=True))


def offered(request: HttpRequest, offers: Iterable[Offer]) -> HttpResponse:
    """As the list under a box."""
    return render(request, "admin/_offered.html", {"offers": offers})


def places_view(request: HttpRequest) -> HttpResponse:
    """For what is typed in the box that the address names, in the chosen domain if there is one. Open to all staff:
    each is offered what they may read. Forms name a domain by its key or its slug.
    """
    words, chosen = request.GET.get(request.GET.get("box", ""), ""), request.GET.get("domain", "")
    if PRIMARY_KEY.fullmatch(chosen):
        chosen = Domain.objects.filter(pk=chosen).values_list("slug", flat=True).first() or ""
    try:
        found = places.offered(words, caller_of(request), (chosen,) if chosen else ())
    except NotFound:
        found = []
    return offered(request, offers_of(found))


class LocatorInput(UnfoldAdminTextInputWidget):
    """A box for a locator. `caller` reads what it holds."""

    caller = ANONYMOUS

    def render(self, name: str, value: str | None, attrs: dict | None = None, renderer=None) -> SafeString:
        live = {
            "data-offers": "",
            "autocomplete": "off",
            "placeholder": PLACEHOLDER,
            "hx-get": f"{reverse('admin_places')}?box={name}",
            "hx-trigger": "input changed delay:200ms",
            "hx-target": "next [role=listbox]",
            "hx-include": "[name=domain]",
            "hx-sync": "this:replace",
        }
        box = super().render(name, value, {**(attrs or {}), **live}, renderer)
        shown = described([value], self.caller).get(value) if value else None
        return SafeString(render_to_string("admin/_picker.html", {"box": box, "name": name, "shown": shown}))

    class Media:
        js = ["admin/picker.js"]


class LocatorField(forms.CharField):
    """What is typed may be a citation: the locator of what it cites is taken."""

    widget = LocatorInput

    def clean(self, value: str) -> str:
        return places.as_locator(super().clean(value), self.widget.caller)
