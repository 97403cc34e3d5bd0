"""What the admin classes of curated rows share: history with reasons, who changed a row last, files in and out."""

from collections.abc import Callable
from datetime import datetime

from django import forms
from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.db import transaction
from django.db.models import Model, OuterRef, QuerySet, Subquery
from django.http import Http404, HttpRequest, HttpResponse
from django.utils.formats import date_format
from django.utils.timezone import localtime
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext
from import_export.admin import ImportExportModelAdmin
from simple_history.admin import SimpleHistoryAdmin
from simple_history.manager import SIMPLE_HISTORY_REVERSE_ATTR_NAME
from simple_history.utils import bulk_update_with_history
from unfold.admin import ModelAdmin
from unfold.contrib.import_export.forms import ExportForm, ImportForm
from unfold.widgets import UnfoldAdminTextInputWidget

from retrieval.access.caller import Caller
from retrieval.access.middleware import caller_of
from retrieval.admin.base import HistoryByNumber, NeverDeleted, check_numbers
from retrieval.errors import ArfError
from retrieval.models.uploads import in_words
from rules.authoring.resources import FORMATS

OPENED = "admin/rules/_opened.html"


class OpenedForm(forms.ModelForm):
    """Shown again, with who saved meanwhile, where somebody saved after it was opened; saved once more, it replaces
    what is there by then. Its template `OPENED` posts along what was last saved when it was opened.
    """

    opened = forms.IntegerField(required=False, widget=forms.HiddenInput)

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.initial["opened"] = next((number for number, *_ in self.saves()[:1]), 0)

    def saves(self) -> QuerySet:
        """Of what the form changes, the newest first: (a number that grows, who, when)."""
        raise NotImplementedError

    def clean(self) -> dict:
        said = super().clean()
        opened = said.get("opened")
        newest = None if opened is None else self.saves().first()
        if newest and newest[0] > opened:
            self.add_error(None, saved_meanwhile(*newest[1:]))
            self.data = self.data.copy()
            self.data["opened"] = newest[0]
        return said


def saved_meanwhile(who: str | None, when: datetime) -> str:
    told = {"who": who or _("A command or a job"), "when": date_format(localtime(when), "DATETIME_FORMAT")}
    message = _(
        "%(who)s saved this on %(when)s, after you opened this page, so that yours was not saved. What you typed still "
        "stands here: look at what was saved, then save again to put yours in its place."
    )
    return message % told


class ReasonedForm(OpenedForm):
    """An edit may say why it is made; history keeps it."""

    reason = forms.CharField(
        max_length=100,
        required=False,
        widget=UnfoldAdminTextInputWidget,
        label=gettext_lazy("Reason for this change"),
    )

    def clean_reason(self) -> str:
        """What is put back from history says when that was saved, where nothing else is said."""
        put_back = earlier_line(self.instance)
        return self.cleaned_data["reason"] or (back_to(put_back) if put_back else "")

    def saves(self) -> QuerySet:
        lines = self._meta.model.history.filter(id=self.instance.pk).order_by("-history_id")
        return lines.values_list("history_id", "history_user__username", "history_date")

    def clean(self) -> dict:
        """Holds the row until it is saved: of two who save at once the second is told of the first."""
        self._meta.model.objects.select_for_update().filter(pk=self.instance.pk).first()
        return super().clean()

    def save(self, commit: bool = True) -> Model:
        self.instance._change_reason = self.cleaned_data.get("reason") or None
        return super().save(commit)


def earlier_line(row: Model) -> Model | None:
    """The line of history that a row was read from, where it is one of these."""
    return getattr(row, SIMPLE_HISTORY_REVERSE_ATTR_NAME, None)


def back_to(line: Model) -> str:
    when = date_format(localtime(line.history_date), "DATETIME_FORMAT")
    return _("back to what was saved on %(when)s") % {"when": when}


