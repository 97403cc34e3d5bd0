"""What addresses and bodies take: each parameter is declared once, as a field that reads it, describes it in the schema
and has its default. What is unknown, repeated, mistyped or unreadable is refused; so are bodies that are no JSON in
UTF-8, or no form.
"""

import re
from collections.abc import Iterable, Mapping
from datetime import date
from typing import Any
from urllib.parse import parse_qsl
from uuid import UUID

from django.core.exceptions import RequestDataTooBig, SuspiciousOperation
from django.core.files.uploadedfile import UploadedFile
from django.http import QueryDict
from django.http.multipartparser import MAX_TOTAL_HEADER_SIZE
from django.utils.http import parse_header_parameters
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers as s
from rest_framework.exceptions import ParseError
from rest_framework.parsers import BaseParser, MultiPartParser
from rest_framework.request import Request

from retrieval.api.errors import BadBody, BadParameter, LengthRequired, TooLarge, UnknownParameter
from retrieval.targets import LONGEST_FACT, UNSENDABLE, is_number
from retrieval.text import strict_json

MAX_FIELDS = 100  # pairs in one query string
MAX_NAMES = 100  # values of one repeated parameter
MAX_ID = 999_999_999  # of a rule
LONGEST_NAME = 100  # characters
LONGEST_NOTHING = 10  # bytes of an empty object, with blanks
REPLACED = "\ufffd"
BLANK_LINE = b"\r\n\r\n"  # between what a part of a form is called and what it holds


class UrlText(str):
    """A value out of a query string, where numbers too are text."""

    __slots__ = ()


class Parameters(s.Serializer):
    """What one address takes. Values come by name; what was left out has its default, or is absent without one."""

    @classmethod
    def from_url(cls, request: Request) -> dict[str, Any]:
        return cls._read(url_values(request))

    @classmethod
    def from_json(cls, request: Request) -> dict[str, Any]:
        """The body's values; null is left out. A query string beside a body is refused."""
        refuse_url_values(request)
        body = request.data
        if not isinstance(body, dict):
            raise BadBody("The body must be a JSON object.")
        known = cls._declared_fields
        given = {name: value for name, value in body.items() if value is not None or name not in known}
        return cls._read({name: cls._listed(name, value) for name, value in given.items()})

    @classmethod
    def from_form(cls, request: Request) -> dict[str, Any]:
        """The values of a multipart form, its files among them. A query string beside them is refused."""
        refuse_url_values(request)
        fields, files = request.data, request.FILES
        refuse_replaced(fields)
        texts = {
            name: [UrlText(value) for value in fields.getlist(name)] for name in fields if name not in files
        }
        return cls._read(texts | {name: files.getlist(name) for name in files})

    @classmethod
    def _read(cls, sent: Mapping[str, list]) -> dict[str, Any]:
        """By the fields as declared: an instance copies all of them, which would take a request 1.5 ms."""
        known = cls._declared_fields
        if unknown := [name for name in sent if name not in known]:
            raise UnknownParameter(f"Unknown: {named(unknown)}. Known: {', '.join(known) or 'none'}.")
        if missing := [name for name, field in known.items() if field.required and name not in sent]:
            raise BadParameter(f"{missing[0]} is required.")
        defaults = {name: field.default for name, field in known.items() if field.default is not s.empty}
        return defaults | {name: cls._value(name, values) for name, values in sent.items()}

    @classmethod
    def _listed(cls, name: str, value: Any) -> list:
        field = cls._declared_fields.get(name)
        if isinstance(field, Names) and isinstance(value, str):
            return value.split(",")
        return value if isinstance(field, s.ListField) and isinstance(value, list) else [value]

    @classmethod
    def _value(cls, name: str, values: list) -> Any:
        field = cls._declared_fields[name]
        if isinstance(field, Names):
            values = [part for value in values for part in split(value)]
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


def refuse_unmeasured(request: Request) -> None:
    """Refuses a body in chunks: Django reads none whose length it is not told, and it is charged by that."""
    if "HTTP_TRANSFER_ENCODING" in request.META:
        raise LengthRequired("Send the body with its Content-Length: one that is sent in chunks is not read.")


