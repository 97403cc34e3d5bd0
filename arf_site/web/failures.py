"""What is answered where no view was reached: in the API's own shape under its addresses, as a page elsewhere."""

from django.http import HttpRequest, HttpResponse
from django.views import defaults

from retrieval.api.errors import error_response

API = "/api/"


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    """A host that is not ours, a cookie or form that cannot be read."""
    if request.path.startswith(API):
        return error_response(400, "bad_request", "This request cannot be read.")
    return defaults.bad_request(request, exception)


def server_error(request: HttpRequest) -> HttpResponse:
    if request.path.startswith(API):
        return error_response(500, "error", "Something went wrong here; it has been logged.")
    return defaults.server_error(request)
