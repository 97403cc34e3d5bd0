"""Citations of the US Code, the C.F.R., the USCIS Policy Manual and what is cited by volume and
page: I&N Decisions, Public Laws, Federal Register, Statutes at Large. English and Spanish. Pure.
"""

import re
from collections.abc import Iterator
from dataclasses import replace

from retrieval.citations import act_sections
from retrieval.citations.citation import Found, Item, Source
from retrieval.citations.numbers import (
    ACT_SECTION,
    ANY_NUMBER,
    CFR_LEVELS,
    CFR_NUMBER,
    CFR_PART,
    CFR_SECTION,
    NAMED_SUB,
    SIGN,
    SUB,
    SUBDIVISION,
    SUBDIVISION_WORD,
    SUBS_BEFORE,
    UNANNOUNCED,
    USC_LEVELS,
    Written,
    cased_section,
    list_of,
    named_subs,
    numbers,
    recased,
    subdivisions,
    with_below,
    with_spoken,
)

LAST_TITLE = {"usc": 54, "cfr": 50, "uscis-pm": 12}  # of the manual, its last volume
_NUMBERED = re.compile(r"/us/(usc|cfr|uscis-pm)/[tv](\d+)(?:/|$)")

_START = r"(?<![a-z0-9.,$-])"
_USC_NAME = (
    r"(?:u\.?\s?s\.?\s?c\.?(?:\s?[as]\b\.?)?|u\.?\s?s\.?\s?code|(?:united|untied) states code"
    r"|codigo\s{1,2}de\s{1,2}(?:los\s{1,2})?(?:estados unidos|ee\.?\s?uu\.?|eeuu))"
)
_CFR_NAME = (
    r"(?:c\.?\s?f\.?\s?r\.?|crf(?=\s{1,2}[0-9]{1,4}\.[0-9])|code of fed(?:eral|\.)? reg(?:ulation)?s?\b\.?"
    r"|codigo\s{1,2}de\s{1,2}(?:los\s{1,2})?(?:reglamentos?|regulaciones)\s{1,2}federales)"
)
_TITLE_WORD = r"(?:title|tilte|titel|tittle|tit\.?|titulo)\s{1,2}"
_LINK = r"[\s,]{1,3}(?:(?:of|del?|in)\s{1,2})?(?:(?:the|el|la)\s{1,2})?"
_PART = r"(?P<part>(?:parts?|pts?|partes?)\b\.?)\s{0,2}"

