"""What a selection (`retrieval.targets`) means in the database: conditions on chunks and sections.

Builds QuerySets and parts of statements. It never widens what a caller may read.
"""

from collections.abc import Callable, Mapping, Sequence
from datetime import date
from functools import lru_cache, reduce
from operator import attrgetter, or_
from threading import Lock

import numpy as np
from cachetools import LRUCache, cached
from django.core.exceptions import EmptyResultSet
from django.db.models import CharField, Exists, Func, JSONField, OuterRef, Q, QuerySet, Value
from django.db.models.fields.json import KeyTextTransform, KeyTransform
from django.db.models.lookups import Exact, GreaterThanOrEqual, IContains, IExact, LessThanOrEqual

from retrieval.access.caller import Caller
from retrieval.corpus.statements import Statement, written
from retrieval.models import Anchor, Chunk, Citation, Section
from retrieval.models.corpus import SectionQuerySet
from retrieval.ranking import Query
from retrieval.targets import Part, Selection
from retrieval.text.analyzer import tokens
from retrieval.text.normalization import folding_to

NOTHING = Q(pk__in=[])
CONDITIONS = 1_024  # kept: one search asks for that of a rule up to ten times
KEPT_IDS = 32 * 2**20  # bytes of ids that the lexical index is searched among
TEXT_LOOKUPS = {"is": IExact, "at_least": GreaterThanOrEqual, "at_most": LessThanOrEqual}
NUMBER_LOOKUPS = {**TEXT_LOOKUPS, "is": Exact}


@lru_cache(maxsize=CONDITIONS)
def in_selection(selection: Selection) -> Q:
    """The chunks of a selection, as a condition on Chunk. Of several parts each is found by an index of its own, where
    one condition of them all would be held against every chunk; of subtrees alone their sections are, which are fewer.
    """
    if len(selection.parts) < 2:
        return reduce(or_, map(in_part, selection.parts), NOTHING)
    if all(part.kind == "subtree" and not (part.pages or part.domains) for part in selection.parts):
        return Q(section__in=Section.objects.filter(reduce(or_, map(in_subtree, selection.parts))).values("pk"))
    return any_of(*map(in_part, selection.parts))


def any_of(*conditions: Q) -> Q:
    """The chunks of which one of these conditions holds."""
    one, *more = (Chunk.objects.filter(condition).order_by().values("pk") for condition in conditions)
    return Q(pk__in=one.union(*more))


@lru_cache(maxsize=CONDITIONS)
def in_part(part: Part) -> Q:
    """The chunks of one part, as a condition on Chunk."""
    named = BY_KIND[part.kind](part)
    named = named & Q(domain__slug__in=part.domains) if part.domains else named
    return named & on_pages(part.pages) if part.pages else named


def in_section(part: Part) -> Q:
    places = Anchor.objects.filter(locator=part.value)
    overlapping = places.filter(
        section=OuterRef("section"), start__lt=OuterRef("end"), end__gt=OuterRef("start")
    )
    sections = Section.objects.filter(below("locator", part.value))
    return any_of(
        Q(section__in=sections.values("pk")),
        Q(Exists(overlapping), section__in=places.values("section")),
    )


def in_subtree(part: Part, of: str = "") -> Q:
    """What stands below a node: a range of the index of its document, however large the corpus; or a domain."""
    if part.domain is not None:
        return Q(domain=part.domain)  # sections have it, and chunks
    first, end = part.positions
    inside = Q(**{f"{of}document": part.document, f"{of}position__gte": first})
    return inside if end is None else inside & Q(**{f"{of}position__lt": end})


def inside(within: Selection | None) -> Q:
    """What the caller restricts the search to, as a condition on sections, those without chunks among them."""
    parts = (within or Selection()).parts
    return reduce(or_, map(in_subtree, parts)) if parts else Q()


def searched(query: Query) -> SectionQuerySet:
    """What the caller may read, in the domains and the places that are searched."""
    readable = Section.objects.readable(query.caller, query.as_of)
    return readable.filter(inside(query.within), domain__in=query.domain_ids)


SEARCHED = "SELECT * FROM ({sections}) AS sections WHERE domain_id = ANY(%s)"


def written_as_searched(query: Query) -> Statement:
    """What `searched` gives, in no order, as SQL that is written once for each caller, day and restriction."""
    sections, parameters = written(_within, query.caller.principals, query.as_of, query.within)
    return SEARCHED.format(sections=sections), (*parameters, query.domain_ids)


def _within(principals: tuple[str, ...], day: date | None, within: Selection | None) -> QuerySet:
    return Section.objects.readable(Caller(principals), day).filter(inside(within)).order_by()


def under_heading(part: Part) -> Q:
    """Sections whose own heading has the words, or one above them below the document's title."""
    words = worded(str(part.value))
    return Q(section__heading__regex=words) | Q(section__breadcrumb__regex=f" › .*{words}")


def citing(part: Part) -> Q:
    """Whatever cites this section or a place in it."""
    citations = Citation.objects.filter(below("target_locator", part.value))
    return Q(section__in=citations.values("source"))


