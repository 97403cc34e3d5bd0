"""The graph of law: provisions, and which cites which. A caller sees an edge who may read both of its ends. The work of
each statement is bounded by what is asked for, however often a provision is cited.
"""

import json
from collections.abc import Iterable, Iterator
from datetime import date
from xml.sax.saxutils import escape, quoteattr

from django.db.models import F, Q, QuerySet

from retrieval.access.caller import ANONYMOUS, Caller
from retrieval.corpus import statements
from retrieval.models import Citation, Section

FAN_OUT = 100  # edges followed from one provision each way
MOST_CITING = 1_000  # citations of one section among which those are looked for that a page lists, from either end
SHARED = 50  # provisions that one cites, or is cited by, through which related ones are looked for
RELATED = 10
NAMED = ("id", "document_id", "locator", "citation", "heading")
# Citations lead to the version in force of what they cite: on another day that place has the version of that day.
TODAY = "({readable}) AS other ON other.id = {cited}"
ON_A_DAY = """retrieval_section known ON known.id = {cited} CROSS JOIN LATERAL (
    SELECT * FROM ({readable}) AS version
    WHERE version.document_id = known.document_id AND version.locator = known.locator OFFSET 0
) AS other"""
VERSIONS = """(
    SELECT version.id FROM retrieval_section one JOIN retrieval_section version
        ON version.document_id = one.document_id AND version.locator = one.locator
    WHERE one.id = {one}
)"""
EDGES = """
SELECT node.id, edge.id, edge.locator, edge.citation, edge.heading
FROM unnest(%s::bigint[]) WITH ORDINALITY AS node(id, place), LATERAL ({found}) AS edge
ORDER BY node.place, edge.id
"""
MADE = """
SELECT DISTINCT other.id, other.locator, other.citation, other.heading
FROM retrieval_citation citation JOIN {other}
WHERE citation.source_id = node.id AND other.id <> node.id ORDER BY other.id LIMIT {most}
"""
RECEIVED = """
SELECT DISTINCT citing.id, citing.locator, citing.citation, citing.heading FROM {versions} AS version, LATERAL (
    SELECT DISTINCT other.id, other.locator, other.citation, other.heading
    FROM retrieval_citation citation JOIN ({readable}) AS other ON other.id = citation.source_id
    WHERE citation.target_id = version.id AND other.id <> node.id ORDER BY other.id LIMIT {most}
) AS citing
ORDER BY citing.id LIMIT {most}
"""
IN_COMMON = """
WITH readable AS NOT MATERIALIZED ({readable}), here AS ({versions}), made AS (
    SELECT DISTINCT citation.target_id AS id FROM retrieval_citation citation JOIN {made}
    WHERE citation.source_id = %s ORDER BY id LIMIT %s
), received AS (
    SELECT DISTINCT source_id AS id FROM retrieval_citation JOIN readable ON readable.id = source_id
    WHERE target_id IN (SELECT id FROM here) ORDER BY id LIMIT %s
), shared AS (
    SELECT also.id, made.id AS through FROM made, LATERAL (
        SELECT source_id AS id FROM retrieval_citation WHERE target_id = made.id ORDER BY id LIMIT %s) also
    UNION
    SELECT other.id, received.id FROM received, LATERAL (
        SELECT target_id AS id FROM retrieval_citation WHERE source_id = received.id ORDER BY id LIMIT %s) also
    JOIN {also}
)
SELECT shared.id FROM shared JOIN readable ON readable.id = shared.id
WHERE shared.id <> %s
    AND NOT starts_with(readable.locator, %s || '/') AND NOT starts_with(%s, readable.locator || '/')
GROUP BY shared.id, readable.level, readable.valid_from
ORDER BY count(*) DESC, CASE readable.level WHEN 'case' THEN readable.valid_from END DESC NULLS LAST, shared.id LIMIT %s
"""


def around(
    section: Section, caller: Caller, day: date | None, *, depth: int, ways: Iterable[str], limit: int
) -> dict:
    """What a provision cites and is cited by, and at depth 2 these in turn: at most `limit` nodes."""
    nodes = {section.pk: node_of(section.locator, section.citation, section.heading, 0)}
    edges: dict[tuple[str, str], None] = {}
    frontier = [section.pk]
    for level in range(1, depth + 1):
        before = set(nodes)
        for way in ways:
            for here, pk, *named in edges_of(frontier, way, caller, day):
                pk = section.pk if named[0] == section.locator else pk  # another version of it
                if pk == here or pk not in nodes and len(nodes) >= limit:
                    continue
                nodes.setdefault(pk, node_of(*named, level))
                ends = nodes[here]["locator"], nodes[pk]["locator"]
                edges[ends if way == "made" else ends[::-1]] = None
        frontier = [pk for pk in nodes if pk not in before]
    return {
        "nodes": list(nodes.values()),
        "edges": [{"source": source, "target": target} for source, target in edges],
    }


def node_of(locator: str, citation: str, heading: str, depth: int) -> dict:
    return {"locator": locator, "citation": citation or heading, "title": heading or citation, "depth": depth}


