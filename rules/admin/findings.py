"""The admin of findings: what last night's check found wrong with the rules in force. Read only."""

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from django.urls import reverse
from django.utils.html import format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext_lazy
from unfold.admin import ModelAdmin

from retrieval.admin.base import ReadOnly, caller_of, link
from rules.linting.conflicts import message
from rules.models import RuleFinding


@admin.register(RuleFinding)
class RuleFindingAdmin(ReadOnly, ModelAdmin):
    """What last night's check found wrong with the rules in force."""

    list_display = ["kind", "message", "about", "question", "found_at"]
    list_display_links = None
    list_filter = ["kind", "joined"]
    search_fields = ["names", "question", "detail"]

    def get_queryset(self, request: HttpRequest) -> QuerySet:
        return super().get_queryset(request).visible_to(caller_of(request))

    @admin.display(description=gettext_lazy("What is wrong"))
    def message(self, row: RuleFinding) -> str:
        return message(row.reason, row.names, row.detail)

    @admin.display(description=gettext_lazy("Rules"))
    def about(self, row: RuleFinding) -> SafeString:
        pages = (
            link(reverse("admin:rules_rule_change", args=[number]), name)
            for number, name in zip(row.rules, row.names, strict=True)
        )
        return format_html_join(", ", "{}", ((page,) for page in pages))
