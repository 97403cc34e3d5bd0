"""Citations of the US Code, the INA, the C.F.R., the USCIS Policy Manual and what is cited by volume and
page: I&N Decisions, Public Laws, Federal Register, Statutes at Large. English and Spanish. Pure.
"""

import re
from collections.abc import Iterator, Mapping
from itertools import chain

from retrieval.citations.citation import Found, Item, Source

# Runs that are numbered alike: first and last section of the Act, first section of the Code.
_RUNS = (
    (101, 105, 1101), (201, 210, 1151), (211, 215, 1181), (217, 219, 1187), (221, 224, 1201),
    (231, 239, 1221), (242, 243, 1252), (245, 250, 1255), (251, 258, 1281), (261, 266, 1301),
    (271, 274, 1321), (275, 280, 1325), (281, 293, 1351), (301, 309, 1401), (310, 347, 1421),
    (349, 357, 1481), (358, 361, 1501), (411, 414, 1521), (501, 507, 1531),
)  # fmt: skip
_SINGLE = {
    "106": "1105a", "210A": "1161", "213A": "1183a", "216": "1186a", "216A": "1186b", "235A": "1225a",
    "236A": "1226a", "240": "1229a", "240A": "1229b", "240B": "1229c", "240C": "1230", "241": "1231",
    "244": "1254a", "245A": "1255a", "274A": "1324a", "274B": "1324b", "274C": "1324c", "274D": "1324d",
    "294": "1363a", "329A": "1440-1",
}  # fmt: skip

CODE_SECTION = {
    str(section): str(code + section - first)
    for first, last, code in _RUNS
    for section in range(first, last + 1)
} | _SINGLE


# What a letter is after a subdivision of the kind given; "" stands for none before it.
USC_LEVELS: Mapping[str, str] = {"": "lower", "number": "upper", "upper": "lower", "lower": "upper"}
CFR_LEVELS: Mapping[str, str] = {"": "lower", "number": "lower", "lower": "upper", "upper": "lower"}


def recased(subdivisions: tuple[str, ...], levels: Mapping[str, str]) -> tuple[str, ...]:
    """As written where small and capital letters are both used, else cased as the levels alternate."""
    letters = "".join(sub for sub in subdivisions if sub.isalpha())
    if not (letters.islower() or letters.isupper()):
        return subdivisions
    cased: list[str] = []
    before = ""
    for sub in subdivisions:
        before = levels[before] if sub.isalpha() else "number"
        cased.append(sub if before == "number" else sub.lower() if before == "lower" else sub.upper())
    return tuple(cased)


_CAPITAL_TITLES = {17, 26, 36, 38}  # 26 U.S.C. § 280G
_MIXED_TITLES = {10, 18, 28, 31, 44, 46, 49}  # 18 U.S.C. § 2339A and § 175b
LAST_TITLE = {"usc": 54, "cfr": 50}

_START = r"(?<![a-z0-9.,$-])"
_SIGN = r"(?:§{1,2}|(?:sections?|sects?|secs?|ss?|secciones|seccion|seccs?)\b\.?)"
_SUBS = r"(?:\s?\([a-z0-9]{1,5}\)){0,8}"
_USC_SECTION = r"[0-9]{1,5}[a-z]{0,3}(?:-[0-9]{1,3}[a-z]{0,2})?(?![a-z0-9])"
_CFR_SECTION = (
    r"[0-9]{1,4}[a-z]{0,2}\.[0-9]{1,5}[a-z]{0,3}"
    r"(?:(?:\([a-z0-9]{1,4}\)){0,4}-[0-9]{1,3}[a-z]{0,2})?(?![a-z0-9])"
)
_CFR_PART = r"[0-9]{1,4}[a-z]{0,2}(?![a-z0-9])(?!\.[0-9])"
_CFR_NUMBER = rf"(?:{_CFR_SECTION}|{_CFR_PART})"
_OTHER_SOURCE = r"(?!\s{0,2}(?:u\.?\s?s|c\.?\s?f\.?\s?r|f\.|fed|stat|i\.?\s?(?:&|and)|s\.\s?ct|l\.\s?ed))"
_JOIN = (
    r"(?:\s{0,2},\s{0,2}(?:(?:and|or|y|o|&)\s{1,2})?|\s{1,2}(?:and|or|y|o|&|to|through|a)\s{1,2}|\s{0,2}[&-]\s{0,2})"
    r"(?:§{1,2}\s{0,2})?"
)


