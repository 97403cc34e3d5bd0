"""Parts of the corpus that are named rather than searched: documents, pages, sections, chunks, tags, metadata.

A selection says which chunks; it never widens what a caller may read. Pure but for the queries it makes.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, reduce
from operator import or_

from django.db.models import CharField, Exists, Func, JSONField, OuterRef, Q, QuerySet, Value
from django.db.models.fields.json import KeyTextTransform, KeyTransform
from django.db.models.lookups import Exact, GreaterThanOrEqual, IContains, IExact, LessThanOrEqual

from retrieval.models import Anchor, Chunk, Citation, Section
from retrieval.ranking import Query
from retrieval.statements import Statement
from retrieval.textnorm import folding_to, tokens

KINDS = (
    "section",
    "heading",
    "pages",
    "document",
    "filename",
    "chunk",
    "tag",
    "metadata",
    "cites",
    "definitions",
)
COMPARISONS = ("is", "contains", "at_least", "at_most")
NOTHING = Q(pk__in=[])
TEXT_LOOKUPS = {"is": IExact, "at_least": GreaterThanOrEqual, "at_most": LessThanOrEqual}
NUMBER_LOOKUPS = {**TEXT_LOOKUPS, "is": Exact}


@dataclass(frozen=True, slots=True)
class Part:
    """One named part. `value`: a locator, words of a heading, file name or tag, by kind; `pages` are 1-based ranges,
    both ends included; `key` and `comparison` belong to metadata, `chunks` to chunk ids; `domains` are the slugs of
    those in which it lies, none meaning any.
    """

    kind: str
    value: str | float = ""
    pages: tuple[tuple[int, int], ...] = ()
    chunks: tuple[int, ...] = ()
    key: str = ""
    comparison: str = "is"
    domains: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """As people are told which it is, beside its kind."""
        pages = ", ".join(f"{first}-{last}" for first, last in self.pages)
        return ", ".join(map(str, self.chunks)) or f"{self.key} {self.value}".strip() or pages

    @property
    def q(self) -> Q:
        """The chunks of this part, as a condition on Chunk."""
        named = getattr(self, f"_{self.kind}")()
        named = named & Q(domain__slug__in=self.domains) if self.domains else named
        return named & on_pages(self.pages) if self.pages else named

    def _section(self) -> Q:
        at_place = Anchor.objects.filter(
            locator=self.value,
            section=OuterRef("section"),
            start__lt=OuterRef("end"),
            end__gt=OuterRef("start"),
        )
        return below("section__locator", self.value) | Q(Exists(at_place))

    def _heading(self) -> Q:
        """Sections whose own heading has the words, or one above them below the document's title."""
        words = worded(str(self.value))
        return Q(section__heading__regex=words) | Q(section__breadcrumb__regex=f" › .*{words}")

    def _pages(self) -> Q:
        """Of any document."""
        return Q()

    def _document(self) -> Q:
        return Q(section__document__locator=self.value)

    def _filename(self) -> Q:
        return Q(section__document__filename=self.value)

    def _chunk(self) -> Q:
        return Q(pk__in=self.chunks)

    def _tag(self) -> Q:
        return Q(section__document__tags__contains=[self.value])

    def _metadata(self) -> Q:
        return compared("section__document__metadata", self.key, self.comparison, self.value)

    def _cites(self) -> Q:
        """Whatever cites this section or a place in it."""
        citing = Citation.objects.filter(below("target_locator", self.value))
        return Q(section__in=citing.values("source"))

    def _definitions(self) -> Q:
        """Sections of definitions that this section cites, or that stand directly under one above it."""
        cited = Citation.objects.filter(below("source__locator", self.value)).values("target")
        near = Q(pk__in=cited) | Q(parent_locator__in=above(self.value))
        definitions = Section.objects.live().filter(near, heading__istartswith="definition")
        return Q(section__in=definitions.values("pk"))


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


@dataclass(frozen=True, slots=True)
class Selection:
    """The chunks of any of its parts; of none, nothing."""

    parts: tuple[Part, ...] = ()

    def __or__(self, other: "Selection") -> "Selection":
        return Selection(tuple(dict.fromkeys((*self.parts, *other.parts))))

    def within(self, domains: tuple[str, ...]) -> "Selection":
        """What of it lies in these domains; of none given, all."""
        return Selection(tuple(replace(part, domains=domains) for part in self.parts))

    @property
    def q(self) -> Q:
        return reduce(or_, (part.q for part in self.parts), NOTHING)

    @property
    def is_of_sections(self) -> bool:
        """Whether it takes sections whole, so that the sections name it."""
        return not any(part.pages or part.kind in ("chunk", "section") for part in self.parts)


def sections_within(query: Query) -> Q:
    """What rules leave to search, as a condition on sections: those of which a chunk is left."""
    chunks = chosen(query)
    return Q() if chunks is None else Q(pk__in=chunks.values("section"))


def chunks_left(query: Query) -> Statement:
    """The condition that rules add to a statement's chunk_id, with its parameters; empty where they leave all."""
    return chunks_of(query.only, query.never)


def chunks_of(only: Selection | None, never: Selection | None) -> Statement:
    chunks = chosen_of(only, never)
    return ("", ()) if chunks is None else among("chunk_id", chunks.order_by().values("pk"))


def sections_left(query: Query) -> Statement:
    """The same of a statement's id of a section."""
    chunks = chosen(query)
    return ("", ()) if chunks is None else among("id", chunks.order_by().values("section_id"))


def among(column: str, rows: QuerySet) -> Statement:
    sql, parameters = rows.query.sql_with_params()
    return f" AND {column} IN ({sql})", parameters


def chosen(query: Query) -> QuerySet[Chunk] | None:
    """The chunks that rules leave to search, as a subquery; None where they leave all."""
    return chosen_of(query.only, query.never)


def chosen_of(only: Selection | None, never: Selection | None) -> QuerySet[Chunk] | None:
    if only is None and never is None:
        return None
    chunks = Chunk.objects.all() if only is None else Chunk.objects.filter(only.q)
    return chunks if never is None else chunks.exclude(pk__in=Chunk.objects.filter(never.q).values("pk"))


# -- For the lexical index, which knows no SQL


def public_ids(query: Query, selection: Selection) -> tuple[str, tuple[int, ...]]:
    """The public rows of a selection in the query's domains: ("section" or "chunk", their ids)."""
    domains = tuple((domain.id, domain.corpus_version) for domain in query.domains)
    field = "section" if selection.is_of_sections else "chunk"
    return field, _public_ids(selection, field, domains)


@lru_cache(maxsize=64)
def _public_ids(selection: Selection, field: str, domains: tuple[tuple[int, int], ...]) -> tuple[int, ...]:
    """Of these versions of the corpora: the cache forgets what was published before."""
    chunks = Chunk.objects.filter(selection.q, private=False, domain__in=[domain for domain, _ in domains])
    wanted = "section_id" if field == "section" else "pk"
    return tuple(chunks.order_by(wanted).values_list(wanted, flat=True).distinct())
