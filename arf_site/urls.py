"""Every address of the site: pages, API, admin."""

from django.contrib import admin
from django.urls import include, path

from arf_site.web.lockout import login, logout, staff_login
from evaluation.admin.exchange import import_page, preview_page
from evaluation.admin.judge import disagreements_page, judge_page
from evaluation.admin.pages import (
    ablation_page,
    bodies_page,
    fires_on_page,
    measure,
    preview_rule,
    quality_page,
    questions_page,
    rule_preview_page,
    rule_usage_page,
    threshold_preview,
)
from evaluation.api import RulePreviewsView, RulePreviewView
from evaluation.measuring.public_quality import QualityView
from evaluation.measuring.public_quality import quality_page as public_quality_page
from retrieval.admin.pages import try_query
from retrieval.admin.picker import places_view
from retrieval.admin.uploading import upload_page

handler400 = "arf_site.web.failures.bad_request"
handler500 = "arf_site.web.failures.server_error"
urlpatterns = [  # read from the top: what programs ask for most comes first
    path("api/v1/rules/preview", RulePreviewsView.as_view(), name="api_rule_previews"),
    path("api/v1/rules/preview/<int:preview_id>", RulePreviewView.as_view(), name="api_rule_preview"),
    path("api/v1/", include("retrieval.api.urls")),
    path("admin/try/", admin.site.admin_view(try_query), name="admin_try"),
    path("admin/places/", admin.site.admin_view(places_view), name="admin_places"),
    path("admin/upload/", admin.site.admin_view(upload_page), name="admin_upload"),
    path("admin/judge/", admin.site.admin_view(judge_page), name="admin_judge"),
    path("admin/disagreements/", admin.site.admin_view(disagreements_page), name="admin_disagreements"),
    path("admin/import/", admin.site.admin_view(import_page), name="admin_import"),
    path("admin/import/<uuid:upload_id>/", admin.site.admin_view(preview_page), name="admin_import_preview"),
    path("admin/quality/", admin.site.admin_view(quality_page), name="admin_quality"),
    path("admin/bodies/", admin.site.admin_view(bodies_page), name="admin_bodies"),
    path("admin/ablation/", admin.site.admin_view(ablation_page), name="admin_ablation"),
    path("admin/measure/", admin.site.admin_view(measure), name="admin_measure"),
    path("admin/questions/", admin.site.admin_view(questions_page), name="admin_questions"),
    path("admin/rule-usage/", admin.site.admin_view(rule_usage_page), name="admin_rule_usage"),
    path("admin/preview/", admin.site.admin_view(threshold_preview), name="admin_threshold_preview"),
    path("admin/preview/fires/", admin.site.admin_view(fires_on_page), name="admin_fires_on"),
    path("admin/preview/rule/<int:rule_id>/", admin.site.admin_view(preview_rule), name="admin_preview_rule"),
    path(
        "admin/preview/<int:preview_id>/", admin.site.admin_view(rule_preview_page), name="admin_rule_preview"
    ),
    path("admin/login/", staff_login),
    path("admin/", admin.site.urls),
    path("login", login, name="login"),
    path("logout", logout, name="logout"),
    path("i18n/", include("django.conf.urls.i18n")),
    path("quality", public_quality_page, name="quality"),
    path("quality.json", QualityView.as_view(), name="quality_json"),
    path("", include("retrieval.urls")),
]
