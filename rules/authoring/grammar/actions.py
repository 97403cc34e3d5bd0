"""What a rule does, as a sentence says it: show, hide, raise, lower, rewrite, add synonyms, add a note. Pure."""

import re
from typing import Any

from retrieval.citations.heads import words
from rules.authoring.grammar.names import ASKED, Clarification, Sentence, bare

_PERCENT = re.compile(
    r"(?:\b(?:by|por|con|un|en un|with) )?\b(?P<number>\d{1,4}(?:[.,]\d+)?) ?(?:%|(?:percent|per cent|por ciento)\b)"
)
_SHARE = r"\d{1,4}(?:[.,]\d+)? ?(?:%|(?:percent|per cent|por ciento)\b)"
_TO_PERCENT = re.compile(  # of what? "boost … to 150%", "sube … a 150%"; "a 50% boost" tells
    rf"\b(?:to|al|hasta|at|a(?= un ))(?: an?| un| el| the)? {_SHARE}"
    rf"|\ba {_SHARE}(?! (?:boost|raise|promotion|priority|weight|penalty|demotion)\b)"
)
_FACTOR = re.compile(
    r"\b(?:by|por|con|times|with)(?: a| un)?(?: factor(?: of| de)?)? (\d+(?:[.,]\d+)?)\b|"
    r"\b(\d+(?:\.\d+)?) (?:times|veces)\b|\bx ?(\d+(?:\.\d+)?)\b|\b(\d+(?:\.\d+)?)x\b|"
    r"\b(?:el doble|doubly|twice as (?:high|low)|twice)\b"
)
USUAL_FACTOR = 2.0
DEGREES = (
    (1.5, re.compile(r"\b(?:slight(?:ly)?|a (?:bit|little)|somewhat|un poco|ligeramente)\b")),
    (4.0, re.compile(r"\b(?:strong(?:ly)?|a lot|way|heavily|mucho|fuertemente)\b")),
)
_REST = re.compile(
    r"\b(?:over|above|sobre) (?:the |all |lo )?(?:others?|everything|demas|rest)(?: else| \w+)?\b"
)
_PLACES = {
    "first": 1, "top": 1, "primero": 1, "primera": 1, "primer": 1, "arriba": 1, "second": 2, "segundo": 2, "segunda": 2,
    "third": 3, "tercero": 3, "tercer": 3, "tercera": 3, "fourth": 4, "cuarto": 4, "fifth": 5, "quinto": 5,
}  # fmt: skip
_PLACE = re.compile(
    r"\b(?:(?:at|in|to|on|as|en|de|up) )?(?:the |el |la )?(?:(?:position|place|rank|posicion|lugar|"
    r"puesto) (?:number |numero )?(?P<number>\d{1,2})"
    rf"|(?P<word>{'|'.join(_PLACES)})(?: (?:place|position|result|hit|lugar|posicion|puesto))?"
    r"|(?P<nth>\d{1,2})(?:st|nd|rd|th|º|o|ª) (?:place|position|lugar|posicion))\b"
)
_NEXT = re.compile(r"\b(?:right after(?: (?:it|that))?|after that|luego|despues)\b(?! (?:the |la |el )?@t)")
_SAID = r"(@q\d+@|[^,;@]+?)"
_REWRITE = re.compile(
    r"\b(?:run|search|read|treat|rewrite|change|replace|cambia|reescribe|sustituye) "
    rf"(?:it|the (?:whole )?{ASKED}|la {ASKED}(?: entera)?) (?:as|to|with|by|into|por|como) {_SAID}"
    r"(?: instead| en su lugar)?(?=[\s.]*$|,)"
    rf"|\b(?:treat|read|understand|interpret|rewrite|trata|lee|interpreta|entiende|"
    rf"reescribe) (?:the words? |la palabra )?{_SAID} (?:as|como) {_SAID}(?=[\s.]*$|,)"
    rf"|\b(?:replace|substitute|change|rewrite|sustituye|reemplaza|cambia) (?:the words? |"
    rf"la palabra )?{_SAID} (?:with|by|to|into|por) {_SAID}"
    rf"(?=[\s.]*$|,| in (?:the )?{ASKED}| en (?:las )?{ASKED})"
)
_SYNONYM = re.compile(
    rf"{_SAID} (?:is a synonym (?:of|for)|means the same as|is the same as|es (?:un )?sinonimo de|"
    rf"significa lo mismo que|es lo mismo que) {_SAID}(?=[\s.]*$|,)"
    rf"|\b(?:also (?:search|look)(?: for)?|(?:search|look) also for|(?:search|look) for|busca tambien|"
    rf"tambien busca|busque tambien)(?: the words?| la palabra)? {_SAID}"
    r"(?: (?:too|as well|tambien))?(?=[\s.]*$|,)"
)
_MANY = r"((?:@q\d+@|[^;@])+?)"
_SAME = r"(?:synonyms|sinonimos|equivalents?|equivalentes|the same(?: thing)?|lo mismo)"
_ALIKE = re.compile(
    rf"\b(?:synonyms|sinonimos): ?{_MANY}[\s.]*$"
    rf"|\b(?:treat|consider|considera|trata) {_MANY} (?:as|como) {_SAME}(?: (?:as|que) {_SAID})?[\s.]*$"
    rf"|^{_MANY} (?:are|son)(?: all| todos)? {_SAME}[\s.]*$"
)
_MEAN = r"(?:means?|significan?|stands? for|(?:is|are) short for)"
_MEANING = re.compile(rf"^\s*(?:(?:they|it)|{_MANY}(?: all| todas| todos)?) {_MEAN} {_SAID}[\s.]*$")
_MATCHING = re.compile(rf"\bmake {_SAID} also (?:match|find|search for|mean) {_MANY}[\s.]*$")
_NOTE = re.compile(
    r"\b(?:(?:answer|reply|respond|responde|contesta)(?: with| con)?|(?:show|display|add|give|muestra|"
    r"anade|pon|ensena))"
    r"(?: (?:the|a|this|la|una|esta))?(?: (?:note|message|text|nota|mensaje|texto))?:? (?P<note>@q\d+@)"
    r"|(?:\b(?:show|display|add|give|get|gets|put|muestra|anade|pon|ponles)\b)?(?: above| arriba)?"
    r"(?: (?:the|a|this|el|la|un|una|este|esta))? (?:note|message|banner|warning|notice|nota|mensaje|aviso)"
    r"(?: (?:above|on top of|over|encima de)(?: the| los)? (?:results|resultados))?"
    r"(?: saying| that says| reading| que (?:diga|dice))?:? (?P<said>@q\d+@)"
    r"|(?:\btell )?\b(?:all |the )?(?:users|readers|people) ?: ?(?P<told>@q\d+@)"
    r"|\b(?:show|display|add|give|answer|respond|reply|muestra|anade|responde|pon|contesta)(?: with|"
    r" con)?(?: (?:the|a|this|la|una|esta))? (?:note|message|nota|mensaje)\b"
)
_ABSTAIN = re.compile(
    r"\b(?:(?:do not|don't|never|refuse to|decline to) (?:answer|reply|respond)(?: to)?|decline|refuse(?: politely)?|"
    r"rechaza|(?:give|"
    r"return) no answers?|do not give (?:an|any) answer|abstain|"
    r"no (?:respondas|contestes|responder|contestar)(?: a)?|nunca respondas(?: a)?|no des (?:ninguna |"
    r"una )?respuesta|abstente(?: de responder)?)\b"
)
_REPLY = re.compile(
    r"[\s,;–—-]*(?:\b(?:and|y) )?\b(?:(?:reply|respond|answer|say|responde|contesta|di)(?: with| con)?|with|con)"
    r"(?: (?:the|a|this|el|la|este|esta))?(?: (?:message|note|mensaje|nota|aviso))?:? (?P<note>@q\d+@)"
)
_AIMED: tuple[tuple[str, re.Pattern[str]], ...] = tuple(
    (kind, re.compile(rf"\b(?:{words})\b"))
    for kind, words in (
        (
            "exclude",
            r"(?:never|do not|don't) (?:show|list|return|display|include|use)|hide|exclude|remove|"
            r"suppress|leave out|omit|drop|get rid of|no mostrar|oculte|excluya|"
            r"(?:nunca|no) (?:muestres|muestre|uses|incluyas|ensenes|mostrar)|oculta|excluye|esconde|"
            r"quita|omite|keep out",
        ),
        (
            "restrict",
            r"(?:search|look|use|answer|show) only|only (?:search|use|show|look|answer)|answer solely|"
            r"restrict(?: to)?|limit(?:ed)?(?: to)?|confine(?: to)?|keep\s+(?:to|in|inside|within)\b|"
            r"just (?:search|look|use)|"
            r"busca(?:rse|das)? (?:solo|solamente|unicamente)|restringe la busqueda|limite|"
            r"(?:busca|usa|responde|muestra|utiliza) (?:solo|solamente|unicamente)|(?:solo|solamente|"
            r"unicamente) (?:busca|usa|responde|muestra)|limita|restringe",
        ),
        ("redirect", r"redirect|send|lead(?! with)|take|forward|direct|envia|redirige|lleva|manda|dirige"),
        (
            "bury",
            r"bury|lower|demote|push down|relega|degrada|baja|penaliza|rank (?P<low>.*?) lower|"
            r"baje|push (?P<down>.*?) down",
        ),
        (
            "boost",
            r"boost|raise|prefer|(?<!por )favou?r|promote|sube|potencia|prefiere|favorece|"
            r"(?:da|dale|dales|give)(?: mas| mayor| more)? (?:prioridad|peso|weight|priority)|prioriza|impulsa|"
            r"suba|push up|rank (?P<high>.*?) higher|push (?P<up>.*?) up",
        ),
        (
            "pin",
            r"pin|lead with|ponga|muestre|fije|coloque|show|put|place|list|display|fija|muestra|pon|coloca|ensena",
        ),
    )
)
_NEXT_ACT = re.compile(r"\s*(?:[;.]|,? (?:and|y|then|luego)\b)\s*(?=\w)")
_PREFERRED = re.compile(
    r"\b(?:prefer|favou?r|prefiere|favorece)\b[^;]*?@t\d+@ "
    r"(?:to|over|above|before|rather than|instead of|a|sobre|antes que|en vez de|en lugar de)(?: the| la| el)? @t\d+@"
)
_NEUTRAL = frozenset(
    words(
        "appear appears come comes deben get gets give go goes has just must query salga salgan should they "
        "a al also always an and anyone archivo as at be by con consultas de del document documento "
        "documents e el en favor fichero file files for from in is it la las list lo los must of on only "
        "pages people please por pregunta preguntas provision que queries question questions result "
        "resultado resultados results se search section should siempre solo someone text texto the them "
        "then to top up users with y"
    )
)
Read = tuple[list[dict[str, Any]], list[dict[str, Any]], list[dict[str, Any]], list[Clarification]]


