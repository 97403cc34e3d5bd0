"""Attempts to train a better reranker with their plots, and the registry of rerankers: deploy, shadow, roll back."""

from dataclasses import asdict

from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import path, reverse
from django.utils import timezone
from django.utils.html import format_html
from django.utils.safestring import SafeString, mark_safe
from django.utils.text import Truncator
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_POST
from unfold.admin import ModelAdmin
from unfold.decorators import display

from evaluation.admin.figures import ERRORS, bullets, errors_of, interval, table
from evaluation.learning import registry, retraining
from evaluation.learning.model_comparison import MEASURES
from evaluation.learning.promotion import MARGIN
from evaluation.learning.registry import agreement
from evaluation.measuring import plots
from evaluation.models import RetrainingRun
from retrieval import jobs
from retrieval.admin.base import ObjectAction, ObjectActions, ReadOnly, admin_link, admin_url, link
from retrieval.errors import ArfError
from retrieval.models import JobRun, RankerModel
from retrieval.models.uploads import in_words

Outcome, Status = RetrainingRun.Outcome, RankerModel.Status
SYSTEMS = {
    "fused": gettext_lazy("Fused order"),
    "champion": gettext_lazy("Champion"),
    "challenger": gettext_lazy("Challenger"),
}
COLOURS = {
    Outcome.RUNNING: "info",
    Outcome.DEPLOYED: "success",
    Outcome.SHADOW: "info",
    Outcome.KEPT: "warning",
    Outcome.REFUSED: "danger",
    Outcome.FAILED: "danger",
    Outcome.CANCELLED: "warning",
}
STATUS_COLOURS = {Status.ACTIVE: "success", Status.SHADOW: "info", Status.CANDIDATE: "warning"}


def may_deploy(request: HttpRequest, obj: object) -> bool:
    return request.user.has_perm("retrieval.change_rankermodel")


def roll_back(request: HttpRequest, obj: object) -> None:
    model = registry.rollback()
    messages.success(request, _("%s serves again.") % model)


def deploy(request: HttpRequest, model: RankerModel) -> None:
    registry.deploy(model)
    messages.success(request, _("%s serves from the next search on.") % model)


def shadow(request: HttpRequest, model: RankerModel) -> None:
    registry.shadow(model)
    messages.success(request, _("%s scores searches without serving.") % model)


def leave_shadow(request: HttpRequest, model: RankerModel) -> None:
    registry.leave_shadow()
    messages.success(request, _("%s scores no searches any more.") % model)


def serves(model: RankerModel | None) -> bool:
    return model is not None and model.status == Status.ACTIVE


def follows_another(model: RankerModel | None) -> bool:
    """Whether it serves and there is one to go back to."""
    return serves(model) and registry.earlier().exists()


