"""Decisions that a question calls by a short name without "v.": "What did Obergefell decide?", "¿Sigue vigente Roe?",
or "Dobbs" alone. A name counts beside words that are said of decisions, or where it is all of a question and no
ordinary word. People and firms decide, too: "What did Alice decide about the house?" names no decision. The names are
given, by their folded form. Pure.
"""

import re
from collections.abc import Iterator, Mapping

from retrieval.citations.citation import Found
from retrieval.citations.heads import words

_WORD = re.compile(r"[^\s?!,;:()\"“”«»¿¡]+")
_LONGEST = 5  # words of a name
_SMALL = frozenset(words("of the and for &"))  # which a name may have in small letters
# Names of decisions that are words of English or Spanish, of places or of what people own: alone they name none.
_ORDINARY = frozenset(
    words(
        "swift minor elk hammer near buck champion winters young weeks holland pierce wolf steward butler parker stack "
        "brown cooper button baker green pointer loving wade gates lemon marsh garner bowers dole myriad knick "
        "carpenter erie roper gant kent windsor morse terry roth morgan stanley harper monroe chapman bailey martin "
        "robinson hines hans worcester booker skinner dukes camara leon concepcion ramos alice douglas alexander "
        "lawrence duncan"
    )
)
# First names, common surnames and firms: alone they are decisions, but they may decide something themselves.
_MAY_DECIDE = frozenset(
    words(
        "alston baird benton boyd brady buckley burton carroll casey coleman cooley cramer dennis dickerson edwards "
        "ewing fletcher gaines garland gibbs gibbons gideon graham gregg griffin hanna harlow hickman jennings "
        "lopez luther "
        "malloy mcdonald meyer milligan miranda munoz myers payton powell quarles riley romer shapiro shelley sullivan "
        "swain vinson watkins whitney williamson reynolds chevron janus wayfair transunion"
    )
) | {
    "wal-mart",
    "state farm",
    "ford motor",
    "hobby lobby",
    "standard oil",
    "price waterhouse",
    "epic systems",
}
_AT_END = r"\W*\Z"
_ENDED = (
    r"(?:\W*\Z|[?!.;,]\W|\s(?:about|on|regarding|concerning|by|yet|when|sobre|acerca|respecto|por|cuando)\b"
    r"|\s(?:in|en)\s[12][0-9]{3}\b)"
)
_HOLDS = "hold|overrule|overturn|uphold|strike down"
_DECIDES = "decide|rule|establish|conclude"  # which people and firms do, too
_DECIDED = "decided|held|ruled|established|overruled|overturned"
_OVERRULED = "overruled|overturned|abrogated|superseded"
_ADVERBS = (
    r"(?:\s(?:ever|been|since|later|still|now|not|partly|partially|fully|formally|really|ya|aun|luego))*"
)
_STANDS = rf"{_OVERRULED}|reversed|good law|bad law|(?:rightly|correctly|wrongly) decided"
_HOLDS_STILL = "still (?:valid|in force|in effect|the law|the law of the land|precedent)"
_SOSTUVO = "fallo|sostuvo|dictamino"
_DECIDIO = "decidio|resolvio|establecio|determino|declaro"
_VIGENTE = "vigente|en vigor|valid[oa]|en pie|vinculante"
_ANULADO = "anulad[oa]|revocad[oa]|invalidad[oa]"
_ANULO = "anulo|anularon|revoco|revocaron|invalido|dejo sin efecto"
_A_CASE = r"(?:\s(?:case|decision|ruling|judgment|caso|sentencia|fallo))?(?:\s(?:that|later))?"


def _around(before: str, after: str) -> tuple[re.Pattern[str], re.Pattern[str]]:
    return re.compile(rf"(?:{before})\Z"), re.compile(after)


