"""Topics and runs. A test topic is read-only: what is measured by it must not move."""

import secrets
from uuid import UUID

from django import forms
from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.db.models import Count, QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.urls import path, reverse
from django.utils.html import format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from unfold.admin import ModelAdmin, TabularInline
from unfold.widgets import UnfoldAdminSelectWidget

from evaluation.admin.exchange import download, may_import, written
from evaluation.admin.figures import ERRORS, errors_of, interval, table
from evaluation.judging.visibility import humans, judgments_for, topics_for
from evaluation.measuring.groups import TOLD
from evaluation.measuring.measures import MEASURES
from evaluation.measuring.runs import rankings_of
from evaluation.models import Measurement, Run, Topic
from evaluation.topics import writing
from evaluation.topics.library import as_topics
from evaluation.topics.split_conflicts import NewTopic, conflicts
from retrieval.access.middleware import caller_of
from retrieval.admin.base import ReadOnly, link
from retrieval.models import Domain
from retrieval.models.uploads import in_words

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

    def clean(self) -> dict:
        """Refuses what a retrain would call a leak, while it can still be worded otherwise."""
        said = super().clean()
        if self.errors or not {"query", "group"} & {*self.changed_data}:
            return said
        domain, split = (said.get(name) or getattr(self.instance, name) for name in ("domain", "split"))
        asked = NewTopic(said["query"], split, said["group"])
        if not domain.is_private and (conflict := conflicts({asked}).get(asked)):
            told = in_words(conflict.refusal)
            self.add_error("query", f"{told[0].upper()}{told[1:]}.")
        return said


DOWNLOADS = [("JSON lines", "jsonl"), ("CSV", "csv"), ("TREC qrels", "trec")]


@admin.register(Topic)
class TopicAdmin(ModelAdmin):
    form = TopicForm
    list_before_template = "admin/evaluation/_exchange.html"
    list_display = ["query", "domain", "split", "kind", "language", "source", "answerable", "judged"]
    list_filter = [
        "split",
        ("kind", admin.AllValuesFieldListFilter),
        ("language", admin.AllValuesFieldListFilter),
        ("source", admin.AllValuesFieldListFilter),
        "answerable",
        ("domain", admin.RelatedOnlyFieldListFilter),
    ]
    list_per_page = 50
    search_fields = ["name", "query"]
    show_full_result_count = False
    fields = [
        "name", "domain", "query", "language", "kind", "narrative", "split", "group", "answerable",
        "answered_by", "tags", "source", "created_at",
    ]  # fmt: skip

    def get_queryset(self, request: HttpRequest) -> QuerySet:
        count = Count("judgments", humans())
        return topics_for(caller_of(request)).annotate(judgments_human=count).order_by("name")

    # -- Files

    def get_urls(self) -> list:
        view = self.admin_site.admin_view(self.download_view)
        return [path("download/<slug:fmt>/", view, name="evaluation_topic_download"), *super().get_urls()]

    def changelist_view(self, request: HttpRequest, extra_context: dict | None = None) -> HttpResponse:
        asked = request.GET.urlencode()
        urls = [(name, reverse("admin:evaluation_topic_download", args=[fmt])) for name, fmt in DOWNLOADS]
        offered = {
            "may_import": may_import(request),
            "downloads": [(name, f"{url}?{asked}") for name, url in urls] if may_download(request) else [],
        }
        return super().changelist_view(request, (extra_context or {}) | offered)

    def download_view(self, request: HttpRequest, fmt: str) -> HttpResponse:
        """The topics that the list shows under the same filters, with the agreed grades of what one may read."""
        if not may_download(request) or not self.has_view_permission(request):
            raise PermissionDenied
        shown = self.get_changelist_instance(request).get_queryset(request)
        rows = topics_for(caller_of(request)).filter(pk__in=shown.values("pk")).order_by("name")
        topics = as_topics(rows, of=judgments_for(caller_of(request)))
        text = written(
            fmt,
            {
                "jsonl": lambda: writing.topics_jsonl(topics),
                "csv": lambda: writing.topics_csv(topics),
                "trec": lambda: writing.trec_qrels(topics),
            },
        )
        return download(text, "qrels" if fmt == "trec" else "topics", fmt)

    def get_list_display(self, request: HttpRequest) -> list[str]:
        may_judge = request.user.has_perm("evaluation.add_judgment")
        return [*self.list_display, "work"] if may_judge else self.list_display

    # -- What may be changed

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


def may_download(request: HttpRequest) -> bool:
    """Agreed grades go out with the topics: who only judges may not be swayed by them."""
    return request.user.has_perm("evaluation.change_judgment")


def is_test(topic: Topic | None) -> bool:
    return topic is not None and topic.split == Topic.Split.TEST


class MeasurementInline(ReadOnly, TabularInline):
    model = Measurement
    fields = ["topic", "abstained", "probability", "ms", "llm_calls", "measures"]
    ordering = ["topic"]
    extra = 0
    per_page = 50
    tab = True


