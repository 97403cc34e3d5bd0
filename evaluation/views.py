"""Pages of the admin on quality: over time, the last ablation, and what a draft of thresholds would change."""

from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.utils.safestring import mark_safe
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from evaluation import ablation, quality
from evaluation.judging import topics_for
from evaluation.preview import preview
from retrieval.admin.base import caller_of
from retrieval.models import Domain
from rules.admin import ThresholdForm

MOST_SHOWN = 30  # changed answers written out side by side


def quality_page(request: HttpRequest) -> HttpResponse:
    """Open to staff who may read runs."""
    require(request, "evaluation.view_run")
    context = {
        "title": _("Quality"),
        "series": [(one, mark_safe(one.plot)) for one in quality.series()],
        "serving": quality.serving(),
        "days": quality.DAYS,
        "latencies": mark_safe(quality.latencies()),
        "unjudged": quality.unjudged(topics_for(caller_of(request))),
    }
    return page(request, "admin/quality.html", context)


def ablation_page(request: HttpRequest) -> HttpResponse:
    """The last ablation that was stored; open to staff who may read runs."""
    require(request, "evaluation.view_run")
    run, steps = ablation.latest()
    context = {
        "title": _("Ablation"),
        "run": run,
        "steps": [(step, [step["measures"][name] for name in ablation.MEASURES]) for step in steps],
        "measures": ablation.MEASURES,
        "left_out": ablation.left_out(),
        "plot": mark_safe(ablation.plot(steps, f"{ablation.DECIDES}, {run.topics}")) if run else "",
    }
    return page(request, "admin/ablation.html", context)


@require_POST
def threshold_preview(request: HttpRequest) -> HttpResponse:
    """What the posted draft would change; nothing is saved. Publishing posts the same draft to the admin's form."""
    require(request, "rules.add_domainthreshold")
    form = ThresholdForm(request.POST)
    form.fields["domain"].queryset = Domain.objects.visible_to(caller_of(request))
    valid = form.is_valid()
    told = preview(form.save(commit=False)) if valid else None
    context = {
        "title": _("What these thresholds would change"),
        "form": form,
        "preview": told,
        "changes": told and [*told.changes, *told.judged_changes][:MOST_SHOWN],
        "draft": [(name, request.POST[name]) for name in form.fields if name in request.POST],
    }
    return page(request, "admin/threshold_preview.html", context)


def require(request: HttpRequest, permission: str) -> None:
    if not request.user.has_perm(permission):
        raise PermissionDenied


def page(request: HttpRequest, template: str, context: dict) -> HttpResponse:
    return TemplateResponse(request, template, admin.site.each_context(request) | context)