def _list_of(number: str) -> str:
    return rf"{number}{_SUBS}(?:{_JOIN}{number}{_SUBS}{_OTHER_SOURCE}){{0,40}}"


_USC_NAME = (
    r"(?:u\.?\s?s\.?\s?c\.?(?:\s?[as]\b\.?)?|u\.?\s?s\.?\s?code|united states code"
    r"|codigo\s{1,2}de\s{1,2}(?:los\s{1,2})?(?:estados unidos|ee\.?\s?uu\.?|eeuu))"
)
_CFR_NAME = (
    r"(?:c\.?\s?f\.?\s?r\.?|code of federal regulations"
    r"|codigo\s{1,2}de\s{1,2}(?:los\s{1,2})?(?:reglamentos?|regulaciones)\s{1,2}federales)"
)
_TITLE_WORD = r"(?:title|tit\.?|titulo)\s{1,2}"
_LINK = r"[\s,]{1,3}(?:(?:of|del?|in)\s{1,2})?(?:(?:the|el|la)\s{1,2})?"
_PART = r"(?P<part>(?:parts?|pts?|partes?)\b\.?)\s{0,2}"

_USC = re.compile(
    rf"{_START}(?:{_TITLE_WORD})?(?P<title>[0-9]{{1,2}})(?:{_LINK}|\s{{0,2}}){_USC_NAME}[\s,]{{0,3}}"
    rf"(?P<sign>{_SIGN})?\s{{0,3}}(?P<numbers>{_list_of(_USC_SECTION)})"
)
_CFR = re.compile(
    rf"{_START}(?:{_TITLE_WORD})?(?P<title>[0-9]{{1,2}})(?:{_LINK}|\s{{0,2}}){_CFR_NAME}[\s,]{{0,3}}"
    rf"(?:{_PART}|(?P<sign>{_SIGN})?)\s{{0,3}}(?P<numbers>{_list_of(_CFR_NUMBER)})"
)
_NAME_AFTER = rf"(?:{_LINK}(?:(?P<usc>{_USC_NAME})|(?P<cfr>{_CFR_NAME}))(?![a-z]))?"
_TITLE_FIRST = re.compile(
    rf"\b{_TITLE_WORD}(?P<title>[0-9]{{1,2}})[\s,]{{1,3}}(?:{_PART}|(?P<sign>{_SIGN})\s{{0,2}})"
    rf"(?P<numbers>{_list_of(_CFR_NUMBER.replace(_CFR_PART, _USC_SECTION))}){_NAME_AFTER}"
)
_SECTION_FIRST = re.compile(
    rf"(?<![a-z0-9])(?:{_PART}|(?P<sign>{_SIGN})\s{{0,2}})"
    rf"(?P<numbers>{_list_of(_CFR_NUMBER.replace(_CFR_PART, _USC_SECTION))})"
    rf"[\s,]{{1,3}}(?:(?:of|del?)\s{{1,2}})?(?:(?:the|el)\s{{1,2}})?{_TITLE_WORD}(?P<title>[0-9]{{1,2}})(?![0-9a-z])"
    rf"{_NAME_AFTER}"
)
_ANOTHER_CODE = re.compile(
    r"[\s,]{1,3}(?:of|del?)\s{1,2}|[\s,]{1,3}(?:of\s)?(?:the\s)?[a-z.]{1,12}\s{1,2}code\b"
)
_CODE_BEFORE = re.compile(r"\b(?:code|regulations?|regs?\.|code regs\.|cal\.|admin\.|codigo)[\s,]{1,3}\Z")
_BARE_SUBS = re.compile(r"(\s{1,2}[a-z](?:\s{1,2}[a-z0-9]{1,4}){0,5})[\s.?]{0,3}")  # "8 cfr 214.2 h 1"
_BARE_SUB = re.compile(r"[A-Za-z0-9]{1,4}")
_TWO = re.compile(r"([0-9]{2,5})-([0-9]{2,5})")