Frames = tuple[tuple[re.Pattern[str], re.Pattern[str]], ...]
# What stands before and behind a name that is a decision's, be it an ordinary word or not.
_FRAMES = (
    _around(r"\b(?:did|does)\s", rf"\s(?:{_HOLDS})\b{_ENDED}"),
    _around(r"\b(?:was|is|has|wasn't|isn't)\s", rf"{_ADVERBS}\s(?:{_STANDS})\b{_ENDED}"),
    _around(rf"\b(?:what|which|who|ruling|decision|case){_A_CASE}\s(?:{_OVERRULED})\s", _AT_END),
    _around(r"\b(?:holding|dissent)\sin\s", _AT_END),
    _around(rf"\bque\s(?:{_SOSTUVO})\s", _ENDED),
    _around(rf"\b(?:sigue|continua|esta)\s(?:(?:siendo|estando)\s)?(?:{_VIGENTE})\s", _AT_END),
    _around(rf"\b(?:fue|ha sido)\s(?:{_ANULADO})\s", _ENDED),
    _around(r"\b(?:fue|ha sido)\s", rf"{_ADVERBS}\s(?:{_ANULADO})\b{_ENDED}"),
    _around(rf"\b(?:que|quien|cual){_A_CASE}\s(?:{_ANULO})\sa\s", _AT_END),
)
# The same of a name that is no ordinary word.
_FRAMES_OF_NAMES = (
    _around(r"\b(?:did|does)\s", rf"\s(?:{_DECIDES}){_AT_END}"),
    _around(r"\bis\s", rf"{_ADVERBS}\s(?:binding|controlling)\b{_ENDED}"),
    _around(r"\A\W*(?:(?:was|is)\s)?", rf"\s(?:{_HOLDS_STILL}){_AT_END}"),
    _around(r"\bis\s", rf"\s(?:{_HOLDS_STILL}){_AT_END}"),
    _around(r"\bdoes\s", rf"\sstill\s(?:stand|hold|control|govern){_AT_END}"),
    _around(r"\A\W*|\b(?:what|how|that|whether)\s", rf"\sheld\b{_ENDED}"),
    _around(r"\A\W*", rf"\s(?:{_OVERRULED}){_AT_END}"),
    _around(r"\bwhat (?:replaced|ended)\s", _AT_END),
    _around(r"\b(?:ruling|decided|held|overruled)\s(?:in|of)\s", _AT_END),
    _around(r"\b(?:court|justices)\s(?:hold|decide|rule|say|held|decided|ruled|said)\sin\s", _ENDED),
    _around(rf"\bque\s(?:{_DECIDIO})\s", _AT_END),
    _around(r"\b(?:corte|tribunal)(?:\s(?:suprema|supremo))?\sen\s", _AT_END),
    _around(rf"\b(?:que|quien|cual){_A_CASE}\s(?:{_ANULO})\s", _AT_END),
    _around(rf"\bse\s(?:{_ANULO})\s(?:a\s)?", _AT_END),
    _around(
        r"\A\W*", rf"\s(?:(?:aun|todavia)\s)?(?:sigue|esta|fue|ha sido)\s(?:{_VIGENTE}|{_ANULADO}){_AT_END}"
    ),
)
# The same of a name that nobody has who could decide.
_FRAMES_OF_DECISIONS = (
    _around(r"\b(?:did|does)\s", rf"\s(?:{_DECIDES})\b{_ENDED}"),
    _around(r"\b(?:was|is|has|wasn't|isn't)\s", rf"{_ADVERBS}\sdecided\b{_ENDED}"),
    _around(r"\A\W*|\b(?:what|how|that|whether)\s", rf"\s(?:{_DECIDED})\b{_ENDED}"),
    _around(r"\A\W*(?:is\s)?|\bis\s", rf"\sstill standing{_AT_END}"),
    _around(rf"\bque\s(?:{_DECIDIO})\s", _ENDED),
)
# Behind "case" or "decision": no decision is meant.
NO_DECISION = (
    r"(?![\s-]{1,2}(?:scenario|worker|manager|management|stud(?:y|ies)|law|load|file|maker|making|tree|class|party|piece"
    r"|poll)s?(?![a-z]))"
)
# What stands before and behind the name of a party, which may be anybody's.
FRAMES_OF_PARTIES = (
    *_FRAMES,
    _around(
        r"\b(?:the|in|under|since|after|overruling|following|distinguishing|el|la|del|en)\s",
        rf"\s(?:case|decision|ruling|opinion|holding)(?![a-z]){NO_DECISION}",
    ),
    _around(r"\b(?:caso|fallo|sentencia|precedente)\s(?:de\s)?", r"(?![a-z])"),
)
# Around a name that is all of a question.
_BEFORE_ALONE = re.compile(
    r"\W*(?:(?:what is|what's|whats|explain|show me|find|tell me about|about"
    r"|que es|explica|explicame|muestrame|busca)\s)?"
)
_BEHIND_ALONE = re.compile(r"(?:\s(?:to me|please|por favor|case|decision|ruling|supreme court|scotus))?\W*")


def can_be_alone(name: str) -> bool:
    """Whether a curated name is a proper one: "Dred Scott", not "state action doctrine" nor "Income Tax Case"."""
    return not name.endswith(" Case") and all(
        word in _SMALL or not word[0].islower() for word in name.split()
    )


def asked_about(folded: str, names: Mapping[str, str], *, of_parties: bool = False) -> Iterator[Found]:
    """The names beside words that are said of decisions."""
    for start, end, name in _named(folded, names):
        if any(
            before.search(folded, max(0, start - 60), start) and after.match(folded, end)
            for before, after in (FRAMES_OF_PARTIES if of_parties else frames_of(name))
        ):
            yield Found.one(start, end, names[name])


def frames_of(name: str) -> Frames:
    """What may stand around the name of a decision."""
    if name in _ORDINARY:
        return _FRAMES
    names = (*_FRAMES, *_FRAMES_OF_NAMES)
    return names if name in _MAY_DECIDE else (*names, *_FRAMES_OF_DECISIONS)


def all_of(folded: str, names: Mapping[str, str]) -> Iterator[Found]:
    """The name that is all of a question, if it is no ordinary word."""
    for start, end, name in _named(folded, names):
        is_all = _BEFORE_ALONE.fullmatch(folded, 0, start) and _BEHIND_ALONE.fullmatch(folded, end)
        if is_all and name not in _ORDINARY:
            yield Found.one(0, len(folded), names[name])


def _named(folded: str, names: Mapping[str, str]) -> Iterator[tuple[int, int, str]]:
    """Where names stand, the longest at each place, and which."""
    written = folded.replace("’", "'")
    said = [match.span() for match in _WORD.finditer(written)]
    over = 0
    for n, (start, _) in enumerate(said):
        spans = ((start, end) for _, end in reversed(said[n : n + _LONGEST]))
        ends = (
            (end - cut, written[start : end - cut]) for _, end in spans for cut in (0, 1) if end - cut > start
        )
        known = next(((end, name) for end, name in ends if names.get(name)), None)
        if known and start >= over:
            over = known[0]
            yield start, *known
