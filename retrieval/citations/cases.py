"""Citations of cases: the United States Reports by our own grammar, other reporters as eyecite knows them.

eyecite takes a quarter of a second to import, so it is loaded when something has a reporter's shape.
"""

import re
from collections.abc import Iterator
from functools import lru_cache

from retrieval.citations.citation import Found, Item, Source

_LAST_VOLUME = 650
_US_REPORTS = re.compile(
    r"(?<![a-z0-9.,$-])(?P<volume>[0-9]{1,3})\s{1,2}(?P<name>u\.\s?s\.|us)(?:\s?\([0-9] [a-z]{3,8}\.?\))?"
    r"\s{1,2}(?P<page>[0-9]{1,4})(?![0-9a-z%$]|,[0-9]{3}|\.[0-9])"
)
_COUNTED = re.compile(
    r"\s{1,2}(?:dollars?|million|billion|thousand|percent|people|soldiers|troops|states|citizens|cents)\b"
)
_WORD = r"[A-Z][A-Za-z']{0,11}\.?|&|[23]d|[4-9]th"
_READ_ELSEWHERE = (  # in the United States Reports, above, or among the statutes
    r"(?:U\.?\s?S\.?(?:\s?C\.?)?|Stat\.|Fed\.?\s?Reg\.|[CF]\.?\s?(?:F\.?\s?)?R\.?"
    r"|I\.?\s?&\s?N\.?(?:\s?Dec\.?)?)"
)
_REPORTER_SHAPE = re.compile(
    rf"(?<![A-Za-z0-9.,$-])[0-9]{{1,4}}\s{{1,2}}(?!{_READ_ELSEWHERE}\s{{1,2}}[0-9])"
    rf"(?:(?:{_WORD})\s{{0,2}}){{1,6}}\s[0-9]{{1,5}}(?![0-9A-Za-z])"
)
_LOOKS_ABBREVIATED = re.compile(r"\.|[0-9]d\b|[0-9]th\b|\s[A-Z] ?(?:Supp|Ct|Ed|App)\b")
_NOT_A_SLUG = re.compile(r"[^a-z0-9]+")


def find(source: Source, *, loose: bool = False) -> Iterator[Found]:
    yield from _us_reports(source, loose=loose)
    yield from _other_reporters(source)


def _us_reports(source: Source, *, loose: bool) -> Iterator[Found]:
    for match in _US_REPORTS.finditer(source.folded):
        volume, page = int(match["volume"]), int(match["page"])
        capital = source.written(match, "name").isupper()
        if not (1 <= volume <= _LAST_VOLUME and page and (capital or loose)):
            continue
        if not _COUNTED.match(source.folded, match.end()):
            yield _found(match.start(), match.end(), f"{volume} U.S. {page}", f"/us/scotus/{volume}/{page}")


def _other_reporters(source: Source) -> Iterator[Found]:
    for match in _REPORTER_SHAPE.finditer(source.visible):
        known = _by_eyecite(match[0]) if _LOOKS_ABBREVIATED.search(match[0]) else None
        if known:
            yield _found(match.start(), match.end(), *known)


def _found(start: int, end: int, normalized: str, locator: str) -> Found:
    return Found(start, end, (Item(start, end, normalized, locator),))


@lru_cache(maxsize=1024)
def _by_eyecite(text: str) -> tuple[str, str] | None:
    """Normalised citation and locator, where eyecite knows the reporter."""
    from eyecite import get_citations
    from eyecite.models import FullCaseCitation

    for citation in get_citations(text):
        if isinstance(citation, FullCaseCitation) and citation.span() == (0, len(text)):
            groups, reporter = citation.groups, citation.corrected_reporter()
            slug = _NOT_A_SLUG.sub("-", reporter.lower().replace(".", "").replace("'", "")).strip("-")
            return citation.corrected_citation(), f"/us/case/{slug}/{groups['volume']}/{groups['page']}"
    return None