_USC = re.compile(
    rf"{_START}(?:{_TITLE_WORD})?(?P<title>[0-9]{{1,2}})(?:{_LINK}|\s{{0,2}}){_USC_NAME}[\s,]{{0,3}}"
    rf"(?P<sign>{SIGN})?\s{{0,3}}(?P<numbers>{list_of(ACT_SECTION)})"
)
_CFR = re.compile(
    rf"{_START}(?:{_TITLE_WORD})?(?P<title>[0-9]{{1,2}})(?:{_LINK}|\s{{0,2}}){_CFR_NAME}[\s,]{{0,3}}"
    rf"(?:(?:parts?|pts?|partes?)\b\.?\s{{0,2}}{CFR_PART}[\s,]{{1,3}}(?={SIGN}\s{{0,3}}{CFR_SECTION}))?"
    rf"(?:{_PART}|(?P<sign>{SIGN})?)\s{{0,3}}(?P<numbers>{list_of(CFR_NUMBER)})"
)
_TREASURY = re.compile(
    rf"(?<![a-z0-9])treas(?:ury|\.)?\s{{0,2}}reg(?:ulation)?s?\b\.?[\s,]{{0,3}}(?P<sign>{SIGN})?\s{{0,3}}"
    rf"(?P<numbers>{list_of(CFR_SECTION)})"
)
_TAX_TITLE, _CONTRACTS_TITLE, _AVIATION_TITLE = 26, 48, 14
# Executive orders are cited by the year and page of a compilation, which is no part: "3 CFR, 1986 Comp., p. 189".
_PRESIDENTS_TITLE, _YEAR = 3, re.compile(r"[12][0-9]{3}")
_FAR = re.compile(  # of acquisition, "FAR 52.212-4", with its supplement for defense, and of aviation, "FAR 91.113"
    r"(?<![a-z0-9])(?P<name>f\.?a\.?r\b\.?|dfars?\b|(?:defense\s)?federal acquisition regulations?(?:\ssupplement)?)"
    rf"[\s,]{{1,3}}(?:clause\s|clausula\s)?(?:{_PART}|(?P<sign>{SIGN})?\s{{0,2}})(?P<numbers>{list_of(CFR_NUMBER)})"
)
_OF_CONTRACTS = re.compile(r"(?:2?[1-9]|2?[1-4][0-9]|2?5[0-3]|20[1-9])(?:\.[0-9]{3}|\Z)")  # no ratio, "FAR 3.5"
_OF_AVIATION = re.compile(r"(?:6[1-9]|9[1-9]|1[0-9]{2})(?![0-9])")
_NAME_AFTER = rf"(?:{_LINK}(?:(?P<usc>{_USC_NAME})|(?P<cfr>{_CFR_NAME}))(?![a-z]))?"
_TITLE_FIRST = re.compile(
    rf"\b{_TITLE_WORD}(?P<title>[0-9]{{1,2}})[\s,]{{1,3}}(?:{_PART}|(?P<sign>{SIGN})\s{{0,2}})"
    rf"(?P<numbers>{list_of(ANY_NUMBER)}){_NAME_AFTER}"
)
_OF_TITLE = (
    rf"[\s,]{{1,3}}(?:(?:of|del?)\s{{1,2}})?(?:(?:the|el)\s{{1,2}})?(?:(?:{_USC_NAME}|{_CFR_NAME})[\s,]{{1,3}})?"
    rf"{_TITLE_WORD}(?P<title>[0-9]{{1,2}})(?![0-9a-z])"
)
_SECTION_FIRST = re.compile(
    rf"(?<![a-z0-9])(?:{_PART}|(?P<sign>{SIGN})\s{{0,2}})(?P<numbers>{list_of(ANY_NUMBER)}){SUBS_BEFORE}"
    rf"{_OF_TITLE}{_NAME_AFTER}"
)
_SECTION_OF_CODE = re.compile(  # "section 214.2(h) of 8 CFR"
    rf"(?<![a-z0-9])(?P<part>)(?P<sign>{SIGN})\s{{0,2}}(?P<numbers>{list_of(ANY_NUMBER)})[\s,]{{1,3}}(?:of|del?|in)\s{{1,2}}"
    rf"(?:(?:the|el)\s{{1,2}})?(?P<title>[0-9]{{1,2}})\s{{0,2}}(?:(?P<usc>{_USC_NAME})|(?P<cfr>{_CFR_NAME}))(?![a-z0-9])"
)
_CODE_FIRST = re.compile(  # "USC 8 § 1182"
    rf"(?<![a-z0-9])(?:(?P<usc>{_USC_NAME})|(?P<cfr>{_CFR_NAME}))[\s,]{{1,3}}(?:{_TITLE_WORD})?"
    rf"(?P<title>[0-9]{{1,2}})[\s,]{{1,3}}(?:{_PART}|(?P<sign>{SIGN})?\s{{0,2}})(?P<numbers>{list_of(ANY_NUMBER)})"
)
_LONG_NUMBER = re.compile(r"[0-9]{3}|[0-9]{1,4}\.[0-9]")
_NUMBER_FIRST = re.compile(  # "922(g)(1) title 18", "el 1326 del titulo 8"
    rf"(?<![a-z0-9.$-])(?P<sign>)(?P<part>)(?P<numbers>[0-9]{{1,5}}[a-z]{{0,3}}(?:(?:{SUB}){{1,8}}|(?<=[0-9]{{3}})(?=\s{{1,2}}(?:of|del?)\s))){_OF_TITLE}"
    rf"{_NAME_AFTER}"
)
_THE = re.compile(r"(?:\A|\b(?:the|el|la|under|por))\s{0,2}\Z")
_ANOTHER_CODE = re.compile(
    r"[\s,]{1,3}(?:of|del?)\s{1,2}|[\s,]{1,3}(?:of\s)?(?:the\s)?[a-z.]{1,12}\s{1,2}code\b"
)
_CODE_BEFORE = re.compile(r"\b(?:code|regulations?|regs?\.|code regs\.|cal\.|admin\.|codigo)[\s,]{1,3}\Z")
_SUBPART = re.compile(r"[\s,]{1,3}(?:subpart|subpt\b\.?|subparte)\s{1,2}([a-z]{1,2})(?![a-z0-9])")
_BELOW = re.compile(
    rf"(?<![a-z0-9])(?:{SUBDIVISION_WORD}{SUBDIVISION}(?:\s{{0,2}},\s{{0,2}}|\s{{1,2}})(?:(?:of|del?|en|in)\s{{1,2}})?(?:(?:the|la|el)\s{{1,2}})?){{1,4}}\Z"
)
_BELOW_REACH = 120  # characters before a section in which its subdivision may stand