@admin.register(RetrainingRun)
class RetrainingRunAdmin(ObjectActions, ReadOnly, ModelAdmin):
    object_actions = (
        ObjectAction(
            "rollback",
            gettext_lazy("Roll back to the model before"),
            roll_back,
            may=may_deploy,
            applies=lambda run: follows_another(run.challenger),
        ),
    )
    list_before_template = "admin/evaluation/_retrain.html"
    list_display = [
        "created_at",
        "outcome_label",
        "difference",
        "champion",
        "challenger",
        "requested_by",
        "why",
    ]
    list_filter = ["outcome", "created_at"]
    list_select_related = ["champion", "challenger", "requested_by"]
    fields = [
        "outcome", "reasons", "in_shadow", "measures", "slices", "reliability", "calibration", "coverage", "families",
        "gathered", "cost", "champion_link", "challenger_link", "job", "requested_by", "created_at", "finished_at",
    ]  # fmt: skip
    readonly_fields = fields

    def get_urls(self) -> list:
        view = self.admin_site.admin_view(require_POST(self.retrain))
        return [path("retrain/", view, name="evaluation_retrainingrun_retrain"), *super().get_urls()]

    def changelist_view(self, request: HttpRequest, extra_context: dict | None = None) -> HttpResponse:
        offered = {
            "may_retrain": may_retrain(request),
            "running": JobRun.objects.unfinished().filter(key="retrain"),
        }
        return super().changelist_view(request, (extra_context or {}) | offered)

    def retrain(self, request: HttpRequest) -> HttpResponse:
        """Retrain now: a job whose page opens."""
        if not may_retrain(request):
            raise PermissionDenied
        try:
            run = jobs.enqueue(**retraining.request(shadow="shadow" in request.POST), by=request.user)
        except ArfError as problem:
            messages.error(request, in_words(problem.refusal))
            return redirect(reverse("admin:evaluation_retrainingrun_changelist"))
        messages.success(request, _("Retraining has begun."))
        return redirect(admin_url(run))

    @display(description=gettext_lazy("Outcome"), ordering="outcome", label=COLOURS)
    def outcome_label(self, run: RetrainingRun) -> tuple[str, str]:
        return run.outcome, run.get_outcome_display()

    @admin.display(description=gettext_lazy("nDCG@10, difference"), empty_value="-")
    def difference(self, run: RetrainingRun) -> str | None:
        return interval(run.report["decision"]["difference"], "+.3f") if "decision" in run.report else None

    @admin.display(description=gettext_lazy("Why"))
    def why(self, run: RetrainingRun) -> str:
        return Truncator(run.reason or at_work(run)).chars(160)

    @admin.display(description=gettext_lazy("Reasons"), empty_value="-")
    def reasons(self, run: RetrainingRun) -> SafeString | str | None:
        reasons = run.report.get("decision", {}).get("reasons", ())
        first = run.reason or at_work(run)
        return format_html("<p>{}</p>{}", first, bullets(r for r in reasons if r not in run.reason))

    @admin.display(description=gettext_lazy("Test topics"), empty_value="-")
    def measures(self, run: RetrainingRun) -> SafeString | None:
        if "measures" not in run.report:
            return None
        by_system = run.report["measures"]
        rows = [
            [label, *(interval(by_system[key][n]) for n in MEASURES)] for key, label in SYSTEMS.items()
        ]
        return table(["", *MEASURES], rows, _("Test topics"))

    @admin.display(description=gettext_lazy("In shadow"), empty_value="-")
    def in_shadow(self, run: RetrainingRun) -> SafeString | None:
        return run.challenger and shadowed(run.challenger)

    @admin.display(description=gettext_lazy("Slices: difference in nDCG@10"), empty_value="-")
    def slices(self, run: RetrainingRun) -> SafeString | None:
        if "decision" not in run.report:
            return None
        decision = run.report["decision"]
        tested = len(run.report["per_topic"])
        overall = {"name": _("all"), "topics": tested, "difference": decision["difference"], "vetoes": False}
        rows = [overall, *decision["slices"]]
        bars = [
            plots.Bar(f"{r['name']} ({r['topics']})", **r["difference"], marked=r["vetoes"]) for r in rows
        ]
        title = _("Challenger less champion, with 95 % intervals; dashed: the margin")
        return drawn(plots.differences(title, bars, margin=MARGIN))

    @admin.display(description=gettext_lazy("Reliability"), empty_value="-")
    def reliability(self, run: RetrainingRun) -> SafeString | None:
        if "reliability" not in run.report:
            return None
        return reliability_of(run.report, _("Reliability on the test topics, calibration error %.3f"))

    @admin.display(description=gettext_lazy("Reliability by body of law and language"), empty_value="-")
    def calibration(self, run: RetrainingRun) -> SafeString | None:
        return calibration_of(run.report)

    @admin.display(description=gettext_lazy("Risk and coverage"), empty_value="-")
    def coverage(self, run: RetrainingRun) -> SafeString | None:
        if "risk_coverage" not in run.report:
            return None
        title = _("How much is wrong of what is answered, when only the surest of the test topics are")
        return titled(title, plots.risk_coverage(title, run.report["risk_coverage"]))

    @admin.display(description=gettext_lazy("Cross-validation"), empty_value="-")
    def families(self, run: RetrainingRun) -> SafeString | None:
        return families_of(run.report["manifest"]) if "manifest" in run.report else None

    @admin.display(description=gettext_lazy("Gathered"), empty_value="-")
    def gathered(self, run: RetrainingRun) -> str | None:
        gathered = run.report.get("gathered")
        return gathered and _(
            "%(learned)d topics with %(judgments)d judgments to learn from, %(tested)d to test on, "
            "%(aside)d live questions set aside for being near a test topic."
        ) % {**gathered, "aside": len(gathered["aside"])}

    @admin.display(description=gettext_lazy("Processor time a query"), empty_value="-")
    def cost(self, run: RetrainingRun) -> str | None:
        return f"{run.report['ms']:.2f} ms" if "ms" in run.report else None

    @admin.display(description=gettext_lazy("Champion"), empty_value="-")
    def champion_link(self, run: RetrainingRun) -> SafeString | None:
        return run.champion and admin_link(run.champion)

    @admin.display(description=gettext_lazy("Challenger"), empty_value="-")
    def challenger_link(self, run: RetrainingRun) -> SafeString | None:
        return run.challenger and admin_link(run.challenger)

    @admin.display(description=gettext_lazy("Job"), empty_value="-")
    def job(self, run: RetrainingRun) -> SafeString | None:
        number = run.report.get("job")
        return number and link(reverse("admin:retrieval_jobrun_change", args=[number]), number)


