"""When a rule fires, as a sentence says it: “when someone asks about …”, “si la pregunta menciona …”. Pure."""

import re
from calendar import monthrange
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any

from retrieval.text.normalization import fold
from rules.authoring.grammar.names import ASKED, Sentence, bare

_ONE_LANGUAGE = "spanish|espanol|english|ingles|castellano"
_LANGUAGE = re.compile(
    r"[\s]*\b(?:(?:(?:is|are|este|esta|esten|estan|sea|sean) )?(?:asked |written |hechas |escritas )?(?:in|en) "
    rf"(?:(?P<language>{_ONE_LANGUAGE})(?:(?:,? (?:and|or|y|e|o|u) |/)(?:in |en )?(?P<other>{_ONE_LANGUAGE}))?"
    r"|(?P<any>(?:any|either|both) languages?|cualquier idioma|(?:los dos|ambos) idiomas)))\b"
    r"(?: (?:and|y)(?= (?:mention|contain|include|say|menc|cont|incl|di)))?"
)
_EVERY = re.compile(
    r"[\s,]*\b(?:(?:for|from|in|on|to|de|para|en|a) (?:all|every|any|each|todas|toda|"
    r"cualquier)(?: the| las)? (?:questions?|quer(?:y|ies)|search(?:es)?"
    r"|preguntas?|consultas?|busquedas?)|(?<=[.,;] )(?:always|siempre)|"
    r"tell (?=users\b)|whatever (?:is|people|anyone|someone) asks?(?:ed)?|"
    r"pregunten lo que pregunten)"
    r"(?= ?$| ?[,.;:]|users)"
)
_WHO = (
    r"(?:somebody|someone|anybody|anyone|people|users?|clients?|they|a user|a client|a person|alguien|la gente|"
    r"un usuario|un cliente|usuarios|los usuarios|una persona|se)"
)
_VERBS = (
    r"(?:please |por favor,? )?(?:then |entonces )?(?:always |siempre )?(?:also |tambien )?(?:answer|"
    r"reply|respond|only|solo|redirect|send|lead|take|forward|search|look|use|restrict|limit|abstain|never|"
    r"do not|don't|hide|exclude|remove|suppress|leave|omit|bury|lower|demote|push|boost|raise|prefer|"
    r"favou?r|promote|rank|pin|drop|confine|run|change|tell|say|make|"
    r"show|put|place|list|display|give|treat|read|replace|rewrite|responde|contesta|redirige|envia|"
    r"manda|lleva|dirige|busca|usa|limita|"
    r"restringe|abstente|nunca|no|oculta|esconde|excluye|quita|omite|baja|relega|degrada|sube|"
    r"prefiere|favorece|da|"
    r"prioriza|impulsa|potencia|fija|muestra|muestrale|pon|coloca|trata|lee|sustituye|reemplaza|"
    r"ensena|refuse|decline|keep|rechaza|cambia|dale|ponles|di|"
    r"ponga|muestre|fije|coloque|oculte|excluya|limite|busque|suba|baje|responda|conteste|add(?!-)|anade)\b"
)
# How much or where, behind the topic: of the action, not of what is asked about.
_AMOUNT = (
    r"(?:(?:(?:by|por|con|with) )?(?:an? |un )?\d{1,4}(?:[.,]\d+)?(?: ?%| (?:percent|por ciento))"
    r"|(?:by|por|con|with) (?:an? |un )?(?:factor (?:of |de )?)?\d{1,4}(?:[.,]\d+)?(?: times| veces)?"
    r"|(?:at|in|to|on|en) (?:the |el |la )?(?:position|place|rank|posicion|lugar|puesto) (?:number |numero )?\d{1,2}"
    r"|strongly|heavily|slightly|fuertemente|ligeramente|un poco)"
)
_END = (
    rf"(?=\s*[,:]\s*(?:but |and |pero |y )?{_VERBS}"
    rf"|\s+(?:always |siempre )?{_VERBS}[^,]*@t\d+@|\s+(?:only )?(?:to|a)(?: the| la| el| las| los)? @t\d+@"
    rf"|\s+[-–—]\s+{_VERBS}|\s+(?:and|y)\s+{_VERBS}[^,]*@q\d+@|\s+gets?\b[^,]*@q\d+@"
    r"|\s+(?:should|must|deben?|has to|have to)\b[^,]*@t\d+@|\s+they means?\b|\s+just (?:look|search|use)\b"
    r"|\s+(?:inside|within|dentro del?) (?:the |el |la )?@t\d+@"
    r"|\s+(?:with|con) (?:(?:the|a|this|el|la|este|esta) )?(?:note|message|nota|mensaje|aviso)\b"
    rf"|\s*:\s*@t\d+@|\s+{_AMOUNT}\s*[;.]?\s*$|\s*[;.]?\s*$)"
)
_IF = r"(?:when(?:ever)?|if|every time|each time|cuando|si|siempre que|cada vez que)"
CONDITION_FIRST = re.compile(rf"{_IF}\b")
BEFORE_VERB = re.compile(rf"(?<=\w)(?=\s+{_VERBS})")
_FOR = r"(?:for|to|on|from|in|para|a|en|las|the|all|any|every|each|todas|cualquier)"
_ANYTHING = r"(?:anything|everything|todo lo que)"
_ABOUT = re.compile(
    rf"[\s,]*(?:\b{_IF}\s+(?:the |a |an |una |la )?(?:{_WHO}\s+|{ASKED}\s+(?:is |are |es |sea |sean |"
    rf"trata |trate )?)?"
    rf"(?:(?:asks?|asking|pregunt[ae]n?|quier[ae]n? saber|wants? to know|consult[ae]n?)\s+)?"
    rf"(?:about|on|regarding|concerning|por|sobre|acerca de|de)"
    rf"|(?:\b{_FOR}\s+)?\b(?:{_WHO}\s+(?:who |que )?(?:asks?|asking|pregunt[ae]n?)|{_ANYTHING})"
    rf"\s+(?:about|on|sobre|por)"
    rf"|(?:\b{_FOR}\s+){{0,3}}\b{ASKED}\s+(?:that are |que sean )?(?:about|on|regarding|concerning|"
    rf"sobre|acerca de|por))"
    rf"\s+(?P<said>.+?){_END}"
)
_WHICH = (
    rf"[\s,]*\b(?:(?:{_IF}|(?:{_FOR}\s+){{0,2}}{_FOR})\s+(?:the |a |an |una |la |las )?(?:(?:{_WHO}|{ASKED})\s+)?"
    rf"|(?:{ASKED}|{_WHO}|(?:{_FOR}\s+)?{_ANYTHING})\s+)(?:that |que |who )?"
)
_SAYS = re.compile(
    rf"{_WHICH}"
    r"(?:mention(?:s|ing)?|contain(?:s|ing)?|include?s?|says?|types?|"
    r"writes?(?= @q|[^,]* anywhere\b)|mencion(?:a|e|en|an)|contiene|contenga|"
    r"contengan|contienen|incluya|digan?|dice|"
    r"escrib[ae]n?(?= @q))\s+"
    rf"(?P<said>.+?){_END}"
)
_WITH = re.compile(
    rf"[\s,]*\b(?:(?:{_IF}|(?:{_FOR}\s+){{0,2}}{_FOR})\s+(?:the |a |una |la |las )?)?(?:{ASKED}|{_ANYTHING})\s+"
    r"(?:that |which |que )?(?:ha(?:s|ve)(?! (?:to|no)\b)|tengan?|tienen?|"
    r"(?:with|con)(?! no\b)"
    r"(?! (?:(?:the|a|this|la|el|una|este) )?(?:note|message|text|answer|priority|nota|mensaje|prioridad)))"
    rf"\s+(?P<said>.+?){_END}"
)
_IS_SAID = re.compile(
    rf"[\s,]*\b{_IF}\s+(?P<said>(?:(?!\b(?:{ASKED}|{_WHO}|is|are|about)\b)[^;:])+?)\s+"
    rf"(?:(?:is|are) (?:used|mentioned|said|typed|written)|appears?|comes up){_END}"
)
_APPEARS = re.compile(rf"[\s,]*\b{_IF}\s+(?:aparece[n]?|se (?:menciona|usa|dice)n?)\s+(?P<said>.+?){_END}")
_EXACT = re.compile(
    rf"[\s,]*\b{_IF}\s+(?:(?:the|a|la|una)\s+)?(?:(?:{_WHO}|{ASKED})\s+)?"
    rf"(?:is|are|asks?|reads?|says?|sea|es|pregunt[ae]n?|diga|dice)\s+(?:exactly|exactamente|precisely|"
    rf"literalmente)\s+(?P<said>.+?){_END}"
)
_STARTS = re.compile(
    rf"{_WHICH}"
    rf"(?:(?:starts?|begins?|starting|beginning) with|(?:empie[cz][ae]n?|comien[cz][ae]n?) (?:con|"
    rf"por))\s+(?P<said>.+?){_END}"
)
_CITES = re.compile(
    rf"[\s,]*\b(?:{_IF}|{_FOR})\s+(?:(?:the|a|la|una|las)\s+)?(?:(?:{_WHO}|{ASKED})\s+)?(?:that |que )?"
    r"(?:cit(?:es?|ing|a|e|an|en)|refers? to|se refier[ae]n? a)\s+(?:the |el |la )?(?P<place>@t\d+@)"
)
_PATTERN = re.compile(
    rf"{_WHICH}(?:match(?:es|ing)?|coincid[ae]n?(?: con)?|encaj[ae]n? (?:con|en))\s+(?:the |a |el |la |un |una )?"
    r"(?:pattern|regex|regular expression|patron|expresion regular)\s+(?P<said>@q\d+@)"
)
_MENTIONING = (
    r"(?:mentions?|contains?|includes?|says?|"
    r"mencion(?:a|e|en|an)|contiene|contenga|contienen|contengan|incluya)"
)
_SECOND = re.compile(
    rf"[\s,]+(?P<joined>and|y|e|or|o|u)\s+(?!say @q)(?:also |tambien )?(?:(?:the question|the query|it|they|que|"
    rf"la pregunta)\s+)?(?:also |tambien )?"
    rf"(?:{_MENTIONING}\s+(?P<said>.+?){_END}|cit(?:es?|a|e|an|en)\s+(?:the |la |el )?(?P<place>@t\d+@))"
)
_CLAUSE = re.compile(r"\b(?:mentions|contains|cites|matches|menciona|mencione|contiene|contenga|coincide)\b")
EXCEPTION = re.compile(
    r"\b(?:unless|not for|no para|except(?:ing)?|but not|apart from|without mention(?:ing)?|not mentioning|"
    rf"(?:is not|are not|isn't|aren't) (?:about|on)|"
    rf"(?:does not|do not|doesn't|don't) (?:{_MENTIONING}|cite|ask|start|begin|match)|"
    r"a menos que|a no ser que|salvo|excepto|pero no|con excepcion de|sin mencionar|"
    rf"(?:menos|no) (?:sea|es|trat[ae]|cit[ae]n?|pregunt[ae]n?|empie[cz][ae]|{_MENTIONING}))\b"
)
_BARE_CONDITION = re.compile(
    rf"[\s,]*\b(?:{_FOR}\s+(?:all |todas )?(?:the |las )?{ASKED}|{_IF}\s+(?:the |a |la |"
    rf"una )?(?:{_WHO}\s+(?:asks?|pregunt[ae]n?|searches|escrib[ae]n?|writes?)"
    rf"|{ASKED}\s+(?:is|are|es|sea|esta|este)))(?=\s*,|\s*\.?\s*$)"
)
_ALL = re.compile(r"\s*\b(?:all of(?: the words)?:?|both|tanto|todas estas palabras:?|all the words|all)\s+")
_ANY = re.compile(
    r"\s*\b(?:any of|either|one of|cualquiera de|alguna de|any)(?: (?:the|these|las|estas) (?:words|palabras))?:?\s+"
)
_ANYWHERE = re.compile(r"\s+(?:anywhere|somewhere)?(?:\s*\bin (?:it|them))?\s*$")
_OR = re.compile(r"\s*,?\s+(?:or|o|u)\s+|\s*,\s*")
_LISTED = re.compile(r"\s*,?\s+(?:and|or|y|e|o|u|como)\s+|\s*,\s*")
_AND = re.compile(r"\s(?:and|y|e|como)\s")


