"""Citations of the US Constitution in English and Spanish: strict in running text, loose where the whole
query is one. Pure.
"""

import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import chain, zip_longest

from retrieval.citations import surroundings
from retrieval.citations.citation import Found, Item, Source, cite
from retrieval.citations.heads import (
    LAST,
    LOOSE_TAIL,
    NUMBER,
    ROMAN,
    TAIL,
    Head,
    Number,
    bare_list,
    heads,
    is_ordinal,
    longest_first,
    number_at,
    read,
    roman,
    with_tail,
)

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
    folded = source.folded
    tailed = (with_tail(folded, head, LOOSE_TAIL) for head in heads(folded, loose=True))
    paths = filter(None, (_path(folded, path) for path in _PATH.finditer(folded)))
    for head in chain(tailed, paths, short_heads(folded)):
        yield _found(surroundings.widened(folded, head))
    yield from _preambles(folded)
    yield from (_preamble(*word.span()) for word in _BARE_PREAMBLE.finditer(folded))


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
    return Found.one(start, end, "/us/const/preamble")


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
    below = (f"/section/{section.value}" if section else "") + (f"/clause/{clause.value}" if clause else "")
    return Item(place.start, place.end, f"/us/const/{kind}/{roman(head.value)}{below}")


_SECTIONS = {  # the last section of each article and amendment that has sections
    "article": {1: 10, 2: 4, 3: 3, 4: 4},
    "amendment": {13: 2, 14: 5, 15: 2, 18: 3, 20: 6, 21: 3, 22: 2, 23: 2, 24: 2, 25: 4, 26: 2},
}
_ROMAN_NUMERAL = "|".join(longest_first(ROMAN))
_DIGITS = r"(?:[1-9]|1[0-9]|2[0-7])(?![0-9])"
_ARTICLE, _AMENDMENT = r"articulo|article|art", r"amendment|amend|amdt|am|enmienda"
_SIGN = r"(?:§|(?:section|seccion|sect|secc|sec|s)(?![a-z])\.?)\s{0,2}"
_CLAUSE_SIGN = r"(?:¶|(?:clause|clausula|cl|c)(?![a-z])\.?)\s{0,2}"
_SHORT_GAP = r"[\s,.-]{0,3}"
_START, _END = r"(?<![\w.])", r"(?!\w)"

_SHORT_FORMS = (
    re.compile(  # 14th sec 1, XIV § 1, 14A s1, I § 8 cl 3
        rf"{_START}(?P<head>{NUMBER}){_SHORT_GAP}{_SIGN}(?P<section>{_DIGITS}|{NUMBER})"
        rf"(?:{_SHORT_GAP}{_CLAUSE_SIGN}(?P<clause>{_DIGITS}|{NUMBER}))?{_END}"
    ),
    re.compile(  # section 5 of the fourteenth, first section of the 14th
        rf"{_START}(?:{_SIGN}(?P<section>{NUMBER})|(?P<nth>{NUMBER})\s{{1,2}}(?:section|seccion))"
        rf"(?:,|\s{{1,2}}(?:of|de))?\s{{1,2}}(?:the\s{{1,2}}|la\s{{1,2}})?(?P<head>{NUMBER}){_END}"
    ),
    re.compile(  # A1S8C3, ArtI.S8.C3.1 and Amdt14.S1.4.2, of which the last numbers are an essay's
        rf"{_START}(?P<word>{_ARTICLE}|a|{_AMENDMENT})\.?\s?(?P<head>{_DIGITS}|{_ROMAN_NUMERAL}){_SHORT_GAP}(?:s|§)\.?\s?"
        rf"(?P<section>{_DIGITS})(?:{_SHORT_GAP}(?:c|cl|¶)\.?\s?(?P<clause>{_DIGITS}))?(?:\.[0-9]{{1,2}}){{0,3}}{_END}"
    ),
    re.compile(  # Art. I(8)(3), art I sec 8 (3), article I, 8, 3, article 1.8.3
        rf"{_START}(?P<word>{_ARTICLE})\.?\s?(?P<head>{NUMBER})(?:{_SHORT_GAP}{_SIGN}|\s?\(|[,.]\s?)"
        rf"(?P<section>{_DIGITS})(?:\)?\s?\((?P<clause>{_DIGITS})\)|[,.]\s?(?P<last>{_DIGITS})){_END}"
    ),
    re.compile(  # amend. 25(4)
        rf"{_START}(?P<word>{_AMENDMENT})\.?\s?(?P<head>{NUMBER})\s?\((?P<section>{_DIGITS})\)"
    ),
)


