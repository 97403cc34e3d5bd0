"""Topics and runs. A test topic is read-only: what is measured by it must not move."""

import secrets

from django import forms
from django.contrib import admin
from django.db.models import Count, QuerySet
from django.http import HttpRequest
from django.urls import reverse
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from unfold.admin import ModelAdmin, TabularInline
from unfold.widgets import UnfoldAdminSelectWidget

from evaluation.judging import humans, topics_for
from evaluation.models import Measurement, Run, Topic
from retrieval.admin.base import ReadOnly, caller_of, link
from retrieval.models import Domain

LANGUAGES = [("en", gettext_lazy("English")), ("es", gettext_lazy("Spanish"))]
CHOSEN = [choice for choice in Topic.Split.choices if choice[0] != Topic.Split.TEST]  # a test set is fixed


class TopicForm(forms.ModelForm):
    language = forms.ChoiceField(
        choices=LANGUAGES, widget=UnfoldAdminSelectWidget, label=gettext_lazy("language")
    )

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        if "split" in self.fields:
            self.fields["split"].choices = CHOSEN


@admin.register(Topic)
class TopicAdmin(ModelAdmin):
    form = TopicForm
    list_display = ["query", "domain", "split", "kind", "language", "source", "answerable", "judged", "work"]
    list_filter = [
        "split",
        ("kind", admin.AllValuesFieldListFilter),
        ("language", admin.AllValuesFieldListFilter),
        ("source", admin.AllValuesFieldListFilter),
        "answerable",
        "domain",
    ]
    list_per_page = 50
    search_fields = ["name", "query"]
    show_full_result_count = False
    fields = [
        "name", "domain", "query", "language", "kind", "narrative", "split", "group", "answerable", "tags",
        "source", "created_at",
    ]  # fmt: skip

    def get_queryset(self, request: HttpRequest) -> QuerySet:
        count = Count("judgments", humans())
        return topics_for(caller_of(request)).annotate(judgments_human=count).order_by("name")

    def get_readonly_fields(self, request: HttpRequest, obj: Topic | None = None) -> list[str]:
        """Its name and split never change: what was learned from stays known."""
        return ["source", "created_at", *(["name", "domain", "split"] if obj else [])]

    def get_changeform_initial_data(self, request: HttpRequest) -> dict:
        name = f"admin-{secrets.token_hex(4)}"
        return {"name": name, "group": name, **super().get_changeform_initial_data(request)}

    def formfield_for_foreignkey(self, db_field, request: HttpRequest, **kwargs):
        if db_field.name == "domain":
            kwargs["queryset"] = Domain.objects.visible_to(caller_of(request))
        return super().formfield_for_foreignkey(db_field, request, **kwargs)

    def has_change_permission(self, request: HttpRequest, obj: Topic | None = None) -> bool:
        return not is_test(obj) and super().has_change_permission(request, obj)

    def has_delete_permission(self, request: HttpRequest, obj: Topic | None = None) -> bool:
        """One by one, and one with judgments not at all (PROTECT): never by a list's action."""
        return obj is not None and not is_test(obj) and super().has_delete_permission(request, obj)

    @admin.display(description=gettext_lazy("Judged"), ordering="judgments_human")
    def judged(self, topic: Topic) -> int:
        return topic.judgments_human

    @admin.display(description="")
    def work(self, topic: Topic) -> SafeString:
        return link(f"{reverse('admin_judge')}?topic={topic.pk}", _("judge"))


def is_test(topic: Topic | None) -> bool:
    return topic is not None and topic.split == Topic.Split.TEST


class MeasurementInline(ReadOnly, TabularInline):
    model = Measurement
    fields = ["topic", "abstained", "probability", "ms", "llm_calls", "measures"]
    extra = 0
    per_page = 50
    tab = True


@admin.register(Run)
class RunAdmin(ReadOnly, ModelAdmin):
    list_display = ["created_at", "name", "pipeline", "topics"]
    list_filter = ["pipeline", "created_at"]
    search_fields = ["name", "topics"]
    inlines = [MeasurementInline]
    fields = ["name", "pipeline", "topics", "created_at", "stages", "versions", "summary"]
