"""The page of the citations around a provision: what it cites, what cites it, and what is a step from these; also as a
file.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import replace

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from retrieval.access.caller import ANONYMOUS
from retrieval.access.row_security import as_caller
from retrieval.corpus import graph
from retrieval.corpus.changes import version_of
from retrieval.corpus.same_titles import told_apart
from retrieval.models import Section
from retrieval.pages.addresses import Reader, ReaderForm
from retrieval.pages.reader import last_version
from retrieval.pages.views import costly

MOST = 250  # provisions around one
STEPS = 2
WRITTEN = {  # by the format that is asked for: how a file is written, and what it is
    "graphml": (graph.as_graphml, "application/graphml+xml"),
    "jsonl": (graph.as_json, "application/x-ndjson"),
}


@require_safe
@costly
def citations_page(request: HttpRequest, path: str) -> HttpResponse:
    """As far as the caller may read both ends; in a file public law alone."""
    if "\x00" in path:
        raise Http404
    reader = ReaderForm(request.GET).reader(request.caller)
    if is_file := request.GET.get("format") in WRITTEN:
        reader = replace(reader, caller=ANONYMOUS)
    with as_caller(reader.caller):
        section = shown_at(f"/{path}", reader)
        if section is None:
            raise Http404
        ways = ("made", "received")
        found = graph.around(section, reader.caller, reader.as_of, depth=STEPS, ways=ways, limit=MOST)
        if is_file:
            return as_file(found, request.GET["format"], path)
        apart = told_apart([node["locator"] for node in found["nodes"]], reader.caller)
        most = len(found["nodes"]) == MOST and MOST
        followed = most_citations(found) >= graph.FAN_OUT and graph.FAN_OUT
        context = {"section": section, "reader": reader, "most": most, "followed": followed, "apart": apart}
        return render(request, "retrieval/citations.html", context | parted(found))


def shown_at(locator: str, reader: Reader) -> Section | None:
    """The text that its page shows, also where none is in force. Raises NotFound for a version that is none."""
    if reader.version is not None:
        return version_of(reader.caller, locator, reader.as_of, reader.version)
    in_force = reader.readable.filter(locator=locator).select_related("document", "domain").first()
    return in_force or last_version(locator, reader)


def as_file(found: dict, form: str, path: str) -> HttpResponse:
    write, kind = WRITTEN[form]
    edges = ({"text": "", "pin": edge["target"]} | edge for edge in found["edges"])
    headers = {"Content-Disposition": f'attachment; filename="{path.replace("/", "-")}.{form}"'}
    lines: Iterable[str] = write(found["nodes"], edges)
    return HttpResponse("\n".join(lines) + "\n", content_type=f"{kind}; charset=utf-8", headers=headers)


def most_citations(found: dict) -> int:
    """That one of these provisions makes, or receives."""
    ends = Counter((end, edge[end]) for edge in found["edges"] for end in edge)
    return max(ends.values(), default=0)


def parted(found: dict) -> dict[str, list]:
    """What the provision cites and is cited by; and what is a step from these, with the citations of those between."""
    nodes = {node["locator"]: node for node in found["nodes"]}
    here = found["nodes"][0]["locator"]
    beside: dict[str, list[str]] = defaultdict(list)
    for edge in found["edges"]:
        for one, other in ((edge["source"], edge["target"]), (edge["target"], edge["source"])):
            if nodes[one]["depth"] == STEPS and nodes[other]["citation"] not in beside[one]:
                beside[one].append(nodes[other]["citation"])
    return {
        "cites": [nodes[edge["target"]] for edge in found["edges"] if edge["source"] == here],
        "cited_by": [nodes[edge["source"]] for edge in found["edges"] if edge["target"] == here],
        "farther": [(nodes[locator], ", ".join(by)) for locator, by in beside.items()],
    }
