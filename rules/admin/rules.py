"""The admin of rules: a form of rows, a page on which a rule is written as a sentence, the steps from draft to
published as buttons, history, copies, files; and what last night's check found wrong with them.
"""

from collections.abc import Callable
from typing import Any

from django.contrib import admin, messages
from django.core.exceptions import ValidationError
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import path, reverse
from django.utils import timezone
from django.utils.html import format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from simple_history.models import ModelChange
from simple_history.template_utils import HistoricalRecordContextHelper
from unfold.admin import ModelAdmin
from unfold.decorators import display

from retrieval.access.caller import Caller
from retrieval.access.middleware import caller_of
from retrieval.admin.base import ObjectAction, ObjectActions, ReadOnly, admin_url, link
from retrieval.models import Domain
from rules.admin import corpus_browser
from rules.admin.base import CuratedAdmin, earlier_line
from rules.admin.corpus_browser import values_for
from rules.admin.rule_form import ACTIONS, CLAUSES, EDITED, RuleForm, clauses_text, draft_fields
from rules.authoring import drafting, rule_checks, workflow
from rules.authoring.grammar.names import LONGEST, Draft
from rules.authoring.resources import RuleResource
from rules.linting.conflicts import message
from rules.linting.usage import with_uses
from rules.models import Rule, RuleFinding


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


def step(
    run: Callable[[HttpRequest, Rule], Rule], *, warns: bool = False
) -> Callable[[HttpRequest, Rule], None]:
    """A button that takes one step of the workflow. `warns`: tells then what stands against the rule."""

    def taken(request: HttpRequest, rule: Rule) -> None:
        done = run(request, rule)
        messages.success(request, _("The rule is now “%s”.") % done.get_status_display())
        if warns:
            warn(request, done)

    return taken


def warn(request: HttpRequest, rule: Rule) -> None:
    for warning in workflow.warnings(rule, caller_of(request)):
        messages.warning(request, warning)


def copied(request: HttpRequest, rule: Rule) -> HttpResponse:
    return redirect(admin_url(workflow.copy(rule, by=request.user)))


def permitted(permission: str) -> Callable[[HttpRequest, Rule], bool]:
    return lambda request, rule: request.user.has_perm(f"rules.{permission}_rule")


def may_approve(request: HttpRequest, rule: Rule) -> bool:
    """Whether the rule was proposed and waits for this person among others."""
    waits = rule.status == Rule.Status.PROPOSED and not workflow.waits_for_another(rule, request.user)
    return waits and permitted("publish")(request, rule)


def has_status(*statuses: str) -> Callable[[Rule], bool]:
    return lambda rule: rule.status in statuses


def private_domains(targets: list[dict], caller: Caller) -> list[str]:
    """The private domains that a rule upon these targets must name."""
    rule = Rule(criteria=[{"kind": "always"}], targets=targets, actions=[{"kind": "exclude"}])
    try:
        return rule_checks.undeclared(rule, caller)
    except ValidationError:  # shown when the form is posted
        return []


class ClauseChanges(HistoricalRecordContextHelper):
    """What changed from one line of history to the next, as the form names it."""

    def prepare_delta_change_value(self, change: ModelChange, value: Any) -> Any:
        if change.field in CLAUSES:
            return clauses_text(change.field, value)
        return super().prepare_delta_change_value(change, value)


