"""Sentences of legal English and Spanish, as spans that together are the whole text. Pure.

A full stop ends a sentence only where the next word could begin one and the word before it is no
abbreviation, initial, dotted name (U.S.C.) or number of a list.
"""

import re
from collections.abc import Iterator
from itertools import pairwise

MAX_CHARS = 1000  # beyond this a sentence may also end at "; and": statutes write whole lists as one sentence

WITH_FULL_STOP = """
§ art arts sec secs sect subsec subsecs cl cls amend amends const pub stat ch chs pt pts subch subpt par
pars para paras div tit app appx fed reg regs cir ct cts dist supp ed eds rev ann v vs nos id cf al viz
et seq op ops cert cong sess res rept doc docs exec ord proc comp gen mem civ crim evid bankr prac bd
comm'n dep't dept ass'n int'l nat'l gov't att'y inc corp co ltd llc bros mr mrs ms dr hon jr sr st ste mt
ft rep sen gov lt col capt sgt jan feb mar apr jun jul aug sept sep oct nov dec fig figs vol vols p pp n
nn approx est
bldg aprox avda dpto depto
núm núms pág págs párr frac cap tít secc ap ej sra srta dra lic ud uds vid fr ss ee uu
"""
# Of states, parties, codes and papers of a case (Bluebook, tables T6, T10, T13); small, some are words.
WITH_CAPITAL = """
ala ariz ark cal colo conn del fla ga haw ill ind kan ky la mass md mich minn miss mo mont neb nev okla or pa tenn tex
va vt wash wis wyo
acad adm'r adver agric am atl auth bhd bldg broad cas cent chem coll comm comp comput condo consol constr contr def det
dev dir distrib educ elec emp eng'r enter env't envtl equip ex exs fam fin gend grp guar hosp hous hum indem indep
indus ins inst inv liab litig mach maint mfg mfr mgmt mkt mktg mun mut pac pharm phila pol prob prod prop prot psych
ref reg'l rehab rels ret sav sci serv servs soc'y sol sur surv sys techs tel transp tr twp unif univ util vill
admin aff ans app'x appt br compl conf decl defs dep dkt hr'g interrog jud judg mar mot opp'n pet pl pls pol prof resp
resol veh welf
"""
SENTENCE_STARTERS = """
the a an this that these those such any each every no nothing if when whenever where in on for upon it he she
they there all however el la los las un una este esta estos estas si cuando en se todo toda
"""
ABBREVIATIONS = frozenset(WITH_FULL_STOP.split())  # never the last word of a sentence
CAPITALISED = frozenset(WITH_CAPITAL.split())
# Also words, or last in their sentence: "No. 12-345", but "She said no. He…"; "ext. 6655", "max. 3 days".
WITH_DIGITS = """
no n.º nº nro fol ext exts int tel tels tfno tlf tlfn telf teléf móv cel fax mob max min máx mín rm hab tab temp wt qty
"""
BEFORE_DIGITS = frozenset(WITH_DIGITS.split())
STARTERS = frozenset(SENTENCE_STARTERS.split())  # begin one even after a dotted name: "in the U.S. The court"
ENDING = re.compile(r"[.!?…](?:[”’\"')\]»⁰¹²³⁴⁵⁶⁷⁸⁹]|\[\d{1,4}\])*\s+")
PARAGRAPH = re.compile(r"(?<!\s)\s*\n\s*")  # from the first blank: many blanks are read once
COORDINATOR = re.compile(r";\s+(?=(?:and|or|but|provided|y|e|o|u|pero)\b)", re.IGNORECASE)
LAST_WORD = re.compile(r"[^\s—(\[“\"«]*$")
DOTTED = re.compile(r"(?:[^\W\d_]{1,2}\.)+[^\W\d_]{1,2}")
LIST_NUMBER = re.compile(r"\W*(?:\d+[a-z]?|[ivxlcdm]+)", re.IGNORECASE)
ENUMERATOR = re.compile(r"\([^\W_]{1,5}\)")
DIGITS = re.compile(r"[+(#]{0,2}\d")  # "(555) 0142", "+34 600"
OPENERS = "“‘\"'([«¿¡§—"


def sentences(text: str, *, max_chars: int = MAX_CHARS) -> list[tuple[int, int]]:
    """Spans in order, each beginning where the one before ends; blanks belong to the sentence they follow."""
    if not text:
        return []
    spans = pairwise([0, *_ends(text), len(text)])
    return [part for span in spans for part in _clauses(text, span, max_chars)]


def _ends(text: str) -> list[int]:
    """Where sentences end, before the last."""
    first = len(text) - len(text.lstrip())
    ends: list[int] = []
    for place in _possible_ends(text):
        start = ends[-1] if ends else first
        if start < place.end() < len(text) and ("\n" in place[0] or _ends_sentence(text, start, place)):
            ends.append(place.end())
    return ends


def _possible_ends(text: str) -> Iterator[re.Match[str]]:
    """Sentence marks and line ends, by where they end; where both end alike the line decides."""
    found = {place.end(): place for pattern in (ENDING, PARAGRAPH) for place in pattern.finditer(text)}
    return (found[end] for end in sorted(found))


def _ends_sentence(text: str, start: int, place: re.Match[str]) -> bool:
    after = text[place.end() : place.end() + 5].lstrip(OPENERS)[:1]
    if not ENUMERATOR.match(text, place.end()) and (after.islower() or after in ",;:"):
        return False
    return text[place.start()] != "." or not _is_abbreviated(text, start, place)


def _is_abbreviated(text: str, start: int, place: re.Match[str]) -> bool:
    """Whether the full stop belongs to its word rather than to the sentence."""
    word = LAST_WORD.search(text, max(start, place.start() - 40), place.start()).group()
    next_word = re.match(r"[^\W_]*", text[place.end() : place.end() + 20]).group()
    bare = word.rpartition("-")[2].replace("’", "'").lower()
    if bare in BEFORE_DIGITS:
        return bool(DIGITS.match(text, place.end()))
    if DOTTED.fullmatch(word):
        return next_word.lower() not in STARTERS
    if LIST_NUMBER.fullmatch(text, start, place.start()):
        return True
    is_initial = len(word) == 1 and word.isalpha() and word.isupper()
    return is_initial or bare in ABBREVIATIONS or (bare in CAPITALISED and _is_capitalised(word))


def _is_capitalised(word: str) -> bool:
    """ "Am." and not "am." or "AM."."""
    return word[0].isupper() and not word.isupper()


def _clauses(text: str, span: tuple[int, int], max_chars: int) -> list[tuple[int, int]]:
    start, end = span
    if end - start <= max_chars:
        return [span]
    cuts = [start, *(place.end() for place in COORDINATOR.finditer(text, start, end)), end]
    return list(pairwise(cuts))