def read_action(criteria: list[dict[str, Any]], sentence: Sentence) -> Read:
    """Criteria (of its own, where a rewrite or synonym brings them), targets, actions, and what is to be asked."""
    if preferred := _PREFERRED.search(sentence.folded):
        return criteria, [], [], [Clarification("rule", sentence.plain(sentence.group(preferred, 0)))]
    if second := another_act(sentence):
        return criteria, [], [], [Clarification("acts", second)]
    for reader in (meant_alike, said_otherwise, abstained, noted, aimed):
        if (read := reader(criteria, sentence)) is not None:
            return read
    return criteria, [], [], [Clarification("action", sentence.plain(sentence.text).strip(" ,."))]


def another_act(sentence: Sentence) -> str:
    """What else it is to do, to other provisions or with a text: "pin …; hide …". Rules do one thing each."""
    for place in _NEXT_ACT.finditer(sentence.folded):
        first, second = sentence.folded[: place.start()], sentence.folded[place.end() :]
        if is_act(first, "@t") and is_act(second, "@t|@q", begins=True):
            return sentence.plain(sentence.text[place.end() :]).strip(" .")
    return ""


def is_act(folded: str, named: str, *, begins: bool = False) -> bool:
    """Whether a verb that acts upon provisions, or shows a note, has something named behind it."""
    verbs = [match for _kind, pattern in _AIMED if (match := pattern.search(folded))]
    if note := _NOTE.match(folded):
        verbs.append(note)
    return any((not begins or verb.start() == 0) and re.search(named, folded[verb.start() :]) for verb in verbs)


