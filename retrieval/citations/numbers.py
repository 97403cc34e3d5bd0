"""Section numbers with their subdivisions, as they are written one by one, in lists and in ranges. Pure."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from itertools import takewhile

from retrieval.citations.citation import Source

# What a letter is after a subdivision of the kind given; "" stands for none before it.
USC_LEVELS: Mapping[str, str] = {"": "lower", "number": "upper", "upper": "lower", "lower": "upper"}
CFR_LEVELS: Mapping[str, str] = {"": "lower", "number": "lower", "lower": "upper", "upper": "lower"}

_CAPITAL_TITLES = {17, 26, 36, 38}  # 26 U.S.C. § 280G
_MIXED_TITLES = {10, 18, 28, 31, 44, 46, 49}  # 18 U.S.C. § 2339A and § 175b
_MOST_BETWEEN = 100  # sections of a range; a longer one names a chapter, and has its ends


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


def cased_section(title: int, section: str) -> str:
    """Section letters as the title writes them; as typed in the titles that write both."""
    if title in _CAPITAL_TITLES:
        return section.upper()
    return section if title in _MIXED_TITLES else section.lower()


SIGN = r"(?:§{1,2}|#|(?:se[ctio]{3,6}n(?:es|s)?|sects?|secs?|ss?|seccs?|articles?|articulos?|arts?)\b\.?)"
SUB = r"(?>\((?:[0-9]{1,3}[a-z]{0,2}|[ivxlc]{1,6}|[a-z]{1,2}|[a-z][0-9])\))"  # no year, no word; read in one way
SUBS = rf"(?:\s?{SUB}){{0,8}}"
USC_SECTION = r"[0-9]{1,5}[a-z]{0,3}(?:-[0-9]{1,3}[a-z]{0,2})?(?![a-z0-9])"
# "203m1": no section has such a number.
_GLUED_SUBS = r"(?:[0-9]{1,5}(?:[a-z][0-9]{1,2}){1,2}[a-z]?(?![a-z0-9-]))"
CFR_SECTION = (
    r"[0-9]{1,4}[a-z]{0,2}(?:\.| \. )[0-9]{1,5}(?:[a-z][0-9]{1,2}(?=-)|[a-z]{0,3})"
    r"(?:(?:\([a-z0-9]{1,4}\)){0,4}-[0-9]{1,4}[a-z]{0,2}(?!\.))?(?![a-z0-9])"
)
_GLUED_CFR = r"(?:[0-9]{1,4}[a-z]{0,2}\.[0-9]{1,3}(?:[a-z][0-9]{1,2}){1,3}(?![a-z0-9-]))"  # "274a.12c9"
CFR_PART = r"[0-9]{1,4}[a-z]{0,2}(?![a-z0-9])(?!\.[0-9])"
CFR_NUMBER = rf"(?:{_GLUED_CFR}|{CFR_SECTION}|{CFR_PART})"
ACT_SECTION = rf"(?:{_GLUED_SUBS}|{USC_SECTION})"
ANY_NUMBER = rf"(?:{_GLUED_CFR}|{CFR_SECTION}|{ACT_SECTION})"
OTHER_SOURCE = r"(?!\s{0,2}(?:u\.?\s?s|c\.?\s?f\.?\s?r|f\.|fed|stat|i\.?\s?(?:&|and)|s\.\s?ct|l\.\s?ed))"
_JOIN = (  # read in one way, as " & " could be in two
    r"(?>(?:\s{0,2},\s{0,2}(?:(?:and|or|y|o|&)\s{1,2})?|(?:\s{1,2}|(?<=\)))(?:and|or|y|o|&|to|through|a|al)\s{1,2}"
    r"|\s{0,2}[&/-]\s{0,2})"
    r"(?:§{1,2}\s{0,2})?)"
)


_ONLY_SUBS = rf"(?:{SUB}){{1,5}}"  # the "(b)" of "203(a) and (b)"
_ELIDED = r"\.[0-9]{1,5}[a-z]?(?![a-z0-9])(?!\.[0-9])"  # the ".18" of "208.16-.18": its part is not said again


def list_of(number: str) -> str:
    """Each number is taken whole: its hyphen could also join two, and a list of n be read in 2^n ways. Nor may there be
    two ways to read a subdivision or what joins them.
    """
    number = f"(?>{number})"
    return rf"{number}{SUBS}(?:{_JOIN}(?:{number}{SUBS}{OTHER_SOURCE}|{_ELIDED}{SUBS}|{_ONLY_SUBS})){{0,40}}"


@dataclass(frozen=True, slots=True)
class Written:
    """A number as written, with its subdivisions; what lies between the ends of a range stands nowhere in the text."""

    start: int
    end: int
    number: str
    subs: tuple[str, ...] = ()


_ITEM = re.compile(rf"(?:(?P<number>{ANY_NUMBER})|(?P<elided>{_ELIDED}))(?P<subs>{SUBS})|(?P<only>{_ONLY_SUBS})")
_IN_PART = re.compile(r"([0-9]+[a-z]?\.)?([0-9]+)")
_ROMAN = re.compile(r"[ivx]+", re.IGNORECASE)
_SUB = re.compile(r"\(([A-Za-z0-9]{1,5})\)")
_GLUED = re.compile(r"([0-9]{1,5}|[0-9]{1,4}[a-z]{0,2}\.[0-9]{1,3})((?:[a-z][0-9]{1,2}){1,3}[a-z]?)", re.IGNORECASE)
_GLUED_SUB = re.compile(r"[A-Za-z]|[0-9]{1,2}")
_TWO = re.compile(r"([0-9]{2,5})-([0-9]{2,5})")
_TWO_SHORT = re.compile(r"([0-9]{1,5})-([0-9]{1,5})")  # where several are announced
_RANGE = re.compile(r"\s{0,2}-\s{0,2}(?:§{1,2}\s{0,2})?|\s{1,2}(?:to|through|a|al)\s{1,2}(?:§{1,2}\s{0,2})?")
_OF_ANOTHER = re.compile(  # "8 U.S.C. § 1158 and § 208 of the INA", "and § 12 above"
    r"\s{1,2}(?:of|del?)\s|[\s,(]{1,3}(?:above|below|supra|infra|post|hereof|herein|arriba|abajo)\b"
    r"|[\s,(]{1,3}ante(?!\s{0,2}[a-z])"  # not "ante el tribunal"
)
_DIGITS = re.compile(r"[0-9]*")
_SIGNED = re.compile(r"§\s{0,2}\Z")
_BEHIND_COMMA = re.compile(r",\s{0,2}(?:[a-z&]{1,3}\s{1,2})?(?:§{1,2}\s{0,2})?\Z")
_BEFORE_REACH = 12  # characters before a number in which its sign and what joins it to a list stand
_YEAR = re.compile(r"(?:19|20)[0-9]{2}")
_NEAR, _NEXT = 10, 2  # most sections between two that could be years: in a list, and behind "and"
_LISTED = re.compile(r"[&,/-]")
UNANNOUNCED = re.compile(r"(?!(?:19|20)[0-9]{2}(?![0-9]))[0-9]{3,5}")  # "18 USC 1341 & 1343"; a year is none
_ENDING = re.compile(r"[\s.?!]{0,3}")
_COUNTED = re.compile(
    r"\s{0,2}%|\s{1,2}(?:dollars?|million|billion|thousand|per\s?cent|por ciento|people|persons?|days?|months?|years?"
    r"|hours?|amendments?|acts?|laws?|dolares|pesos|dias|meses|anos|horas|personas)\b"
)


# Subdivisions without brackets: of a query that is nothing else any, in a question those that cannot be words.
_BARE_SUBS = re.compile(
    r"(\s{1,2}[a-z](?:\s{1,2}(?:[0-9]{1,2}|[ivx]{1,4}|([a-z])\2?)){0,5})[\s.?]{0,3}"
)  # "8 cfr 214.2 h 1"
_SPOKEN_SUBS = re.compile(
    r"(\s{1,2}[a-z]\s[0-9]{1,2}(?:\s[b-hj-np-z](?:\s[ivx]{1,4})?"
    r"|(?!\s{1,2}(?:days?|months?|years?|hours?|weeks?|times?|people|dollars|percent|or)\b)(?=\s{1,2}[a-z]{2}))"
    r"|\s{1,2}[bcdfghjklmnpqrtwz](?:\s[0-9]{1,2}(?!\s{1,2}[a-z]{2}|[a-z0-9]))?)(?![a-z0-9'.-])"
)
_FURTHER_SUBS = re.compile(r"((?:\s{1,2}(?:[a-z]|[0-9]{1,2}|[ivx]{2,4})){1,5})[\s.?]{0,3}")  # "inciso c 8"
# The 1 of "924(c)1" and the F of "101(a)(15)F"; more than one are "212(a)s".
_GLUED_END = re.compile(r"([0-9]{1,2}(?![.,])|[a-rt-z]|[ivx]{2,4})(?![\w'-])")
# Where small these are words: "1158(a)y (b)", "924(c)i think", not "1101(a)(15)u visa".
_GLUED_WORD = re.compile(r"[aeiouy]\s{1,2}(?!(?:visas?|status|non-?immigrants?)\b)[\w(]")
_SUB_WORD = re.compile(r"[A-Za-z0-9]{1,4}")


SUBDIVISION_WORD = (
    r"(?:(?:sub)?(?:sections?|sec\.?|divisions?|paragraphs?|para\.?|clauses?)|sub-?paragraphs?|incisos?|apartados?"
    r"|(?:sub)?parrafos?|subseccion(?:es)?|letras?|clausulas?|literal(?:es)?|numeral(?:es)?|fraccion(?:es)?)\s{1,2}"
)
SUBDIVISION = rf"(?:(?:{SUB}){{1,5}}|(?:[a-z]|[0-9]{{1,2}})(?![a-z0-9.]))"
_NAMED_SUBS = re.compile(rf"(?:[\s,]{{1,3}}(?!sections?\b){SUBDIVISION_WORD}{SUBDIVISION}){{1,4}}")
NAMED_SUB = re.compile(rf"{SUBDIVISION_WORD}({SUBDIVISION})")
SUBS_BEFORE = (  # what a section is of: "section 1182 inciso a del título 8", "section 212 a 6 of the INA"
    rf"(?P<below>{_NAMED_SUBS.pattern}|(?:\s(?:[a-z]|[0-9]{{1,2}}|[ivx]{{2,4}})(?![\w.])){{1,5}}(?=\s{{1,2}}(?:of|del?)\s))?"
)


def with_spoken(source: Source, found: list[Written], end: int, *, loose: bool) -> tuple[list[Written], int]:
    """The numbers with what a single one is followed by where its subdivisions want brackets, and where that ends."""
    only = found[0]
    if len(found) > 1 or only.end != end:
        return found, end
    if named := _NAMED_SUBS.match(source.folded, end):
        further = _FURTHER_SUBS.fullmatch(source.folded, named.end()) if loose else None
        subs = (*named_subs(source, *named.span()), *(source.written(further, 1).split() if further else ()))
        return [replace(only, subs=(*only.subs, *subs))], further.end(1) if further else named.end()
    if only.subs:
        glued = source.folded[end - 1] == ")" and _GLUED_END.match(source.folded, end)
        if not glued or (source.written(glued, 1).islower() and _GLUED_WORD.match(source.folded, end)):
            return found, end
        return [replace(only, subs=(*only.subs, source.written(glued, 1)))], glued.end()
    spoken = _BARE_SUBS.fullmatch(source.folded, end) if loose else None
    spoken = spoken or _SPOKEN_SUBS.match(source.folded, end)
    if not spoken:
        return found, end
    return [replace(only, subs=tuple(_SUB_WORD.findall(source.written(spoken, 1))))], spoken.end(1)


def with_below(source: Source, written: Written, start: int, end: int) -> Written:
    """With the subdivisions that are written between these places."""
    named = tuple(named_subs(source, start, end)) or tuple(source.visible[start:end].split())
    return replace(written, subs=(*written.subs, *named))


def named_subs(source: Source, start: int, end: int) -> Iterator[str]:
    """ "subsection (a), paragraph 6" as "a" and "6"."""
    for match in NAMED_SUB.finditer(source.folded, start, end):
        written = source.written(match, 1)
        yield from subdivisions(written) or (written,)


def is_plural(marks: str) -> bool:
    word = marks.rstrip(". ")
    return word in ("§§", "ss") or len(marks) > 2 and word.endswith("s")


def numbers(source: Source, start: int, end: int, *, marks: str) -> list[Written]:
    """The sections listed between two places, ranges written out. Marks of one section announce only the first; without
    marks, those that are long enough to be sections, or all if nothing follows them.
    """
    plural = is_plural(marks)
    several = plural or _ENDING.fullmatch(source.folded, end)
    found: list[Written] = []
    for match in _ITEM.finditer(source.folded, start, end):
        if match["only"]:
            found.append(_beside(found[-1], source, match))
        elif match["elided"]:
            part, dot, _section = found[-1].number.partition(".")
            if not dot or not several and _is_before(_BEHIND_COMMA, source.folded, match.start()):
                break  # "8 CFR 208.16, .25 of the total"
            subs = subdivisions(source.written(match, "subs"))
            found.append(Written(*match.span(), part + match["elided"], subs))
        else:
            found += _read(source, match, plural=plural)
    if not plural and (marks or not _ENDING.fullmatch(source.folded, found[-1].end)):
        kept = partial(_is_of_one if marks else _is_unannounced, source.folded, found[0])
        found = [found[0], *takewhile(kept, found[1:])]
    return list(_with_between(source.folded, found))


def _beside(before: Written, source: Source, match: re.Match[str]) -> Written:
    """Another subdivision of the section before it: "212(a)(6) and (9)". What holds both ends where the first has a
    subdivision of the same kind: "1158(a)(1)-(2)(B)" names 1158(a)(1) and 1158(a)(2)(B).
    """
    subs = subdivisions(source.written(match))
    wanted = {_kind(subs[0], len(subs[0]) - 1), _kind(subs[0], 1)}
    alike = [n for n, sub in enumerate(before.subs) if _kind(sub, n) in wanted]
    above = alike[-1] if alike else max(0, len(before.subs) - len(subs))
    return Written(*match.span(), before.number, (*before.subs[:above], *subs))


def _kind(sub: str, level: int) -> str:
    """Of a subdivision that many levels below its section's first: "i" is a letter there, and a Roman number below."""
    if not sub.isalpha():
        return "number"
    form = "roman" if level and _ROMAN.fullmatch(sub) else "letter"
    return f"{form} {sub.islower()}"