class CuratedAdmin(NeverDeleted, HistoryByNumber, SimpleHistoryAdmin, ImportExportModelAdmin, ModelAdmin):
    """Lists that answer what is live and who changed it last."""

    form = ReasonedForm
    change_form_before_template = OPENED
    import_form_class = ImportForm
    export_form_class = ExportForm
    list_per_page = 50

    def visible(self, rows: QuerySet, caller: Caller) -> QuerySet:
        """Those that this person may see, of the model or of its history."""
        return rows

    def get_queryset(self, request: HttpRequest) -> QuerySet:
        return with_last_change(self.visible(super().get_queryset(request), caller_of(request)))

    def get_history_queryset(self, request: HttpRequest, *args) -> QuerySet:
        return self.visible(super().get_history_queryset(request, *args), caller_of(request))

    @transaction.atomic
    def history_form_view(self, request: HttpRequest, object_id: str, version_id: str, *args) -> HttpResponse:
        """A POST puts an earlier state back, which the library allows to everybody who may view it."""
        check_numbers(object_id, version_id)
        if self.get_object(request, object_id) is None:
            raise Http404
        if request.method != "GET" and not self.has_change_permission(request):
            raise PermissionDenied
        line = self.model.history.filter(history_id=version_id)
        if not self.visible(line, caller_of(request)).exists():  # what it named then may be hidden from who sees it now
            raise Http404
        return super().history_form_view(request, object_id, version_id, *args)

    def page(self, view: Callable, may: Callable[[HttpRequest], bool]) -> Callable:
        """A view of this admin for whom `may` allows it."""

        def guarded(request: HttpRequest) -> HttpResponse:
            if not may(request):
                raise PermissionDenied
            return view(request)

        return self.admin_site.admin_view(guarded)

    # -- Files

    def get_import_formats(self) -> list:
        return FORMATS

    get_export_formats = get_import_formats

    def add_data_read_fail_error_to_form(self, form: forms.Form, e: Exception) -> None:
        if isinstance(e, ArfError):
            form.add_error("import_file", in_words(e.refusal))
        else:
            super().add_data_read_fail_error_to_form(form, e)

    def has_import_permission(self, request: HttpRequest) -> bool:
        """An import both adds and changes."""
        return self.has_add_permission(request) and self.has_change_permission(request)

    def get_import_resource_kwargs(self, request: HttpRequest, **kwargs) -> dict:
        return {"caller": caller_of(request)}

    get_export_resource_kwargs = get_import_resource_kwargs

    # -- Columns

    @admin.display(description=gettext_lazy("Changed"), ordering="changed_at")
    def changed(self, row: Model):
        return row.changed_at or _("shipped")

    @admin.display(description=gettext_lazy("By"), ordering="changed_by", empty_value="-")
    def by(self, row: Model) -> str | None:
        return row.changed_by


class SwitchedAdmin(CuratedAdmin):
    """Rows that are switched off instead of deleted."""

    list_editable = ["enabled"]
    actions = ["switch_on", "switch_off"]
    history_list_display = ["enabled"]

    def get_changelist_formset(self, request: HttpRequest, **kwargs) -> type[forms.BaseModelFormSet]:
        """Posts along what each switch was when the list was opened: what somebody else has switched since stays."""
        formset = super().get_changelist_formset(request, **kwargs)
        formset.form.base_fields["enabled"].show_hidden_initial = True
        return formset

    @admin.action(description=gettext_lazy("Switch on"), permissions=["change"])
    def switch_on(self, request: HttpRequest, queryset: QuerySet) -> None:
        self._switch(request, queryset, True)

    @admin.action(description=gettext_lazy("Switch off"), permissions=["change"])
    def switch_off(self, request: HttpRequest, queryset: QuerySet) -> None:
        self._switch(request, queryset, False)

    def _switch(self, request: HttpRequest, queryset: QuerySet, enabled: bool) -> None:
        count = switch(queryset, enabled=enabled, by=request.user)
        messages.success(request, ngettext("%d entry switched.", "%d entries switched.", count) % count)


def switch(rows: QuerySet, *, enabled: bool, by) -> int:
    """Switches rows on or off, each with a line in its history; gives how many changed."""
    changed = list(rows.exclude(enabled=enabled))
    for row in changed:
        row.enabled = enabled
    bulk_update_with_history(changed, rows.model, ["enabled"], default_user=by)
    return len(changed)


def with_last_change(rows: QuerySet) -> QuerySet:
    """Adds `changed_at` and `changed_by` (a username) of the newest line of history; shipped rows have none."""
    last = rows.model.history.filter(id=OuterRef("pk")).order_by("-history_date", "-history_id")
    return rows.annotate(
        changed_at=Subquery(last.values("history_date")[:1]),
        changed_by=Subquery(last.values("history_user__username")[:1]),
    )