def taken_criteria(sentence: Sentence) -> tuple[list[dict[str, Any]], Sentence]:
    """What the question must be, then its language."""
    language, rest = sentence.taking(_LANGUAGE)
    rest = Sentence(" ".join(rest.text.split()), " ".join(rest.folded.split()), rest.named, rest.written)
    criteria, rest = taken_condition(rest)
    if language:
        held = [criterion for criterion in criteria if criterion["kind"] != "always"]
        criteria = [*held, *in_language(language)] or [{"kind": "always"}]
        if not held:
            _match, rest = rest.taking(_BARE_CONDITION)
    return criteria, rest


def in_language(said: re.Match[str]) -> list[dict[str, Any]]:
    """The language asked for; of both languages nothing."""
    names = [said[name] for name in ("language", "other") if said[name]]
    codes = {"en" if name in ("english", "ingles") else "es" for name in names}
    return [{"kind": "language", "value": code} for code in codes] if len(codes) == 1 else []


def unread_condition(sentence: Sentence) -> str:
    """Conditions joined by or, or another clause inside what is asked about: no rule is made of them."""
    second, rest = sentence.taking(_SECOND)
    if second and second["joined"] in ("or", "o", "u"):
        return sentence.plain(second[0]).strip(" ,")
    about = _ABOUT.search(rest.folded)
    if about is None:
        return ""
    described = [sentence.named[mark]["kind"] for mark in re.findall(r"@t\d+@", about["said"])]
    is_read = not _CLAUSE.search(about["said"]) and not set(described) - {"section", "document", "filename"}
    return "" if is_read else sentence.plain(rest.group(about, "said"))