def meant_alike(criteria: list[dict[str, Any]], sentence: Sentence) -> Read | None:
    """Synonyms in both directions: each phrase is added where any is said. Or in one: phrases that mean another."""
    match, rest = sentence.taking(_ALIKE)
    if match:
        phrases = [
            one for n in range(1, match.re.groups + 1) if match[n] for one in listed(sentence, match, n)
        ]
        asked, added = phrases, phrases
    elif (found := sentence.taking(_MATCHING))[0]:
        match, rest = found
        asked, added = listed(sentence, match, 1), listed(sentence, match, 2)
    else:
        match, rest = sentence.taking(_MEANING)
        if match is None or "same as" in match[2] or " como" in match[2]:
            return None
        if re.search(_MEAN, match[1] or "") or re.search(rf"\b{_MEAN}\b", match[2]):
            return criteria, [], [], [Clarification("action", sentence.plain(match[0]))]
        asked = listed(sentence, match, 1) if match[1] else []
        added = [sentence.plain(bare(sentence.group(match, 2)))]
    if bool(asked) == bool(criteria) or not added:
        return None
    criteria = criteria or [{"kind": "keywords", "value": asked, "stemmed": False}]
    return criteria, [], [{"kind": "synonym", "text": text} for text in added], left_over(rest, "action")


