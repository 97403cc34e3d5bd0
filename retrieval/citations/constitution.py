"""Citations of the US Constitution in English and Spanish: strict in running text, loose where the whole
query is one. Pure.
"""

import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import zip_longest

from retrieval.citations import shorthand, surroundings
from retrieval.citations.citation import Found, Item, Source
from retrieval.citations.heads import LOOSE_TAIL, TAIL, Head, Number, bare_list, heads, number_at, with_tail
from retrieval.citations.numerals import ROMAN, is_ordinal, read, roman

_BLUEBOOK = {"amendment": "amend.", "article": "art."}
_WITHOUT_SECTIONS = 6  # Article VI is divided into clauses only, though often cited by section
_PREAMBLE = re.compile(
    r"\b(?:preamble|preambulo)\s{1,2}(?:to|of|de|a)\s{1,2}(?:the\s{1,2}|la\s{1,2})?"
    r"(?:(?:u\.?\s?s\.?|united states|federal|american)\s{1,2})?(?:constitution|constitucion)\b"
    r"|\b(?:u\.?\s?s\.?\s)?(?:const\.|constitution|constitucion),?\s{1,2}(?:pmbl\.?|preamble|preambulo)(?![a-z])"
)

_BARE_PREAMBLE = re.compile(r"(?<![a-z])(?:preamble|preambulo|pmbl)(?![a-z])")


def find(source: Source) -> Iterator[Found]:
    """Citations that are safe to read inside a sentence."""
    own = surroundings.has_own_articles(source.folded)
    for head in heads(source.folded):
        tailed = with_tail(source.folded, head, TAIL)
        surrounded = surroundings.of(source, head, tailed, own_articles=own)
        if surrounded:
            yield _found(surrounded)
    yield from _preambles(source.folded)


def find_loose(source: Source) -> Iterator[Found]:
    """Citations in the forms people type when they type nothing else."""
    for head in heads(source.folded, loose=True):
        tailed = with_tail(source.folded, head, LOOSE_TAIL)
        yield _found(surroundings.widened(source.folded, tailed))
    for path in _PATH.finditer(source.folded):
        if head := _path(source.folded, path):
            yield _found(surroundings.widened(source.folded, head))
    for head in shorthand.find(source.folded):
        yield _found(surroundings.widened(source.folded, head))
    yield from _preambles(source.folded)
    yield from (_preamble(*word.span()) for word in _BARE_PREAMBLE.finditer(source.folded))


def _path(folded: str, path: re.Match[str]) -> Head | None:
    """ "I.8.3", "I-9-4": article, section and clause by their numbers alone."""
    article, section, clause = (number_at(folded, *path.span(n)) for n in (1, 3, 4))
    if not (article and section and clause):
        return None
    return Head("article", "", (article,), *path.span(), sections=(section,), clauses=(clause,))


_BARE_NUMERAL = re.compile(r"([0-9]{1,2})(?:st|nd|rd|th|a|ª)")  # not "3d", which names a dimension
_ONLY_AMENDMENTS = 12  # a Roman numeral from XII on is no article's, and no word or abbreviation
_PATH = re.compile(r"(?<![a-z0-9])(i{1,3}|iv|vi{0,2})([./-])([0-9]{1,2})\2([0-9]{1,2})(?![a-z0-9])")


def find_bare(source: Source, start: int, end: int) -> Found | None:
    """What a whole query may say without a word like "amendment": "fifth", "14A", "preamble"."""
    core = source.folded[start:end]
    if _BARE_PREAMBLE.fullmatch(core):
        return _preamble(start, end)
    numeral = _BARE_NUMERAL.fullmatch(core)
    word = (is_ordinal(core) and not core[0].isdigit()) or (core in ROMAN and ROMAN[core] >= _ONLY_AMENDMENTS)
    value = read(numeral[1]) if numeral else read(core) if word else None
    return _found(Head("amendment", "", (Number(value, start, end, core),), start, end)) if value else None


def find_bare_list(source: Source) -> Found | None:
    """ "first and fourteenth", "5th & 14th", "13th 14th 15th amendments"."""
    head = bare_list(source.folded)
    return _found(head) if head else None


def _preambles(folded: str) -> Iterator[Found]:
    for match in _PREAMBLE.finditer(folded):
        if not surroundings.names_another_constitution(folded, match.start(), match.end()):
            yield _preamble(match.start(), match.end())


def _preamble(start: int, end: int) -> Found:
    return Found(start, end, (Item(start, end, "U.S. Const. pmbl.", "/us/const/preamble"),))


# What is cited


def _found(head: Head) -> Found:
    return Found(head.start, head.end, tuple(_items(head)))


def _items(head: Head) -> Iterator[Item]:
    """One item for each number of the list, be it of amendments, of sections or of clauses."""
    if head.kind == "article" and head.numbers[0].value == _WITHOUT_SECTIONS and not head.clauses:
        head = replace(head, sections=(), clauses=head.sections)
    for number in head.numbers[:-1]:
        yield _item(head.kind, number, None, None, number)
    last = head.numbers[-1]
    for section in head.sections[:-1]:
        yield _item(head.kind, last, section, None, section)
    section = head.sections[-1] if head.sections else None
    sectioned = section if len(head.sections) > 1 else last
    listed = head.clauses if len(head.clauses) > 1 else (sectioned,)
    for clause, place in zip_longest(head.clauses, listed):
        yield _item(head.kind, last, section, clause, place)


def _item(kind: str, head: Number, section: Number | None, clause: Number | None, place: Number) -> Item:
    written = f"U.S. Const. {_BLUEBOOK[kind]} {roman(head.value)}"
    locator = f"/us/const/{kind}/{roman(head.value)}"
    if section:
        written, locator = f"{written}, § {section.value}", f"{locator}/section/{section.value}"
    if clause:
        written, locator = f"{written}, cl. {clause.value}", f"{locator}/clause/{clause.value}"
    return Item(place.start, place.end, written, locator)
