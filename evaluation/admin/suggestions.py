"""The admin of suggested rules: failing topics, each with the rule that would mend it and what it would do to all."""

from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import path, reverse
from django.utils.html import format_html_join
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_POST
from unfold.admin import ModelAdmin
from unfold.decorators import display

from evaluation.admin.figures import bullets
from evaluation.models import RuleSuggestion, Topic
from evaluation.rule_impact import impact, suggestions
from retrieval import jobs
from retrieval.access.middleware import caller_of
from retrieval.admin.base import ObjectAction, ObjectActions, ReadOnly, admin_link, admin_url
from retrieval.errors import ArfError
from retrieval.models import JobRun
from retrieval.models.uploads import in_words
from rules.admin.rule_form import CLAUSES, clauses_text

COLOURS = {"open": "info", "drafted": "success", "dismissed": "warning"}


def may_draft(request: HttpRequest, obj: object = None) -> bool:
    return request.user.has_perm("rules.add_rule")


def may_look(request: HttpRequest) -> bool:
    return may_draft(request) and request.user.has_perm("retrieval.add_jobrun")


def is_open(suggestion: RuleSuggestion) -> bool:
    return suggestion.status == RuleSuggestion.Status.OPEN


def draft(request: HttpRequest, suggestion: RuleSuggestion) -> HttpResponse:
    rule = suggestions.make_draft(suggestion, by=request.user)
    messages.success(request, _("This is a draft: it changes no search until it is approved and published."))
    return redirect(admin_url(rule))


def dismiss(request: HttpRequest, suggestion: RuleSuggestion) -> HttpResponse:
    suggestions.dismiss(suggestion, by=request.user)
    messages.success(request, _("It will not be suggested again."))
    return redirect(reverse("admin:evaluation_rulesuggestion_changelist"))


@admin.register(RuleSuggestion)
class RuleSuggestionAdmin(ObjectActions, ReadOnly, ModelAdmin):
    object_actions = (
        ObjectAction("draft", gettext_lazy("Make a draft rule"), draft, may_draft, is_open),
        ObjectAction("dismiss", gettext_lazy("Dismiss"), dismiss, may_draft, is_open),
    )
    list_before_template = "admin/evaluation/_suggest.html"
    list_display = ["topic", "failure", "suggested_rule", "gain_interval", "touched", "hurt_count", "state"]
    list_filter = ["status", "failure", "topic__domain"]
    list_select_related = ["topic"]
    list_per_page = 50
    search_fields = ["topic__query", "topic__name"]
    fields = [
        "topic_link", "failure", "suggested_rule", "gain_interval", "topics", "touched", "mended_topics", "hurt_topics",
        "tried_beside", "state", "rule", "settled_by", "settled_at", "created_at",
    ]  # fmt: skip
    readonly_fields = fields

    def get_queryset(self, request: HttpRequest) -> QuerySet:
        return super().get_queryset(request).visible_to(caller_of(request))

    def get_urls(self) -> list:
        view = self.admin_site.admin_view(require_POST(self.look_view))
        return [path("look/", view, name="evaluation_rulesuggestion_look"), *super().get_urls()]

    def changelist_view(self, request: HttpRequest, extra_context: dict | None = None) -> HttpResponse:
        offered = {
            "may_look": may_look(request),
            "running": JobRun.objects.unfinished().filter(key=suggestions.request()["key"]),
            "first": suggestions.FIRST,
        }
        return super().changelist_view(request, (extra_context or {}) | offered)

    def look_view(self, request: HttpRequest) -> HttpResponse:
        """Begins the job; its page opens."""
        if not may_look(request):
            raise PermissionDenied
        try:
            return redirect(admin_url(jobs.enqueue(**suggestions.request(), by=request.user)))
        except ArfError as problem:
            messages.error(request, in_words(problem.refusal))
            return redirect(reverse("admin:evaluation_rulesuggestion_changelist"))

    @admin.display(description=gettext_lazy("Topic"))
    def topic_link(self, row: RuleSuggestion) -> SafeString:
        return admin_link(row.topic)

    @admin.display(description=gettext_lazy("Suggested rule"))
    def suggested_rule(self, row: RuleSuggestion) -> SafeString:
        lines = [clauses_text(name, row.content[name]) for name in CLAUSES]
        return format_html_join(mark_safe("<br>"), "{}", ((line,) for line in lines if line))

    @admin.display(description=gettext_lazy("Predicted gain in nDCG@10"), ordering="gain")
    def gain_interval(self, row: RuleSuggestion) -> str:
        return f"{row.gain:+.4f} ({row.gain_low:+.4f} … {row.gain_high:+.4f})"

    @admin.display(description=gettext_lazy("Makes worse"))
    def hurt_count(self, row: RuleSuggestion) -> int:
        return len(row.hurt)

    @admin.display(description=gettext_lazy("Topics it would mend"), empty_value="-")
    def mended_topics(self, row: RuleSuggestion) -> SafeString | None:
        return topic_links(row.mended)

    @admin.display(description=gettext_lazy("Topics it would make worse"), empty_value="-")
    def hurt_topics(self, row: RuleSuggestion) -> SafeString | None:
        return topic_links(row.hurt)

    @admin.display(description=gettext_lazy("Tried beside"))
    def tried_beside(self, row: RuleSuggestion) -> str:
        if row.rules_version == impact.rules_version():
            return _("the rules in force now")
        return _("rules that have changed since: look for suggestions again")

    @display(description=gettext_lazy("State"), ordering="status", label=COLOURS)
    def state(self, row: RuleSuggestion) -> tuple[str, str]:
        return row.status, row.get_status_display()


def topic_links(names: list[str]) -> SafeString | None:
    found = Topic.objects.filter(name__in=names)
    return bullets(admin_link(topic) for topic in found) if names else None