@admin.register(Rule)
class RuleAdmin(ObjectActions, RulesInWords, CuratedAdmin):
    """What searches apply changes only by the buttons; saving makes a draft."""

    form = RuleForm
    list_before_template = "admin/rules/_in_words.html"
    change_form_outer_before_template = "admin/rules/_actions.html"
    resource_classes = [RuleResource]
    list_display = [
        "name", "state", "does", "domain_names", "priority", "valid_to", "owner", "fired_lately", "last_fired",
        "changed", "by",
    ]  # fmt: skip
    list_filter = ["status", "owner", "valid_to"]
    list_select_related = ["owner"]
    search_fields = ["name", "rationale", "tags", "targets", "criteria"]
    autocomplete_fields = ["owner"]
    history_list_display = ["status", "version"]
    readonly_fields = ["state_text", "version", "proposed_by", "published_by", "published_at"]
    fieldsets = [
        (None, {"fields": ["name", "state_text", "domains"]}),
        (gettext_lazy("When a question"), {"fields": ["criteria"]}),
        (gettext_lazy("Upon"), {"fields": ["targets"]}),
        (gettext_lazy("Do"), {"fields": ["actions"]}),
        (
            gettext_lazy("How long, and why"),
            {"fields": ["priority", "valid_from", "valid_to", "rationale", "tags", "owner", "reason"]},
        ),
        (
            gettext_lazy("Publication"),
            {"fields": ["version", "proposed_by", "published_by", "published_at"], "classes": ["collapse"]},
        ),
    ]
    Status = Rule.Status
    object_actions = (
        ObjectAction(
            "propose",
            gettext_lazy("Propose"),
            step(
                lambda request, rule: workflow.propose(rule, by=request.user, caller=caller_of(request)), warns=True
            ),
            permitted("change"),
            has_status(Status.DRAFT, Status.RETIRED),
            shown=workflow.digest_of,
        ),
        ObjectAction(
            "publish",
            gettext_lazy("Approve and publish"),
            step(
                lambda request, rule: workflow.publish(rule, by=request.user, caller=caller_of(request)), warns=True
            ),
            permitted("publish"),
            lambda rule: rule.status in workflow.publishable(),
            shown=workflow.digest_of,
        ),
        ObjectAction(
            "send-back",
            gettext_lazy("Send back"),
            step(lambda request, rule: workflow.send_back(rule, by=request.user)),
            permitted("change"),
            has_status(Status.PROPOSED),
        ),
        ObjectAction(
            "retire",
            gettext_lazy("Retire"),
            step(lambda request, rule: workflow.retire(rule, by=request.user)),
            permitted("publish"),
            lambda rule: rule.live is not None,
        ),
        ObjectAction(
            "copy",
            gettext_lazy("Copy"),
            copied,
            permitted("add"),
        ),
    )

    def offered(self, request: HttpRequest, obj: Rule) -> list[dict[str, str]]:
        """Without the approval of one's own proposal, which would be refused."""
        buttons = super().offered(request, obj)
        if not workflow.waits_for_another(obj, request.user):
            return buttons
        own = {self.action_url(obj, action) for action in self.object_actions if action.name == "publish"}
        return [button for button in buttons if button["url"] not in own]

    def render_change_form(self, request: HttpRequest, context: dict, *args, **kwargs) -> HttpResponse:
        obj = context["as_saved"] = kwargs.get("obj")  # the page of an older version has the same template without it
        if obj and workflow.waits_for_another(obj, request.user):
            context["own_proposal"] = True
            context["approvers"] = workflow.first_names(workflow.approvers(obj))
            context["publishers"] = workflow.first_names(workflow.publishers(obj))
        if obj and may_approve(request, obj):
            context["warnings"] = workflow.warnings(obj, caller_of(request))
        return super().render_change_form(request, context, *args, **kwargs)

    def visible(self, rows: QuerySet, caller: Caller) -> QuerySet:
        slugs = list(Domain.objects.visible_to(caller).values_list("slug", flat=True))
        return rows.filter(domains__contained_by=slugs)

    def get_queryset(self, request: HttpRequest) -> QuerySet:
        return with_uses(super().get_queryset(request), caller_of(request))

    def get_historical_record_context_helper(self, request: HttpRequest, record: Any) -> ClauseChanges:
        return ClauseChanges(self.model, record)

    def status(self, line: Any) -> str:
        """Of a line of history."""
        return line.get_status_display()

    def get_form(self, request: HttpRequest, obj: Rule | None = None, **kwargs):
        form = super().get_form(request, obj, **kwargs)
        form.caller = caller_of(request)
        domains = Domain.objects.visible_to(form.caller)
        form.base_fields["domains"].choices = [(domain.slug, domain.local_name) for domain in domains]
        return form

    def get_changeform_initial_data(self, request: HttpRequest) -> dict:
        """A rule may begin from a question and a result of it, `?question=` and `?locator=`, or from what was ticked
        in the browser, `?target=`.
        """
        initial = super().get_changeform_initial_data(request)
        question, place = request.GET.get("question", ""), request.GET.get("locator", "")
        if ticked := corpus_browser.targets_of(request.GET.getlist("target")):
            initial["targets"] = ticked
        if question:
            initial |= {"name": question[:100], "criteria": [{"kind": "exact", "value": question[:300]}]}
        if place:
            initial |= {
                "targets": [{"kind": "section", "value": place[:300]}],
                "actions": [{"kind": "pin", "position": 1}],
            }
        return initial | {"domains": private_domains(initial.get("targets", []), caller_of(request))}

    def save_model(self, request: HttpRequest, obj: Rule, form: RuleForm, change: bool) -> None:
        """Only what the form edits is taken: a line of history brings an old publication along, which stays old."""
        row = Rule.objects.get(pk=obj.pk) if change else obj
        for name in EDITED:
            setattr(row, name, getattr(obj, name))
        workflow.save_draft(row, by=request.user, reason=form.cleaned_data.get("reason", ""))
        obj.status, obj.live, obj.version = row.status, row.live, row.version
        if earlier_line(obj) and row.status == Rule.Status.DRAFT:
            messages.warning(request, _("The older version is saved as a draft: it is not published."))
        warn(request, row)

    # -- Pages beside the form

    def get_urls(self) -> list:
        return [
            path("places/", self.page(values_for, self.has_view_permission), name="rules_rule_places"),
            path("browse/", self.page(self.browse_view, self.has_view_permission), name="rules_rule_browse"),
            *super().get_urls(),
        ]

    def browse_view(self, request: HttpRequest) -> HttpResponse:
        """The corpus, to tick targets in."""
        template, context = corpus_browser.look(request)
        page = {"title": _("Pick by looking"), "opts": self.opts, "may_add": self.has_add_permission(request)}
        around = {} if request.htmx else self.admin_site.each_context(request) | page
        return render(request, template, around | context)

    # -- Columns

    @display(
        description=gettext_lazy("State"),
        ordering="status",
        label={"draft": "info", "proposed": "warning", "published": "success", "retired": "danger"},
    )
    def state(self, rule: Rule) -> tuple[str, str]:
        return rule.status, self.state_text(rule)

    @admin.display(description=gettext_lazy("State"))
    def state_text(self, rule: Rule) -> str:
        if not rule.has_unpublished_changes:
            return rule.get_status_display()
        values = {"status": rule.get_status_display(), "version": rule.version}
        return _("%(status)s; version %(version)d is in force") % values

    @admin.display(description=gettext_lazy("Does"))
    def does(self, rule: Rule) -> str:
        labels = dict(ACTIONS)
        return ", ".join(str(labels.get(action.get("kind"), "?")) for action in rule.actions)

    @admin.display(description=gettext_lazy("Domains"))
    def domain_names(self, rule: Rule) -> str:
        return ", ".join(rule.domains) or _("all")

    @admin.display(description=gettext_lazy("Fired in 30 days"), ordering="fired_lately")
    def fired_lately(self, rule: Rule) -> int:
        return rule.fired_lately

    @admin.display(description=gettext_lazy("Last fired"), ordering="last_fired", empty_value="-")
    def last_fired(self, rule: Rule):
        return rule.last_fired


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
