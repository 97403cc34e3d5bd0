"""Sections cited by an act's own numbers, given where the Code holds them ("ADEA 4(a)", "section 212(h) of the INA"),
and sections that everybody calls by a number alone ("section 1983"). English and Spanish. Pure.
"""

import re
from collections.abc import Iterator
from itertools import groupby

from retrieval.citations.acts import AROUND, Act, NamedAct, find_names
from retrieval.citations.bare_numbers import known
from retrieval.citations.citation import Found, Item, Source
from retrieval.citations.numbers import (
    ACT_SECTION,
    CFR_LEVELS,
    OTHER_SOURCE,
    SIGN,
    SUBS,
    SUBS_BEFORE,
    USC_LEVELS,
    Written,
    list_of,
    numbers,
    recased,
    subdivisions,
    with_below,
    with_spoken,
)

_NUMBERS = rf"(?P<numbers>{list_of(ACT_SECTION)})"
_LETTERED = re.compile(r"([0-9]+)([A-Za-z])")
_AFTER = re.compile(rf"(?:'s|\.)?[\s,]{{0,3}}(?P<sign>{SIGN})?\s{{0,2}}{_NUMBERS}{OTHER_SOURCE}")
_LINK = r",?\s{1,2}(?:(?:of|del?|under|in|en)\s{1,2})?(?:(?:the|la|el)\s{1,2})?"
_BEFORE = re.compile(
    rf"(?<![a-z0-9.$-])(?P<sign>{SIGN})?\s{{0,2}}{_NUMBERS}{SUBS_BEFORE}(?P<link>{_LINK}|\s[a-z]{{3,12}}\s)\Z"
)
_REACH = 120  # characters before an act's name in which its sections may stand
_YEAR = re.compile(r"(?:1[789]|20)[0-9]{2}")
_EDITIONS = ("1939", "1954", "1986")  # of the Internal Revenue Code
_SURE_END = re.compile(r"\s{0,2}(?:[.,;:?!)]|\Z)")  # no word that the number might count
_LONG = 3  # digits, or words of a name: as much is no chance
_PART_OF_A_DEVICE = re.compile(r"\b(?:sensor|arduino|amplif|circuit|datasheet|raspberry|wiring|breakout)")


_FOIA = r"(?:foia|freedom of information act)"
_EXEMPTION = re.compile(
    rf"(?<![a-z]){_FOIA}(?:'s)?\s{{1,2}}exemption\s{{1,2}}(?P<after>[1-9]{SUBS})(?![a-z0-9])"
    rf"|(?<![a-z])exemption\s{{1,2}}(?P<before>[1-9]{SUBS})\s{{1,2}}(?:of|to|under)\s{{1,2}}(?:the\s{{1,2}})?{_FOIA}(?![a-z])"
)


def exemptions(source: Source) -> Iterator[Found]:
    """ "FOIA exemption 7(C)" is 5 U.S.C. § 552(b)(7)(C)."""
    for match in _EXEMPTION.finditer(source.folded):
        number, *subs = re.findall(r"[a-z0-9]+", match["after"] or match["before"])
        below = recased(("b", number, *subs), USC_LEVELS)
        yield Found.one(*match.span(), "/".join(("/us/usc/t5/s552", *below)))


_RULES = {"securities": 230, "exchange": 240, "investment company": 270, "advisers": 275}  # parts of 17 C.F.R.
_RULING = rf"(?:sec|(?:(?:securities|investment)\s)?(?P<act>{'|'.join(_RULES)})\sact(?:\sof\s19[34][0-9])?)(?![a-z])"
_RULE = (
    r"(?:rule|regla)\s{1,2}(?P<number>[0-9]{1,2}[a-z]{0,2}[0-9]{0,2}-[0-9]{1,3}|[0-9]{3}[a-z]?)"
    rf"(?P<subs>{SUBS})(?![a-z0-9-])"
)
_SECURITIES_RULES = (
    re.compile(rf"(?<![a-z]){_RULING}\s{{1,2}}{_RULE}"),
    re.compile(rf"(?<![a-z]){_RULE}\s{{1,2}}(?:of|under|del?)\s{{1,2}}(?:(?:the|la)\s{{1,2}})?{_RULING}"),
)


def securities_rules(source: Source) -> Iterator[Found]:
    """ "Exchange Act Rule 14a-8" is 17 C.F.R. § 240.14a-8; of "SEC rules" those with a hyphen are under that act."""
    for match in (match for pattern in _SECURITIES_RULES for match in pattern.finditer(source.folded)):
        part = _RULES[match["act"] or ("exchange" if "-" in match["number"] else "securities")]
        below = recased(subdivisions(source.written(match, "subs").replace(" ", "")), CFR_LEVELS)
        yield Found.one(*match.span(), "/".join((f"/us/cfr/t17/s{part}.{match['number']}", *below)))


def find(source: Source, *, loose: bool) -> Iterator[Found]:
    """Sections that stand beside the name of their act; of those that the act does not have, none."""
    yield from exemptions(source)
    yield from securities_rules(source)
    for _, named in groupby(find_names(source), key=lambda one: one.start):
        one, *others = named
        yield from _beside(source, one, [one.act, *(other.act for other in others)], loose=loose)


