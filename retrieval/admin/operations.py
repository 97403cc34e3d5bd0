"""Jobs and versions: what the server does and under which numbers."""

from django.contrib import admin, messages
from django.db.models import BigIntegerField, Exists, OuterRef, Q, QuerySet
from django.db.models.fields.json import KT
from django.db.models.functions import Cast
from django.http import HttpRequest
from django.utils import timezone
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from unfold.admin import ModelAdmin
from unfold.decorators import display

from retrieval import jobs
from retrieval.access.caller import Caller
from retrieval.access.middleware import caller_of
from retrieval.admin.base import FilteredAsOffered, ObjectAction, ObjectActions, ReadOnly
from retrieval.models import Document, Domain, JobRun, Upload, Version


def readable_jobs(caller: Caller) -> QuerySet[JobRun]:
    """All jobs; `hidden` are those whose messages tell of private documents that this caller may not read."""
    private = Domain.objects.filter(slug=OuterRef("slug"), visibility=Domain.Visibility.PRIVATE)
    readable = Document.objects.visible_to(caller).filter(pk=OuterRef("document"))
    asked = Q(requested_by__in=[p.removeprefix("user:") for p in caller.principals if p.startswith("user:")])
    named = JobRun.objects.annotate(
        slug=KT("params__domain"), document=Cast(KT("state__document"), BigIntegerField())
    )
    return named.annotate(hidden=Exists(private) & ~Exists(readable) & ~asked)


def failed_jobs(request: HttpRequest) -> list[dict]:
    """For the front page: the last jobs that failed and may still be resumed, but for dry runs and those whose like was
    done since.
    A file's name is told to those who may see the upload.
    """
    caller = caller_of(request)
    done = JobRun.objects.filter(status=JobRun.Status.DONE, kind=OuterRef("kind"), params=OuterRef("params"))
    failed = readable_jobs(caller).filter(
        ~Exists(done.filter(pk__gt=OuterRef("pk"))),
        status=JobRun.Status.FAILED,
        finished_at__gte=timezone.now() - jobs.CHECKPOINTS_KEPT,
    ).exclude(params__contains={"dry_run": True})
    runs = failed.order_by("-finished_at")[:SHOWN]
    uploads = Upload.objects.visible_to(caller).filter(run__in=[run.pk for run in runs])
    names = dict(uploads.values_list("run", "filename"))
    return [
        {
            "run": run,
            "file": names.get(run.pk, ""),
            "why": _("About private documents.") if run.hidden else run.local_error,
            "may_resume": may_steer(request, run),
        }
        for run in runs
    ]


def may_steer(request: HttpRequest, run: JobRun) -> bool:
    """Those who run the server, and whoever asked for this job."""
    return request.user.has_perm("retrieval.change_jobrun") or run.requested_by_id == request.user.pk


def cancel(request: HttpRequest, run: JobRun) -> None:
    jobs.cancel(run)
    messages.success(request, _("The job stops before its next step."))


def resume(request: HttpRequest, run: JobRun) -> None:
    jobs.resume(run)
    messages.success(request, _("The job goes on where it stopped."))


CANCEL = ObjectAction(
    "cancel",
    gettext_lazy("Cancel"),
    cancel,
    may=may_steer,
    applies=lambda run: run.status == JobRun.Status.FAILED or not (run.is_finished or run.cancel_requested),
)
RESUME = ObjectAction(
    "resume",
    gettext_lazy("Resume"),
    resume,
    may=may_steer,
    applies=lambda run: run.status == JobRun.Status.FAILED,
)
SHOWN = 10  # failed jobs on the front page
COLOURS = {
    JobRun.Status.QUEUED: "info",
    JobRun.Status.RUNNING: "warning",
    JobRun.Status.DONE: "success",
    JobRun.Status.FAILED: "danger",
}


@admin.register(JobRun)
class JobRunAdmin(FilteredAsOffered, ObjectActions, ReadOnly, ModelAdmin):
    object_actions = (CANCEL, RESUME)
    list_display = ["name", "state_label", "progress", "what", "asked_by", "created_at", "finished_at"]
    list_filter = ["status", "kind", "created_at"]
    list_select_related = ["requested_by"]
    search_fields = ["kind", "key"]
    fields = [
        "name", "status", "progress", "what", "problem", "cancel_requested", "params", "asked_by",
        "created_at", "started_at", "heartbeat_at", "finished_at",
    ]  # fmt: skip
    readonly_fields = ["name", "progress", "what", "problem", "asked_by"]

    def get_queryset(self, request: HttpRequest) -> QuerySet:
        return readable_jobs(caller_of(request))

    def get_fields(self, request: HttpRequest, obj: JobRun | None = None) -> list[str]:
        return [name for name in self.fields if name != "params" or obj is None or not obj.hidden]

    @admin.display(description=gettext_lazy("Job"), ordering="kind")
    def name(self, run: JobRun) -> str:
        return f"{run.kind} {run.params.get('domain', run.key)}"

    @display(description=gettext_lazy("Status"), ordering="status", label=COLOURS)
    def state_label(self, run: JobRun) -> tuple[str, str]:
        return run.status, run.get_status_display()

    @admin.display(description=gettext_lazy("Progress"))
    def progress(self, run: JobRun) -> SafeString:
        return format_html(
            '<progress class="arf-progress" max="100" value="{}" aria-label="{}"></progress> {} %',
            run.percent,
            _("Progress"),
            run.percent,
        )

    @admin.display(description=gettext_lazy("Message"))
    def what(self, run: JobRun) -> str:
        return _("About private documents.") if run.hidden else run.local_message or "-"

    @admin.display(description=gettext_lazy("Requested by"), ordering="requested_by")
    def asked_by(self, run: JobRun) -> str:
        return "-" if run.hidden or run.requested_by is None else str(run.requested_by)

    @admin.display(description=gettext_lazy("Error"))
    def problem(self, run: JobRun) -> str:
        return _("About private documents.") if run.hidden and run.error else run.local_error or "-"


@admin.register(Version)
class VersionAdmin(ReadOnly, ModelAdmin):
    list_display = ["name", "number"]
    ordering = ["name"]
