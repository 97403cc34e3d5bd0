"""The admin of rules: a form of rows, the way from draft to published as buttons, history, copies, files."""

from typing import Any

from django import forms
from django.contrib import admin, messages
from django.contrib.admin.utils import unquote
from django.core.exceptions import PermissionDenied, ValidationError
from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import path, reverse, reverse_lazy
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.html import format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from import_export.admin import ImportExportModelAdmin
from simple_history.admin import SimpleHistoryAdmin
from simple_history.models import ModelChange
from simple_history.template_utils import HistoricalRecordContextHelper
from unfold.admin import ModelAdmin
from unfold.contrib.import_export.forms import ExportForm, ImportForm
from unfold.decorators import display

from retrieval.admin.base import (
    NeverDeleted,
    ObjectAction,
    ObjectActions,
    ReadOnly,
    admin_url,
    caller_of,
    link,
)
from retrieval.models import Document, Domain, Section
from retrieval.ranking import ANONYMOUS, Caller
from rules import browser, browsing, drafting, proving, workflow
from rules.clauses import PAGED
from rules.curation import with_last_change
from rules.exchange import FORMATS, RuleResource
from rules.forms import ReasonedForm, provisions_like
from rules.models import Rule, RuleFinding
from rules.rows import (
    Column,
    RowsField,
    RowsWidget,
    action_boxes,
    criterion_boxes,
    read_action,
    read_criterion,
    read_target,
    target_boxes,
)
from rules.sentences import LONGEST, Draft
from rules.usage import with_uses

OFFERED = 30  # values offered while one types
LOCATED = ("section", "cites", "definitions", "citation")
NAMING = ("domains", "criteria", "targets", "actions")
EDITED = ("name", "owner", *workflow.CONTENT)

CRITERIA = (
    ("keywords", gettext_lazy("has one of these words or phrases")),
    ("always", gettext_lazy("always")),
    ("exact", gettext_lazy("is exactly")),
    ("starts_with", gettext_lazy("begins with")),
    ("contains", gettext_lazy("contains the letters")),
    ("regex", gettext_lazy("matches the pattern (RE2)")),
    ("citation", gettext_lazy("cites this place")),
    ("language", gettext_lazy("is in the language (en, es)")),
    ("domain", gettext_lazy("is asked in the domain")),
    ("jurisdiction", gettext_lazy("is asked in the jurisdiction")),
)
TARGETS = (
    ("section", gettext_lazy("provision with all below it")),
    ("heading", gettext_lazy("provisions whose heading has the words")),
    ("pages", gettext_lazy("pages of every document")),
    ("document", gettext_lazy("document")),
    ("filename", gettext_lazy("file")),
    ("tag", gettext_lazy("documents with the tag")),
    ("metadata", gettext_lazy("documents whose metadata say")),
    ("chunk", gettext_lazy("passages by number")),
    ("cites", gettext_lazy("whatever cites this provision")),
    ("definitions", gettext_lazy("the definitions this provision uses")),
)
ACTIONS = (
    ("pin", gettext_lazy("show at the place")),
    ("restrict", gettext_lazy("search only there")),
    ("boost", gettext_lazy("raise by the factor")),
    ("bury", gettext_lazy("lower by the factor")),
    ("exclude", gettext_lazy("never show")),
    ("alias", gettext_lazy("name as an answer")),
    ("rewrite", gettext_lazy("ask instead")),
    ("synonym", gettext_lazy("look for these words too")),
    ("note", gettext_lazy("answer with the note")),
    ("redirect", gettext_lazy("lead to the provision")),
    ("abstain", gettext_lazy("give no answer")),
)
COMPARISONS = (
    ("is", gettext_lazy("is")),
    ("contains", gettext_lazy("contains")),
    ("at_least", gettext_lazy("at least")),
    ("at_most", gettext_lazy("at most")),
)
CLAUSES = {"criteria": CRITERIA, "targets": TARGETS, "actions": ACTIONS}
VALUED = tuple(kind for kind, _label in CRITERIA if kind != "always")
NAMED = tuple(kind for kind, _label in TARGETS if kind != "pages")
PLACES = reverse_lazy("admin:rules_rule_places")


