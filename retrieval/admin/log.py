"""What was asked and how it was answered: the search log, traces and feedback, all read-only."""

from django.contrib import admin
from django.db.models import Q, QuerySet
from django.http import HttpRequest
from django.urls import reverse
from django.utils.http import urlencode
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from unfold.admin import ModelAdmin

from retrieval.access.middleware import caller_of
from retrieval.admin import access
from retrieval.admin.base import ReadOnly, link
from retrieval.models import Feedback, SearchLog, Trace
from retrieval.search.log import trace_for

CHANNELS = ("page", "api", "command", "admin")


def known_to(request: HttpRequest, searches: str = "") -> Q:
    """Searches of public domains alone, and one's own. `searches`: the path to the search log, "log__"."""
    return Q(**{f"{searches}private": False}) | Q(**{f"{searches}caller": caller_of(request).scope_key})


def trace_link(trace_id: object, text: object) -> SafeString:
    return link(reverse("retrieval:trace", args=[trace_id]), text)


class ColumnFilter(admin.SimpleListFilter):
    """By the values that a column may have; nothing is asked of so long a table to list them."""

    def queryset(self, request: HttpRequest, queryset: QuerySet) -> QuerySet:
        return queryset.filter(**{self.parameter_name: self.value()}) if self.value() else queryset


class ChannelFilter(ColumnFilter):
    title = gettext_lazy("channel")
    parameter_name = "channel"

    def lookups(self, request: HttpRequest, model_admin: ModelAdmin) -> list[tuple[str, str]]:
        return [(channel, channel) for channel in CHANNELS]


class LanguageFilter(ColumnFilter):
    title = gettext_lazy("language")
    parameter_name = "language"

    def lookups(self, request: HttpRequest, model_admin: ModelAdmin) -> list[tuple[str, str]]:
        return [("en", _("English")), ("es", _("Spanish"))]


@admin.register(SearchLog)
class SearchLogAdmin(ReadOnly, ModelAdmin):
    list_display = [
        "created_at", "question", "channel", "language", "cached", "abstained", "result_count", "probability",
        "took_ms", "trace",
    ]  # fmt: skip
    list_filter = [ChannelFilter, "cached", "abstained", LanguageFilter, "created_at"]
    list_per_page = 50
    search_fields = ["query_text"]
    show_full_result_count = False
    date_hierarchy = "created_at"
    readonly_fields = ["question", "trace", "try_again", "shown", "asked_by"]
    fields = [
        "question", "try_again", "trace", "created_at", "channel", "language", "domains", "pipeline", "asked_by",
        "took_ms", "cached", "cached_from", "abstained", "degraded", "result_count", "probability",
        "strategy", "corrected", "shown", "versions",
    ]  # fmt: skip

    @admin.display(description=gettext_lazy("Question"), ordering="query_text")
    def question(self, log: SearchLog) -> str:
        return log.query_text or _("not kept")

    @admin.display(description=gettext_lazy("Asked by"))
    def asked_by(self, log: SearchLog) -> str:
        return access.named(log.caller)

    @admin.display(description=gettext_lazy("Trace"))
    def trace(self, log: SearchLog) -> SafeString:
        return trace_link(log.pk, _("trace"))

    @admin.display(description=gettext_lazy("Try again"))
    def try_again(self, log: SearchLog) -> SafeString | str:
        if not log.query_text:
            return "-"
        asked = {"q": log.query_text, "language": log.language, "pipeline": log.pipeline}
        return link(f"{reverse('admin_try')}?{urlencode(asked)}", _("Try this query"))

    @admin.display(description=gettext_lazy("First results"))
    def shown(self, log: SearchLog) -> str:
        return ", ".join(log.readable_locators) or "-"

    def get_queryset(self, request: HttpRequest) -> QuerySet:
        return super().get_queryset(request).filter(known_to(request))

    def get_object(self, request: HttpRequest, object_id: str, from_field: str | None = None):
        """Private provisions are named only to those who may read them."""
        log = super().get_object(request, object_id, from_field)
        if log is not None:
            log.readable_locators = trace_for(str(log.pk), caller_of(request))["top_locators"]
        return log


@admin.register(Trace)
class TraceAdmin(ReadOnly, ModelAdmin):
    list_display = ["created_at", "log", "open_trace"]
    list_filter = ["log__abstained", "created_at"]
    list_per_page = 50
    list_select_related = ["log"]
    search_fields = ["log__query_text"]
    show_full_result_count = False
    date_hierarchy = "created_at"
    fields = ["log", "created_at", "open_trace"]
    readonly_fields = ["open_trace"]

    def get_queryset(self, request: HttpRequest) -> QuerySet:
        return super().get_queryset(request).filter(known_to(request, "log__")).defer("detail")

    @admin.display(description=gettext_lazy("Trace"))
    def open_trace(self, trace: Trace) -> SafeString:
        return trace_link(trace.pk, _("trace"))


@admin.register(Feedback)
class FeedbackAdmin(ReadOnly, ModelAdmin):
    list_display = ["created_at", "verdict", "locator", "log", "comment"]
    list_filter = ["verdict", "created_at"]
    list_select_related = ["log"]
    search_fields = ["locator", "comment"]

    def get_queryset(self, request: HttpRequest) -> QuerySet:
        return super().get_queryset(request).filter(known_to(request, "log__"))
