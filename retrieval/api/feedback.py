"""The trace of a search, and what its reader thought of it."""

from uuid import UUID

from django.http import HttpResponse
from drf_spectacular.utils import extend_schema, extend_schema_serializer
from rest_framework.request import Request

from retrieval.api.authentication import caller_of
from retrieval.api.base import ApiView, answers, reply
from retrieval.api.parameters import Choice, Nothing, Parameters, Text, Uuid
from retrieval.api.serializers import KeptOpinion, TraceOfSearch
from retrieval.models import Feedback
from retrieval.search.log import give_feedback, trace_for


@extend_schema_serializer(component_name="Opinion")
class FeedbackBody(Parameters):
    """Whether an answer, or one result of it, helped."""

    trace_id = Uuid()
    locator = Text(required=False, max_length=300, help_text="Left out: of the answer as a whole.")
    verdict = Choice(Feedback.Verdict.choices)
    comment = Text(required=False, max_length=1_000)


class TraceView(ApiView):
    @extend_schema(operation_id="trace", responses=answers(TraceOfSearch, 401, 404, 429))
    def get(self, request: Request, trace_id: UUID) -> HttpResponse:
        """The account of one search, for staff and for the caller who made it."""
        Nothing.from_url(request)
        return reply(trace_for(str(trace_id), caller_of(request)))


class FeedbackView(ApiView):
    @extend_schema(
        operation_id="feedback",
        request=FeedbackBody,
        responses=answers(KeptOpinion, 401, 404, 413, 415, 429, success=201),
    )
    def post(self, request: Request) -> HttpResponse:
        """Say whether a result, or a whole answer, helped; saying it again changes what was said."""
        said = FeedbackBody.from_json(request)
        kept = give_feedback(
            str(said["trace_id"]),
            caller_of(request),
            locator=said.get("locator", ""),
            verdict=said["verdict"],
            comment=said.get("comment", ""),
        )
        answer = {"trace_id": str(kept.log_id), "locator": kept.locator, "verdict": kept.verdict}
        return reply(answer | {"comment": kept.comment}, status=201)
