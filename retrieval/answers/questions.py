"""Kinds of answers: which of them a question asks for, in English and Spanish, and which a sentence gives; also what
law says of itself, which answers only who asks for that. Pure.
"""

import re
from collections.abc import Mapping

from retrieval.text.normalization import fold

NUMBER = (
    r"\d+|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|fifteen|twenty|thirty|forty|fifty|sixty|ninety"
    r"|hundred|thousand|first|second|third|half|majority|unanimous"
)
PERIOD = r"years?|months?|weeks?|days?|hours?|terms?|session|age"
# In a folded question, what asks for an answer of this kind.
ASKED: Mapping[str, re.Pattern[str]] = {
    "when": re.compile(
        r"\b(?:when|how (?:long|often|soon|old|late|early)|what (?:year|day|date|age|time)|deadline"
        r"|too (?:young|old|late)|cuando|cuanto (?:tiempo|dura)|cada cuanto|que (?:dia|fecha|edad|ano)"
        r"|plazo|a los cuantos)\b"
    ),
    "how_many": re.compile(
        r"\b(?:how (?:many|much|big|large)|what (?:percent|share|number)|maximum|minimum|at least"
        r"|cuant[oa]s?|que porcentaje|maximo|minimo)\b"
    ),
    "who": re.compile(
        r"\b(?:who|whom|whose|which (?:court|agency|branch|officer|body)|quien(?:es)?|cual de)\b"
    ),
    "may": re.compile(
        r"^(?:\W|\w+\W+){0,12}?(?:can|could|may|might|am i allowed|are \w+ allowed"
        r"|is it (?:legal|ok|okay|allowed|illegal)|do i have to|must|allowed to"
        r"|puedo|puede[ns]?|podemos|podria[ns]?|es legal|debo|tengo que|tiene que)\b"
    ),
}
# In a folded sentence of law, what may be such an answer.
FITS: Mapping[str, re.Pattern[str]] = {
    "when": re.compile(
        rf"\b(?:(?:{NUMBER}|fourth|sixth)\W+(?:\w+\W+){{0,2}}(?:{PERIOD})"
        r"|(?:noon|day of|within|not later than|before|after|until|during|annual\w*|every)\b)"
    ),
    "how_many": re.compile(rf"\b(?:{NUMBER}|percent|fee|amount|dollars|equal|number|majority|quorum)\b|\$"),
    "who": re.compile(
        r"\b(?:president|vice president|congress|senate|house|court|secretary|attorney general|director|commissioner"
        r"|administrator|legislatures?|judges?|officers?|citizens?|persons?|aliens?|people|states?|board|service"
        r"|committee|employers?|agency|member)\b"
    ),
    "may": re.compile(r"\b(?:may|shall|must|no|nor|not|unlawful|prohibited|entitled|eligible|right)\b"),
}
# An amount that a folded question asks for, and the words in which a folded sentence of law gives one.
AMOUNTS: Mapping[str, tuple[re.Pattern[str], re.Pattern[str]]] = {
    "money": (
        re.compile(
            r"\b(?:how much|what (?:fine|fee|price|pay|salary|amount)|costs?|price|dollars|fee|charge|pay(?:s|ing|ed)?"
            r"|cuanto (?:cuesta|cobran|pagan?|dinero|me|es)|precio|multa|dinero|salario)\b"
        ),
        re.compile(r"[$€£]|\bdollars?\b|\bcents\b|\beuros?\b|\bpesos\b"),
    ),
    "period": (
        re.compile(
            r"\b(?:how (?:many (?:years|months|days|weeks|hours|minutes)|long|soon|often|old|late)|deadline|age"
            r"|cuanto (?:tiempo|dura)|cuant[oa]s (?:anos|meses|dias|semanas|horas|minutos)|plazo|cada cuanto|edad)\b"
        ),
        re.compile(
            rf"\b(?:{NUMBER}|eighteen)[ -](?:(?:calendar|consecutive|business|working|full|additional) )?"
            r"(?:years?|months?|weeks?|days?|hours?|minutes?)\b|\bannual|\b(?:attained|age of)\b"
            r"|\b(?:\d+|un[oa]?|dos|tres|cuatro|cinco|seis|siete|ocho|nueve|diez|quince|treinta) "
            r"(?:anos?|mes(?:es)?|semanas?|dias?|horas?|minutos?|segundos?)\b"
        ),
    ),
    "share": (
        re.compile(
            r"\b(?:percent\w*|share|fraction|part of|what portion|porcentaje|por ciento|que parte)\b"
        ),
        re.compile(r"\bper ?cent\w*\b|\bpercentage\b|one-(?:half|third|fourth)|two-thirds"),
    ),
}
# What law says of itself, in a folded sentence: when it begins, and what of the time before that it leaves as it was.
ITSELF = (
    r"(?:\W|\(\w{1,4}\))*(?:th(?:is|e foregoing) (?:amendment|(?:sub)?(?:section|paragraph|chapter|part)|article|clause"
    r"|act|title|law|agreement|contract)|sections? \d[^;:]{0,60}?"
    r"|(?:the )?(?:amendments?|provisions|changes) (?:made by|of|in) this [^;:]{1,40}?"
    r"|(?:est[ae]|(?:la|el) presente) (?:enmienda|articulo|seccion|parrafo|clausula|ley|titulo|capitulo|parte|contrato"
    r"|acuerdo)|l[ao]s (?:secciones|articulos) \d[^;:]{0,60}?) "
)
LAW_BEGAN = (
    r"(?:enactment|adoption|ratification|effective date|tak(?:es|ing) effect"
    r"|(?:becom|com)es (?:valid|effective|into force)|[12]\d{3}|entrada en vigor|entre en vigor|promulgacion"
    r"|ratificacion|adopcion)"
)
BEGINS = re.compile(
    ITSELF
    + r"(?:shall |will |must )?(?:(?:be|is|are|takes?|becomes?) (?:effect|effective|operative|inoperative)\b"
    r"|(?:comes?|enters?) into (?:force|effect)\b|(?:entrara|entra|surte|surtira)n? (?:en vigor|en vigencia|efectos?)\b"
    rf"|appl(?:y|ies) .{{1,120}}\b(?:after|before|beginning)\b.{{0,40}}\b{LAW_BEGAN})"
)
SAVES = re.compile(
    ITSELF + r"(?:(?:shall|does|do|will|may) not|no (?:se )?(?:aplica|interpreta|afecta)\w*)\b"
    r".*\b(?:before|prior to|existing|in effect|pending|antes de|anterior\w*|vigentes?|pendientes?)\b"
    rf".{{0,60}}\b{LAW_BEGAN}"
)
ASKS_OF_BEGINNING = re.compile(
    r"\b(?:when|effect\w*|force|beg[aiu]n\w*|start\w*|commenc\w*|operat\w*|ratif\w*|retroactive\w*|valid|appl(?:y|ies)"
    r"|after|since|cuando|vigor|vigencia|vigente|efectos?|empez\w+|empiez\w+|comenz\w+|comienz\w+|aplica\w*|retroactiv\w+"
    r"|desde|despues)\b|\bconstru\w+|\binterpret\w+"
)
ASKS_OF_EARLIER = re.compile(
    r"\b(?:before|prior|exist\w+|pending|already|previous\w*|antes|anterior\w*|existentes?|pendientes?|ya|previ[ao]s?"
    r"|vigentes?|affect\w*|constru\w+|appl(?:y|ies)|retroactive\w*|current\w*|sitting|incumbents?|old|grandfather\w*"
    r"|sav(?:e|es|ed|ing)|impair\w*|valid|in 1[0-9]{3}|interpret\w+|afect\w+|aplica\w*|retroactiv\w+|actual\w*)\b"
)