def listed(sentence: Sentence, match: re.Match[str], group: int) -> list[str]:
    pieces = re.split(r"\s*,?\s+(?:and|or|y|e|o|u)\s+|\s*,\s*", sentence.group(match, group))
    return [sentence.plain(bare(piece)) for piece in pieces if bare(piece)]


def said_otherwise(criteria: list[dict[str, Any]], sentence: Sentence) -> Read | None:
    """Rewrites and synonyms; without another condition they fire upon the words themselves."""
    match, rest = sentence.taking(_REWRITE)
    kind = "rewrite" if match else "synonym"
    if match is None:
        match, rest = sentence.taking(_SYNONYM)
    if match is None:
        return None
    said = [sentence.plain(bare(sentence.group(match, n))) for n in range(1, match.re.groups + 1) if match[n]]
    phrase = said[0] if len(said) == 2 else ""
    action = {"kind": kind, "text": said[-1]} | ({"phrase": phrase} if kind == "rewrite" else {})
    if phrase and not criteria:
        criteria = [{"kind": "keywords", "value": [phrase], "stemmed": False}]
    return criteria, [], [action], left_over(rest, "action")


def noted(criteria: list[dict[str, Any]], sentence: Sentence) -> Read | None:
    match, rest = sentence.taking(_NOTE)
    said = match and (match["note"] or match["said"] or match["told"])
    if match is None or not (said or not re.search(r"@t\d+@", rest.folded)):
        return None
    if not said:
        return criteria, [], [{"kind": "note"}], [Clarification("text")]
    if not re.search(
        r"not|mess|text|nota|mens|aviso|banner|warn|tell|users|answer|repl|respon|contest",
        match[0].replace(said, ""),
    ):
        return None  # something quoted is to be shown, which is then a name
    action = {"kind": "note", "text": sentence.named[said]}
    return criteria, [], [action], left_over(rest, "action")


def abstained(criteria: list[dict[str, Any]], sentence: Sentence) -> Read | None:
    """With the note that is to be shown instead, if the author gives one."""
    match, rest = sentence.taking(_ABSTAIN)
    if match is None:
        return None
    reply, rest = rest.taking(_REPLY)
    notes = [{"kind": "note", "text": sentence.named[reply["note"]]}] if reply else []
    return criteria, [], [{"kind": "abstain"}, *notes], left_over(rest, "action")