def find(source: Source, *, loose: bool = False) -> Iterator[Found]:
    """Every statutory, regulatory or manual citation; ``loose`` for a query that is nothing else."""
    folded = source.folded
    if not any(character.isdigit() for character in folded):
        return
    for code, pattern in (("usc", _USC), ("cfr", _CFR)):
        for match in pattern.finditer(folded):
            yield from _code(source, match, code, loose=loose)
    yield from _by_title(source)
    yield from _act(source, loose=loose)
    yield from _manual(source, loose=loose)
    yield from _by_page(source, loose=loose)


def _code(source: Source, match: re.Match[str], code: str, *, loose: bool = False) -> Iterator[Found]:
    title = int(match["title"])
    if not 1 <= title <= LAST_TITLE[code]:
        return
    marks = (match["sign"] or "") + (match.groupdict().get("part") or "")
    numbers = _numbers(source, *match.span("numbers"), plural=_is_plural(marks))
    make = _usc_item if code == "usc" else _cfr_item
    last = numbers[-1][1]
    end = match.end() if last == match.end("numbers") else last
    if loose and (bare := _BARE_SUBS.fullmatch(source.folded, end)) and not numbers[0][3]:
        numbers = [(*numbers[0][:3], tuple(_BARE_SUB.findall(source.written(bare, 1))))]
        end = bare.end(1)
    yield Found(match.start(), end, tuple(make(title, *number) for number in numbers))


def _by_title(source: Source) -> Iterator[Found]:
    """ "title 8, section 1182", "section 1983 of title 42", with or without the code's name after it."""
    for pattern in (_TITLE_FIRST, _SECTION_FIRST):
        for match in pattern.finditer(source.folded):
            dotted = "." in match["numbers"]
            code = "cfr" if match["cfr"] or match["part"] or dotted else "usc"
            if _names_no_other_code(source.folded, match):
                yield from _code(source, match, code)


def _names_no_other_code(folded: str, match: re.Match[str]) -> bool:
    if match["usc"] or match["cfr"]:
        return True
    before = _CODE_BEFORE.search(folded, max(0, match.start() - 40), match.start())
    return not (before or _ANOTHER_CODE.match(folded, match.end()) or match["part"])


def _is_plural(marks: str) -> bool:
    word = marks.rstrip(". ")
    return word in ("§§", "ss") or len(marks) > 2 and word.endswith("s")


Written = tuple[int, int, str, tuple[str, ...]]  # start, end, number, subdivisions

_ITEM = re.compile(rf"(?P<number>{_CFR_NUMBER.replace(_CFR_PART, _USC_SECTION)})(?P<subs>{_SUBS})")
_SUB = re.compile(r"\(([A-Za-z0-9]{1,5})\)")


def _numbers(source: Source, start: int, end: int, *, plural: bool) -> list[Written]:
    """The sections listed; of a range its two ends; only the first where one was announced."""
    found = [
        written for match in _ITEM.finditer(source.folded, start, end) for written in _written(source, match)
    ]
    return found if plural else found[:1]


def _written(source: Source, match: re.Match[str]) -> Iterator[Written]:
    subs = tuple(_SUB.findall(source.written(match, "subs")))
    both = _TWO.fullmatch(match["number"])
    if both and int(both[1]) < int(both[2]) and len(both[1]) <= len(both[2]):
        split = match.start() + match["number"].index("-")
        yield match.start(), split, both[1], ()
        yield split + 1, match.end(), both[2], subs
    else:
        yield match.start(), match.end(), source.written(match, "number"), subs


def _cased(title: int, section: str) -> str:
    """Section letters as the title writes them; as typed in the titles that write both."""
    if title in _CAPITAL_TITLES:
        return section.upper()
    return section if title in _MIXED_TITLES else section.lower()


def _usc_item(title: int, start: int, end: int, number: str, subs: tuple[str, ...]) -> Item:
    path = (f"/us/usc/t{title}/s{_cased(title, number)}", *recased(subs, USC_LEVELS))
    return Item(start, end, "/".join(path))


def _cfr_item(title: int, start: int, end: int, number: str, subs: tuple[str, ...]) -> Item:
    number = number.lower()
    below = (f"s{number}", *recased(subs, CFR_LEVELS)) if "." in number else (f"pt{number}",)
    return Item(start, end, "/".join((f"/us/cfr/t{title}", *below)))


# Immigration and Nationality Act

