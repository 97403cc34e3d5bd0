"""What a rule does, as a sentence says it: show, hide, raise, lower, rewrite, add synonyms, add a note. Pure."""

import re
from typing import Any

from retrieval.citations.heads import words
from rules.authoring.grammar.names import ASKED, Clarification, Sentence, bare

_FACTOR = re.compile(
    r"\b(?:by|por|con|times|with)(?: a| un)?(?: factor(?: of| de)?)? (\d+(?:[.,]\d+)?)\b|"
    r"\b(\d+(?:\.\d+)?) (?:times|veces)\b|\b(?:el doble|doubly|twice as (?:high|low)|twice)\b"
)
_PLACES = {
    "first": 1, "top": 1, "primero": 1, "primera": 1, "primer": 1, "arriba": 1, "second": 2, "segundo": 2, "segunda": 2,
    "third": 3, "tercero": 3, "tercer": 3, "tercera": 3, "fourth": 4, "cuarto": 4, "fifth": 5, "quinto": 5,
}  # fmt: skip
_PLACE = re.compile(
    r"\b(?:(?:at|in|to|on|en) )?(?:the |el |la )?(?:(?:position|place|rank|posicion|lugar|"
    r"puesto) (?:number |numero )?(?P<number>\d{1,2})"
    rf"|(?P<word>{'|'.join(_PLACES)})(?: (?:place|position|result|lugar|posicion|puesto))?"
    r"|(?P<nth>\d{1,2})(?:st|nd|rd|th|º|o|ª) (?:place|position|lugar|posicion))\b"
)
_SAID = r"(@q\d+@|[^,;@]+?)"
_REWRITE = re.compile(
    rf"\b(?:treat|read|understand|interpret|rewrite|trata|lee|interpreta|entiende|"
    rf"reescribe) (?:the words? |la palabra )?{_SAID} (?:as|como) {_SAID}(?=[\s.]*$|,)"
    rf"|\b(?:replace|substitute|change|sustituye|reemplaza|cambia) (?:the words? |"
    rf"la palabra )?{_SAID} (?:with|by|to|into|por) {_SAID}"
    rf"(?=[\s.]*$|,| in {ASKED}| en (?:las )?{ASKED})"
)
_SYNONYM = re.compile(
    rf"{_SAID} (?:is a synonym (?:of|for)|means the same as|is the same as|es (?:un )?sinonimo de|"
    rf"significa lo mismo que|es lo mismo que) {_SAID}(?=[\s.]*$|,)"
    rf"|\b(?:also (?:search|look)(?: for)?|(?:search|look) also for|(?:search|look) for|busca tambien|"
    rf"tambien busca|busque tambien)(?: the words?| la palabra)? {_SAID}"
    r"(?: (?:too|as well|tambien))?(?=[\s.]*$|,)"
)
_NOTE = re.compile(
    r"\b(?:(?:answer|reply|respond|responde|contesta)(?: with| con)?|(?:show|display|add|give|muestra|"
    r"anade|pon|ensena))"
    r"(?: (?:the|a|this|la|una|esta))?(?: (?:note|message|text|nota|mensaje|texto))?:? (?P<note>@q\d+@)"
    r"|\b(?:show|display|add|give|answer|respond|reply|muestra|anade|responde|pon|contesta)(?: with|"
    r" con)?(?: (?:the|a|this|la|una|esta))? (?:note|message|nota|mensaje)\b"
)
_ABSTAIN = re.compile(
    r"\b(?:(?:do not|don't|never|refuse to|decline to) (?:answer|reply|respond)(?: to)?|(?:give|"
    r"return) no answers?|do not give (?:an|any) answer|abstain|"
    r"no (?:respondas|contestes|responder|contestar)(?: a)?|nunca respondas(?: a)?|no des (?:ninguna |"
    r"una )?respuesta|abstente(?: de responder)?)\b"
)
_AIMED: tuple[tuple[str, re.Pattern[str]], ...] = tuple(
    (kind, re.compile(rf"\b(?:{words})\b"))
    for kind, words in (
        (
            "exclude",
            r"(?:never|do not|don't) (?:show|list|return|display|include|use)|hide|exclude|remove|"
            r"suppress|leave out|omit|"
            r"(?:nunca|no) (?:muestres|muestre|uses|incluyas|ensenes|mostrar)|oculta|excluye|esconde|"
            r"quita|omite|keep out",
        ),
        (
            "restrict",
            r"(?:search|look|use|answer|show) only|only (?:search|use|show|look|answer)|answer solely|"
            r"restrict(?: to)?|limit(?: to)?|"
            r"(?:busca|usa|responde|muestra|utiliza) (?:solo|solamente|unicamente)|(?:solo|solamente|"
            r"unicamente) (?:busca|usa|responde|muestra)|limita|restringe",
        ),
        ("redirect", r"redirect|send|lead|take|forward|direct|envia|redirige|lleva|manda|dirige"),
        (
            "bury",
            r"bury|lower|demote|push down|relega|degrada|baja|penaliza|rank (?P<low>.*?) lower|"
            r"push (?P<down>.*?) down",
        ),
        (
            "boost",
            r"boost|raise|prefer|(?<!por )favou?r|promote|sube|potencia|prefiere|favorece|"
            r"da(?: mas)? prioridad|prioriza|impulsa|"
            r"rank (?P<high>.*?) higher|push (?P<up>.*?) up",
        ),
        ("pin", r"pin|show|put|place|list|display|fija|muestra|pon|coloca|ensena"),
    )
)
_NEUTRAL = frozenset(
    words(
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
    for reader in (said_otherwise, noted, abstained, aimed):
        if (read := reader(criteria, sentence)) is not None:
            return read
    return criteria, [], [], [Clarification("action", sentence.plain(sentence.text).strip(" ,."))]


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
    if match is None or not (match["note"] or not re.search(r"@t\d+@", rest.folded)):
        return None
    if not match["note"]:
        return criteria, [], [{"kind": "note"}], [Clarification("text")]
    if not re.search(
        r"not|mess|text|nota|mens|answer|repl|respon|contest", match[0].replace(match["note"], "")
    ):
        return None  # something quoted is to be shown, which is then a name
    action = {"kind": "note", "text": sentence.named[match["note"]]}
    return criteria, [], [action], left_over(rest, "action")


def abstained(criteria: list[dict[str, Any]], sentence: Sentence) -> Read | None:
    match, rest = sentence.taking(_ABSTAIN)
    return (criteria, [], [{"kind": "abstain"}], left_over(rest, "action")) if match else None


def aimed(criteria: list[dict[str, Any]], sentence: Sentence) -> Read | None:
    """What acts upon targets. A redirect leads to just one provision."""
    kind, rest = next(
        (
            (kind, without_verb(sentence, match))
            for kind, pattern in _AIMED
            if (match := pattern.search(sentence.folded))
        ),
        ("", sentence),
    )
    if not kind:
        return None
    action, rest = with_amount(kind, rest)
    targets = [sentence.named[mark] for mark in re.findall(r"@t\d+@", rest.folded)]
    asked = left_over(rest, "target")
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
        match, rest = sentence.taking(_PLACE)
        if match is None:
            return {"kind": kind, "position": 1}, rest
        number = match["number"] or match["nth"]
        return {"kind": kind, "position": int(number) if number else _PLACES[match["word"]]}, rest
    if kind in ("boost", "bury"):
        match, rest = sentence.taking(_FACTOR)
        written = match and (match[1] or match[2])
        factor = float(written.replace(",", ".")) if written else 2.0
        return {"kind": kind, "factor": factor}, rest
    return {"kind": kind}, sentence


def left_over(sentence: Sentence, subject: str) -> list[Clarification]:
    """A question about what is left of the sentence, unless it says nothing."""
    without = re.sub(r"@t\d+@" if subject == "target" else r"(?!)", " ", sentence.folded)
    unread = [word for word in re.findall(r"@q\d+@|@t\d+@|[^\W_]+", without) if word not in _NEUTRAL]
    return [Clarification(subject, sentence.plain(" ".join(unread)))] if unread else []