def refuse_body(request: Request) -> None:
    """An empty object says nothing: many clients send it wherever a method may have a body."""
    said = request.stream.read(LONGEST_NOTHING + 1) if request.stream is not None else b""
    if len(said) > LONGEST_NOTHING or said.strip() not in (b"", b"{}"):
        raise BadBody("This address takes no body.")


def refuse_replaced(fields: QueryDict) -> None:
    """Refuses texts and names of files into which Django put U+FFFD for bytes that are no UTF-8."""
    for name in fields:
        if any(REPLACED in str(text) for text in (name, *fields.getlist(name))):
            raise BadParameter(f"{name[:60]} is not valid UTF-8, or holds the character U+FFFD.")


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
        if not isinstance(value, str):
            raise BadParameter(f"{name} must be text.")
        if len(value) > self.max_length:
            raise BadParameter(f"{name} is longer than {self.max_length} characters.")
        if UNSENDABLE.search(value):
            raise BadParameter(f"{name} holds a character that is not allowed.")
        return str(value)


class Name(Text):
    """The name of a domain or pipeline."""

    def __init__(self, **options) -> None:
        super().__init__(max_length=LONGEST_NAME, **options)

    def read(self, name: str, value: Any) -> str:
        if words := super().read(name, value):
            return words
        raise BadParameter(f"{name} is empty: leave it out, or name one.")


class Names(s.ListField):
    """Several of one kind; one text may name them all, with commas between."""


class Number(s.IntegerField):
    def read(self, name: str, value: Any) -> int:
        if isinstance(value, UrlText) and re.fullmatch("[0-9]{1,9}", value):
            value = int(value)
        if type(value) is not int or not self.min_value <= value <= self.max_value:
            raise BadParameter(f"{name} must be a whole number from {self.min_value} to {self.max_value}.")
        return value


class Facts(s.DictField):
    """Words and numbers by name."""

    words = Text(max_length=LONGEST_FACT)

    def read(self, name: str, value: Any) -> dict[str, str | int | float]:
        if not isinstance(value, dict) or len(value) > MAX_NAMES:
            raise BadParameter(f"{name} must be an object of at most {MAX_NAMES} names.")
        return {self.words.read(name, key): self._fact(f"{name}.{key}", fact) for key, fact in value.items()}

    def _fact(self, name: str, value: Any) -> str | int | float:
        return value if is_number(value) else self.words.read(name, value)


@extend_schema_field({"oneOf": [{"type": "integer", "minimum": 1, "maximum": MAX_ID}, {"type": "object"}]})
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


def split(value: Any) -> list:
    return value.split(",") if isinstance(value, UrlText) else [value]


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
            return strict_json.loads(body.decode())
        except (ValueError, RecursionError) as problem:
            raise BadBody("The body is not valid JSON in UTF-8.") from problem


class Files(MultiPartParser):
    """A form with files, bounded by the upload handlers; nothing of it is kept past the request."""

    def parse(self, stream, media_type: str | None = None, parser_context: dict | None = None) -> Any:
        try:
            boundary = parse_header_parameters(media_type or "")[1].get("boundary", "")
            return super().parse(CheckedForm(stream, boundary), media_type, parser_context)
        except RequestDataTooBig as problem:
            raise TooLarge("The form is larger than is taken.") from problem
        except (ParseError, SuspiciousOperation, ValueError) as problem:
            raise BadBody("The body is no valid multipart form.") from problem


class CheckedForm:
    """The stream of a form. Raises BadBody where a name in it is no UTF-8: Django leaves such a part out, and says
    nothing.
    """

    def __init__(self, stream: Any, boundary: str):
        self.stream, self.mark, self.seen = stream, b"--" + boundary.encode(), b""

    def read(self, size: int) -> bytes:
        chunk = self.stream.read(size)
        before, *parts = (self.seen + chunk).split(self.mark)
        for head, blank, _ in (part.partition(BLANK_LINE) for part in parts):
            check_head(head if blank else b"")
        goes_on = bool(parts) and BLANK_LINE not in parts[-1] and len(parts[-1]) <= MAX_TOTAL_HEADER_SIZE
        self.seen = self.mark + parts[-1] if goes_on else (parts or [before])[-1][-len(self.mark) :]
        return chunk


def check_head(head: bytes) -> None:
    try:
        head.decode()
    except UnicodeDecodeError as problem:
        raise BadBody("Names of fields and files must be in UTF-8.") from problem
