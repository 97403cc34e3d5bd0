"""Citations in a text, and which of them lead to a provision here."""

from django.http import HttpResponse
from drf_spectacular.utils import extend_schema, extend_schema_serializer
from rest_framework.request import Request

from retrieval.access.caller import Caller
from retrieval.api.authentication import caller_of
from retrieval.api.base import ApiView, answers, as_stored, reply
from retrieval.api.parameters import Parameters, Text
from retrieval.api.sections import existing
from retrieval.api.serializers import ResolvedCitations
from retrieval.citations.finding import find_citations, whole_citations

MAX_TEXT = 64_000  # characters read for citations
MAX_CITATIONS = 250
BYTES_A_REQUEST = 1_000  # the work grows with the text: 64 kB take as long as some dozens of searches


@extend_schema_serializer(component_name="CitingText")
class TextParameters(Parameters):
    """A text that may hold citations."""

    q = Text(max_length=MAX_TEXT, allow_blank=True, help_text="Text that holds citations.")


class CitationsView(ApiView):
    bytes_a_request = BYTES_A_REQUEST
    max_body = 12 * MAX_TEXT + 1_024  # bytes: every character escaped, as a surrogate pair

    @extend_schema(
        operation_id="resolve_citations",
        parameters=[TextParameters],
        responses=answers(ResolvedCitations, 401, 429),
    )
    def get(self, request: Request) -> HttpResponse:
        """Read the citations in a text and say which of them lead to a provision here."""
        return reply(resolved(TextParameters.from_url(request)["q"], caller_of(request)))

    @extend_schema(
        operation_id="resolve_citations_of_long_text",
        request=TextParameters,
        responses=answers(ResolvedCitations, 401, 413, 415, 429),
    )
    def post(self, request: Request) -> HttpResponse:
        """The same for a text too long for an address."""
        return reply(resolved(TextParameters.from_json(request)["q"], caller_of(request)))


def resolved(text: str, caller: Caller) -> dict:
    """A text that is nothing but a citation may be written more loosely ("art 1 s 8 c 3")."""
    found = (whole_citations(text) or find_citations(text))[:MAX_CITATIONS]
    known = existing([citation.locator for citation in found], caller)
    names = ("text", "start", "end", "normalized", "locator")
    return {
        "citations": [
            as_stored(citation, *names) | {"resolved": citation.locator in known} for citation in found
        ]
    }