_ACT_NAME = (
    r"(?:i\.n\.a\.|ina\b|immigration (?:and|&) nationality act(?: of 1952)?"
    r"|ley de inmigracion y nacionalidad)"
)
_ACT_SECTIONS = rf"(?P<numbers>{_list_of('[0-9]{3}[a-z]?(?![a-z0-9])')})"
_ACT_FIRST = re.compile(rf"(?<![a-z0-9]){_ACT_NAME},?\s{{0,2}}(?P<sign>{_SIGN})?\s{{0,2}}{_ACT_SECTIONS}")
_ACT_LAST = re.compile(
    rf"(?<![a-z0-9])(?P<sign>{_SIGN})\s{{0,2}}{_ACT_SECTIONS},?\s{{1,2}}(?:of|de)\s{{1,2}}"
    rf"(?:the\s{{1,2}}|la\s{{1,2}})?{_ACT_NAME}"
)


def _act(source: Source, *, loose: bool) -> Iterator[Found]:
    """Sections of the Act, cited where title 8 holds them; of those it does not know, none."""
    for match in chain(_ACT_FIRST.finditer(source.folded), _ACT_LAST.finditer(source.folded)):
        numbers = _numbers(source, *match.span("numbers"), plural=_is_plural(match["sign"] or ""))
        known = [number for number in numbers if number[2].upper() in CODE_SECTION]
        certain = match["sign"] or "(" in match["numbers"] or "INA" in source.written(match)
        if known and (loose or certain):
            items = [_usc_item(8, start, end, CODE_SECTION[n.upper()], subs) for start, end, n, subs in known]
            end = match.end() if numbers[-1][1] == match.end("numbers") else known[-1][1]
            yield Found(match.start(), end, tuple(items))


# USCIS Policy Manual

_MANUAL = (
    r"(?:(?:the\s{1,2})?uscis[\s-]{1,2}(?:policy manual|pm)\b|(?:the\s{1,2})?policy manual"
    r"|manual de politicas(?:\s{1,2}del?\s{1,2}uscis)?)"
)
_VOLUME = (
    r"(?:volume|volumen|vol\b\.?)\s{0,2}(?P<volume>[0-9]{1,2})(?![0-9])"
    r"(?:[\s,]{1,3}(?:part|pt\b\.?|parte)\s{1,2}(?P<part>[a-z])(?![a-z0-9])"
    r"(?:[\s,]{1,3}(?:chapter|chap\b\.?|ch\b\.?|capitulo|cap\b\.?)\s{0,2}(?P<chapter>[0-9]{1,2})(?![0-9]))?)?"
)
_LONG_MANUAL = re.compile(
    rf"(?<![a-z0-9])(?P<name>{_MANUAL}[\s,]{{1,3}})?{_VOLUME}(?P<after>{_LINK}{_MANUAL})?"
)
_SHORT_MANUAL = re.compile(
    rf"{_START}(?P<volume>[0-9]{{1,2}})\s{{1,2}}uscis[\s-]{{1,2}}pm\s{{1,2}}(?:part\s)?(?P<part>[a-z])(?![a-z])"
    r"(?:[.,\s]{1,2}(?:(?:chapter|ch\.?)\s?)?(?P<chapter>[0-9]{1,2}))?(?P<subs>(?:\([a-z0-9]{1,4}\)){0,5})"
)
_LAST_VOLUME = 12


def _manual(source: Source, *, loose: bool) -> Iterator[Found]:
    for match in _LONG_MANUAL.finditer(source.folded):
        if match["name"] or match["after"] or (loose and match["chapter"]):
            yield from _manual_found(source, match, ())
    for match in _SHORT_MANUAL.finditer(source.folded):
        yield from _manual_found(source, match, tuple(_SUB.findall(source.written(match, "subs"))))


def _manual_found(source: Source, match: re.Match[str], subs: tuple[str, ...]) -> Iterator[Found]:
    volume, part, chapter = int(match["volume"]), (match["part"] or "").upper(), match["chapter"] or ""
    if not 1 <= volume <= _LAST_VOLUME:
        return
    parts = [f"v{volume}", f"p{part}" if part else "", f"ch{chapter}" if chapter else "", *subs]
    yield Found.one(*match.span(), "/".join(filter(None, ("/us/uscis-pm", *parts))))


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
