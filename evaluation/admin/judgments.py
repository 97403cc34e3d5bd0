"""Judgments: who graded what and why. Each stays its judge's own; none is deleted."""

from django.contrib import admin
from django.db.models import Q, QuerySet
from django.http import HttpRequest
from django.urls import reverse
from django.utils.http import urlencode
from django.utils.safestring import SafeString
from django.utils.translation import gettext_lazy
from import_export.admin import ExportMixin
from import_export.fields import Field
from import_export.resources import ModelResource
from unfold.admin import ModelAdmin
from unfold.contrib.import_export.forms import ExportForm

from evaluation.judging import own_judgments, topics_for
from evaluation.models import Judgment
from retrieval.admin.base import NeverDeleted, caller_of, link
from retrieval.models import Domain, Section
from rules.exchange import FORMATS


class JudgmentResource(ModelResource):
    """Out only; files come in by the import of qrels, which shows first what would change."""

    topic = Field("topic__name", "topic")
    query = Field("topic__query", "query")
    domain = Field("topic__domain__slug", "domain")
    split = Field("topic__split", "split")

    class Meta:
        model = Judgment
        fields = [
            "topic", "query", "domain", "split", "locator", "grade", "kind", "judge", "explanation", "created_at",
        ]  # fmt: skip


class JudgeFilter(admin.SimpleListFilter):
    title = gettext_lazy("judge")
    parameter_name = "judge"

    def lookups(self, request: HttpRequest, model_admin: ModelAdmin) -> list[tuple[str, str]]:
        known = model_admin.get_queryset(request).order_by("judge").values_list("judge", flat=True).distinct()
        return [(judge, judge) for judge in known]

    def queryset(self, request: HttpRequest, queryset: QuerySet) -> QuerySet:
        return queryset.filter(judge=self.value()) if self.value() else queryset


@admin.register(Judgment)
class JudgmentAdmin(NeverDeleted, ExportMixin, ModelAdmin):
    """Who may only judge sees their own judgments, lest others' grades sway them."""

    resource_classes = [JudgmentResource]
    export_form_class = ExportForm
    list_display = ["topic", "locator", "grade", "kind", "judge", "explanation", "created_at", "work"]
    list_filter = ["kind", JudgeFilter, "grade", "topic__domain", "topic__split"]
    list_select_related = ["topic"]
    list_per_page = 50
    search_fields = ["topic__query", "topic__name", "locator", "explanation"]
    show_full_result_count = False
    date_hierarchy = "created_at"
    fields = ["topic", "locator", "section", "chunk", "grade", "explanation", "kind", "judge", "created_at"]
    readonly_fields = ["topic", "locator", "section", "chunk", "kind", "judge", "created_at"]

    def get_queryset(self, request: HttpRequest) -> QuerySet:
        caller = caller_of(request)
        seen = super().get_queryset(request).filter(topic__in=topics_for(caller))
        readable = Section.objects.visible_to(caller).filter(private=True).values("locator")
        public = Q(topic__domain__visibility=Domain.Visibility.PUBLIC)
        seen = seen.filter(public | Q(locator__in=readable))
        return seen if sees_others(request) else seen.filter(pk__in=own_judgments(request.user).values("pk"))

    def has_add_permission(self, request: HttpRequest) -> bool:
        """Judgments are made where the text is seen."""
        return False

    def has_change_permission(self, request: HttpRequest, obj: Judgment | None = None) -> bool:
        is_own = obj is None or own_judgments(request.user).filter(pk=obj.pk).exists()
        return is_own and super().has_change_permission(request, obj)

    def get_export_formats(self) -> list:
        return FORMATS

    @admin.display(description="")
    def work(self, judgment: Judgment) -> SafeString:
        place = urlencode({"topic": judgment.topic_id, "locator": judgment.locator})
        return link(f"{reverse('admin_judge')}?{place}", gettext_lazy("judge"))


def sees_others(request: HttpRequest) -> bool:
    return request.user.has_perm("evaluation.change_judgment")