def at_work(run: RetrainingRun) -> str:
    """What its job says while it is open."""
    job = JobRun.objects.filter(pk=run.report.get("job")).first()
    if job is None or run.outcome != Outcome.RUNNING:
        return ""
    heard = timezone.localtime(job.heartbeat_at)
    return _("%(message)s (%(percent)d %%, last heard of at %(heard)s)") % {
        "message": job.message or job.get_status_display(),
        "percent": job.percent,
        "heard": f"{heard:%H:%M}",
    }


def may_retrain(request: HttpRequest) -> bool:
    return request.user.has_perm("evaluation.add_retrainingrun")


@admin.register(RankerModel)
class RankerModelAdmin(ObjectActions, ReadOnly, ModelAdmin):
    object_actions = (
        ObjectAction(
            "deploy", gettext_lazy("Deploy"), deploy, may=may_deploy, applies=lambda model: not serves(model)
        ),
        ObjectAction(
            "shadow",
            gettext_lazy("Put in shadow"),
            shadow,
            may=may_deploy,
            applies=lambda model: model.status in (Status.CANDIDATE, Status.RETIRED),
        ),
        ObjectAction(
            "leave-shadow",
            gettext_lazy("Take out of shadow"),
            leave_shadow,
            may=may_deploy,
            applies=lambda model: model.status == Status.SHADOW,
        ),
        ObjectAction("rollback", gettext_lazy("Roll back"), roll_back, may=may_deploy, applies=follows_another),
    )
    list_display = ["name", "status_label", "created_at", "deployed_at", "topics"]
    list_filter = ["status", "family"]
    fields = [
        "family", "status", "promotion", "in_shadow", "families", "reliability", "calibration", "topics", "features",
        "size", "digest", "created_at", "deployed_at",
    ]  # fmt: skip
    readonly_fields = fields

    def get_queryset(self, request: HttpRequest):
        return super().get_queryset(request).defer("artifact")

    @admin.display(description=gettext_lazy("Model"), ordering="family")
    def name(self, model: RankerModel) -> str:
        return str(model)

    @display(description=gettext_lazy("Status"), ordering="status", label=STATUS_COLOURS)
    def status_label(self, model: RankerModel) -> tuple[str, str]:
        return model.status, model.get_status_display()

    @admin.display(description=gettext_lazy("In shadow"), empty_value="-")
    def in_shadow(self, model: RankerModel) -> SafeString | None:
        return shadowed(model)

    @admin.display(description=gettext_lazy("Why it was promoted, or not"), empty_value="-")
    def promotion(self, model: RankerModel) -> SafeString | None:
        attempt = RetrainingRun.objects.filter(challenger=model).order_by("created_at").first()
        return attempt and format_html("{}: {}", admin_link(attempt), attempt.reason)

    @admin.display(description=gettext_lazy("Cross-validation"), empty_value="-")
    def families(self, model: RankerModel) -> SafeString | None:
        return families_of(model.manifest)

    @admin.display(description=gettext_lazy("Reliability"), empty_value="-")
    def reliability(self, model: RankerModel) -> SafeString | None:
        if "reliability" not in model.manifest:
            return None
        title = _("Reliability on questions held out in cross-validation, calibration error %.3f")
        return reliability_of(model.manifest, title)

    @admin.display(description=gettext_lazy("Reliability by body of law and language"), empty_value="-")
    def calibration(self, model: RankerModel) -> SafeString | None:
        return calibration_of(model.manifest)

    @admin.display(description=gettext_lazy("Features"), empty_value="-")
    def features(self, model: RankerModel) -> str:
        return ", ".join(model.manifest.get("features", ()))

    @admin.display(description="SHA-256")
    def digest(self, model: RankerModel) -> SafeString:
        return format_html('<code class="arf-hash">{}</code>', model.sha256)

    @admin.display(description=gettext_lazy("Topics learned from"))
    def topics(self, model: RankerModel) -> int:
        return len(model.manifest.get("topics", ()))

    @admin.display(description=gettext_lazy("Size"))
    def size(self, model: RankerModel) -> str:
        return f"{len(model.artifact) / 1024:.0f} KB"


