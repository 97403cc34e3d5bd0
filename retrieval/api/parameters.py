"""What addresses take: each parameter is declared once, as a field that reads it and describes it in the schema.

What is unknown, repeated, mistyped or unreadable is refused.
"""

import re
from collections.abc import Iterable, Mapping
from datetime import date
from typing import Any
from urllib.parse import parse_qsl
from uuid import UUID

from django.core.files.uploadedfile import UploadedFile
from rest_framework import serializers as s
from rest_framework.request import Request

from retrieval.api.errors import BadBody, BadParameter, UnknownParameter

MAX_FIELDS = 100  # pairs in one query string
MAX_NAMES = 100  # values of one repeated parameter
MAX_ID = 999_999_999  # of a rule
LONGEST_NAME = 100  # characters


class UrlText(str):
    """A value out of a query string, where numbers too are text."""

    __slots__ = ()


class Parameters(s.Serializer):
    """What one address takes. Values come by name; what was left out is absent, whatever its default."""

    @classmethod
    def from_url(cls, request: Request) -> dict[str, Any]:
        return cls()._read(url_values(request))

    @classmethod
    def from_json(cls, request: Request) -> dict[str, Any]:
        """The body's values; null is left out. A query string beside a body is refused."""
        refuse_url_values(request)
        body = request.data
        if not isinstance(body, dict):
            raise BadBody("The body must be a JSON object.")
        parameters = cls()
        given = {k: value for k, value in body.items() if value is not None or k not in parameters.fields}
        return parameters._read({name: parameters._listed(name, value) for name, value in given.items()})

    @classmethod
    def from_form(cls, request: Request) -> dict[str, Any]:
        """The values of a multipart form, its files among them. A query string beside them is refused."""
        refuse_url_values(request)
        fields, files = request.data, request.FILES
        texts = {
            name: [UrlText(value) for value in fields.getlist(name)] for name in fields if name not in files
        }
        return cls()._read(texts | {name: files.getlist(name) for name in files})

    def _read(self, sent: Mapping[str, list]) -> dict[str, Any]:
        if unknown := [name for name in sent if name not in self.fields]:
            raise UnknownParameter(f"Unknown: {named(unknown)}. Known: {', '.join(self.fields) or 'none'}.")
        if missing := [k for k, field in self.fields.items() if field.required and k not in sent]:
            raise BadParameter(f"{missing[0]} is required.")
        return {name: self._value(name, values) for name, values in sent.items()}

    def _listed(self, name: str, value: Any) -> list:
        many = isinstance(self.fields.get(name), s.ListField)
        return value if many and isinstance(value, list) else [value]

    def _value(self, name: str, values: list) -> Any:
        field = self.fields[name]
        many = isinstance(field, s.ListField)
        if many and len(values) <= MAX_NAMES:
            return tuple(field.child.read(name, value) for value in values)
        if len(values) != 1:
            raise BadParameter(f"{name} takes {f'at most {MAX_NAMES} values' if many else 'one value'}.")
        return field.read(name, values[0])


class Nothing(Parameters):
    """For an address without parameters."""


def named(names: Iterable[str]) -> str:
    return ", ".join(f"“{name[:60]}”" for name in sorted(names)[:10])


def refuse_url_values(request: Request) -> None:
    if stray := url_values(request):
        raise UnknownParameter(f"Send parameters in the body, not in the address: {named(stray)}.")


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


# -- Fields. `read` gives the value of what was sent for the parameter `name`, or raises BadParameter.


class Text(s.CharField):
    """Words that can be stored and sent: no NUL, no half of a surrogate pair."""

    def read(self, name: str, value: Any) -> str:
        return text(name, value, longest=self.max_length)


class Name(s.CharField):
    """The name of a domain or pipeline."""

    def read(self, name: str, value: Any) -> str:
        words = text(name, value, longest=LONGEST_NAME)
        if not words:
            raise BadParameter(f"{name} is empty: leave it out, or name one.")
        return words


class Number(s.IntegerField):
    def read(self, name: str, value: Any) -> int:
        return number(name, value, low=self.min_value, high=self.max_value)


class RuleId(s.IntegerField):
    """The id of a published rule."""

    def read(self, name: str, value: Any) -> int:
        return number(name, value, low=1, high=MAX_ID)


class Rule(s.JSONField):
    """The id of a published rule, or a rule written out; what it says is read by the app that owns rules."""

    def read(self, name: str, value: Any) -> int | dict:
        if isinstance(value, dict):
            return value
        if type(value) is not int or not 1 <= value <= MAX_ID:
            raise BadParameter(f"{name} takes the id of a rule or a rule written out as an object.")
        return value


class Choice(s.ChoiceField):
    def read(self, name: str, value: Any) -> str:
        if not isinstance(value, str) or value not in self.choices:
            raise BadParameter(f"{name} must be one of: {', '.join(self.choices)}.")
        return str(value)


class YesOrNo(s.BooleanField):
    def read(self, name: str, value: Any) -> bool:
        if isinstance(value, UrlText) and value in ("true", "false", "1", "0"):
            return value in ("true", "1")
        if not isinstance(value, bool):
            raise BadParameter(f"{name} must be true or false.")
        return value


class Day(s.DateField):
    def read(self, name: str, value: Any) -> date:
        if isinstance(value, str) and re.fullmatch("[0-9]{4}-[0-9]{2}-[0-9]{2}", value):
            try:
                return date.fromisoformat(value)
            except ValueError as problem:
                raise BadParameter(f"{name}: there is no such day.") from problem
        raise BadParameter(f"{name} must be a day like 1791-12-15.")


class Uuid(s.UUIDField):
    def read(self, name: str, value: Any) -> UUID:
        try:
            return UUID(value)
        except (ValueError, AttributeError, TypeError) as problem:
            raise BadParameter(f"{name} must be a UUID.") from problem


class File(s.FileField):
    def read(self, name: str, value: Any) -> UploadedFile:
        if not isinstance(value, UploadedFile):
            raise BadParameter(f"{name} must be a file.")
        return value


def text(name: str, value: Any, *, longest: int) -> str:
    if not isinstance(value, str):
        raise BadParameter(f"{name} must be text.")
    if len(value) > longest:
        raise BadParameter(f"{name} is longer than {longest} characters.")
    if "\x00" in value or not is_unicode(value):
        raise BadParameter(f"{name} holds a character that is not allowed.")
    return str(value)


def is_unicode(value: str) -> bool:
    try:
        value.encode()
    except UnicodeEncodeError:
        return False
    return True


def number(name: str, value: Any, *, low: int, high: int) -> int:
    if isinstance(value, UrlText) and re.fullmatch("[0-9]{1,9}", value):
        value = int(value)
    if type(value) is not int or not low <= value <= high:
        raise BadParameter(f"{name} must be a whole number from {low} to {high}.")
    return value
