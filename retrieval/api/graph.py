"""The graph of law around a provision."""

from django.http import Http404, HttpResponse
from drf_spectacular.utils import extend_schema
from rest_framework import serializers as s
from rest_framework.request import Request

from retrieval.api.authentication import caller_of
from retrieval.api.base import ApiView, answers, reply
from retrieval.api.documents import PATH
from retrieval.api.parameters import Choice, Day, Number, Parameters
from retrieval.api.sections import find
from retrieval.api.serializers import Reference
from retrieval.corpus import graph
from retrieval.errors import NotFound
from retrieval.models import Section

MAX_NODES = 250  # in one answer


class GraphNode(Reference):
    depth = s.IntegerField(help_text="Steps from the provision asked for, which has 0.")


class GraphEdge(s.Serializer):
    source = s.CharField(help_text="Locator of the provision that cites.")
    target = s.CharField(help_text="Locator of the provision that is cited, or holds the place cited.")


class Graph(s.Serializer):
    nodes = GraphNode(many=True)
    edges = GraphEdge(many=True)


class GraphParameters(Parameters):
    depth = Number(
        min_value=1, max_value=2, default=1, help_text="2: what its neighbours cite and are cited by too."
    )
    direction = Choice(
        ["made", "received", "both"], default="both", help_text="Citations made, received, or both."
    )
    limit = Number(
        min_value=1, max_value=MAX_NODES, default=100, help_text="Nodes, the provision itself among them."
    )
    as_of = Day(required=False, help_text="As the law was on that day.")


class GraphView(ApiView):
    @extend_schema(
        operation_id="graph",
        parameters=[PATH, GraphParameters],
        responses=answers(Graph, 401, 404, 429),
    )
    def get(self, request: Request, path: str) -> HttpResponse:
        """What a provision cites and is cited by, as nodes and edges; of those the caller may read both ends."""
        values, caller = GraphParameters.from_url(request), caller_of(request)
        if not path.isprintable():
            raise Http404
        day = values.get("as_of")
        found = find(Section.objects.readable(caller, day), f"/{path}")
        if found is None:
            raise NotFound("There is no such provision.")
        ways = ("made", "received") if values["direction"] == "both" else (values["direction"],)
        return reply(
            graph.around(found[0], caller, day, depth=values["depth"], ways=ways, limit=values["limit"])
        )