def find(source: Source, *, loose: bool = False) -> Iterator[Found]:
    """Every statutory, regulatory or manual citation; ``loose`` for a query that is nothing else."""
    if not any(character.isdigit() for character in source.folded):
        return
    for found in (*filter(_may_be, _codes(source, loose=loose)), *act_sections.find(source, loose=loose)):
        yield _with_below(source, found)
    yield from filter(_may_be, _manual(source, loose=loose))
    yield from _by_page(source, loose=loose)


def find_beyond(source: Source) -> Iterator[Found]:
    """What a query that is nothing else cites of a title or volume that there is not: "title 55 usc section 1"."""
    cited = (*_codes(source, loose=True), *_manual(source, loose=True))
    yield from (found for found in cited if not _may_be(found))


def _may_be(found: Found) -> bool:
    code, number = _NUMBERED.match(found.items[0].locator).groups()
    return 1 <= int(number) <= LAST_TITLE[code]


def _codes(source: Source, *, loose: bool) -> Iterator[Found]:
    for code, pattern in (("usc", _USC), ("cfr", _CFR)):
        for match in pattern.finditer(source.folded):
            yield from _code(source, match, code, int(match["title"]), loose=loose)
    for match in _TREASURY.finditer(source.folded):
        yield from _code(source, match, "cfr", _TAX_TITLE, loose=loose)
    for match in _FAR.finditer(source.folded):
        if title := _title_of_far(source, match, loose=loose):
            yield from _code(source, match, "cfr", title, loose=loose)
    yield from _by_title(source, loose=loose)


def _code(
    source: Source, match: re.Match[str], code: str, title: int, *, loose: bool = False
) -> Iterator[Found]:
    marks = (match["sign"] or "") + (match.groupdict().get("part") or "")
    found = numbers(source, *match.span("numbers"), marks=marks)
    if code == "cfr" and title == _PRESIDENTS_TITLE and _YEAR.fullmatch(found[0].number):
        return
    end = match.end() if found[-1].end == match.end("numbers") else found[-1].end
    if match.groupdict().get("below"):
        found = [*found[:-1], with_below(source, found[-1], *match.span("below"))]
    found, end = with_spoken(source, found, end, loose=loose)
    make = usc_item if code == "usc" else _cfr_item
    items = tuple(make(title, written) for written in found)
    if code == "cfr" and (subpart := _SUBPART.match(source.folded, end)) and "/pt" in items[-1].locator:
        end = subpart.end()
        below = replace(items[-1], end=end, locator=f"{items[-1].locator}/spt{subpart[1].upper()}")
        items = (*items[:-1], below)
    yield Found(match.start(), end, items)