# What a text of one's own says of itself: "This procedure tells how keys are kept." One that gives a rule or an amount
# ("This guide explains that …", "This policy covers floods up to 5,000 dollars.") says more than that.
HOLDS_RULE = (
    rf" (?:that|que|con)\b|.*(?:[\d:$€£]|\b(?:{NUMBER}"
    r"|dos|tres|cuatro|cinco|seis|siete|ocho|nueve|diez|quince|veinte|treinta|mitad|cien\w*|mil)\b)"
)
TELLS_OF_ITSELF = re.compile(
    r"(?:\W|\d)*(?:this (?:policy|procedure|protocol|document|manual|handbook|guide(?:line)?|section|chapter)"
    r" (?:tells|describes|explains|outlines)"
    r"|est[ea] (?:politica|procedimiento|protocolo|documento|manual|guia|seccion|capitulo)"
    rf" (?:describe|explica|cuenta))\b(?!{HOLDS_RULE})",
    re.DOTALL,
)
ASKS_OF_TEXT = re.compile(
    r"\b(?:policy|procedure|protocol|document|manual|handbook|guide|guideline|section|chapter|purpose|scope|about|cover\w*"
    r"|describe\w*|contain\w*|explain\w*|politica|procedimiento|protocolo|documento|guia|seccion|capitulo|objeto|finalidad"
    r"|describ\w*|explica\w*|conten\w*|contien\w*|trata)\b"
)
ASKS_OF_OPINIONS = re.compile(
    r"\b(?:dissent\w*|concurr\w*|justices?|opinions?|disid\w*|discrep\w*|disint\w*|concurrente\w*|magistrad\w*)\b"
)

