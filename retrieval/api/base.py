"""What every view of the API shares: JSON in, JSON out, in English, read as the caller."""

from contextlib import ExitStack
from typing import Any

import orjson
from django.http import Http404, HttpRequest, HttpResponse
from django.utils import translation
from drf_spectacular.utils import extend_schema
from rest_framework import serializers as s
from rest_framework.negotiation import BaseContentNegotiation
from rest_framework.request import Request
from rest_framework.views import APIView

from retrieval.access.row_security import as_caller
from retrieval.api.authentication import caller_of
from retrieval.api.parameters import StrictJson

MAX_BODY = 64 * 1024  # bytes; a question is never longer


class AlwaysJson(BaseContentNegotiation):
    """There is one kind of answer, whatever is asked for."""

    def select_parser(self, request: Request, parsers: list) -> Any:
        return next(
            (p for p in parsers if p.media_type == request.content_type.partition(";")[0].strip().lower()),
            None,
        )

    def select_renderer(self, request: Request, renderers: list, format_suffix: str | None = None) -> tuple:
        return renderers[0], renderers[0].media_type


class InEnglish:
    """A view that speaks the language of the code, whatever a browser asks for, and takes no OPTIONS."""

    http_method_names = [
        name for name in APIView.http_method_names if name != "options"
    ]  # nor named in Allow

    def dispatch(self, request: HttpRequest, *args, **kwargs) -> HttpResponse:
        with translation.override("en"):
            return super().dispatch(request, *args, **kwargs)


class ApiView(InEnglish, APIView):
    """Any caller may come in; what is found depends on the key. Sessions are no way in, so CSRF is none."""

    content_negotiation_class = AlwaysJson
    parser_classes = [StrictJson]
    max_body = MAX_BODY

    def dispatch(self, request: HttpRequest, *args, **kwargs) -> HttpResponse:
        with ExitStack() as self.access:
            return super().dispatch(request, *args, **kwargs)

    def initial(self, request: Request, *args, **kwargs) -> None:
        """Once the key is known: what the handler reads, it reads as this caller."""
        super().initial(request, *args, **kwargs)
        self.access.enter_context(as_caller(caller_of(request)))


def as_stored(row: Any, *names: str) -> dict[str, Any]:
    return {name: getattr(row, name) for name in names}


def reply(answer: dict, status: int = 200) -> HttpResponse:
    """Rendered here: an answer is JSON-able as it is. Nothing between may keep what a key opened."""
    body = orjson.dumps(answer, option=orjson.OPT_SERIALIZE_NUMPY)
    headers = {"Cache-Control": "no-store"}
    return HttpResponse(body, status=status, content_type="application/json", headers=headers)


@extend_schema(exclude=True)
class NowhereView(ApiView):
    """Any other address: an error in the API's own shape."""

    def initial(self, request: Request, *args, **kwargs) -> None:
        super().initial(request, *args, **kwargs)
        raise Http404


class ErrorDetail(s.Serializer):
    code = s.CharField()
    message = s.CharField()


class Error(s.Serializer):
    error = ErrorDetail()


def answers(shape: type[s.Serializer], *errors: int, success: int = 200) -> dict[int, type[s.Serializer]]:
    """What an address answers: its shape, and the uniform error with 400 and the statuses named."""
    return {success: shape, **dict.fromkeys((400, *errors), Error)}