def taken_condition(sentence: Sentence) -> tuple[list[dict[str, Any]], Sentence]:
    """One condition, or two that are joined by and."""
    match, rest = sentence.taking(_SECOND)
    if match is None:
        return taken_first(sentence)
    first, rest = taken_first(rest)
    if not first:
        return taken_first(sentence)
    if match["place"]:
        return [*first, {"kind": "citation", "value": sentence.named[match["place"]]["value"]}], rest
    return [*first, *mentioned(sentence, sentence.group(match, "said"))], rest


def taken_first(sentence: Sentence) -> tuple[list[dict[str, Any]], Sentence]:
    match, rest = sentence.taking(_CITES)
    if match:
        place = sentence.named[match["place"]]
        return [{"kind": "citation", "value": place["value"]}], rest
    for kind, pattern in (("exact", _EXACT), ("starts_with", _STARTS), ("regex", _PATTERN)):
        match, rest = sentence.taking(pattern)
        if match:
            return [{"kind": kind, "value": sentence.plain(sentence.group(match, "said"))}], rest
    for pattern in (_IS_SAID, _APPEARS, _SAYS, _WITH):
        match, rest = sentence.taking(pattern)
        if match:
            return mentioned(sentence, sentence.group(match, "said")), rest
    match, rest = sentence.taking(_ABOUT)
    if match:
        phrases = split(sentence, _OR, sentence.group(match, "said"))
        return [{"kind": "keywords", "value": phrases, "stemmed": True}], rest
    match, rest = sentence.taking(_EVERY)
    return ([{"kind": "always"}] if match else []), rest


