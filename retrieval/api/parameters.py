"""Reads what a caller sent, strictly: what is unknown, repeated, mistyped or unreadable is refused."""

import json
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any
from urllib.parse import parse_qsl
from uuid import UUID

from django.core.exceptions import RequestDataTooBig, SuspiciousOperation
from django.core.files.uploadedfile import UploadedFile
from rest_framework.exceptions import ParseError
from rest_framework.parsers import BaseParser, MultiPartParser
from rest_framework.request import Request

from retrieval.api.errors import BadBody, BadParameter, TooLarge, UnknownParameter

MAX_FIELDS = 100  # pairs in one query string
MAX_NAMES = 100  # values of one repeated parameter
MAX_ID = 999_999_999  # of a rule
MAX_BODY = 64 * 1024  # bytes; a question is never longer


class UrlText(str):
    """A value out of a query string, where numbers too are text."""

    __slots__ = ()


Reader = Callable[[str, Any], Any]


@dataclass(frozen=True, slots=True)
class Field:
    """How one value is read; `many` may be repeated, and is a list in JSON."""

    read: Reader
    many: bool = False


class Parameters:
    """What one address takes. Values come by name; what was left out is absent."""

    def __init__(self, *, required: Iterable[str] = (), **fields: Field):
        self.fields = fields
        self.required = tuple(required)

    def from_url(self, request: Request) -> dict[str, Any]:
        return self._checked(url_values(request))

    def from_json(self, request: Request) -> dict[str, Any]:
        """The body's values; null is left out. A query string beside a body is refused."""
        if stray := url_values(request):
            raise UnknownParameter(f"Send parameters in the body, not in the address: {named(stray)}.")
        body = request.data
        if not isinstance(body, dict):
            raise BadBody("The body must be a JSON object.")
        given = {name: value for name, value in body.items() if value is not None or name not in self.fields}
        return self._checked({name: self._listed(name, value) for name, value in given.items()})

    def from_form(self, request: Request) -> dict[str, Any]:
        """The form's values, its files among them."""
        fields, files = form_values(request)
        return self._checked({**fields, **files})

    def _checked(self, sent: Mapping[str, list]) -> dict[str, Any]:
        if unknown := [name for name in sent if name not in self.fields]:
            raise UnknownParameter(f"Unknown: {named(unknown)}. Known: {', '.join(self.fields) or 'none'}.")
        if missing := [name for name in self.required if name not in sent]:
            raise BadParameter(f"{missing[0]} is required.")
        return {name: self._value(name, values) for name, values in sent.items()}

    def _listed(self, name: str, value: Any) -> list:
        many = name in self.fields and self.fields[name].many
        return value if many and isinstance(value, list) else [value]

    def _value(self, name: str, values: list) -> Any:
        field = self.fields[name]
        if field.many and len(values) <= MAX_NAMES:
            return tuple(field.read(name, value) for value in values)
        if len(values) != 1:
            raise BadParameter(
                f"{name} takes {f'at most {MAX_NAMES} values' if field.many else 'one value'}."
            )
        return field.read(name, values[0])


def named(names: Iterable[str]) -> str:
    return ", ".join(f"“{name[:60]}”" for name in sorted(names)[:10])


def url_values(request: Request) -> dict[str, list[UrlText]]:
    """The query string's values by name. Bytes that are no UTF-8 are refused, not replaced."""
    raw = request.META.get("QUERY_STRING", "")
    if not raw:
        return {}
    try:
        written = raw.encode("latin-1").decode()
        pairs = parse_qsl(written, keep_blank_values=True, errors="strict", max_num_fields=MAX_FIELDS)
    except UnicodeError as problem:
        raise BadParameter("The query string is not valid UTF-8.") from problem
    except ValueError as problem:
        raise BadParameter(f"The query string has more than {MAX_FIELDS} parameters.") from problem
    values: dict[str, list[UrlText]] = {}
    for name, value in pairs:
        values.setdefault(name, []).append(UrlText(value))
    return values


def form_values(request: Request) -> tuple[dict[str, list[UrlText]], dict[str, list[UploadedFile]]]:
    """The fields and the files of a multipart form. A query string beside them is refused."""
    if stray := url_values(request):
        raise UnknownParameter(f"Send parameters in the body, not in the address: {named(stray)}.")
    fields, files = request.data, request.FILES
    return (
        {name: [UrlText(value) for value in fields.getlist(name)] for name in fields if name not in files},
        {name: files.getlist(name) for name in files},
    )


