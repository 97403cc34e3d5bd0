"""The admin of words: aliases of provisions, the glossary of Spanish legal terms with their English ones, and phrases
that decide what is done with a question before it is searched.
"""

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.utils.safestring import SafeString
from django.utils.translation import gettext_lazy
from import_export.results import Result

from retrieval.access.caller import Caller
from retrieval.access.middleware import caller_of
from retrieval.admin.base import link
from retrieval.admin.picker import LocatorField, LocatorInput
from retrieval.models import Domain
from rules.admin.base import ReasonedForm, SwitchedAdmin
from rules.aliases import embedding
from rules.authoring.resources import AliasResource, GlossaryResource, PhraseResource
from rules.models import Alias, GlossaryTerm, QuestionPhrase


class AliasForm(ReasonedForm):
    class Meta:
        model = Alias
        fields = ["domain", "text", "locator", "sentence", "place", "language", "enabled", "note"]
        field_classes = {"locator": LocatorField}
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

    def get_form(self, request: HttpRequest, obj: Alias | None = None, **kwargs):
        form = super().get_form(request, obj, **kwargs)
        if "locator" in form.base_fields:
            form.base_fields["locator"].widget.caller = caller_of(request)
        return form

    def save_model(self, request: HttpRequest, obj: Alias, form: AliasForm, change: bool) -> None:
        super().save_model(request, obj, form, change)
        embedding.embed_saved([obj.pk])

    def process_result(self, result: Result, request: HttpRequest) -> HttpResponse:
        """Of an import."""
        embedding.embed_saved([row.object_id for row in result.rows if row.is_new() or row.is_update()])
        return super().process_result(result, request)

    def _switch(self, request: HttpRequest, queryset: QuerySet, enabled: bool) -> None:
        aliases = list(queryset.values_list("pk", flat=True))
        super()._switch(request, queryset, enabled)
        embedding.embed_saved(aliases)

    @admin.display(description=gettext_lazy("Provision"), ordering="locator")
    def provision(self, alias: Alias) -> SafeString:
        return link(f"/law{alias.locator}", alias.locator)


@admin.register(QuestionPhrase)
class QuestionPhraseAdmin(SwitchedAdmin):
    resource_classes = [PhraseResource]
    list_display = ["text", "use", "answer", "language", "enabled", "changed", "by"]
    list_filter = ["use", "enabled", "language"]
    search_fields = ["text", "answer"]
    fields = ["text", "language", "use", "answer", "enabled", "reason"]


@admin.register(GlossaryTerm)
class GlossaryTermAdmin(SwitchedAdmin):
    resource_classes = [GlossaryResource]
    list_display = ["spanish", "english", "enabled", "changed", "by"]
    list_filter = ["enabled"]
    search_fields = ["spanish", "english"]
    fields = ["spanish", "english", "enabled", "reason"]