def mentioned(sentence: Sentence, said: str) -> list[dict[str, Any]]:
    """Any of the phrases; all of them where the author says both, all of, or joins them by and."""
    said = said[: _ANYWHERE.search(said).start()] if _ANYWHERE.search(said) else said
    folded = fold(said)
    any_of, all_of = _ANY.match(folded), _ALL.match(folded)
    lead = any_of or all_of
    phrases = split(sentence, _LISTED, said[lead.end() :] if lead else said)
    if all_of or (not any_of and _AND.search(folded)):
        return [{"kind": "keywords", "value": [phrase], "stemmed": False} for phrase in phrases]
    return [{"kind": "keywords", "value": phrases, "stemmed": False}]


def split(sentence: Sentence, by: re.Pattern[str], said: str) -> list[str]:
    if by is _OR and not re.search(r"\s(?:or|o|u)\s", fold(said)):
        pieces = [said]
    else:
        pieces = by.split(said)
    return [sentence.plain(bare(piece)) for piece in pieces if bare(piece)]


MONTHS = {
    name: number
    for names in (
        "january february march april may june july august september october november december",
        "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre",
        "jan feb mar apr may jun jul aug sep oct nov dec",
    )
    for number, name in enumerate(names.split(), start=1)
}
_MONTH = "|".join(MONTHS)
_DAY = (
    rf"(?:the |el |del )?(?:(?:day )?\d{{1,2}}(?:st|nd|rd|th|º)? (?:of |de )?(?:{_MONTH})(?:,? (?:of |"
    rf"de |del )?\d{{4}})?\b"
    rf"|(?:{_MONTH}) \d{{1,2}}(?:st|nd|rd|th)?\b(?!\d)(?:,? \d{{4}})?|(?:the end of |end of |"
    rf"finales de |fin de )?(?:{_MONTH})\b(?: (?:of |de |del )?\d{{4}})?"
    r"|\d{4}-\d{2}-\d{2}|(?:the end|end) of (?:the|this) year|(?:fin|final|finales) de(?:l|"
    r" este)? ano|20\d\d\b)"
)
_LEAD = r"[\s,]*\b"
_RANGE = re.compile(
    rf"{_LEAD}(?:(?:from|desde|del|de) ({_DAY}) (?:to|until|through|till|al|a|hasta) ({_DAY})|"
    rf"(?:between|entre) ({_DAY}) (?:and|y) ({_DAY}))"
)
_FROM = re.compile(
    rf"{_LEAD}(?:from|(?:starting|beginning)(?: on| in| from)?|as of|since|desde|a partir del?|"
    rf"empezando(?: en| el)?) ({_DAY})(?: on(?:wards)?)?"
)
_UNTIL = re.compile(rf"{_LEAD}(?:until|till|through|up to|hasta(?: el)?) ({_DAY})")
_BEFORE = re.compile(rf"{_LEAD}(?:before|antes del?) ({_DAY})")
_DURING = re.compile(rf"{_LEAD}(?:in|during|en|durante) ({_DAY})")
_YEAR = re.compile(
    rf"{_LEAD}(?:(?:only|for|during|in|durante|en|solo) )?(?:(this|next) year|(este) ano|"
    rf"(?:el )?(proximo) ano)\b"
)
_FULL_YEAR = re.compile(r"\b\d{4}\b")
_NUMERIC = re.compile(r"\b(\d{1,2})/(\d{1,2})/(\d{4})\b")
_UNREAD = re.compile(
    r"\b(?:\d{1,2}/\d{1,2}/\d{2,4}|until|till|hasta|starting on|as of|a partir de|antes del?)\b"
)


