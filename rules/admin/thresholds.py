"""The admin of thresholds: every edit is a domain's next version."""

from django.contrib import admin, messages
from django.db.models import QuerySet
from django.forms import model_to_dict
from django.http import HttpRequest
from django.urls import reverse
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from unfold.admin import ModelAdmin
from unfold.decorators import display

from retrieval.admin.base import PRIMARY_KEY, NeverDeleted, link
from retrieval.stages.reranker.features import USUAL_MINIMUM
from rules.admin.base import OPENED, OpenedForm
from rules.models import DomainThreshold
from rules.thresholds.publishing import THRESHOLDS, check_calibration, publish

DECLINING = ("answer_minimum", "minimum")  # what no probability reaches 1 of


class ThresholdForm(OpenedForm):
    class Meta:
        model = DomainThreshold
        fields = [*THRESHOLDS, "reason"]
        help_texts = {
            "calibration": gettext_lazy(
                "Weights of the logistic that turns a candidate’s scores into a probability; with none, those in force "
                "are kept: without any of its own, those of any text, by which the domain then also declines."
            )
        }

    def saves(self) -> QuerySet:
        """The versions of the domain that was sent; of every domain before one was."""
        said = getattr(self, "cleaned_data", None)
        versions = DomainThreshold.objects.filter(**({} if said is None else {"domain": said.get("domain")}))
        return versions.order_by("-pk").values_list("pk", "created_by__username", "created_at")

    def clean_calibration(self) -> dict:
        calibration = self.cleaned_data["calibration"] or {}
        check_calibration(calibration)
        return calibration

    def clean(self) -> dict:
        """What would decline everything is refused: a version is in force at once. An answer minimum left as it was
        keeps the scale it was chosen on; without weights those in force stay, lest a version that was begun from
        nothing leave its domain without probabilities.
        """
        said = super().clean()
        for name in DECLINING:
            if said.get(name) == 1.0:
                self.add_error(name, _("At 1 no question of this domain would be answered."))
        before = DomainThreshold.objects.filter(domain=said.get("domain"), active=True).first()
        if before and before.answer_minimum == said.get("answer_minimum"):
            self.instance.answer_scale = before.answer_scale
        if before and said.get("calibration") == {}:
            said["calibration"] = before.calibration
        return said


@admin.register(DomainThreshold)
class DomainThresholdAdmin(NeverDeleted, ModelAdmin):
    """Append-only: adding makes the next version and puts it in force; earlier ones stay to be read."""

    form = ThresholdForm
    change_form_before_template = OPENED
    change_form_outer_before_template = "admin/rules/_threshold_preview.html"
    list_display = [
        "domain", "version", "in_force", "answers_from", "reason", "created_by", "created_at", "edit",
    ]  # fmt: skip
    list_filter = ["active", "domain"]
    list_select_related = ["domain", "created_by"]
    search_fields = ["reason"]
    actions = ["put_out_of_force"]

    def has_change_permission(self, request: HttpRequest, obj: DomainThreshold | None = None) -> bool:
        return False

    def get_fields(self, request: HttpRequest, obj: DomainThreshold | None = None) -> list[str]:
        editable = [*THRESHOLDS, "reason"]
        return [*editable, "version", "active", "created_by", "created_at"] if obj else editable

    def get_changeform_initial_data(self, request: HttpRequest) -> dict:
        """A new version may begin as a copy: `?copy=` names the version."""
        number = request.GET.get("copy", "")
        copied = DomainThreshold.objects.filter(pk=number).first() if PRIMARY_KEY.fullmatch(number) else None
        if copied is None:
            return super().get_changeform_initial_data(request)
        return model_to_dict(copied, THRESHOLDS)

    def save_model(
        self, request: HttpRequest, obj: DomainThreshold, form: ThresholdForm, change: bool
    ) -> None:
        publish(obj, by=request.user)

    @admin.action(
        description=gettext_lazy("Put out of force: the domain goes by what decides without thresholds"),
        permissions=["add"],
    )
    def put_out_of_force(self, request: HttpRequest, queryset: QuerySet) -> None:
        """Of each domain that was chosen; its versions stay to be read."""
        for threshold in queryset.filter(active=True):
            threshold.active = False
            threshold.save(update_fields=["active"])
            self.log_change(request, threshold, _("Put out of force."))
        messages.success(request, _("These domains go by what decides without thresholds."))

    @display(description=gettext_lazy("In force"), ordering="active", boolean=True)
    def in_force(self, threshold: DomainThreshold) -> bool:
        return threshold.active

    @admin.display(description=gettext_lazy("Answer minimum"), ordering="answer_minimum")
    def answers_from(self, threshold: DomainThreshold) -> str:
        if threshold.is_on_scale:
            return f"{threshold.answer_minimum:g}"
        return _("%(minimum)s, chosen on another scale: %(usual)s holds until `%(command)s`") % {
            "minimum": f"{threshold.answer_minimum:g}",
            "usual": USUAL_MINIMUM,
            "command": threshold.tuning,
        }

    @admin.display(description="")
    def edit(self, threshold: DomainThreshold) -> SafeString:
        url = reverse("admin:rules_domainthreshold_add")
        return link(f"{url}?copy={threshold.pk}", _("new version from this"))