def aimed(criteria: list[dict[str, Any]], sentence: Sentence) -> Read | None:
    """What acts upon targets. A redirect leads to just one provision."""
    kind, rest = next(
        (
            (kind, without_verb(sentence, match))
            for kind, pattern in _AIMED
            if (match := pattern.search(sentence.folded))
        ),
        ("pin" if _PLACE.search(sentence.folded) and "@t" in sentence.folded else "", sentence),
    )
    if not kind:
        return None
    if kind in ("boost", "bury") and (share := _TO_PERCENT.search(sentence.folded)):
        return criteria, [], [], [Clarification("action", sentence.plain(sentence.group(share, 0)))]
    action, rest = with_amount(kind, rest)
    targets = [sentence.named[mark] for mark in re.findall(r"@t\d+@", rest.folded)]
    others = [
        other for other, pattern in _AIMED if other not in (kind, "pin") and pattern.search(rest.folded)
    ]
    asked = [Clarification("action", sentence.plain(rest.text))] if others else left_over(rest, "target")
    if not targets and not asked:
        asked = [Clarification("target")]
    if kind == "redirect":
        if len(targets) != 1 or targets[0]["kind"] == "filename":
            return criteria, [], [action], asked or [Clarification("target")]
        return criteria, [], [{"kind": kind, "locator": targets[0]["value"]}], asked
    return criteria, targets, [action], asked


def without_verb(sentence: Sentence, match: re.Match[str]) -> Sentence:
    """The verb goes; what stands inside "rank … higher" stays."""
    inside = next((name for name, said in match.groupdict().items() if said is not None), None)
    return sentence.put(*match.span(), f" {sentence.group(match, inside)} " if inside else " ")


def with_amount(kind: str, sentence: Sentence) -> tuple[dict[str, Any], Sentence]:
    """The action with its place or factor, and the sentence without it."""
    if kind == "pin":
        places, rest = [], sentence
        while (taken := rest.taking(_PLACE))[0]:
            places.append(place_of(taken[0]))
            rest = taken[1]
        targets = re.findall(r"@t\d+@", rest.folded)
        first = places[0] if places else 1
        in_order = places == [*range(first, first + len(places))] and len(places) <= max(1, len(targets))
        return {"kind": kind, "position": first}, rest.taking(_NEXT)[1] if in_order else sentence
    if kind in ("boost", "bury"):
        _others, rest = sentence.taking(_REST)
        for factor, pattern in DEGREES:
            match, without = rest.taking(pattern)
            if match:
                return {"kind": kind, "factor": factor}, without
        match, without = rest.taking(_PERCENT)
        if match:
            return {"kind": kind, "factor": factor_of(kind, match["number"])}, without
        match, rest = rest.taking(_FACTOR)
        written = next((said for said in match.groups() if said), None) if match else None
        factor = float(written.replace(",", ".")) if written else USUAL_FACTOR
        return {"kind": kind, "factor": factor}, rest
    return {"kind": kind}, sentence


def factor_of(kind: str, percent: str) -> float:
    """Raised by 50% is 1.5 times; lowered by 50% is divided by 2. Lowered by all of it has no factor: 0."""
    share = float(percent.replace(",", ".")) / 100
    if kind == "boost":
        return 1 + share
    return round(1 / (1 - share), 4) if share < 1 else 0.0


def place_of(match: re.Match[str]) -> int:
    number = match["number"] or match["nth"]
    return int(number) if number else _PLACES[match["word"]]


def left_over(sentence: Sentence, subject: str) -> list[Clarification]:
    """A question about what is left of the sentence, unless it says nothing."""
    without = re.sub(r"@t\d+@" if subject == "target" else r"(?!)", " ", sentence.folded)
    unread = [word for word in re.findall(r"@q\d+@|@t\d+@|[^\W_]+", without) if word not in _NEUTRAL]
    return [Clarification(subject, sentence.plain(" ".join(unread)))] if unread else []