def edges_of(sections: list[int], way: str, caller: Caller, day: date | None) -> list[tuple]:
    """(section, the other's id, locator, citation and heading): the first edges of each section."""
    readable, scope = statements.readable(caller, day, *NAMED)
    if way == "made":
        found = MADE.format(other=cited_on(day, "citation.target_id", readable), most=FAN_OUT)
    else:
        found = RECEIVED.format(versions=VERSIONS.format(one="node.id"), readable=readable, most=FAN_OUT)
    return statements.rows(EDGES.format(found=found), [sections, *scope])


def cited_on(day: date | None, column: str, readable: str) -> str:
    return (ON_A_DAY if day else TODAY).format(cited=column, readable=readable)


def related(section: Section, caller: Caller, day: date | None) -> list[int]:
    """Ids of the provisions that cite most of what this one cites, or are cited most beside it; none that it holds or
    that hold it. Of equal ones the newest decision comes first.
    """
    readable, scope = statements.readable(caller, day, "id", "document_id", "locator", "level", "valid_from")
    made, also = (cited_on(day, column, "TABLE readable") for column in ("citation.target_id", "also.id"))
    sql = IN_COMMON.format(readable=readable, versions=VERSIONS.format(one="%s"), made=made, also=also)
    pk, locator = section.pk, section.locator
    bounds = [pk, pk, SHARED, SHARED, FAN_OUT, FAN_OUT, pk, locator, locator, RELATED]
    return [found for (found,) in statements.rows(sql, [*scope, *bounds])]


def citing(section: Section, column: str) -> QuerySet:
    """This column of the citations of a section: all, but of one that is cited very often only the first and the last
    by when their sources were read. Those of a former version lead to the one in force, if there is any.
    """
    versions = Section.objects.filter(document=section.document_id, locator=section.locator)
    targets = [section.pk] if section.valid_to is None else versions.values_list("pk", flat=True)
    found = Citation.objects.none().values(column)
    for target in targets:
        cited = Citation.objects.filter(target=target).values(column)
        first, last = cited.order_by("source_id", "pk"), cited.order_by("-source_id", "-pk")
        found = found.union(first[:MOST_CITING], last[:MOST_CITING])
    return found


# -- As a file. Of public law: a file is read by whoever gets it.

GRAPHML = """<?xml version="1.0" encoding="UTF-8"?>
<graphml xmlns="http://graphml.graphdrawing.org/xmlns">
<key id="citation" for="node" attr.name="citation" attr.type="string"/>
<key id="title" for="node" attr.name="title" attr.type="string"/>
<key id="text" for="edge" attr.name="text" attr.type="string"/>
<key id="pin" for="edge" attr.name="pin" attr.type="string"/>
<graph id="law" edgedefault="directed">"""


def exported(within: Q, form: str) -> Iterator[str]:
    """Lines of a file with the ranked provisions of some sections, what they cite, and their citations; read as it is
    written.
    """
    readable = Section.objects.readable(ANONYMOUS)
    own = readable.filter(within)
    edges = Citation.objects.filter(source__in=own, target__in=readable).exclude(source=F("target"))
    cited = readable.filter(pk__in=edges.order_by().values("target")).exclude(
        pk__in=own.results().values("pk")
    )
    citing = own.filter(is_result=False, pk__in=edges.order_by().values("source"))
    written = as_graphml if form == "graphml" else as_json
    return written(nodes_in(own.results(), cited | citing), edges_in(edges))


def nodes_in(*parts: QuerySet) -> Iterator[dict]:
    for part in parts:
        for locator, citation, heading in (
            part.order_by("pk").values_list("locator", "citation", "heading").iterator()
        ):
            yield {"locator": locator, "citation": citation, "title": heading}


def edges_in(edges: QuerySet) -> Iterator[dict]:
    columns = ("source__locator", "target__locator", "target_locator", "text")
    for row in edges.order_by("source_id", "start", "pk").values_list(*columns).iterator():
        yield dict(zip(("source", "target", "pin", "text"), row, strict=True))


def as_json(nodes: Iterable[dict], edges: Iterable[dict]) -> Iterator[str]:
    for kind, rows in (("node", nodes), ("edge", edges)):
        for row in rows:
            yield json.dumps({"kind": kind} | row, ensure_ascii=False)


def as_graphml(nodes: Iterable[dict], edges: Iterable[dict]) -> Iterator[str]:
    yield GRAPHML
    for node in nodes:
        yield f"<node id={quoteattr(node['locator'])}>{facts(node, 'citation', 'title')}</node>"
    for edge in edges:
        ends = f"source={quoteattr(edge['source'])} target={quoteattr(edge['target'])}"
        yield f"<edge {ends}>{facts(edge, 'text', 'pin')}</edge>"
    yield "</graph>\n</graphml>"


def facts(row: dict, *names: str) -> str:
    return "".join(f'<data key="{name}">{escape(row[name])}</data>' for name in names)
