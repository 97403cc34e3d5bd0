"""Kinds of answers: which of them a question asks for, in English and Spanish, and which a sentence gives. Pure."""

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


def asked_for(question: str) -> tuple[str, ...]:
    """The kinds of answer that the question asks for; none for "What is …", which a sentence of any kind answers."""
    folded = fold(question)
    return tuple(kind for kind, asks in ASKED.items() if asks.search(folded))


def fits(kinds: tuple[str, ...], folded: str) -> float:
    """The share of these kinds that a folded sentence is of; 0 where none is asked for."""
    return sum(FITS[kind].search(folded) is not None for kind in kinds) / len(kinds) if kinds else 0.0
