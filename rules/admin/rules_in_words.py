"""The page on which staff write a rule as a sentence."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import path
from django.utils import timezone
from django.utils.translation import gettext as _

from retrieval.access.caller import Caller
from retrieval.admin.base import admin_url, caller_of
from rules.admin.clause_labels import draft_fields
from rules.authoring import drafting
from rules.authoring.grammar.sentence import LONGEST, Draft


class RulesInWords:
    """What the admin of rules has for it."""

    def get_urls(self) -> list:
        view = self.page(self.in_words_view, self.has_add_permission)
        return [path("in-words/", view, name="rules_rule_in_words"), *super().get_urls()]

    def changelist_view(self, request: HttpRequest, extra_context: dict | None = None) -> HttpResponse:
        offered_here = {"may_write": self.has_add_permission(request)}
        return super().changelist_view(request, (extra_context or {}) | offered_here)

    def in_words_view(self, request: HttpRequest) -> HttpResponse:
        """Shows the rule that a sentence asks for; a POST of the same sentence keeps it as a draft."""
        sentence = (request.POST or request.GET).get("sentence", "").strip()[:LONGEST]
        caller = caller_of(request)
        reading = read_in_words(request, sentence, caller)
        if request.method == "POST" and isinstance(reading.made, Draft):
            rule = drafting.save(sentence, reading.made, by=request.user, model=reading.model)
            return redirect(admin_url(rule))
        page = {"title": _("A rule in words"), "opts": self.opts, "sentence": sentence, "reading": reading}
        shown = (
            {
                "fields": draft_fields(reading.made),
                "warnings": drafting.warnings(sentence, reading.made, caller),
            }
            if isinstance(reading.made, Draft)
            else {"questions": [drafting.question_text(asked) for asked in reading.made]}
        )
        return render(
            request, "admin/rules/in_words.html", self.admin_site.each_context(request) | page | shown
        )


def read_in_words(request: HttpRequest, sentence: str, caller: Caller) -> drafting.Reading:
    """What a model read is kept as it was shown: it is not asked a second time."""
    token = request.POST.get("token", "")
    kept = drafting.reading_kept(sentence, token, caller) if token else None
    return kept or drafting.read(sentence, caller, today=timezone.localdate())
