"""Terms that the law defines, found in a section's text: each, its place and how far its definition governs. Pure.

It governs as far as the words before it say ("As used in this chapter—"), to the end of the subdivision that these
words open; else they do not say.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

LONGEST = 80  # characters of a term
MOST = 300  # definitions of one section
FEW_WORDS = 8  # of a term that no marks set apart

_QUOTED = rf"[“\"][^“”\"\n]{{1,{LONGEST}}}[”\"]"
_MEANS = (
    r"\b(?:means?|includes?|(?:shall|does|do) (?:not )?(?:mean|include)|(?:has|have) (?:the|such) (?:same )?meanings?"
    r"|(?:has|have) reference to|refers? to)\b"
)
_DEFINED = re.compile(
    rf"(?P<terms>{_QUOTED}(?:(?:,? (?:and|or) |, ){_QUOTED}){{0,9}})(?P<between>[^“”\".;:\n]{{0,120}}?){_MEANS}"
)
_TERM = re.compile(rf"[“\"]([^“”\"\n]{{1,{LONGEST}}}?),?[”\"]")
# "Arriving alien means …", as regulations write it, at the beginning of a line of a section of definitions.
_PLAIN = re.compile(
    rf"^(?:\(\w{{1,5}}\) ?)*(?P<term>[A-Z][\w’' /-]{{1,{LONGEST}}}?)(?: or (?P<also>[\w’' /-]{{1,{LONGEST}}}?))? "
    r"(?:means|includes|refers to|has the meaning)\b",
    re.MULTILINE,
)
_NO_TERM = re.compile(r"^(?:The|This|These|It|Such|No|Any|An?)\b|\b(?:by|which|that|it|also)$")
_KINDS = (
    "subtitle|title|subchapter|chapter|subpart|part|subsection|section|subparagraph|paragraph|act"
    "|article|clause|exhibit|schedule|annex|appendix"
)
_NUMBER = r"[IVXLC\dA-Z]{1,6}\b"
_GOVERNS = re.compile(
    r"\b(?:(?:as|when) used in|for (?:the )?purposes? of|(?-i:In)) "
    rf"(?:this (?P<this>{_KINDS})\b"
    rf"|(?P<kind>subtitle|chapter|subchapter|part|subpart)s? (?-i:(?P<numbers>{_NUMBER}"
    rf"(?:(?:, and | and |, ){_NUMBER}){{0,5}})))",
    re.IGNORECASE,
)
_WHOLE = (  # what a private document calls itself: "this Loan Agreement"
    r"(?:this|these|the|said) (?:(?-i:[A-Z][\w’'-]*|and|&|of) ){0,5}?(?:agreement|contract|lease|sublease|deed|note"
    r"|policy|will|trust|terms|conditions|document|instrument|license|mortgage|guaranty|plan|bylaws|indenture)\b"
)
# A limit of which it is not known what it names: "for purposes of this definition", "In Article IV".
_LIMITED = re.compile(
    r"\b(?:(?:as|when) used in|for (?:the )?purposes? of|"
    rf"(?-i:In)(?= this | these | the (?:preceding|foregoing|following) | (?:{_KINDS})s? (?-i:{_NUMBER})| §))"
    rf" (?!{_WHOLE})",
    re.IGNORECASE,
)
_LEADS_IN = re.compile(r"[^.\n]{0,80}(?:—|:|-)\s*(?:\n|$)")
WITHIN_SECTION = ("section", "subsection", "paragraph", "subparagraph", "clause")


@dataclass(frozen=True, slots=True)
class Definition:
    """A term defined at `start` of a text, which governs the level of this kind above it, or those of these numbers;
    "" where its text does not say, "section" where it names a limit that is not known.
    """

    term: str
    start: int
    kind: str = ""
    numbers: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Scope:
    """How far what is defined at `text[start:end]` governs."""

    start: int
    end: int
    kind: str
    numbers: tuple[str, ...]


def definitions(
    text: str, heading: str = "", subdivisions: Sequence[tuple[int, int]] = ()
) -> list[Definition]:
    """In the order of the text; `subdivisions` are the places of its highest numbered level."""
    found = [*_quoted(text), *(_plain(text) if "definition" in heading.lower() else ())]
    if not found:
        return []
    scopes = list(_scopes(text, subdivisions))
    made: dict[tuple, Definition] = {}
    for start, end, term in sorted(found):
        governing = [scope for scope in scopes if scope.start < end and start < scope.end]
        kind, numbers = (governing[-1].kind, governing[-1].numbers) if governing else ("", ())
        made.setdefault((term.lower(), kind, numbers), Definition(term, start, kind, numbers))
    return list(made.values())[:MOST]


def _quoted(text: str) -> Iterator[tuple[int, int, str]]:
    """(start, end of the words before "means", term)"""
    for match in _DEFINED.finditer(text):
        for term in _TERM.finditer(match["terms"]):
            yield match.start() + term.start(), match.end("between"), term[1]


def _plain(text: str) -> Iterator[tuple[int, int, str]]:
    for match in _PLAIN.finditer(text):
        for term in filter(None, (match["term"], match["also"])):
            if len(term.split()) <= FEW_WORDS and not _NO_TERM.search(term):
                yield match.start(), match.end(), term


def _scopes(text: str, subdivisions: Sequence[tuple[int, int]]) -> Iterator[Scope]:
    """Words that lead into a list govern to the end of their subdivision, others to the end of their line. What is
    known goes before what is only limited.
    """
    for match in (*_LIMITED.finditer(text), *_GOVERNS.finditer(text)):
        leads_in = _LEADS_IN.match(text, match.end())
        around = (end for start, end in subdivisions if start <= match.start() < end)
        line_end = text.find("\n", match.end())
        end = next(around, len(text)) if leads_in else line_end if line_end >= 0 else len(text)
        said = match.groupdict()
        kind = (said.get("this") or said.get("kind") or "section").lower()
        numbers = tuple(re.findall(_NUMBER, said.get("numbers") or ""))
        yield Scope(match.start(), end, "section" if kind in WITHIN_SECTION else kind, numbers)


def used_in(text: str, terms: Sequence[str]) -> set[str]:
    """Those of the terms that a text uses, also in the plural; in whatever case, as sentences begin with them."""
    folded = text.lower()
    present = (term for term in terms if term.lower() in folded)
    return {term for term in present if re.search(rf"(?<!\w){re.escape(term.lower())}(?:e?s)?(?!\w)", folded)}
