"""Every failure as `{"error": {"code", "message"}}` with its status; what nobody foresaw is logged."""

import logging
import math

from django.http import Http404, JsonResponse
from rest_framework import exceptions

from retrieval.database import AWAY
from retrieval.errors import ArfError

logger = logging.getLogger(__name__)


class BadParameter(ArfError):
    """A value that cannot be read as what it should be."""

    code = "bad_parameter"


class UnknownParameter(BadParameter):
    code = "unknown_parameter"


class BadBody(ArfError):
    code = "bad_body"


class LengthRequired(ArfError):
    status = 411
    code = "length_required"


class TooLarge(ArfError):
    status = 413
    code = "too_large"


class Unauthorized(exceptions.AuthenticationFailed):
    """DRF's own kind, so that its answer names the scheme in WWW-Authenticate."""

    message = "This key is not valid: it is unknown, revoked or expired."


# In our words: the framework's follow the language of the browser.
MESSAGES = {
    exceptions.MethodNotAllowed: ("method_not_allowed", "This address does not take that method."),
    exceptions.UnsupportedMediaType: (
        "unsupported_media_type",
        "Send the body as application/json, files as multipart/form-data.",
    ),
    exceptions.Throttled: ("too_many_requests", "Too many requests: wait as long as Retry-After says."),
    Unauthorized: ("unauthorized", Unauthorized.message),
    Http404: ("not_found", "There is nothing at this address."),
}
NO_DATABASE = (503, "unavailable", "The database does not answer; try again soon.")


def as_json(error: Exception, context: dict) -> JsonResponse:
    """DRF's exception handler for all views of the API."""
    status = 404 if isinstance(error, Http404) else getattr(error, "status_code", 500)
    if isinstance(error, ArfError):
        return error_response(error.status, error.code, error.message, headers=headers_of(error))
    if type(error) in MESSAGES:
        return error_response(status, *MESSAGES[type(error)], headers=headers_of(error))
    if isinstance(error, exceptions.APIException):
        return error_response(status, error.default_code, str(error.detail), headers=headers_of(error))
    logger.error("%s failed", context["request"].path, exc_info=error)
    if isinstance(error, AWAY):
        return error_response(*NO_DATABASE)
    return error_response(500, "error", "Something went wrong here; it has been logged.")


def headers_of(error: Exception) -> dict[str, str]:
    headers = {}
    if scheme := getattr(error, "auth_header", None):
        headers["WWW-Authenticate"] = scheme
    if wait := getattr(error, "wait", None):
        headers["Retry-After"] = str(math.ceil(wait))
    return headers


def error_response(
    status: int, code: str, message: str, *, headers: dict[str, str] | None = None
) -> JsonResponse:
    kept_nowhere = {"Cache-Control": "no-store"}  # what is missing today may be there tomorrow
    headers = kept_nowhere | (headers or {})
    return JsonResponse({"error": {"code": code, "message": message}}, status=status, headers=headers)
