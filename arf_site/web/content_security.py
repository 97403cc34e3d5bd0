"""The Content-Security-Policy of every answer: the settings' own, and a wider one for the admin."""

from collections.abc import Callable

from csp.constants import HEADER
from csp.middleware import CSPMiddleware, PolicyParts
from csp.utils import build_policy
from django.conf import settings
from django.http import HttpRequest, HttpResponse

API = "/api/v1/"


class ContentSecurityPolicy(CSPMiddleware):
    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        super().__init__(get_response)
        self.usual = build_policy()

    def process_response(self, request: HttpRequest, response: HttpResponse) -> HttpResponse:
        """Answers of the API have the usual policy, which is written once, unless their view says otherwise."""
        of_its_own = any(name.startswith("_csp") for name in (*vars(request), *vars(response)))
        if of_its_own or not request.path_info.startswith(API):
            return super().process_response(request, response)
        response.setdefault(HEADER, self.usual)
        return response

    def get_policy_parts(
        self, request: HttpRequest, response: HttpResponse, report_only: bool = False
    ) -> PolicyParts:
        parts = super().get_policy_parts(request, response, report_only)
        if request.path_info.startswith("/admin/") and not report_only:
            parts.replace = {**settings.ADMIN_CONTENT_SECURITY, **(parts.replace or {})}
        return parts