def rows(label, kinds, columns, written, read, help_text, beside="") -> RowsField:
    widget = RowsWidget(kinds, columns, written, lambda: str(PLACES), beside)
    return RowsField(read=read, widget=widget, label=label, required=False, help_text=help_text)


class RuleForm(ReasonedForm):
    """Checks what `rules.clauses` checks; a problem is told at its list."""

    domains = forms.MultipleChoiceField(
        label=gettext_lazy("Domains"),
        required=False,
        widget=forms.CheckboxSelectMultiple,
        help_text=Rule._meta.get_field("domains").help_text,
    )
    criteria = rows(
        gettext_lazy("Criteria"),
        CRITERIA,
        [
            Column("value", gettext_lazy("What; words and phrases separated by ;"), VALUED),
            Column("stemmed", gettext_lazy("other forms of the words too"), ("keywords",), "checkbox"),
        ],
        criterion_boxes,
        read_criterion,
        Rule._meta.get_field("criteria").help_text,
    )
    targets = rows(
        gettext_lazy("Targets"),
        TARGETS,
        [
            Column("key", gettext_lazy("Name"), ("metadata",)),
            Column("comparison", gettext_lazy("How"), ("metadata",), "select", COMPARISONS),
            Column("value", gettext_lazy("Which"), NAMED),
            Column("pages", gettext_lazy("Pages, like 3-5, 8"), PAGED),
        ],
        target_boxes,
        read_target,
        Rule._meta.get_field("targets").help_text,
        beside="admin/rules/_looking.html",
    )
    actions = rows(
        gettext_lazy("Actions"),
        ACTIONS,
        [
            Column("amount", gettext_lazy("Place or factor"), ("pin", "boost", "bury")),
            Column(
                "phrase", gettext_lazy("In place of this phrase; empty: of the whole question"), ("rewrite",)
            ),
            Column(
                "text",
                gettext_lazy("Text or provision"),
                ("rewrite", "synonym", "note", "redirect"),
                "textarea",
            ),
        ],
        action_boxes,
        read_action,
        Rule._meta.get_field("actions").help_text,
    )

    caller = ANONYMOUS

    class Meta:
        model = Rule
        fields = EDITED

    def clean(self) -> dict:
        """A rule that names what is private is seen by whoever may see its domains: they must be ticked."""
        said = super().clean()
        try:
            missing = workflow.undeclared(Rule(**{name: said[name] for name in NAMING}), self.caller)
        except (KeyError, ValidationError):
            return said  # told at its field
        if missing:
            self.add_error("domains", workflow.told_undeclared(missing))
        return said


def step(run) -> callable:
    """A button that takes one step of the workflow."""

    def taken(request: HttpRequest, rule: Rule) -> None:
        done = run(request, rule)
        messages.success(request, _("The rule is now “%s”.") % done.get_status_display())

    return taken


def private_domains(targets: list[dict], caller: Caller) -> list[str]:
    """The private domains that a rule upon these targets must name."""
    try:
        return workflow.undeclared(
            Rule(criteria=[{"kind": "always"}], targets=targets, actions=[{"kind": "exclude"}]), caller
        )
    except ValidationError:  # told when the form is posted
        return []


def copied(request: HttpRequest, rule: Rule) -> HttpResponse:
    return redirect(admin_url(workflow.copy(rule, by=request.user)))


def may_change(request: HttpRequest, rule: Rule) -> bool:
    return request.user.has_perm("rules.change_rule")


def may_publish(request: HttpRequest, rule: Rule) -> bool:
    return request.user.has_perm("rules.publish_rule")


def has_status(*statuses: str):
    return lambda rule: rule.status in statuses


class ToldInWords(HistoricalRecordContextHelper):
    """What changed from one line of history to the next, as the form names it."""

    def prepare_delta_change_value(self, change: ModelChange, value: Any) -> Any:
        if change.field in CLAUSES:
            return "; ".join(row_told(row, CLAUSES[change.field]) for row in value)
        return super().prepare_delta_change_value(change, value)