@dataclass(frozen=True, slots=True)
class Days:
    first: date | None = None
    last: date | None = None


def days_in(folded: str, today: date) -> tuple[Days, list[tuple[int, int]]]:
    """The days, and the spans of the text that say so. Where a day does not exist its span is left unread."""
    try:
        return _days_in(folded, today)
    except ValueError:  # 31 June
        return Days(), []


def numeric_days(folded: str) -> list[tuple[tuple[int, int], str]]:
    """Days such as 6/30/2026 with their spans, as 2026-06-30; none where all could be read in either order."""
    matches = list(_NUMERIC.finditer(folded))
    days_first, months_first = (any(int(match[n]) > 12 for match in matches) for n in (1, 2))
    if days_first == months_first:
        return []
    month, day = (2, 1) if days_first else (1, 2)
    return [(match.span(), f"{match[3]}-{int(match[month]):02}-{int(match[day]):02}") for match in matches]


def names_unread_day(folded: str) -> bool:
    return bool(_UNREAD.search(folded))


def _days_in(folded: str, today: date) -> tuple[Days, list[tuple[int, int]]]:
    if match := _RANGE.search(folded):
        start, end = match[1] or match[3], match[2] or match[4]
        first = start_of_range(start, end, today)
        return Days(first, bounds(end, first)[1]), [match.span()]
    if match := _YEAR.search(folded):
        year = today.year + (match[1] == "next" or bool(match[3]))
        return Days(date(year, 1, 1), date(year, 12, 31)), [match.span()]
    if match := _DURING.search(folded):
        return Days(*bounds(match[1], today)), [match.span()]
    since, until, before = _FROM.search(folded), _UNTIL.search(folded), _BEFORE.search(folded)
    first = bounds(since[1], today)[0] if since else None
    last = bounds(until[1], first or today)[1] if until else None
    if before:
        last = bounds(before[1], first or today)[0] - timedelta(days=1)
    return Days(first, last), [match.span() for match in (since, until, before) if match]


def start_of_range(start: str, end: str, today: date) -> date:
    """Where only its end has a year: in that year, or in the one before if that would be later than the end."""
    year = _FULL_YEAR.search(end)
    if year is None or _FULL_YEAR.search(start):
        return bounds(start, today)[0]
    first = bounds(f"{start} {year[0]}", today)[0]
    return first if first <= bounds(end, today)[1] else bounds(f"{start} {int(year[0]) - 1}", today)[0]


def bounds(said: str, today: date) -> tuple[date, date]:
    """The first and last day of a day, month or year that is said. Raises ValueError where there is none such."""
    if iso := re.search(r"\d{4}-\d{2}-\d{2}", said):
        day = date.fromisoformat(iso[0])
        return day, day
    year = re.search(r"\b\d{4}\b", said)
    month = next((MONTHS[word] for word in re.findall(r"[a-z]+", said) if word in MONTHS), None)
    number = re.search(r"\b(\d{1,2})(?:st|nd|rd|th|º)?\b", said)
    if month is None:
        stands = date(int(year[0]) if year else today.year, 12, 31)
        return (stands.replace(month=1, day=1) if year else stands), stands
    day = int(number[1]) if number else None
    stands = date(int(year[0]) if year else today.year, month, day or 1)
    last = stands if day else stands.replace(day=monthrange(stands.year, month)[1])
    if year is None and last < today:
        return bounds(f"{said} {today.year + 1}", today)
    return stands, last