def _title_of_far(source: Source, match: re.Match[str], *, loose: bool) -> int | None:
    number = numbers(source, *match.span("numbers"), marks="")[0].number
    name = source.written(match, "name")
    if not (match["part"] or "." in number) or not (loose or name.isupper() or len(name) > len("F.A.R.")):
        return None
    if _OF_CONTRACTS.match(number):
        return _CONTRACTS_TITLE
    return _AVIATION_TITLE if _OF_AVIATION.match(number) else None


def _by_title(source: Source, *, loose: bool) -> Iterator[Found]:
    """ "title 8, section 1182", "section 1983 of title 42", with or without the code's name after it."""
    read: set[int] = set()  # where sections announced by their marks end
    for pattern in (_TITLE_FIRST, _SECTION_FIRST, _SECTION_OF_CODE, _CODE_FIRST, _NUMBER_FIRST):
        for match in pattern.finditer(source.folded):
            if pattern is _NUMBER_FIRST and (match.end() in read or not _may_begin(source.folded, match)):
                continue
            if pattern is _CODE_FIRST and not _is_announced(source, match, loose=loose):
                continue
            read.add(match.end())
            dotted = "." in match["numbers"]
            code = "cfr" if match["cfr"] or match["part"] or dotted else "usc"
            if _names_no_other_code(source.folded, match):
                yield from _code(source, match, code, int(match["title"]), loose=loose)


def _may_begin(folded: str, match: re.Match[str]) -> bool:
    """Whether a number without a mark is a section: "922(g) title 18", "the 1326 of title 8", not "309 of title 46"."""
    return "(" in match["numbers"] or bool(_THE.search(folded, max(0, match.start() - 12), match.start()))


def _is_announced(source: Source, match: re.Match[str], *, loose: bool) -> bool:
    """Whether a number after the code and its title is a section without a mark: "USC 8 1326", not "usc 24 final"."""
    if match["sign"] or match["part"]:
        return True
    if loose:
        return bool(_LONG_NUMBER.match(match["numbers"]))
    name = source.written(match, "usc" if match["usc"] else "cfr")
    return name.isupper() and bool(UNANNOUNCED.match(match["numbers"]))


def _names_no_other_code(folded: str, match: re.Match[str]) -> bool:
    if match["usc"] or match["cfr"]:
        return True
    before = _CODE_BEFORE.search(folded, max(0, match.start() - 40), match.start())
    return not (before or _ANOTHER_CODE.match(folded, match.end()) or match["part"])


def _with_below(source: Source, found: Found) -> Found:
    """With the subdivision that stands before it: "inciso (a) de la sección 1182", "paragraph (1) of § 1158(a)"."""
    said = _BELOW.search(source.folded, max(0, found.start - _BELOW_REACH), found.start)
    if not said:
        return found
    named = [
        tuple(named_subs(source, *one.span())) for one in NAMED_SUB.finditer(source.folded, *said.span())
    ]
    subs = tuple(sub for one in reversed(named) for sub in one)
    first, *others = found.items
    deeper = replace(first, start=said.start(), locator=_below(first.locator, subs))
    return replace(found, start=said.start(), items=(deeper, *others))


def _below(locator: str, subs: tuple[str, ...]) -> str:
    parts = locator.split("/")
    levels = USC_LEVELS if parts[2] == "usc" else CFR_LEVELS
    return "/".join((*parts[:5], *recased((*parts[5:], *subs), levels)))


def usc_item(title: int, written: Written) -> Item:
    path = (f"/us/usc/t{title}/s{cased_section(title, written.number)}", *recased(written.subs, USC_LEVELS))
    return Item(written.start, written.end, "/".join(path))


