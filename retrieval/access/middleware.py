"""A signed-in person's pages and admin see the private rows granted to that person, by one transaction a request."""

from collections.abc import Callable

from django.conf import settings
from django.db import transaction
from django.http import HttpRequest, HttpResponse

from retrieval.access import row_security
from retrieval.access.caller import Caller
from retrieval.models.access import caller_for

View = Callable[[HttpRequest], HttpResponse]


def caller_of(request: HttpRequest) -> Caller:
    """Who asks, read once a request. Staff read private documents by grants, like everybody: being staff opens none."""
    if not hasattr(request, "caller"):
        request.caller = caller_for(request.user)
    return request.caller


def row_access_of_user(get_response: View) -> View:
    """Stands after the authentication. Requests without a session cost nothing; an answer 5xx changes nothing."""

    def answer(request: HttpRequest) -> HttpResponse:
        if settings.SESSION_COOKIE_NAME not in request.COOKIES or not request.user.is_authenticated:
            return get_response(request)
        with row_security.as_caller(caller_of(request)):
            response = get_response(request)
            if response.status_code >= 500:
                transaction.set_rollback(True)
            return response

    return answer
