"""The admin of names: aliases of provisions, and the glossary of Spanish legal terms with their English ones."""

import re

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.urls import path, reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext_lazy
from unfold.widgets import UnfoldAdminTextInputWidget

from retrieval.access.caller import Caller
from retrieval.admin.base import caller_of, link
from retrieval.models import Domain, Section
from rules.admin.base import ReasonedForm, SwitchedAdmin
from rules.admin.corpus_browser import datalist, provisions
from rules.authoring.resources import AliasResource, GlossaryResource
from rules.models import Alias, GlossaryTerm

PRIMARY_KEY = re.compile(r"[0-9]{1,18}")  # what an address may name; `isdigit` is true of ² and ٣ as well


class LocatorInput(UnfoldAdminTextInputWidget):
    """A text box that offers provisions by locator, citation or heading while one types."""

    def render(self, name, value, attrs=None, renderer=None) -> SafeString:
        live = {
            "list": "locators",
            "autocomplete": "off",
            "hx-get": reverse("admin:rules_alias_locators"),
            "hx-trigger": "input changed delay:200ms, focus once",
            "hx-target": "#locators",
            "hx-include": "[name=domain]",
        }
        box = super().render(name, value, {**(attrs or {}), **live}, renderer)
        return format_html('{}<datalist id="locators"></datalist>', box)


class AliasForm(ReasonedForm):
    class Meta:
        model = Alias
        fields = ["domain", "text", "locator", "place", "language", "enabled", "note"]
        widgets = {"locator": LocatorInput}


@admin.register(Alias)
class AliasAdmin(SwitchedAdmin):
    form = AliasForm
    resource_classes = [AliasResource]
    list_display = ["text", "provision", "place", "language", "enabled", "domain", "changed", "by"]
    list_filter = ["enabled", "language", "domain"]
    list_select_related = ["domain"]
    search_fields = ["text", "locator", "note"]
    search_help_text = gettext_lazy("Name, locator or note")
    fields = [*AliasForm.Meta.fields, "reason"]

    def visible(self, rows: QuerySet, caller: Caller) -> QuerySet:
        return rows.filter(domain__in=Domain.objects.visible_to(caller))

    def formfield_for_foreignkey(self, db_field, request: HttpRequest, **kwargs):
        if db_field.name == "domain":
            kwargs["queryset"] = Domain.objects.visible_to(caller_of(request))
        return super().formfield_for_foreignkey(db_field, request, **kwargs)

    def get_urls(self) -> list:
        view = self.page(self.locators_view, self.has_view_permission)
        return [path("locators/", view, name="rules_alias_locators"), *super().get_urls()]

    def locators_view(self, request: HttpRequest) -> HttpResponse:
        """What of the chosen domain answers to the words typed."""
        domain, words = request.GET.get("domain", ""), request.GET.get("locator", "")
        readable = Section.objects.readable(caller_of(request))
        chosen = readable.filter(domain=domain) if PRIMARY_KEY.fullmatch(domain) else readable.none()
        return datalist(provisions(words, chosen))

    @admin.display(description=gettext_lazy("Provision"), ordering="locator")
    def provision(self, alias: Alias) -> SafeString:
        return link(f"/law{alias.locator}", alias.locator)


@admin.register(GlossaryTerm)
class GlossaryTermAdmin(SwitchedAdmin):
    resource_classes = [GlossaryResource]
    list_display = ["spanish", "english", "enabled", "changed", "by"]
    list_filter = ["enabled"]
    search_fields = ["spanish", "english"]
    fields = ["spanish", "english", "enabled", "reason"]