@admin.register(Rule)
class RuleAdmin(ObjectActions, NeverDeleted, SimpleHistoryAdmin, ImportExportModelAdmin, ModelAdmin):
    """What searches apply changes only by the buttons; saving makes a draft."""

    form = RuleForm
    list_before_template = "admin/rules/_in_words.html"
    change_form_outer_before_template = "admin/rules/_actions.html"
    resource_classes = [RuleResource]
    import_form_class = ImportForm
    export_form_class = ExportForm
    list_display = [
        "name", "state", "does", "domains_told", "priority", "valid_to", "owner", "fired_lately", "last_fired",
        "changed", "by",
    ]  # fmt: skip
    list_filter = ["status", "owner", "valid_to"]
    list_select_related = ["owner"]
    list_per_page = 50
    search_fields = ["name", "rationale", "tags", "targets", "criteria"]
    autocomplete_fields = ["owner"]
    history_list_display = ["status", "version"]
    readonly_fields = ["state_told", "version", "proposed_by", "published_by", "published_at"]
    fieldsets = [
        (None, {"fields": ["name", "state_told", "domains"]}),
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
            step(lambda request, rule: workflow.propose(rule, by=request.user, caller=caller_of(request))),
            may_change,
            has_status(Status.DRAFT, Status.RETIRED),
        ),
        ObjectAction(
            "publish",
            gettext_lazy("Approve and publish"),
            step(lambda request, rule: workflow.publish(rule, by=request.user, caller=caller_of(request))),
            may_publish,
            lambda rule: rule.status in workflow.publishable(),
        ),
        ObjectAction(
            "send-back",
            gettext_lazy("Send back"),
            step(lambda request, rule: workflow.send_back(rule, by=request.user)),
            may_change,
            has_status(Status.PROPOSED),
        ),
        ObjectAction(
            "retire",
            gettext_lazy("Retire"),
            step(lambda request, rule: workflow.retire(rule, by=request.user)),
            may_publish,
            lambda rule: rule.live is not None,
        ),
        ObjectAction(
            "copy",
            gettext_lazy("Copy"),
            copied,
            lambda request, rule: request.user.has_perm("rules.add_rule"),
        ),
    )

    def get_queryset(self, request: HttpRequest) -> QuerySet:
        caller = caller_of(request)
        return with_uses(with_last_change(super().get_queryset(request).visible_to(caller)), caller)

    def get_history_queryset(self, request: HttpRequest, *args) -> QuerySet:
        visible = list(Domain.objects.visible_to(caller_of(request)).values_list("slug", flat=True))
        return super().get_history_queryset(request, *args).filter(domains__contained_by=visible)

    def get_historical_record_context_helper(self, request: HttpRequest, record: Any) -> ToldInWords:
        return ToldInWords(self.model, record)

    def status(self, line: Any) -> str:
        """Of a line of history."""
        return line.get_status_display()

    def history_form_view(self, request: HttpRequest, object_id: str, version_id: str, *args) -> HttpResponse:
        if self.get_object(request, unquote(object_id)) is None:
            raise Http404
        return super().history_form_view(request, object_id, version_id, *args)

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
        if ticked := browsing.targets_of(request.GET.getlist("target")):
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
        for warning in workflow.warnings(row, caller_of(request)):
            messages.warning(request, warning)

    # -- Files

    def get_import_formats(self) -> list:
        return FORMATS

    get_export_formats = get_import_formats

    def has_import_permission(self, request: HttpRequest) -> bool:
        return self.has_add_permission(request) and self.has_change_permission(request)

    def get_import_resource_kwargs(self, request: HttpRequest, **kwargs) -> dict:
        return {"caller": caller_of(request)}

    get_export_resource_kwargs = get_import_resource_kwargs

    # -- What is offered while one types

    def get_urls(self) -> list:
        wrap = self.admin_site.admin_view
        return [
            path("places/", wrap(self.places_view), name="rules_rule_places"),
            path("browse/", wrap(self.browse_view), name="rules_rule_browse"),
            path("in-words/", wrap(self.in_words_view), name="rules_rule_in_words"),
            *super().get_urls(),
        ]

    def places_view(self, request: HttpRequest) -> HttpResponse:
        """Options of a datalist: what the row's kind may name, with the words typed in it."""
        if not self.has_view_permission(request):
            raise PermissionDenied
        boxes = {name.rsplit("-", 1)[-1]: value for name, value in request.GET.items()}
        options = offered(boxes.get("kind", ""), boxes.get("value", "").strip(), request)
        return HttpResponse(format_html_join("", '<option value="{}">{}</option>', options))

    def browse_view(self, request: HttpRequest) -> HttpResponse:
        """The corpus, to tick targets in."""
        if not self.has_view_permission(request):
            raise PermissionDenied
        template, context = browser.look(request)
        page = {"title": _("Pick by looking"), "opts": self.opts, "may_add": self.has_add_permission(request)}
        around = {} if request.htmx else self.admin_site.each_context(request) | page
        return render(request, template, around | context)

    # -- Rules in words

    def changelist_view(self, request: HttpRequest, extra_context: dict | None = None) -> HttpResponse:
        offered_here = {"may_write": self.has_add_permission(request)}
        return super().changelist_view(request, (extra_context or {}) | offered_here)

    def in_words_view(self, request: HttpRequest) -> HttpResponse:
        """Shows the rule that a sentence asks for; a POST of the same sentence keeps it as a draft."""
        if not self.has_add_permission(request):
            raise PermissionDenied
        sentence = (request.POST or request.GET).get("sentence", "").strip()[:LONGEST]
        caller = caller_of(request)
        reading = read_in_words(request, sentence, caller)
        if request.method == "POST" and isinstance(reading.made, Draft):
            rule = drafting.save(sentence, reading.made, by=request.user, model=reading.model)
            return redirect(admin_url(rule))
        page = {"title": _("A rule in words"), "opts": self.opts, "sentence": sentence, "reading": reading}
        shown = (
            {"told": told(reading.made), "warnings": drafting.warnings(sentence, reading.made, caller)}
            if isinstance(reading.made, Draft)
            else {"questions": [drafting.told(question) for question in reading.made]}
        )
        return render(
            request, "admin/rules/in_words.html", self.admin_site.each_context(request) | page | shown
        )

    # -- What lists tell

    @display(
        description=gettext_lazy("State"),
        ordering="status",
        label={"draft": "info", "proposed": "warning", "published": "success", "retired": "danger"},
    )
    def state(self, rule: Rule) -> tuple[str, str]:
        return rule.status, self.state_told(rule)

    @admin.display(description=gettext_lazy("State"))
    def state_told(self, rule: Rule) -> str:
        if not rule.has_unpublished_changes:
            return rule.get_status_display()
        told = {"status": rule.get_status_display(), "version": rule.version}
        return _("%(status)s; version %(version)d is in force") % told

    @admin.display(description=gettext_lazy("Does"))
    def does(self, rule: Rule) -> str:
        labels = dict(ACTIONS)
        return ", ".join(str(labels.get(action.get("kind"), "?")) for action in rule.actions)

    @admin.display(description=gettext_lazy("Domains"))
    def domains_told(self, rule: Rule) -> str:
        return ", ".join(rule.domains) or _("all")

    @admin.display(description=gettext_lazy("Fired in 30 days"), ordering="fired_lately")
    def fired_lately(self, rule: Rule) -> int:
        return rule.fired_lately

    @admin.display(description=gettext_lazy("Last fired"), ordering="last_fired", empty_value="-")
    def last_fired(self, rule: Rule):
        return rule.last_fired

    @admin.display(description=gettext_lazy("Changed"), ordering="changed_at")
    def changed(self, rule: Rule):
        return rule.changed_at

    @admin.display(description=gettext_lazy("By"), ordering="changed_by", empty_value="-")
    def by(self, rule: Rule) -> str | None:
        return rule.changed_by


