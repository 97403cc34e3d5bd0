"""What is asked of the admin that the database cannot answer: odd filters of its lists, and text with NUL."""

import logging
from collections.abc import Callable

from django.contrib.admin.options import IncorrectLookupParameters
from django.contrib.admin.views.main import ERROR_FLAG
from django.core.exceptions import BadRequest, FieldError
from django.db import DataError, ProgrammingError, transaction
from django.http import HttpRequest, HttpResponse
from django.views.defaults import bad_request

logger = logging.getLogger(__name__)

ADMIN = "/admin/"
# What a lookup raises that its field does not know, or whose value is none of its kind.
UNANSWERABLE = (
    DataError, ProgrammingError, FieldError, ValueError, TypeError, IndexError, OverflowError,
    IncorrectLookupParameters,
)  # fmt: skip
LISTS = ("_changelist", "_download", "_export")  # how the names of views end that read a list's filters


class RefusedLookups:
    """Answers 400 for a list whose filters cannot be read (`?top_locators__contains=x`), and logs the failure whole;
    and for NUL in anything that is sent to the admin, which PostgreSQL keeps in no text.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        return self.get_response(request)

    def process_view(
        self, request: HttpRequest, view: Callable, args: tuple, kwargs: dict
    ) -> HttpResponse | None:
        """Stands last: asks the list inside a savepoint, so that a refusal leaves its reader's transaction whole."""
        if request.path_info.startswith(ADMIN) and holds_nul(request):
            return bad_request(request, BadRequest())
        if not is_filtered_list(request):
            return None
        try:
            with transaction.atomic():
                response = view(request, *args, **kwargs)
        except UNANSWERABLE as problem:
            logger.warning("%s cannot be listed as asked", request.path, exc_info=problem)
            return bad_request(request, problem)
        known_as_bad = response.get("Location") == f"{request.path}?{ERROR_FLAG}=1"  # by Django: the list unfiltered
        return bad_request(request, FieldError()) if known_as_bad else response


def is_filtered_list(request: HttpRequest) -> bool:
    name = request.resolver_match.view_name
    is_list = name.startswith("admin:") and name.endswith(LISTS)
    return is_list and request.method == "GET" and bool(request.GET)


def holds_nul(request: HttpRequest) -> bool:
    sent = (*request.GET.lists(), *request.POST.lists())
    return any("\0" in value for _name, values in sent for value in values)
