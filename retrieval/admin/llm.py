"""Language models: whether and how much they may be asked, and what they said and cost, the latter read-only."""

from django.contrib import admin
from django.http import HttpRequest
from django.urls import reverse
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from unfold.admin import ModelAdmin
from unfold.decorators import display

from retrieval.admin.base import NeverDeleted, ReadOnly, link
from retrieval.admin.log import trace_link
from retrieval.engines.llm import budget, refusals
from retrieval.engines.llm import service as llm
from retrieval.models import LLMCall, LLMPolicy, LLMVerdict, WrittenSummary

COLOURS = {
    "answered": "success",
    "asked": "info",
    **dict.fromkeys(("refused", "injected", "unsupported"), "warning"),
    **dict.fromkeys(("malformed", "timeout", "rate_limited", "unavailable", "error"), "danger"),
}


@admin.register(LLMPolicy)
class LLMPolicyAdmin(NeverDeleted, ModelAdmin):
    list_display = ["__str__", "enabled", "price_in", "price_out", "spent"]
    fields = ["model_asked", "refused", "enabled", "daily_budget", "price_in", "price_out", "spent"]
    readonly_fields = ["model_asked", "refused", "spent"]

    def has_add_permission(self, request: HttpRequest) -> bool:
        """There is one policy."""
        return super().has_add_permission(request) and not LLMPolicy.objects.exists()

    @admin.display(description=gettext_lazy("Model"))
    def model_asked(self, policy: LLMPolicy) -> str:
        endpoint = llm.endpoint()
        return endpoint.model if endpoint else _("none: ARF_LLM_MODEL is not set")

    @admin.display(description=gettext_lazy("Refused by its server"), empty_value="-")
    def refused(self, policy: LLMPolicy) -> str:
        """What is no longer asked of it, until `manage.py check_llm`."""
        endpoint = llm.endpoint()
        return ", ".join(sorted(refusals.refused_options(endpoint))) if endpoint else ""

    @admin.display(description=gettext_lazy("Spent today (UTC)"))
    def spent(self, policy: LLMPolicy) -> str:
        spent = f"{budget.spent_today():.4f} USD"
        if policy.price_in or policy.price_out:
            return spent
        return _("%(spent)s; without prices nothing counts, and the budget holds nothing back") % {"spent": spent}


@admin.register(LLMCall)
class LLMCallAdmin(ReadOnly, ModelAdmin):
    list_display = [
        "created_at", "purpose", "state", "model", "tokens_in", "tokens_out", "cost", "ms", "search",
    ]  # fmt: skip
    list_filter = ["outcome", "purpose", "model", "created_at"]
    list_per_page = 50
    ordering = ["-created_at"]
    show_full_result_count = False
    date_hierarchy = "created_at"

    @admin.display(description=gettext_lazy("Search"), empty_value="-")
    def search(self, call: LLMCall) -> SafeString | None:
        """Its trace; a call made in measuring served none."""
        return trace_link(call.log, _("trace")) if call.log else None

    @display(description=gettext_lazy("Outcome"), ordering="outcome", label=COLOURS)
    def state(self, call: LLMCall) -> tuple[str, str]:
        return call.outcome, call.outcome


@admin.register(LLMVerdict)
class LLMVerdictAdmin(ReadOnly, ModelAdmin):
    list_display = ["created_at", "score", "section", "model", "reason"]
    list_filter = ["score", "model", "created_at"]
    list_per_page = 50
    ordering = ["-created_at"]
    show_full_result_count = False
    search_fields = ["reason"]
    fields = ["created_at", "score", "reason", "section", "model", "prompt_version", "query_hash"]
    readonly_fields = ["section"]

    @admin.display(description=gettext_lazy("Section"), ordering="section_id")
    def section(self, verdict: LLMVerdict) -> SafeString:
        return link(reverse("admin:retrieval_section_change", args=[verdict.section_id]), verdict.section_id)


@admin.register(WrittenSummary)
class WrittenSummaryAdmin(ReadOnly, ModelAdmin):
    """The filters count what is shown (no problem) and what is not, and why."""

    list_display = ["written_at", "of", "language", "shown", "not_shown", "problem", "model"]
    list_filter = ["problem", "language", "model", "written_at"]
    list_per_page = 50
    list_select_related = ["section"]
    ordering = ["-written_at"]
    show_facets = admin.ShowFacets.ALWAYS
    show_full_result_count = False
    fields = ["written_at", "of", "language", "model", "problem", "sentences", "withheld"]
    readonly_fields = ["of"]

    @admin.display(description=gettext_lazy("Section"), ordering="section_id")
    def of(self, summary: WrittenSummary) -> SafeString:
        return link(reverse("admin:retrieval_section_change", args=[summary.section_id]), str(summary.section))

    @admin.display(description=gettext_lazy("Sentences shown"))
    def shown(self, summary: WrittenSummary) -> int:
        return len(summary.sentences)

    @admin.display(description=gettext_lazy("Withheld"))
    def not_shown(self, summary: WrittenSummary) -> int:
        return len(summary.withheld)
