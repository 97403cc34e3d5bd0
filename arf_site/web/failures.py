"""What is answered where no view was reached: in the API's own shape under its addresses, as a page elsewhere."""

import sys

from django.http import HttpRequest, HttpResponse
from django.views import defaults

from retrieval.api.errors import NO_DATABASE, error_response
from retrieval.database import AWAY
from retrieval.errors import SearchUnavailable

API = "/api/"
RETRY_AFTER = "30"  # seconds
UNFORESEEN = (500, "error", "Something went wrong here; it has been logged.")


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    """A host that is not ours, a cookie or form that cannot be read."""
    if request.path.startswith(API):
        return error_response(400, "bad_request", "This request cannot be read.")
    return defaults.bad_request(request, exception)


def server_error(request: HttpRequest) -> HttpResponse:
    """What nobody foresaw; without a database, and where nothing can be looked up, it is temporary (503)."""
    is_temporary = isinstance(sys.exception(), (*AWAY, SearchUnavailable))
    if request.path.startswith(API):
        return error_response(*NO_DATABASE) if is_temporary else error_response(*UNFORESEEN)
    if not is_temporary:
        return defaults.server_error(request)
    response = defaults.server_error(request, "503.html")
    response.status_code = 503
    response["Retry-After"] = RETRY_AFTER
    return response