def _is_of_one(folded: str, first: Written, written: Written) -> bool:
    """Of the section that is announced, of its part, or announced itself: "§ 1983 & § 1985"."""
    of_part = written.number == first.number or folded[written.start] == "."
    return of_part or _is_announced(folded, first, written)


def _is_announced(folded: str, first: Written, written: Written) -> bool:
    """By its own sign, and not shorter than the first: "8 U.S.C. § 1158 and § 240" means another law's."""
    signed = _is_before(_SIGNED, folded, written.start) and not _OF_ANOTHER.match(folded, written.end)
    return signed and _DIGITS.match(written.number).end() >= _DIGITS.match(first.number).end()


def _is_before(pattern: re.Pattern[str], folded: str, start: int) -> bool:
    return bool(pattern.search(folded, max(0, start - _BEFORE_REACH), start))


def _is_unannounced(folded: str, first: Written, written: Written) -> bool:
    if written.number == first.number:
        return True
    if _is_before(_SIGNED, folded, written.start):
        return _is_announced(folded, first, written)
    if folded[written.start] == ".":
        is_section = written.end - written.start > 2  # no ".5"
    else:
        is_section = bool(UNANNOUNCED.match(written.number)) or _stands_beside(folded, first, written)
    return is_section and not _COUNTED.match(folded, written.end)


