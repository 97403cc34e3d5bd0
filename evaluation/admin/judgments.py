"""Judgments: who graded what and why. Each stays its judge's own; none is deleted."""

from collections.abc import Sequence
from itertools import pairwise

from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.http import urlencode
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, pgettext_lazy
from import_export.admin import ExportMixin
from import_export.fields import Field
from import_export.resources import ModelResource
from simple_history.admin import SimpleHistoryAdmin
from unfold.admin import ModelAdmin
from unfold.contrib.import_export.forms import ExportForm

from evaluation.admin.exchange import may_import
from evaluation.judging.visibility import humans, judgments_for, own_judgments
from evaluation.models import Judgment
from retrieval.access.middleware import caller_of
from retrieval.admin.base import HistoryByNumber, NeverDeleted, check_numbers, link
from rules.authoring.resources import FORMATS


class JudgmentResource(ModelResource):
    """Out only; files come in by the import of qrels, which shows first what would change."""

    topic = Field("topic__name", "topic")
    query = Field("topic__query", "query")
    domain = Field("topic__domain__slug", "domain")
    split = Field("topic__split", "split")

    class Meta:
        model = Judgment
        fields = [
            "topic", "query", "domain", "split", "locator", "grade", "kind", "judge", "adjudicates", "explanation",
            "created_at",
        ]  # fmt: skip


class JudgeFilter(admin.SimpleListFilter):
    title = pgettext_lazy("label", "judge")  # the person, not what they do
    parameter_name = "judge"

    def lookups(self, request: HttpRequest, model_admin: ModelAdmin) -> list[tuple[str, str]]:
        known = model_admin.get_queryset(request).order_by("judge").values_list("judge", flat=True).distinct()
        return [(judge, judge) for judge in known]

    def queryset(self, request: HttpRequest, queryset: QuerySet) -> QuerySet:
        return queryset.filter(judge=self.value()) if self.value() else queryset


@admin.register(Judgment)
class JudgmentAdmin(NeverDeleted, HistoryByNumber, SimpleHistoryAdmin, ExportMixin, ModelAdmin):
    """Who may only judge sees their own judgments, lest others' grades sway them. History keeps every grade."""

    resource_classes = [JudgmentResource]
    export_form_class = ExportForm
    list_before_template = "admin/evaluation/_exchange.html"
    object_history_list_template = "admin/evaluation/_grades_given.html"
    list_display = [
        "topic", "locator", "grade", "final", "kind", "judge", "explanation", "created_at", "work",
    ]  # fmt: skip
    list_filter = [
        "kind",
        JudgeFilter,
        "grade",
        "adjudicates",
        ("topic__domain", admin.RelatedOnlyFieldListFilter),
        "topic__split",
    ]
    list_select_related = ["topic"]
    list_per_page = 50
    search_fields = ["topic__query", "topic__name", "locator", "explanation"]
    show_full_result_count = False
    date_hierarchy = "created_at"
    fields = [
        "topic", "locator", "section", "chunk", "grade", "explanation", "kind", "judge", "adjudicates", "created_at",
    ]  # fmt: skip
    readonly_fields = ["topic", "locator", "section", "chunk", "kind", "judge", "adjudicates", "created_at"]

    def get_queryset(self, request: HttpRequest) -> QuerySet:
        return seen_by(request, super().get_queryset(request))

    def changelist_view(self, request: HttpRequest, extra_context: dict | None = None) -> HttpResponse:
        return super().changelist_view(request, (extra_context or {}) | {"may_import": may_import(request)})

    # -- What grades there were

    def get_history_queryset(self, request: HttpRequest, *args) -> QuerySet:
        return seen_by(request, super().get_history_queryset(request, *args))

    def set_history_delta_changes(
        self, request: HttpRequest, historical_records: Sequence, *args, **kwargs
    ) -> None:
        for newer, older in pairwise(historical_records):
            newer.before = older

    def history_form_view(self, request: HttpRequest, object_id: str, version_id: str, *args) -> HttpResponse:
        """Read only: a grade is given again by its judge, never put back by somebody else."""
        if request.method != "GET":
            raise PermissionDenied
        check_numbers(object_id, version_id)
        if not seen_by(request, Judgment.history.filter(pk=version_id)).exists():
            raise Http404
        return super().history_form_view(request, object_id, version_id, *args)

    def revert_disabled(self, request: HttpRequest, obj: Judgment | None = None) -> bool:
        return True

    def has_add_permission(self, request: HttpRequest) -> bool:
        """Judgments are made where the text is seen."""
        return False

    def has_change_permission(self, request: HttpRequest, obj: Judgment | None = None) -> bool:
        is_own = obj is None or own_judgments(request.user).filter(pk=obj.pk).exists()
        return is_own and super().has_change_permission(request, obj)

    def get_export_formats(self) -> list:
        return FORMATS

    @admin.display(description=gettext_lazy("Final"), ordering="adjudicates", empty_value="")
    def final(self, judgment: Judgment) -> str | None:
        return _("final") if judgment.adjudicates else None

    @admin.display(description="")
    def work(self, judgment: Judgment) -> SafeString:
        place = urlencode({"topic": judgment.topic_id, "locator": judgment.locator})
        return link(f"{reverse('admin_judge')}?{place}", gettext_lazy("judge"))


def seen_by(request: HttpRequest, judgments: QuerySet) -> QuerySet:
    """Of judgments or their history."""
    known = judgments_for(caller_of(request), judgments)
    if request.user.has_perm("evaluation.change_judgment"):
        return known
    return known.filter(humans(""), judge=request.user.get_username())
