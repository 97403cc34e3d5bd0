"""The tree of a document, opened a few levels at a time: an answer is bounded, however long or wide the document is."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from datetime import date

from django.db.models import Count, Q, Window
from django.db.models.functions import RowNumber

from retrieval.access.caller import Caller
from retrieval.api.base import paging
from retrieval.api.parameters import Day, Number, Parameters, Text
from retrieval.api.sections import documents_in_force, reference
from retrieval.api.serializers import DocumentItem
from retrieval.corpus import history, statements
from retrieval.errors import NotFound
from retrieval.models import Document, Section
from retrieval.models.corpus import SectionQuerySet
from retrieval.request import MAX_K

MAX_LEVELS = 5
MAX_NODES = 500  # in one answer, of which it makes about 150 kB
NODE = (
    "locator",
    "parent_locator",
    "citation",
    "heading",
    "heading_es",
    "level",
    "number",
    "status",
    "is_result",
)
# Of each of some sections, how many are below it and how many directly.
BELOW = """
WITH RECURSIVE readable AS (
    SELECT locator, parent_locator FROM ({readable}) AS readable WHERE document_id = %s
), below AS (
    SELECT locator AS top, locator, parent_locator FROM readable WHERE locator = ANY(%s)
    UNION
    SELECT below.top, child.locator, child.parent_locator
    FROM below JOIN readable AS child ON child.parent_locator = below.locator
)
SELECT top, count(*) - 1, count(*) FILTER (WHERE parent_locator = top) FROM below GROUP BY top
"""

Row = dict[str, str | bool]


class TreeParameters(Parameters):
    under = Text(
        required=False,
        max_length=300,
        help_text="Locator of a section of the document: only what is below it.",
    )
    depth = Number(min_value=1, max_value=MAX_LEVELS, default=1, help_text="Levels to open.")
    k = Number(min_value=1, max_value=MAX_K, default=MAX_K, help_text="Children of one node.")
    page = Number(min_value=1, max_value=1_000, default=1, help_text="Of the children on the first level.")
    as_of = Day(required=False, help_text="As the law was on that day.")


def tree_account(
    locator: str,
    caller: Caller,
    *,
    depth: int,
    k: int,
    page: int,
    under: str | None = None,
    as_of: date | None = None,
) -> dict:
    """A document with one page of what is directly below it, or below one of its sections, and the first of what is
    below that. Raises NotFound.
    """
    document = documents_in_force(caller, as_of).filter(locator=locator).first()
    if document is None:
        raise NotFound("There is no such document.")
    in_document = Section.objects.readable(caller, as_of).filter(document=document)
    top = in_document.filter(locator=under or locator).first()
    if top is None and under not in (None, locator):
        raise NotFound("The document has no such section.")
    above = top.locator if top else ""
    rows = opened(in_document, above, depth=depth, k=k, page=page)
    counts = in_document.aggregate(
        sections=Count("pk"),
        results=Count("pk", filter=Q(is_result=True)),
        total=Count("pk", filter=Q(parent_locator=above)),
    )
    below = counted_below(document, caller, as_of, [row["locator"] for row in rows])
    return DocumentItem(document).data | {
        "under": reference(top.locator, top.citation, top.heading) if top else None,
        "sections": counts["sections"],
        "results": counts["results"],
        "children": branches(above, by_parent(rows), below, as_of),
        **paging(counts["total"], k=k, page=page),
    }


def opened(in_document: SectionQuerySet, above: str, *, depth: int, k: int, page: int) -> list[Row]:
    """The sections shown: a page of the first level, and on the others the first `k` below each section shown."""
    place = Window(RowNumber(), partition_by="parent_locator", order_by=["position", "pk"])
    rows: list[Row] = []
    parents, skipped = [above], (page - 1) * k
    for _level in range(depth):
        level = in_document.filter(parent_locator__in=parents).annotate(place=place)
        on_page = level.filter(place__gt=skipped, place__lte=skipped + k).order_by("position", "pk")
        found = list(on_page.values(*NODE)[: MAX_NODES - len(rows)])
        rows += found
        parents, skipped = [row["locator"] for row in found], 0
    return rows


def counted_below(
    document: Document, caller: Caller, as_of: date | None, locators: Sequence[str]
) -> dict[str, tuple[int, int]]:
    readable, scope = statements.readable(caller, as_of, "locator", "parent_locator", "document_id")
    found = statements.rows(BELOW.format(readable=readable), [*scope, document.pk, list(locators)])
    return {locator: (below, directly) for locator, below, directly in found}


def by_parent(rows: Iterable[Row]) -> Mapping[str, list[Row]]:
    children = defaultdict(list)
    for row in rows:
        children[row["parent_locator"]].append(row)
    return children


def branches(
    above: str,
    rows: Mapping[str, list[Row]],
    below: Mapping[str, tuple[int, int]],
    as_of: date | None,
) -> list[dict]:
    """Where fewer children are shown than a section has, `under` opens the others."""
    return [
        {
            **reference(row["locator"], row["citation"], stands.heading(row["heading"])),
            "title_es": stands.heading(row["heading_es"]),
            "status": stands.status(row["status"]),
            **{name: row[name] for name in ("level", "number", "is_result")},
            "sections": sections,
            "children_total": directly,
            "children": branches(row["locator"], rows, below, as_of),
        }
        for row in rows.get(above, ())
        for stands in [history.standing(row["locator"], as_of)]
        for sections, directly in [below.get(row["locator"], (0, 0))]  # (0, 0): withdrawn this moment
    ]