def _stands_beside(folded: str, first: Written, other: Written) -> bool:
    """Whether what could be two years is two sections near to one another: "42 USC 1983 & 1985"."""
    if not (_YEAR.fullmatch(first.number) and _YEAR.fullmatch(other.number)):
        return False
    most = _NEAR if _LISTED.search(folded, first.end, other.start) else _NEXT
    return 0 < int(other.number) - int(first.number) <= most


def _read(source: Source, match: re.Match[str], *, plural: bool) -> Iterator[Written]:
    subs = subdivisions(source.written(match, "subs"))
    both = (_TWO_SHORT if plural else _TWO).fullmatch(match["number"])
    last = _last_of(*both.groups()) if both else ""
    if last:
        split = match.start() + match["number"].index("-")
        yield Written(match.start(), split, both[1])
        yield Written(split + 1, match.end(), last, subs)
    elif glued := _GLUED.fullmatch(source.written(match, "number")):
        yield Written(match.start(), match.end(), glued[1], (*_GLUED_SUB.findall(glued[2]), *subs))
    else:
        yield Written(match.start(), match.end(), source.written(match, "number").replace(" ", ""), subs)


def subdivisions(written: str) -> tuple[str, ...]:
    """ "(a)(2)" as "a" and "2"."""
    return tuple(_SUB.findall(written))