def _beside(source: Source, named: NamedAct, meant: list[Act], *, loose: bool) -> Iterator[Found]:
    after = _AFTER.match(source.folded, named.end)
    if after and _is_sure(source, named, after, loose=loose):
        found = numbers(source, *after.span("numbers"), marks=after["sign"] or "")
        end = after.end() if found[-1].end == after.end("numbers") else found[-1].end
        found, end = with_spoken(source, found, end, loose=loose)
        if items := _items(found, meant):
            yield Found(named.start, end, items)
            return
    before = _BEFORE.search(source.folded, max(0, named.start - _REACH), named.start)
    if before and (
        _is_sure_before(before) or loose and before["link"].isspace() and _is_acronym(source, named)
    ):
        found = numbers(source, *before.span("numbers"), marks=before["sign"] or "")
        if before["below"]:
            found = [*found[:-1], with_below(source, found[-1], *before.span("below"))]
        if items := _items(found, meant):
            yield Found(before.start(), named.end, items)


def find_beyond(source: Source) -> Iterator[tuple[int, int, str]]:
    """Where each section stands that its act cannot have, and what it would be called: "INA 999"."""
    for named in find_names(source):
        if after := _AFTER.match(source.folded, named.end):
            [number, *_] = numbers(source, *after.span("numbers"), marks=after["sign"] or "")
            is_year = not after["sign"] and _YEAR.fullmatch(number.number)
            if not is_year and named.act.ends_before(number.number):
                yield named.start, number.end, f"{named.act.name} § {number.number}"


def _is_sure(source: Source, named: NamedAct, match: re.Match[str], *, loose: bool) -> bool:
    """Whether numbers after a name are sections: "INA 301", "Clean Water Act 404", not "the ADA 20 years later"."""
    if match["sign"] or "(" in match["numbers"]:
        return True
    is_code = _is_acronym(source, named) and named.act.title and match["numbers"] not in _EDITIONS
    if _YEAR.fullmatch(match["numbers"]) and not is_code:
        return False
    around = (max(0, named.start - AROUND), named.end + AROUND)
    if _is_given_name(source, named) or _PART_OF_A_DEVICE.search(source.folded, *around):
        return False
    number = re.match(r"[0-9]+[a-z]*", match["numbers"])[0]
    if named.act.title and _is_acronym(source, named) and len(number) > 1:
        return True
    return loose or len(number) >= _LONG or bool(_SURE_END.match(source.folded, match.end()))


def _is_acronym(source: Source, named: NamedAct) -> bool:
    name = source.visible[named.start : named.end]
    return name.isupper() or len(name) <= _LONG


def _is_given_name(source: Source, named: NamedAct) -> bool:
    """ "Ina", "Ada"."""
    name = source.visible[named.start : named.end]
    return len(name) <= _LONG and name.istitle()


def _is_sure_before(match: re.Match[str]) -> bool:
    """ "section 212 of the INA", "212(h) INA", "212(h) waiver INA", but no "room 208 INA hotel"."""
    near = re.search(r"\b(?:of|del?|under)\b", match["link"]) or not re.search(r"[a-z]", match["link"])
    return "(" in match["numbers"] or bool(match["sign"] and near)


def _items(found: list[Written], meant: list[Act]) -> tuple[Item, ...]:
    """The sections in the first of the acts that has any of them."""
    for act in meant:
        if items := tuple(item for written in found for item in _item(act, written)):
            return items
    return ()


def _item(act: Act, written: Written) -> Iterator[Item]:
    """The section written, or where the act has none of its letter the subdivision of another: "INA 245i". For one that
    only changed another act, what it put there.
    """
    if act.only_amends(written.number):
        if place := act.amended(written.number, written.subs):
            yield Item(written.start, written.end, place)
        return
    locator, subs = act.section(written.number), written.subs
    lettered = None if locator else _LETTERED.fullmatch(written.number)
    if lettered:
        locator, subs = act.section(lettered[1]), (lettered[2], *subs)
    if locator:
        yield Item(written.start, written.end, "/".join((locator, *recased(subs, USC_LEVELS))))


# Sections known by a number alone

_BARE = re.compile(
    rf"(?<![a-z0-9'.$])(?P<sign>(?:{SIGN}|rule|regla)\s{{0,2}})?"
    rf"(?P<number>[0-9]{{1,4}}(?:[a-z](?:[0-9](?![0-9]))?)?(?:-[0-9]{{1,2}})?)(?P<subs>{SUBS})"
    r"(?![a-z0-9-])(?!\s{1,2}(?:of|del?|row|fila|seats?|asientos?)\b)"
)


def known_by_number(source: Source, *, loose: bool = False) -> Iterator[Found]:
    """What a number alone means to everybody: "section 1983", "rule 10b-5", "§ 922(g)(1)"."""
    for match in _BARE.finditer(source.folded):
        subs = subdivisions(source.written(match, "subs").replace(" ", ""))
        if not (match["sign"] or subs or loose and match["number"] in _SPOKEN_NUMBERS):
            continue
        number = _SPOKEN_NUMBERS.get(match["number"], match["number"])
        for taken in range(len(subs), -1, -1):
            called = number + "".join(f"({sub.lower()})" for sub in subs[:taken])
            if locator := known().get(called):
                below = recased(subs, USC_LEVELS)[taken:]
                yield Found.one(*match.span(), "/".join((locator, *below)))
                break


_SPOKEN_NUMBERS = {"401k": "401(k)", "403b": "403(b)", "501c3": "501(c)(3)", "501c4": "501(c)(4)"}
