"""Parts of the corpus that are named rather than searched: documents, pages, sections, chunks, tags, metadata. Pure.

A selection says which chunks; it never widens what a caller may read. `retrieval.corpus.filters` makes queries of it.
"""

import re
from dataclasses import dataclass, replace
from math import isfinite

KINDS = (
    "section", "heading", "pages", "document", "filename", "chunk", "tag", "metadata", "cites", "definitions",
)  # fmt: skip
COMPARISONS = ("is", "contains", "at_least", "at_most")
LONGEST_FACT = 500  # characters
UNSENDABLE = re.compile("[\x00\ud800-\udfff]")  # no database keeps it, no JSON carries it


@dataclass(frozen=True, slots=True)
class Part:
    """One named part. `value`: a locator, words of a heading, file name or tag, by kind; `pages` are 1-based ranges,
    both ends included; `key` and `comparison` belong to metadata, `chunks` to chunk ids; `domains` are the slugs of
    those in which it lies, none meaning any. A `subtree` is what stands in a document, by its id, from one of these
    positions up to the other, or to the end; or all of a domain, by its id.
    """

    kind: str
    value: str | float = ""
    pages: tuple[tuple[int, int], ...] = ()
    chunks: tuple[int, ...] = ()
    key: str = ""
    comparison: str = "is"
    domains: tuple[str, ...] = ()
    positions: tuple[int, int | None] = (0, None)
    document: int | None = None
    domain: int | None = None

    @property
    def name(self) -> str:
        """As people are told which it is, beside its kind."""
        pages = ", ".join(f"{first}-{last}" for first, last in self.pages)
        return ", ".join(map(str, self.chunks)) or f"{self.key} {self.value}".strip() or pages


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
    def whole_domains(self) -> tuple[int, ...]:
        return tuple(part.domain for part in self.parts if part.domain is not None)

    @property
    def below_domains(self) -> "Selection":
        """Its parts that are less than a domain."""
        return Selection(tuple(part for part in self.parts if part.domain is None))

    @property
    def is_of_sections(self) -> bool:
        """Whether it takes sections whole, so that the sections name it."""
        return not any(part.pages or part.kind in ("chunk", "section") for part in self.parts)


def is_number(value: object) -> bool:
    """Whether every reader of JSON reads it alike."""
    return type(value) is int and abs(value) < 2**53 or type(value) is float and isfinite(value)


def is_words(value: object) -> bool:
    return isinstance(value, str) and len(value) <= LONGEST_FACT and not UNSENDABLE.search(value)


def facts_in(metadata: object) -> dict[str, str | int | float]:
    """What of a document's metadata rules may ask for: words and numbers by name."""
    named = metadata.items() if isinstance(metadata, dict) else ()
    return {name: value for name, value in named if is_words(name) and (is_words(value) or is_number(value))}
