"""The admin of what curators decide: aliases, the glossary, thresholds."""

import re

from django import forms
from django.contrib import admin, messages
from django.contrib.admin.utils import unquote
from django.core.exceptions import PermissionDenied
from django.db.models import QuerySet
from django.forms import model_to_dict
from django.http import Http404, HttpRequest, HttpResponse
from django.urls import path, reverse
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext
from import_export.admin import ImportExportModelAdmin
from simple_history.admin import SimpleHistoryAdmin
from unfold.admin import ModelAdmin
from unfold.contrib.import_export.forms import ExportForm, ImportForm
from unfold.decorators import display
from unfold.widgets import UnfoldAdminTextInputWidget

from retrieval.admin.base import NeverDeleted, caller_of, link
from retrieval.features import USUAL_MINIMUM
from retrieval.models import Domain, Section
from rules.curation import switch, with_last_change
from rules.exchange import FORMATS, AliasResource, GlossaryResource
from rules.forms import ReasonedForm, provisions_like
from rules.models import Alias, DomainThreshold, GlossaryTerm
from rules.rule_admin import RuleAdmin  # noqa: F401 (registers it)
from rules.thresholds import THRESHOLDS, check_calibration, publish

SUGGESTIONS = 30  # provisions offered while a locator is typed
PRIMARY_KEY = re.compile(r"[0-9]{1,18}")  # what an address may name; `isdigit` is true of ² and ٣ as well


class CuratedAdmin(NeverDeleted, SimpleHistoryAdmin, ImportExportModelAdmin, ModelAdmin):
    """Lists that answer what is live and who changed it last; rows are switched off, never deleted."""

    form = ReasonedForm
    import_form_class = ImportForm
    export_form_class = ExportForm
    list_editable = ["enabled"]
    list_per_page = 50
    actions = ["switch_on", "switch_off"]
    history_list_display = ["enabled"]

    def get_queryset(self, request: HttpRequest) -> QuerySet:
        return with_last_change(super().get_queryset(request))

    def get_import_formats(self) -> list:
        return FORMATS

    get_export_formats = get_import_formats

    def history_form_view(self, request: HttpRequest, object_id: str, version_id: str, *args) -> HttpResponse:
        """Posted, it puts an earlier state back, which the library lets anybody do who may look at it."""
        if request.method != "GET" and not self.has_change_permission(request):
            raise PermissionDenied
        return super().history_form_view(request, object_id, version_id, *args)

    def has_import_permission(self, request: HttpRequest) -> bool:
        """An import both adds and changes."""
        return self.has_add_permission(request) and self.has_change_permission(request)

    @admin.display(description=gettext_lazy("Changed"), ordering="changed_at")
    def changed(self, row: Alias | GlossaryTerm):
        return row.changed_at or _("shipped")

    @admin.display(description=gettext_lazy("By"), ordering="changed_by", empty_value="-")
    def by(self, row: Alias | GlossaryTerm) -> str | None:
        return row.changed_by

    @admin.action(description=gettext_lazy("Switch on"), permissions=["change"])
    def switch_on(self, request: HttpRequest, queryset: QuerySet) -> None:
        self._switch(request, queryset, True)

    @admin.action(description=gettext_lazy("Switch off"), permissions=["change"])
    def switch_off(self, request: HttpRequest, queryset: QuerySet) -> None:
        self._switch(request, queryset, False)

    def _switch(self, request: HttpRequest, queryset: QuerySet, enabled: bool) -> None:
        count = switch(queryset, enabled=enabled, by=request.user)
        messages.success(request, ngettext("%d entry switched.", "%d entries switched.", count) % count)


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
        fields = ["domain", "text", "locator", "language", "enabled", "note"]
        widgets = {"locator": LocatorInput}


