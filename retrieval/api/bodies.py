"""Request bodies, read strictly: JSON without repeated names, and forms with files."""

from typing import Any

from django.core.exceptions import RequestDataTooBig, SuspiciousOperation
from rest_framework.exceptions import ParseError
from rest_framework.parsers import BaseParser, MultiPartParser

from retrieval.api.errors import BadBody, TooLarge
from retrieval.text import strict_json


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
            return super().parse(stream, media_type, parser_context)
        except RequestDataTooBig as problem:
            raise TooLarge("The form is larger than is taken.") from problem
        except (ParseError, SuspiciousOperation, ValueError) as problem:
            raise BadBody("The body is no valid multipart form.") from problem
