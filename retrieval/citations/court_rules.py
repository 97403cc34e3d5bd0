"""Rules of the federal courts, which stand in the appendices of the Code: "Fed. R. Civ. P. 6(a)", "Rule 403 of the
Federal Rules of Evidence", "FRCP 56", "Regla 56 de las Reglas Federales de Procedimiento Civil". Those of a state have
no "federal" in their name. Pure.
"""

import re
from collections.abc import Iterator

from retrieval.citations.citation import Found, Item, Source
from retrieval.citations.numbers import (
    ANY_NUMBER,
    OTHER_SOURCE,
    SUBS,
    USC_LEVELS,
    Written,
    list_of,
    numbers,
    recased,
    subdivisions,
    with_spoken,
)
from retrieval.text.states import names_a_state

_FEDERAL = r"fed(?:eral|\.)?\s{0,2}(?:rules?|rs?\.?)\s{0,2}(?:of\s{1,2})?"
_FEDERALES = r"reglas?\s{1,2}federal(?:es)?\s{1,2}(?:sobre|del?)\s{1,2}(?:las?\s{1,2})?"
_PROCEDURE = r"\s{0,2}p(?:roc(?:edure|\.)?|\.)?(?![a-z])"
_BODIES = {  # by their place: the subject in English and Spanish, and acronyms, in folded text
    "28a/courtRules/Civil": (rf"civ(?:il|\.)?{_PROCEDURE}", r"procedimiento\s{1,2}civil", r"f\.?r\.?c\.?p"),
    "18a/courtRules/Crim": (
        rf"crim(?:inal|\.)?{_PROCEDURE}", r"procedimiento\s{1,2}(?:criminal|penal)", r"f\.?r\.?cr(?:im)?\.?p"
    ),
    "28a/courtRules/App": (
        rf"app(?:ellate|\.)?{_PROCEDURE}", r"procedimiento\s{1,2}(?:de\s{1,2})?apelacion(?:es)?", r"f\.?r\.?a\.?p"
    ),
    "28a/courtRules/Evid": (r"evid(?:ence|\.)?(?![a-z])", r"(?:evidencia|pruebas?)(?![a-z])", r"f\.?r\.?e"),
    "11a/courtRules": (
        rf"bankr(?:uptcy|\.)?{_PROCEDURE}", r"(?:procedimiento\s{1,2}(?:de\s{1,2})?)?(?:quiebras?|bancarrotas?)",
        r"f\.?r\.?b(?:ankr)?\.?p",
    ),
}  # fmt: skip
_PLACES = tuple(_BODIES)
_NAME = "|".join(
    rf"(?P<long{n}>{_FEDERAL}{english}|{_FEDERALES}{spanish})|(?P<short{n}>{short}\.?(?![a-z]))"
    for n, (english, spanish, short) in enumerate(_BODIES.values())
)
_RULE = r"(?P<sign>rules?|reglas?)\s{1,2}"
_NUMBERS = rf"(?P<numbers>{list_of(ANY_NUMBER)})"
_LINK = r"[\s,(]{1,3}(?:(?:of|under|del?)\s{1,2})?(?:(?:the|las?)\s{1,2})?"
_AFTER = re.compile(rf"(?<![a-z0-9.])(?:{_NAME})[\s,]{{1,3}}(?:{_RULE}|§{{1,2}}\s{{0,2}})?{_NUMBERS}{OTHER_SOURCE}")
_BEFORE = re.compile(rf"(?<![a-z0-9]){_RULE}{_NUMBERS}{_LINK}(?:{_NAME})")
_YEAR = re.compile(r"(?:19|20)[0-9]{2}")
_OF_A_YEAR = re.compile(r"\s{1,2}(?:amendments?|editions?|revisions?|ed\b|enmiendas?|reformas?)")
# Rules that are called by their number alone: another body of federal rules is seldom or never cited by the same one,
# and a house or a club hardly has so many. "Rule 12(b)(1)" is a civil and a criminal one.
_KNOWN = {
    number: of
    for of, every in {
        "28a/courtRules/Civil": "12(b)(5) 12(b)(6) 12(b)(7) 26(f) 30(b)(6) 37(e) 50(a) 50(b) 54(b) 55(a) 55(b) 56(a) "
        "56(c) 56(d) 59(e) 60(b) 65(a) 65(b)",
        "18a/courtRules/Crim": "11(c)(1)(c) 41(g)",
        "28a/courtRules/Evid": "404(b) 606(b) 609(a) 801(c) 801(d) 803(6) 803(8) 804(a) 804(b) 902(11)",
    }.items()
    for number in every.split()
}
# What stands around it may name whose rule it is ("local rule 56(a)", "Rule 404(b), Ala. R. Evid."), but for these.
_BEFORE_ALONE = re.compile(
    r"(?:an?|the|is|was|are|under|of|by|to|for|with|from|do|does|did|can|has|says?|and|or|what|which|on|about|per|see"
    r"|una|las?|los|el|es|bajo|segun|que|de|por|con|en|sobre|y|o|cita|dice|explica|.*[;?!])"
)
_BEHIND_ALONE = (
    r"(?=[)”\"]?(?:[\s?!.,;]*$|\s{1,2}(?:motions?|dismissals?|orders?|notices?|hearings?|judgments?|depositions?|pleas?"
    r"|evidence|says?|means?|appl(?:y|ies)|allows?|requires?|is|and|or|when|if|for\s{1,2}an?|to|as|after"
    r"|dice|significa|permite|exige|es|y|o|cuando|si)\b))"
)
_ALONE = re.compile(
    r"(?:an?|the|is|was|are|under|of|by|to|for|with|from|do|does|did|can|has|says?|and|or|what|which|on|about|per|see"
    r"|una|las?|los|el|es|bajo|segun|que|de|por|con|en|sobre|y|o|cita|dice|explica|.*[;?!])"
)
_BEHIND_ALONE = (
    r"(?=[)”\"]?(?:[\s?!.,;]*$|\s{1,2}(?:motions?|dismissals?|orders?|notices?|hearings?|judgments?|depositions?|pleas?|evidence"
    r"|says?|means?|appl(?:y|ies)|allows?|requires?|is|and|or|when|if|for\s{1,2}an?|to|as|after|dice|significa|permite|exige|es|y|o|cuando|si)\b))"
)
_ALONE = re.compile(
    rf"(?<![^\s(“\"¿])(?:rule|regla)\s{{1,2}}(?P<number>[0-9]{{1,3}})(?P<subs>{SUBS})(?![a-z0-9(-]|\.[0-9])"
    rf"{_BEHIND_ALONE}"
)
# Whoever is named elsewhere in a question may have a rule of this number. Sentences begin with a capital too.
_CAPITAL = re.compile(r"(?:^|\b[a-z]+[.?!]\s)\W*[A-ZÀ-Þ]|\b(?:I\b|Rule\b|Regla\b|[A-Z]\))|(?P<of_a_name>[A-ZÀ-Þ])")
_BANKRUPTCY = "11a/courtRules"  # the only ones with numbers that could be years


