"""The graph of law around a provision."""

from rest_framework import serializers as s
from rest_framework.request import Request

from retrieval.access.matters import reading_in
from retrieval.api.authentication import caller_of
from retrieval.api.base import ApiView, operation
from retrieval.api.parameters import Choice, Day, Number, Parameters, Uuid
from retrieval.api.sections import IN_MATTER, find
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
    matter = Uuid(required=False, help_text=IN_MATTER)


class GraphView(ApiView):
    @operation("graph", Graph, 404, url=GraphParameters)
    def get(self, request: Request, asked: dict, path: str) -> dict:
        """What a provision cites and is cited by, as nodes and edges; of those the caller may read both ends."""
        day = asked.get("as_of")
        ways = ("made", "received") if asked["direction"] == "both" else (asked["direction"],)
        with reading_in(asked.get("matter"), caller_of(request)) as caller:
            found = find(Section.objects.readable(caller, day), path)
            if found is None:
                raise NotFound("There is no such provision.")
            return graph.around(found[0], caller, day, depth=asked["depth"], ways=ways, limit=asked["limit"])
