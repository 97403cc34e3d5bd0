"""What every view of the API shares: JSON in, JSON out, in English, read as the caller."""

from collections.abc import Callable, Sequence
from contextlib import ExitStack
from functools import wraps
from typing import Any

import orjson
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect
from django.urls import reverse
from django.utils import translation
from django.utils.translation.trans_real import parse_accept_lang_header
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiExample, extend_schema
from rest_framework import serializers as s
from rest_framework.negotiation import BaseContentNegotiation
from rest_framework.request import Request
from rest_framework.views import APIView

from retrieval.access.row_security import as_caller
from retrieval.api.authentication import caller_of
from retrieval.api.parameters import (
    Files,
    Nothing,
    Parameters,
    StrictJson,
    refuse_body,
    refuse_unmeasured,
)
from retrieval.errors import Forbidden
from retrieval.models import ApiKey

MAX_BODY = 64 * 1024  # bytes; a question is never longer
BODY_ERRORS = (413, 415)  # of every address that takes one


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
            response = super().dispatch(request, *args, **kwargs)
        response.headers.setdefault("Content-Language", "en")
        return response


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


def language_of(request: Request) -> str:
    """Of the languages of questions the one that Accept-Language names first: "es" for es-MX. English where it names
    neither. No cookie decides: a program sends none, and gets what anybody else does.
    """
    accepted = parse_accept_lang_header(request.headers.get("Accept-Language", "").lower())
    codes = (code.partition("-")[0] for code, weight in accepted if weight)
    return next((code for code in codes if code in ("en", "es")), "en")


def as_stored(row: Any, *names: str) -> dict[str, Any]:
    return {name: getattr(row, name) for name in names}


def reply(answer: dict, status: int = 200, *, language: str = "en") -> HttpResponse:
    """Rendered here: an answer is JSON-able as it is. Nothing between may keep what a key opened."""
    body = orjson.dumps(answer, option=orjson.OPT_SERIALIZE_NUMPY)
    headers = {"Cache-Control": "no-store", "Content-Language": language}
    return HttpResponse(body, status=status, content_type="application/json", headers=headers)


@extend_schema(exclude=True)
class NowhereView(ApiView):
    """Any other address: an error in the API's own shape."""

    def initial(self, request: Request, *args, **kwargs) -> None:
        super().initial(request, *args, **kwargs)
        raise Http404


@extend_schema(exclude=True)
class WithSlashView(ApiView):
    """An address without its last slash: leads to that with it."""

    leads_to = ""

    def get(self, request: Request) -> HttpResponse:
        query = request.META.get("QUERY_STRING", "")
        return redirect(f"{reverse(self.leads_to)}?{query}" if query else self.leads_to)


class ErrorDetail(s.Serializer):
    code = s.CharField()
    message = s.CharField()


class Error(s.Serializer):
    error = ErrorDetail()


def answers(
    shape: type[s.Serializer], *errors: int, success: Sequence[int] = (200,)
) -> dict[int, type[s.Serializer]]:
    """What an address answers: its shape, and the uniform error with the statuses that any may have and those named."""
    return dict.fromkeys(success, shape) | dict.fromkeys(sorted({400, 401, 411, 429, *errors}), Error)


def operation(
    name: str,
    shape: type[s.Serializer],
    *errors: int,
    url: type[Parameters] = Nothing,
    body: type[Parameters] | None = None,
    form: type[Parameters] | None = None,
    scope: ApiKey.Scope | None = None,
    examples: Sequence[OpenApiExample] = (),
    success: Sequence[int] = (200,),
    stream: str = "",
) -> Callable[[Callable[..., dict | HttpResponseBase]], Callable[..., HttpResponseBase]]:
    """Makes a handler of a function: it is given what the address or the body says, and its answer is sent as JSON.

    `url` and `body`: what may be said where. A body is a form where the view takes files, and JSON elsewhere; where it
    may be either, `form` is what the form may say.
    `scope`: what the caller's key must open, before anything is read. `success`: a handler that gives no response of
    its own is answered with the first. `stream`: the media type of what is sent piece by piece where that is asked for.
    """

    def made(answer: Callable[..., dict | HttpResponseBase]) -> Callable[..., HttpResponseBase]:
        @wraps(answer)
        def handler(view: ApiView, request: Request, **place) -> HttpResponseBase:
            if scope is not None:
                require(request, scope)
            told = answer(view, request, said(view, request), **place)
            return told if isinstance(told, HttpResponseBase) else reply(told, success[0])

        return described(handler)

    def said(view: ApiView, request: Request) -> dict[str, Any]:
        refuse_unmeasured(request)
        if body is None:
            refuse_body(request)
            return url.from_url(request)
        if form is not None and request.content_type.startswith(Files.media_type):
            return form.from_form(request)
        is_form = form is None and Files in view.parser_classes
        return body.from_form(request) if is_form else body.from_json(request)

    described = extend_schema(
        operation_id=name,
        parameters=[url] if url is not Nothing else None,
        request={StrictJson.media_type: body, Files.media_type: form} if form else body,
        examples=list(examples),
        responses=answers(shape, *errors, *([403] if scope else []), *(BODY_ERRORS if body else ()), success=success)
        | ({(200, stream): OpenApiTypes.STR} if stream else {}),
    )
    return made


def require(request: Request, scope: ApiKey.Scope) -> None:
    """Raises Forbidden where the caller's key does not open it."""
    if request.auth is None or scope not in request.auth.scopes:
        raise Forbidden(f"This needs a key with the scope “{scope}”.")