def reliability_of(report: dict, title: str) -> SafeString:
    """`title`: with a place for the calibration error."""
    title = title % report["ece"]
    bins = [(each["predicted"], each["relevant"], each["n"]) for each in report["reliability"]]
    return titled(title, plots.reliability(title, bins))


def calibration_of(report: dict) -> SafeString | None:
    """Of what is shown first, and of first pages, beside what perfect probabilities would have by chance."""
    rows = [
        [name, told["questions"], *errors_of(told)] for name, told in sorted(report.get("calibration", {}).items())
    ]
    head = ["", _("Questions"), *ERRORS]
    return table(head, rows, _("Reliability by body of law and language")) if rows else None


def titled(title: str, plot: str) -> SafeString:
    return format_html("<p>{}</p>{}", title, drawn(plot))


def drawn(plot: str) -> SafeString:
    return format_html('<div class="arf-drawn">{}</div>', mark_safe(plot))  # names are escaped by the plot


def families_of(manifest: dict) -> SafeString | None:
    """What each family reached in cross-validation."""
    rows = [
        [name, f"{each['nDCG@10']:.3f}", f"{each['standard_error']:.3f}"]
        for name, each in manifest.get("families", {}).items()
    ]
    return table([_("Family"), "nDCG@10", _("standard error")], rows, _("Cross-validation")) if rows else None


def shadowed(model: RankerModel) -> SafeString | None:
    """How it agrees with what serves, in the searches it scored; None where it scored none."""
    found = agreement(model)
    if not found.searches:
        return None
    rows = [
        [_("Searches scored"), found.searches],
        [_("Overlap of the first ten"), f"{found.overlap:.1%}"],
        [_("Another first result"), f"{found.other_first:.1%}"],
        [_("Judged questions among them"), found.judged],
    ]
    if found.difference:
        rows.append([_("nDCG@10, shadow less active"), interval(asdict(found.difference), "+.3f")])
    return table(["", ""], rows, _("In shadow"))