def _cfr_item(title: int, written: Written) -> Item:
    number = written.number.lower()
    below = (f"s{number}", *recased(written.subs, CFR_LEVELS)) if "." in number else (f"pt{number}",)
    return Item(written.start, written.end, "/".join((f"/us/cfr/t{title}", *below)))


# USCIS Policy Manual

_MANUAL = (
    r"(?:(?:the\s{1,2})?uscis[\s-]{1,2}(?:policy manual|pm)\b|(?:the\s{1,2})?policy manual"
    r"|manual de politicas(?:\s{1,2}(?:del?\s{1,2})?uscis)?|manual\s{1,2}del?\s{1,2}uscis|(?<![0-9]\s)(?<![0-9])pm)"
)
_PART_WORD = r"(?:part|pt(?![a-z])\.?|parte)"
_CHAPTER_WORD = r"(?:chapter|chap(?![a-z])\.?|ch(?![a-z])\.?|capitulo|cap(?![a-z])\.?)"
_VOLUME = (
    r"(?:volume|volumen|vol(?![a-z])\.?|v(?=[0-9]))\s{0,2}(?P<volume>[0-9]{1,2})(?![0-9])"
    rf"(?:[\s,-]{{1,3}}{_PART_WORD}\s{{1,2}}(?P<part>[a-z])(?![a-z0-9])"
    rf"(?:[\s,-]{{1,3}}{_CHAPTER_WORD}\s{{0,2}}(?P<chapter>[0-9]{{1,2}})(?![0-9]))?)?"
)
_LONG_MANUAL = re.compile(
    rf"(?<![a-z0-9])(?P<name>{_MANUAL}[\s,]{{1,3}})?{_VOLUME}(?P<after>{_LINK}{_MANUAL}(?![a-z]))?"
)
_SHORT_MANUAL = re.compile(
    rf"{_START}(?P<volume>[0-9]{{1,2}})\s{{1,2}}uscis[\s-]{{1,2}}pm\s{{1,2}}(?:part\s)?(?P<part>[a-z])(?![a-z])"
    rf"(?:[.,\s]{{1,2}}(?:{_CHAPTER_WORD}\s?)?(?P<chapter>[0-9]{{1,2}}))?(?P<subs>(?:\([a-z0-9]{{1,4}}\)){{0,5}})"
    r"(?P<more>(?:(?:\s{0,2},|\s{1,2}(?:and|y|&))\s{1,2}[a-z]\.[0-9]{1,2}(?![0-9])){0,10})"
)
_DOTTED_MANUAL = re.compile(  # USCIS-PM 6.E.2, policy manual 8 part J chapter 3; "pm 7 a 1" is an hour
    rf"(?<![a-z0-9])(?!pm\s{{1,2}}[0-9]{{1,2}}\s){_MANUAL}[\s,]{{1,3}}"
    rf"(?P<volume>[0-9]{{1,2}})\s?[./, -]\s?(?:{_PART_WORD}\s{{1,2}})?(?P<part>[a-z])(?![a-z0-9])"
    rf"(?:\s?[./, -]\s?(?:{_CHAPTER_WORD}\s{{0,2}})?(?P<chapter>[0-9]{{1,2}})(?![0-9]))?"
    r"(?P<subs>(?:\([a-z0-9]{1,4}\)){0,5})"
)
_MANUAL_BACKWARDS = re.compile(  # chapter 3 of part B of volume 12
    rf"(?<![a-z0-9]){_CHAPTER_WORD}\s{{0,2}}(?P<chapter>[0-9]{{1,2}}){_LINK}{_PART_WORD}\s{{1,2}}(?P<part>[a-z]){_LINK}"
    rf"(?:volume|volumen|vol\b\.?)\s{{0,2}}(?P<volume>[0-9]{{1,2}})(?![0-9])(?:{_LINK}{_MANUAL}(?![a-z]))?"
)
_ANOTHER_CHAPTER = re.compile(r"([a-z])\.([0-9]{1,2})")