@admin.register(RuleFinding)
class RuleFindingAdmin(ReadOnly, ModelAdmin):
    """What last night's check found wrong with the rules in force."""

    list_display = ["kind", "told", "about", "question", "found_at"]
    list_display_links = None
    list_filter = ["kind", "joined"]
    search_fields = ["names", "question", "detail"]

    def get_queryset(self, request: HttpRequest) -> QuerySet:
        return super().get_queryset(request).visible_to(caller_of(request))

    @admin.display(description=gettext_lazy("What is wrong"))
    def told(self, row: RuleFinding) -> str:
        return proving.finding_of(row).told

    @admin.display(description=gettext_lazy("Rules"))
    def about(self, row: RuleFinding) -> SafeString:
        pages = (
            link(reverse("admin:rules_rule_change", args=[number]), name)
            for number, name in zip(row.rules, row.names, strict=True)
        )
        return format_html_join(", ", "{}", ((page,) for page in pages))


def read_in_words(request: HttpRequest, sentence: str, caller: Caller) -> drafting.Reading:
    """What a model read is kept as it was shown: it is not asked a second time."""
    token = request.POST.get("token", "")
    kept = drafting.reading_kept(sentence, token, caller) if token else None
    return kept or drafting.read(sentence, caller, today=timezone.localdate())