def defining(part: Part) -> Q:
    """Sections of definitions that this section cites, or that stand directly under one above it."""
    cited = Citation.objects.filter(below("source__locator", part.value)).values("target")
    near = Q(pk__in=cited) | Q(parent_locator__in=above(part.value))
    definitions = Section.objects.live().filter(near, heading__istartswith="definition")
    return Q(section__in=definitions.values("pk"))


BY_KIND: dict[str, Callable[[Part], Q]] = {
    "section": in_section,
    "heading": under_heading,
    "pages": lambda part: Q(),  # of any document
    "document": lambda part: Q(section__document__locator=part.value),
    "filename": lambda part: Q(section__document__filename=part.value),
    "chunk": lambda part: Q(pk__in=part.chunks),
    "tag": lambda part: Q(section__document__tags__contains=[part.value]),
    "metadata": lambda part: compared("section__document__metadata", part.key, part.comparison, part.value),
    "cites": citing,
    "definitions": defining,
    "subtree": lambda part: in_subtree(part, "section__"),
}


def below(field: str, locator: str) -> Q:
    return Q(**{field: locator}) | Q(**{f"{field}__under": f"{locator}/"})


def above(locator: str) -> list[str]:
    parts = locator.split("/")
    return ["/".join(parts[:n]) for n in range(2, len(parts))]


@lru_cache(maxsize=1_024)
def worded(words: str) -> str:
    """A regular expression of PostgreSQL for texts that have the words in this order on word boundaries, blind to
    case, accents, possessives and to how compounds are written.
    """
    pieces = (tokens(piece) for piece in words.split())
    return r"\m" + r"(['’]s)?\W+".join(r"\W*".join(map(spelt, piece)) for piece in pieces if piece) + r"\M"


def spelt(word: str) -> str:
    """Numbers stay whole, also beside one another: 9/11 is not 911. O'Connor is one word."""
    if word.isdigit():
        return rf"\m{word}\M"
    first, *others = (f"[{folding_to(letter)}]" for letter in word)
    return first + "['’]?" * bool(others) + "".join(f"[.-]?{letter}" for letter in others)


def on_pages(pages: Sequence[tuple[int, int]]) -> Q:
    """Chunks that overlap one of the ranges: one that crosses on to the page is on it."""
    return reduce(or_, (Q(page_start__lte=last, page_end__gte=first) for first, last in pages))


def compared(field: str, key: str, comparison: str, value: str | float) -> Q:
    """A number is compared with numbers, text with text: by the alphabet, so days as 2026-11-21."""
    text = KeyTextTransform(key, field)
    if comparison == "contains":
        return Q(IContains(text, str(value)))
    if isinstance(value, str):
        return Q(TEXT_LOOKUPS[comparison](text, value))
    kept = KeyTransform(key, field)
    is_number = Exact(Func(kept, function="jsonb_typeof", output_field=CharField()), "number")
    return Q(is_number) & Q(NUMBER_LOOKUPS[comparison](kept, Value(value, JSONField())))


def sections_within(query: Query) -> Q:
    """What caller and rules leave to search, as a condition on sections: those of which a chunk is left."""
    chunks = chosen(query)
    return Q() if chunks is None else Q(pk__in=chunks.values("section"))


def condition(column: str, wanted: str, query: Query) -> Statement:
    """What caller and rules add to a statement, with its parameters: its column is this field of a chunk that they
    leave; empty where they leave all.
    """
    chunks = chosen(query)
    if chunks is None:
        return "", ()
    try:
        sql, parameters = chunks.order_by().values(wanted).query.sql_with_params()
    except EmptyResultSet:  # a selection of nothing
        return " AND false", ()
    return f" AND {column} IN ({sql})", parameters


def chosen(query: Query) -> QuerySet[Chunk] | None:
    """The chunks that caller and rules leave to search, as a subquery; None where they leave all."""
    if not query.is_restricted:
        return None
    chunks = Chunk.objects.all()
    for selection in query.selections:
        chunks = chunks.filter(in_selection(selection))
    if query.exclude is None:
        return chunks
    return chunks.exclude(pk__in=Chunk.objects.filter(in_selection(query.exclude)).values("pk"))


# -- For the lexical index, which knows no SQL


def public_ids(query: Query, selection: Selection) -> Mapping[str, Sequence[int]]:
    """The public rows of a selection in the query's domains: ids by "section" or "chunk", and by "domain" those that
    it takes whole.
    """
    domains = tuple((domain.id, domain.corpus_version) for domain in query.domains)
    below = selection.below_domains
    field = "section" if below.is_of_sections else "chunk"
    return {field: _public_ids(below, field, domains), "domain": selection.whole_domains}


@cached(LRUCache(KEPT_IDS, getsizeof=attrgetter("nbytes")), lock=Lock())
def _public_ids(selection: Selection, field: str, domains: tuple[tuple[int, int], ...]) -> np.ndarray:
    """Of these versions of the corpora: the cache forgets what was published before."""
    chunks = Chunk.objects.filter(in_selection(selection), private=False, domain__in=[domain for domain, _ in domains])
    wanted = "section_id" if field == "section" else "pk"
    ids = chunks.order_by(wanted).values_list(wanted, flat=True).distinct()
    return np.fromiter(ids.iterator(), np.int64)