def short_heads(folded: str) -> Iterator[Head]:
    for form in _SHORT_FORMS:
        for match in form.finditer(folded):
            if head := _short_head(folded, match):
                yield head


def _short_head(folded: str, match: re.Match[str]) -> Head | None:
    number, section = _number(folded, match, "head"), _number(folded, match, "section", "nth")
    clause = _number(folded, match, "clause", "last")
    kind = _kind(match.groupdict().get("word"), number) if number else None
    if not (kind and section) or section.value > _SECTIONS[kind].get(number.value, 0):
        return None
    if clause and kind == "amendment":
        return None
    return Head(kind, "", (number,), *match.span(), (section,), (clause,) if clause else ())


def _number(folded: str, match: re.Match[str], *names: str) -> Number | None:
    written = match.groupdict()
    return next((number_at(folded, *match.span(name)) for name in names if written.get(name)), None)


def _kind(word: str | None, number: Number) -> str | None:
    """No article has a number as high as that of "A14". Without a word an ordinal is an amendment's, and a plain number
    is neither's: "section 2 of 4" counts pages.
    """
    high = number.value > max(_SECTIONS["article"])
    if word:
        return "amendment" if high or re.fullmatch(_AMENDMENT, word) else "article"
    if is_ordinal(number.token):
        return "amendment"
    return None if number.token not in ROMAN else "amendment" if high else "article"


_ANY_ROMAN = {roman(number).lower(): number for number in range(1, 40)}
_BEYOND_LAST = {
    "twenty-eighth": 28, "twenty eighth": 28, "twenty-ninth": 29, "twenty ninth": 29, "thirtieth": 30,
    "vigesimoctava": 28, "vigesima octava": 28, "vigesimonovena": 29, "vigesima novena": 29, "trigesima": 30,
}  # fmt: skip
_ANY_NUMBER = rf"[0-9]{{1,3}}|[ivx]{{1,8}}|{'|'.join(_BEYOND_LAST)}"
_KINDS = {"am": "amendment", "en": "amendment", "ar": "article"}  # by their first letters, in both languages
_ASKED = re.compile(
    rf"(?<![\w.])(?:(?P<first>{_ANY_NUMBER})(?:\s?(?:st|nd|rd|th|[aoªº]))?\s(?P<one>amendment|enmienda)"
    rf"|(?P<two>amendment|amend\.?|enmienda|article|articulo|art\.?)\s?(?:(?:no\.?|number|numero)\s?)?(?P<last>{_ANY_NUMBER}))"
    r"(?![\w.]*\w)"
)


def absent(folded: str) -> tuple[int, int, str] | None:
    """Where the first one stands in folded text, and what it would be called."""
    named = _ASKED.search(folded)
    if named is None:
        return None
    kind = _KINDS[(named["one"] or named["two"])[:2]]
    number = _value(named["first"] or named["last"])
    if number is None or number <= LAST[kind]:
        return None
    return *named.span(), cite(f"/us/const/{kind}/{roman(number) if number < 40 else number}")


def _value(written: str) -> int | None:
    return int(written) if written.isdigit() else _BEYOND_LAST.get(written) or _ANY_ROMAN.get(written)