# -- Readers


def text(*, longest: int) -> Reader:
    """Words that can be stored and sent: no NUL, no half of a surrogate pair."""

    def read(name: str, value: Any) -> str:
        if not isinstance(value, str):
            raise BadParameter(f"{name} must be text.")
        if len(value) > longest:
            raise BadParameter(f"{name} is longer than {longest} characters.")
        if "\x00" in value or not is_unicode(value):
            raise BadParameter(f"{name} holds a character that is not allowed.")
        return str(value)

    return read


def is_unicode(value: str) -> bool:
    try:
        value.encode()
    except UnicodeEncodeError:
        return False
    return True


def rule(name: str, value: Any) -> int | dict:
    """The id of a published rule, or a rule written out; what it says is read by the app that owns rules."""
    if isinstance(value, dict):
        return value
    if type(value) is not int or not 1 <= value <= MAX_ID:
        raise BadParameter(f"{name} takes the id of a rule or a rule written out as an object.")
    return value


def name_of_ours(name: str, value: Any) -> str:
    """The name of a domain or pipeline."""
    words = text(longest=100)(name, value)
    if not words:
        raise BadParameter(f"{name} is empty: leave it out, or name one.")
    return words


def number(*, low: int, high: int) -> Reader:
    def read(name: str, value: Any) -> int:
        if isinstance(value, UrlText) and re.fullmatch("[0-9]{1,9}", value):
            value = int(value)
        if type(value) is not int or not low <= value <= high:
            raise BadParameter(f"{name} must be a whole number from {low} to {high}.")
        return value

    return read


def one_of(*choices: str) -> Reader:
    def read(name: str, value: Any) -> str:
        if not isinstance(value, str) or value not in choices:
            raise BadParameter(f"{name} must be one of: {', '.join(choices)}.")
        return str(value)

    return read


def yes_or_no(name: str, value: Any) -> bool:
    if isinstance(value, UrlText) and value in ("true", "false", "1", "0"):
        return value in ("true", "1")
    if not isinstance(value, bool):
        raise BadParameter(f"{name} must be true or false.")
    return value


def day(name: str, value: Any) -> date:
    if isinstance(value, str) and re.fullmatch("[0-9]{4}-[0-9]{2}-[0-9]{2}", value):
        try:
            return date.fromisoformat(value)
        except ValueError as problem:
            raise BadParameter(f"{name}: there is no such day.") from problem
    raise BadParameter(f"{name} must be a day like 1791-12-15.")


def uuid(name: str, value: Any) -> UUID:
    try:
        return UUID(value)
    except (ValueError, AttributeError, TypeError) as problem:
        raise BadParameter(f"{name} must be a UUID.") from problem


def one_file(name: str, value: Any) -> UploadedFile:
    if not isinstance(value, UploadedFile):
        raise BadParameter(f"{name} must be a file.")
    return value


# -- Bodies


class StrictJson(BaseParser):
    """JSON in UTF-8 of at most the view's `max_body` bytes, without repeated names or numbers JSON lacks."""

    media_type = "application/json"

    def parse(self, stream, media_type: str | None = None, parser_context: dict | None = None) -> Any:
        limit = parser_context["view"].max_body
        body = stream.read(limit + 1)
        if len(body) > limit:
            raise TooLarge(f"The body is longer than {limit} bytes.")
        try:
            return json.loads(body.decode(), object_pairs_hook=without_repeats, parse_constant=refuse)
        except (ValueError, RecursionError) as problem:
            raise BadBody("The body is not valid JSON in UTF-8.") from problem


def without_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a name stands twice in one object")
    return found


def refuse(constant: str) -> None:
    raise ValueError(f"{constant} is no JSON")


class Files(MultiPartParser):
    """A form with files, bounded by the upload handlers; nothing of it is kept past the request."""

    def parse(self, stream, media_type: str | None = None, parser_context: dict | None = None) -> Any:
        try:
            return super().parse(stream, media_type, parser_context)
        except RequestDataTooBig as problem:
            raise TooLarge("The form is larger than is taken.") from problem
        except (ParseError, SuspiciousOperation, ValueError) as problem:
            raise BadBody("The body is no valid multipart form.") from problem