@admin.register(Alias)
class AliasAdmin(CuratedAdmin):
    form = AliasForm
    resource_classes = [AliasResource]
    list_display = ["text", "provision", "language", "enabled", "domain", "changed", "by"]
    list_filter = ["enabled", "language", "domain"]
    list_select_related = ["domain"]
    search_fields = ["text", "locator", "note"]
    search_help_text = gettext_lazy("Name, locator or note")
    fields = ["domain", "text", "locator", "language", "enabled", "note", "reason"]

    def get_queryset(self, request: HttpRequest) -> QuerySet:
        return super().get_queryset(request).filter(domain__in=Domain.objects.visible_to(caller_of(request)))

    def get_history_queryset(self, request: HttpRequest, *args) -> QuerySet:
        history = super().get_history_queryset(request, *args)
        return history.filter(domain__in=Domain.objects.visible_to(caller_of(request)))

    def history_form_view(self, request: HttpRequest, object_id: str, version_id: str, *args) -> HttpResponse:
        if self.get_object(request, unquote(object_id)) is None:
            raise Http404
        return super().history_form_view(request, object_id, version_id, *args)

    def formfield_for_foreignkey(self, db_field, request: HttpRequest, **kwargs):
        if db_field.name == "domain":
            kwargs["queryset"] = Domain.objects.visible_to(caller_of(request))
        return super().formfield_for_foreignkey(db_field, request, **kwargs)

    def get_urls(self) -> list:
        view = self.admin_site.admin_view(self.locators_view)
        return [path("locators/", view, name="rules_alias_locators"), *super().get_urls()]

    def locators_view(self, request: HttpRequest) -> HttpResponse:
        """Options of a datalist: what of the chosen domain answers to the words typed."""
        if not self.has_view_permission(request):
            raise PermissionDenied
        domain, words = request.GET.get("domain", ""), request.GET.get("locator", "")
        readable = Section.objects.readable(caller_of(request))
        chosen = readable.filter(domain=domain) if PRIMARY_KEY.fullmatch(domain) else readable.none()
        sections = provisions_like(words, chosen)[:SUGGESTIONS]
        options = ((section.locator, f"{section.citation} {section.heading}".strip()) for section in sections)
        return HttpResponse(format_html_join("", '<option value="{}">{}</option>', options))

    def get_import_resource_kwargs(self, request: HttpRequest, **kwargs) -> dict:
        return {"caller": caller_of(request)}

    get_export_resource_kwargs = get_import_resource_kwargs

    @admin.display(description=gettext_lazy("Provision"), ordering="locator")
    def provision(self, alias: Alias) -> SafeString:
        return link(f"/law{alias.locator}", alias.locator)


@admin.register(GlossaryTerm)
class GlossaryTermAdmin(CuratedAdmin):
    resource_classes = [GlossaryResource]
    list_display = ["spanish", "english", "enabled", "changed", "by"]
    list_filter = ["enabled"]
    search_fields = ["spanish", "english"]
    fields = ["spanish", "english", "enabled", "reason"]


class ThresholdForm(forms.ModelForm):
    class Meta:
        model = DomainThreshold
        fields = [*THRESHOLDS, "reason"]
        help_texts = {
            "calibration": gettext_lazy(
                "Weights of the logistic that turns a candidate’s scores into a probability; with none, those in force "
                "are kept."
            )
        }

    def clean_calibration(self) -> dict:
        calibration = self.cleaned_data["calibration"] or {}
        check_calibration(calibration)
        return calibration

    def clean(self) -> dict:
        """An answer minimum left as it was keeps the scale it was chosen on; without weights those in force stay, lest
        a version that was begun from nothing leave its domain without probabilities.
        """
        said = super().clean()
        before = DomainThreshold.objects.filter(domain=said.get("domain"), active=True).first()
        if before and before.answer_minimum == said.get("answer_minimum"):
            self.instance.answer_scale = before.answer_scale
        if before and said.get("calibration") == {}:
            said["calibration"] = before.calibration
        return said


@admin.register(DomainThreshold)
class DomainThresholdAdmin(NeverDeleted, ModelAdmin):
    """Append-only: adding makes the next version and puts it in force; earlier ones stay to be read."""

    form = ThresholdForm
    change_form_outer_before_template = "admin/rules/_preview.html"
    list_display = [
        "domain",
        "version",
        "in_force",
        "answers_from",
        "reason",
        "created_by",
        "created_at",
        "edit",
    ]
    list_filter = ["active", "domain"]
    list_select_related = ["domain", "created_by"]
    search_fields = ["reason"]

    def has_change_permission(self, request: HttpRequest, obj: DomainThreshold | None = None) -> bool:
        return False

    def get_fields(self, request: HttpRequest, obj: DomainThreshold | None = None) -> list[str]:
        editable = [*THRESHOLDS, "reason"]
        return [*editable, "version", "active", "created_by", "created_at"] if obj else editable

    def get_changeform_initial_data(self, request: HttpRequest) -> dict:
        """A new version may begin as a copy: `?copy=` names the version."""
        number = request.GET.get("copy", "")
        copied = DomainThreshold.objects.filter(pk=number).first() if PRIMARY_KEY.fullmatch(number) else None
        if copied is None:
            return super().get_changeform_initial_data(request)
        return model_to_dict(copied, THRESHOLDS)

    def save_model(
        self, request: HttpRequest, obj: DomainThreshold, form: ThresholdForm, change: bool
    ) -> None:
        publish(obj, by=request.user)

    @display(description=gettext_lazy("In force"), ordering="active", boolean=True)
    def in_force(self, threshold: DomainThreshold) -> bool:
        return threshold.active

    @admin.display(description=gettext_lazy("Answer minimum"), ordering="answer_minimum")
    def answers_from(self, threshold: DomainThreshold) -> str:
        if threshold.is_on_scale:
            return f"{threshold.answer_minimum:g}"
        return _("%(minimum)s, chosen on another scale: %(usual)s holds until `%(command)s`") % {
            "minimum": f"{threshold.answer_minimum:g}",
            "usual": USUAL_MINIMUM,
            "command": threshold.tuning,
        }

    @admin.display(description="")
    def edit(self, threshold: DomainThreshold) -> SafeString:
        url = reverse("admin:rules_domainthreshold_add")
        return link(f"{url}?copy={threshold.pk}", _("new version from this"))