def _manual(source: Source, *, loose: bool) -> Iterator[Found]:
    if "pm" not in source.folded and "vol" not in source.folded and "manual" not in source.folded:
        return
    for match in _LONG_MANUAL.finditer(source.folded):
        if match["name"] or match["after"] or (loose and match["chapter"]):
            yield from _manual_found(source, match)
    is_meant = loose or "uscis" in source.folded or "manual" in source.folded
    for pattern in (_SHORT_MANUAL, _DOTTED_MANUAL, *((_MANUAL_BACKWARDS,) if is_meant else ())):
        for match in pattern.finditer(source.folded):
            yield from _manual_found(source, match)


def _manual_found(source: Source, match: re.Match[str]) -> Iterator[Found]:
    said = match.groupdict(default="")
    subs = subdivisions(source.written(match, "subs")) if said.get("subs") else ()
    items = [Item(*match.span(), _chapter(said["volume"], said["part"], said["chapter"], subs))]
    if said.get("more"):
        items += [
            Item(*other.span(), _chapter(said["volume"], *other.groups()))
            for other in _ANOTHER_CHAPTER.finditer(source.folded, *match.span("more"))
        ]
    yield Found(*match.span(), tuple(items))


def _chapter(volume: str, part: str, chapter: str, subs: tuple[str, ...] = ()) -> str:
    parts = (f"v{int(volume)}", part and f"p{part.upper()}", chapter and f"ch{chapter}", *subs)
    return "/".join(filter(None, ("/us/uscis-pm", *parts)))


# By volume and page

_DECISIONS = re.compile(
    rf"{_START}(?P<volume>[0-9]{{1,2}})\s{{1,2}}i\.?\s?(?:&|and|y)\s?n\.?(?:\s{{0,2}}dec\.?)?[\s,]{{1,2}}"
    r"(?:at\s)?(?P<page>[0-9]{1,4})(?![0-9])"
)
_PUBLIC_LAW = re.compile(
    r"(?<![a-z0-9])(?:pub(?:lic)?\.?\s{0,2}l(?:aw)?\.?|p\.\s?l\.|pl|ley publica)[\s,]{0,3}"
    r"(?:(?:no|number|num|numero)\.?\s{0,2})?(?P<volume>[0-9]{2,3})-(?P<page>[0-9]{1,4})(?![0-9-])"
)
_REGISTER = re.compile(
    rf"{_START}(?P<volume>[0-9]{{1,3}})\s{{1,2}}"
    r"(?P<name>fed\.?\s?reg\.?|f\.\s?r\.|fr|federal register)[\s,]{1,2}"
    r"(?P<page>[0-9]{1,3},[0-9]{3}|[0-9]{1,6})(?![0-9])"
)
_STATUTES = re.compile(
    rf"{_START}(?P<volume>[0-9]{{1,3}})\s{{1,2}}(?P<name>stat\.?)\s{{1,2}}(?P<page>[0-9]{{1,4}})(?![0-9])"
)
_BY_PAGE = (
    (_DECISIONS, "in-dec", 40),
    (_PUBLIC_LAW, "pl", 150),
    (_REGISTER, "fr", 120),
    (_STATUTES, "stat", 150),
)


def _by_page(source: Source, *, loose: bool) -> Iterator[Found]:
    for pattern, slug, last in _BY_PAGE:
        for match in pattern.finditer(source.folded):
            volume, page = int(match["volume"]), int(match["page"].replace(",", ""))
            name = match.groupdict().get("name") and source.written(match, "name")
            if 1 <= volume <= last and page and (loose or not name or _is_reporter(name)):
                yield Found.one(*match.span(), f"/us/{slug}/{volume}/{page}")


def _is_reporter(name: str) -> bool:
    """ "FR", "Fed. Reg.", "Stat.": not the words "fr" and "stat"."""
    return name.isupper() or (name[0].isupper() and name.endswith(".")) or len(name) > len("fed. reg.")