MEASURED = ("topic", "abstained", "probability", "ms", "llm_calls", "measures", "locators")
RUN_FILES = [("TREC run", "trec"), ("CSV", "csv"), ("JSON lines", "jsonl")]


@admin.register(Run)
class RunAdmin(ReadOnly, ModelAdmin):
    list_display = ["created_at", "name", "pipeline", "topics"]
    list_filter = ["pipeline", "created_at"]
    search_fields = ["name", "topics"]
    inlines = [MeasurementInline]
    fields = [
        "name", "pipeline", "topics", "created_at", "files", "measures", "groups", "serving", "stages", "versions",
        "summary",
    ]  # fmt: skip
    readonly_fields = ["files", "measures", "groups", "serving"]

    def get_urls(self) -> list:
        view = self.admin_site.admin_view(self.download_view)
        return [
            path("<uuid:run>/download/<slug:fmt>/", view, name="evaluation_run_download"),
            *super().get_urls(),
        ]

    @admin.display(description=gettext_lazy("Download"))
    def files(self, run: Run) -> SafeString:
        urls = [
            (name, reverse("admin:evaluation_run_download", args=[run.pk, fmt])) for name, fmt in RUN_FILES
        ]
        return format_html_join(" · ", "{}", ((link(url, name),) for name, url in urls))

    @admin.display(description=gettext_lazy("Measures, with 95 % intervals"), empty_value="-")
    def measures(self, run: Run) -> SafeString | None:
        """Beside each, where it was measured, what it is without what nobody judged."""
        condensed = run.summary.get("condensed", {})
        measured = run.summary.get("measures", {}) | {"judged@10": run.summary.get("judged_at_10")}
        rows = [
            [name, interval(each), interval(condensed[name]) if condensed.get(name) else "–"]
            for name in (*MEASURES, "judged@10")  # JSON forgets the order
            if (each := measured.get(name))
        ]
        head = ["", _("All results"), _("Without the unjudged")]
        return table(head, rows, _("Measures, with 95 % intervals")) if rows else None

    @admin.display(description=gettext_lazy("By body of law and language"), empty_value="-")
    def groups(self, run: Run) -> SafeString | None:
        head = [
            "", _("Topics"), "nDCG@10", "MRR@10", _("right body first"), _("right document first"), _("declined"),
            *ERRORS, _("Spanish / English, nDCG@10, and questions"),
        ]  # fmt: skip
        rows = [
            [
                name, told["topics"], *(f"{told['measures'][measure]:.3f}" for measure in TOLD),
                f"{told['right_body']:.3f}", f"{told['right_document']:.3f}", told["declined"],
                *errors_of(told["calibration"]), ratio_of(told),
            ]
            for name, told in sorted(run.summary.get("groups", {}).items())
        ]  # fmt: skip
        return table(head, rows, _("By body of law and language")) if rows else None

    @admin.display(description=gettext_lazy("Declines, time and cost"), empty_value="-")
    def serving(self, run: Run) -> SafeString | None:
        """Of another system's run nothing is known of time and cost."""
        said = run.summary
        if "topics" not in said:
            return None
        rows = [
            [_("Answerable topics, of them declined"), f"{said['topics']}, {said['declined_answerable']}"],
            [
                _("Unanswerable topics, of them declined"),
                f"{said['unanswerable']}, {said['declined_unanswerable']}",
            ],
            *(
                [_("Topics in which this did not answer: %(stage)s") % {"stage": stage}, count]
                for stage, count in said.get("degraded", {}).items()
            ),
        ]
        if said.get("ms"):
            rows += [
                *([percentile, f"{ms:.1f} ms"] for percentile, ms in said["ms"].items()),
                [_("LLM share of candidates"), f"{said['llm']['share']:.1%}"],
                [_("Cost of 1,000 searches"), f"${said['cost']['per_1000']:.3f}"],
            ]
        return table(["", ""], rows, _("Declines, time and cost"))

    def download_view(self, request: HttpRequest, run: UUID, fmt: str) -> HttpResponse:
        if not self.has_view_permission(request):
            raise PermissionDenied
        found = self.get_object(request, str(run))
        if found is None:
            raise Http404
        rows = found.measurements.order_by("topic").values(*MEASURED)
        text = written(
            fmt,
            {
                "trec": lambda: writing.trec_run(rankings_of(found), tag=found.name or found.pipeline),
                "csv": lambda: writing.table(writing.measurements_table(rows)),
                "jsonl": lambda: writing.rows_jsonl(rows),
            },
        )
        return download(text, f"run-{str(run)[:8]}", fmt)


def ratio_of(told: dict) -> str:
    """Spanish as a share of English, and of how many questions that are asked in both."""
    found = told["parallel"].get("nDCG@10")
    return f"{interval(found['ratio'])}, {told['pairs']}" if found else "–"
