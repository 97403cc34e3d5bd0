"""The Content-Security-Policy of every answer: the settings' own, and a wider one for the admin."""

from csp.middleware import CSPMiddleware, PolicyParts
from django.conf import settings
from django.http import HttpRequest, HttpResponse


class ContentSecurityPolicy(CSPMiddleware):
    def get_policy_parts(
        self, request: HttpRequest, response: HttpResponse, report_only: bool = False
    ) -> PolicyParts:
        parts = super().get_policy_parts(request, response, report_only)
        if request.path_info.startswith("/admin/") and not report_only:
            parts.replace = {**settings.ADMIN_CONTENT_SECURITY, **(parts.replace or {})}
        return parts