def offered(kind: str, words: str, request: HttpRequest) -> list[tuple[str, str]]:
    """(value, what it is) for a kind of criterion or target; nothing for what is free text."""
    caller = caller_of(request)
    documents = Document.objects.visible_to(caller)
    if kind in LOCATED:
        found = provisions_like(words, Section.objects.readable(caller))[:OFFERED]
        return [(section.locator, f"{section.citation} {section.heading}".strip()) for section in found]
    if kind == "heading":
        headings = Section.objects.readable(caller).filter(heading__icontains=words)
        return [
            (heading, heading)
            for heading in headings.order_by("heading").values_list("heading", flat=True).distinct()[:OFFERED]
        ]
    if kind == "document":
        return list(documents.filter(title__icontains=words).values_list("locator", "title")[:OFFERED])
    if kind == "filename":
        named = documents.exclude(filename="").filter(filename__icontains=words)
        return list(named.values_list("filename", "title")[:OFFERED])
    if kind == "tag":
        tags = {tag for tags in documents.exclude(tags=[]).values_list("tags", flat=True) for tag in tags}
        return [(tag, tag) for tag in sorted(tags) if words.lower() in tag.lower()][:OFFERED]
    if kind == "domain":
        return list(Domain.objects.visible_to(caller).values_list("slug", "name"))
    if kind == "language":
        return [("en", _("English")), ("es", _("Spanish"))]
    return []


def told(made: Draft) -> list[tuple[str, str]]:
    """Each field of a draft with its words."""
    rows_told = [
        (_("When a question"), "; ".join(row_told(row, CRITERIA) for row in made.criteria)),
        (_("Upon"), "; ".join(row_told(row, TARGETS) for row in made.targets)),
        (_("Do"), "; ".join(row_told(row, ACTIONS) for row in made.actions)),
        (_("Domains"), ", ".join(made.domains) or _("all")),
        (_("First day"), made.valid_from and date_format(made.valid_from)),
        (_("Last day"), made.valid_to and date_format(made.valid_to)),
        (_("Priority"), str(made.priority)),
    ]
    return [(name, value) for name, value in rows_told if value]


def row_told(row: dict, labels) -> str:
    """ "document: /us/usc/t8; pages: 3-5", the kind by its label."""
    value = row.get("value", "")
    compared_as = [row["key"], dict(COMPARISONS)[row.get("comparison", "is")]] if "key" in row else []
    said = [dict(labels)[row["kind"]], *compared_as]
    said += [in_a_row(value)]
    said += [f"{row['phrase']} →" if row.get("phrase") else None, row.get("text"), row.get("locator")]
    said += [str(row[name]) for name in ("position", "factor") if name in row]
    pages = _("pages %s") % in_a_row(row["pages"]) if row.get("pages") else None
    stemmed = _("in other forms of the words too") if row.get("stemmed") else None
    return " ".join(str(word) for word in said if word) + "".join(f", {more}" for more in (pages, stemmed) if more)


def in_a_row(value: Any) -> str:
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)