def find(source: Source, *, loose: bool) -> Iterator[Found]:
    """Every rule beside the name of its body; by acronyms in small letters in a `loose` query alone."""
    for pattern in (_BEFORE, _AFTER):
        for match in pattern.finditer(source.folded):
            if loose or _is_name(source, match):
                yield from _found(source, match, loose=loose and pattern is _AFTER)


def known_by_number(source: Source) -> Iterator[Found]:
    """In a question: "a rule 12(b)(6) motion", "Regla 56(a)"; not "local rule 12(b)(6)", nor that of the lease, nor
    where a state or anybody else has a name in it.
    """
    for match in _ALONE.finditer(source.folded):
        before = source.folded[max(match.start() - 30, 0) : match.start()].rstrip(" (“\"¿").split()[-1:]
        if before and not _BEFORE_ALONE.fullmatch(before[0]) or _names_anybody(source):
            continue
        subs = subdivisions(source.written(match, "subs").replace(" ", ""))
        called = [match["number"] + "".join(f"({sub.lower()})" for sub in subs[:n]) for n in range(1, len(subs) + 1)]
        if of := next((_KNOWN[number] for number in called if number in _KNOWN), None):
            place = "/".join(("/us/usc/t" + of, f"rule{match['number']}", *recased(subs, USC_LEVELS)))
            yield Found.one(*match.span(), place)


def _names_anybody(source: Source) -> bool:
    return names_a_state(source.folded) or any(each["of_a_name"] for each in _CAPITAL.finditer(source.visible))


def _is_name(source: Source, match: re.Match[str]) -> bool:
    """ "FRE 403", "F.R.C.P. 6": not "fre 3", nor "Fre"."""
    short = next((group for n in range(len(_PLACES)) if match[group := f"short{n}"]), "")
    return not short or re.match(r"F\.?R", source.written(match, short)) is not None


def _found(source: Source, match: re.Match[str], *, loose: bool) -> Iterator[Found]:
    of = next(place for n, place in enumerate(_PLACES) if match[f"long{n}"] or match[f"short{n}"])
    found = numbers(source, *match.span("numbers"), marks=(match["sign"] or "").strip())
    is_year = not match["sign"] and _YEAR.fullmatch(found[0].number)
    if is_year and (of != _BANKRUPTCY or _OF_A_YEAR.match(source.folded, found[0].end)):
        return
    end = match.end() if found[-1].end == match.end("numbers") else found[-1].end
    if match.end() == match.end("numbers"):
        found, end = with_spoken(source, found, end, loose=loose)
    elif found[-1].end < match.end("numbers"):
        return  # "rule 6, 2 of the ...": which is the rule's number is not certain
    else:
        end = match.end()
    yield Found(match.start(), end, tuple(_item(of, one) for one in found))


def _item(of: str, written: Written) -> Item:
    below = (f"rule{written.number.lower()}", *recased(written.subs, USC_LEVELS))
    return Item(written.start, written.end, "/".join(("/us/usc/t" + of, *below)))