# Of them, what asks what was said apart from the Court, and by whom: not "May the state punish dissent?".
_KIND = r"(?:dissent|concurr|disiden|discrep)\w*"
ASKS_OF_SEPARATE = re.compile(
    rf"\b(?:the|his|her|their|whose|\w+['’]s) {_KIND}(?! of\b)|\bjustices? .{{0,60}}\b{_KIND}"
    rf"|\b{_KIND} (?:opinion|justice)"
    rf"|\b(?:who|opinion|magistrad[oa]s?|voto|juez|jueza|la|el|su) {_KIND}|\b(?:dissent(?:ed|ing)|concurred|disintio)\b"
    r"|\bvs?\.? .{0,80}\bdissents?\b|\bdid .{0,40}\bdissent\b"
)
_AUTHOR = re.compile(r"\b(?:justice|magistrad[oa]|jue(?:z|za)) ([a-z'’]{3,})")

# What asks whether a decision is followed still, or what overruled it; not what it overruled itself.
_OVERTURNED = r"(?:overruled|overturned|abrogated|superseded)"
ASKS_OF_STANDING = re.compile(
    rf"\b(?:was|is|were|been)\b.{{1,80}}?\b{_OVERTURNED}\b|\bbeen (?:\w+ ){{0,2}}{_OVERTURNED}\b|\b(?:good|bad) law\b"
    rf"|\b(?:what|which|who)(?: \w+)? (?:{_OVERTURNED}|replaced)\b"
    r"|\bstill (?:valid|in (?:force|effect)|binding|stands?|standing|controlling|precedent|the law)\b"
    r"|\b(?:sigue|continua|esta) (?:siendo |estando )?(?:vigente|en vigor|valid[oa]|en pie|vinculante)\b"
    r"|\b(?:fue|ha sido|esta)\b.{0,60}\b(?:anulad|revocad|invalidad)[oa]\b"
    r"|\b(?:que|quien|cual)(?: \w+)? (?:anulo|revoco|invalido|dejo sin efecto) a\b"
)
_WHAT_IT_OVERRULED = re.compile(
    r"\b(?:what|which|cuales|que) (?:cases?|decisions?|precedents?|casos?|fallos?) (?:was|were|fue)"
)


def asks_of_standing(question: str) -> bool:
    """Whether it asks what became of a decision."""
    folded = fold(question)
    return bool(ASKS_OF_STANDING.search(folded)) and not _WHAT_IT_OVERRULED.search(folded)


def asks_of_opinions(question: str) -> bool:
    """Whether it asks what Justices wrote, which answers no other question: only the Court decides."""
    return ASKS_OF_OPINIONS.search(fold(question)) is not None


def asks_of_separate(question: str) -> bool:
    """Whether it asks what a Justice wrote apart from the Court: what the Court held does not answer that."""
    return ASKS_OF_SEPARATE.search(fold(question)) is not None


def is_asked_for(question: str, heading: str) -> bool:
    """Whether an opinion so headed, "Dissent (Black)", is of the kind and by the Justice that the question names."""
    asked, headed = fold(question), fold(heading)
    authors = [name for name in _AUTHOR.findall(asked) if not re.match(_KIND, name)]
    another_kind = headed.startswith("concurrence") and " in part" not in headed and "concurr" not in asked
    another_kind |= headed.startswith("dissent") and "concurr" in asked and not re.search("dissent|disiden", asked)
    return not another_kind and (not authors or "(" not in headed or any(name in headed for name in authors))


def says_beside(question: str) -> tuple[re.Pattern[str], ...]:
    """What law says of itself and this question does not ask for."""
    folded = fold(question)
    pairs = ((ASKS_OF_BEGINNING, BEGINS), (ASKS_OF_EARLIER, SAVES), (ASKS_OF_TEXT, TELLS_OF_ITSELF))
    return tuple(says for asks, says in pairs if not asks.search(folded))


def asked_for(question: str) -> tuple[str, ...]:
    """The kinds of answer that the question asks for; none for "What is …", which a sentence of any kind answers."""
    folded = fold(question)
    return tuple(kind for kind, asks in ASKED.items() if asks.search(folded))


def fits(kinds: tuple[str, ...], folded: str) -> float:
    """The share of these kinds that a folded sentence is of; 0 where none is asked for."""
    return sum(FITS[kind].search(folded) is not None for kind in kinds) / len(kinds) if kinds else 0.0


def asked_amounts(question: str) -> tuple[str, ...]:
    """Of which of `AMOUNTS` the question asks how much."""
    folded = fold(question)
    return tuple(kind for kind, (asks, _) in AMOUNTS.items() if asks.search(folded))


def given(kinds: tuple[str, ...], folded: str) -> dict[str, float]:
    """By amount, 1 where it is one of these kinds and a folded sentence gives it, else 0."""
    return {
        kind: float(kind in kinds and gives.search(folded) is not None) for kind, (_, gives) in AMOUNTS.items()
    }
