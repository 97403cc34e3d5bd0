"""What is answered where no view was reached: in the API's own shape under its addresses, as a page elsewhere."""

import sys

from django.core.exceptions import RequestDataTooBig
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.template import loader

from arf_site.web.uploads import most_megabytes
from retrieval.api.errors import NO_DATABASE, error_response
from retrieval.database import AWAY
from retrieval.errors import SearchUnavailable

API, ADMIN = "/api/", "/admin/"
RETRY_AFTER = "30"  # seconds
UNFORESEEN = (500, "error", "Something went wrong here; it has been logged.")


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    """A host that is not ours, a cookie or form that cannot be read."""
    if request.path.startswith(API):
        return error_response(400, "bad_request", "This request cannot be read.")
    if isinstance(exception, RequestDataTooBig):
        return too_large(request)
    return render(request, "400.html", status=400)


def too_large(request: HttpRequest) -> HttpResponse:
    """A file or form beyond its limit, which is named where it is the limit of files."""
    is_upload = request.content_type == "multipart/form-data"
    most = most_megabytes(request.path_info) if is_upload else None
    return render(request, "413.html", {"most": most}, status=413)


def server_error(request: HttpRequest) -> HttpResponse:
    """What nobody foresaw; without a database, and where nothing can be looked up, it is temporary (503)."""
    is_temporary = isinstance(sys.exception(), (*AWAY, SearchUnavailable))
    if request.path.startswith(API):
        return error_response(*NO_DATABASE) if is_temporary else error_response(*UNFORESEEN)
    shown = {"in_admin": request.path.startswith(ADMIN)}  # who is asking cannot be looked up now
    if not is_temporary:
        return HttpResponse(loader.render_to_string("500.html", shown), status=500)
    response = HttpResponse(loader.render_to_string("503.html", shown), status=503)
    response["Retry-After"] = RETRY_AFTER
    return response