def _last_of(first: str, last: str) -> str:
    """The end of a range, which may leave out what it begins with like the first: "206-07"; "" where it is none."""
    whole = first[: -len(last)] + last if 1 < len(last) < len(first) else last
    return whole if len(whole) >= len(first) and int(whole) > int(first) else ""


def _with_between(folded: str, found: list[Written]) -> Iterator[Written]:
    """The same with what lies between the ends of each range, which stands nowhere in the text."""
    for before, written in zip([None, *found[:-1]], found, strict=True):
        ranged = before and _RANGE.fullmatch(folded, before.end, written.start)
        if ranged and not (before.subs or written.subs):
            for between in _between(before.number, written.number):
                yield replace(before, start=written.start, end=written.start, number=between)
        yield written


def _between(first: str, last: str) -> Iterator[str]:
    """1102 of 1101 and 1103, 208.14 of 208.13 and 208.15, 1692d of 1692c and 1692e; of a long range nothing."""
    one, other = _IN_PART.fullmatch(first), _IN_PART.fullmatch(last)
    if one and other and one[1] == other[1] and int(other[2]) - int(one[2]) <= _MOST_BETWEEN:
        yield from (f"{one[1] or ''}{number}" for number in range(int(one[2]) + 1, int(other[2])))
    elif first[:-1] == last[:-1] and first[-1].isalpha() and last[-1].isalpha():
        yield from (first[:-1] + chr(code) for code in range(ord(first[-1]) + 1, ord(last[-1])))
