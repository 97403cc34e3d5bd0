"""Whether a question asks what the law of another country says. Pure.

Names of countries, their parts and cities stand in `countries.txt`, in English and Spanish. Names that are as often
something else (Georgia, Jordan, Turkey, Indian) are left out.
"""

import re
from pathlib import Path

from retrieval.text.analyzer import STOP_WORDS
from retrieval.text.capitals import may_mean
from retrieval.text.normalization import fold
from retrieval.text.patterns import sections
from retrieval.text.snippets import FUNCTION_WORDS
from retrieval.text.states import names_a_state

_S = sections(Path(__file__).with_name("countries.txt"))
_BETWEEN = r"(?:(?!(?:with|without|and|or|by|for|if|sin|con|y|o|por|para|si) )\w+ ){0,2}"
_OF_IT = (
    rf"(?:{_S['peoples']}|{_S['places']}['’]?s?) {_BETWEEN}{_S['matters']}|{_S['matters']} {_S['peoples']}"
)
_IN_IT = rf"{_S['matters']} (?:\w+ )?(?:of|in|de|en|del) (?:the |la |el )?{_S['places']}"
_ITS = re.compile(rf"\b(?:{_S['institutions']}|{_OF_IT}|{_IN_IT})\b")
_ANY = re.compile(rf"\b(?:{_S['places']}|{_S['peoples']}|{_S['institutions']})")
# A country that is asked about, not one among the key words of what happened: "black armband vietnam".
_NAMED = re.compile(
    rf"(?:\A\W*|\b(?:in|of|by|under|the|en|de|del|por|la|el|do(?:es)?|did|can|is|are|was|has|have|may|must|will|would"
    rf"|puede|tiene|es|ha)\s(?:the\s|la\s|el\s)?){_S['places']}\b|\b{_S['places']}['’]s?(?!\w)"
)
# What was decided was decided here.
_A_CASE = re.compile(
    r"\A\W*(?:(?:the|a|an|what|which|find|was|is|there|any|el|la|un|una|que|cual)\s)*"
    r"(?:(?:cases?|decisions?|rulings?)\s(?:about|where|involving|that|on|over|concerning|with|in\swhich)"
    r"|(?:casos?|fallos?|sentencias?)\s(?:sobre|donde|en\sque|en\sel\sque|acerca))\b"
)
_OURS = re.compile(rf"\b{_S['ours']}\b|\b(?:with|con) (?:the )?{_S['places']}\b")
_NEXT = re.compile(r" ?([a-z]+)")
_DONE_TO = re.compile(
    r"\b(?:make|let|help|tell|force|give|ask|pay|owe|charge|send|show|offer|deny|grant|sell|cost|teach|fine|sue|arrest|stop"
    r"|protect|hurt)s? \Z"
)
_FUNCTION_WORDS = frozenset(f"{STOP_WORDS['en']} {FUNCTION_WORDS['en']}".split())
_CROSSING = re.compile(rf"\b(?:{_S['crossing']}|(?:from|to|into|through|a|de|desde|hacia) (?:the )?{_S['places']})\b")


def asks_of_another_country(text: str) -> bool:
    """Whether it names an institution or the law of one, or asks about the country, and nothing of the United States,
    such as a case, or that crosses their border.
    """
    folded = fold(text)
    if not _ANY.search(folded) or _A_CASE.match(folded) or names_ours(text, folded) or names_a_state(text):
        return False
    return bool(_ITS.search(folded) or (_NAMED.search(folded) and not _CROSSING.search(folded)))


def names_ours(text: str, folded: str) -> bool:
    """Whether it names the United States or what is theirs: "us judges" does, "make us leave" does not."""
    return any(
        found.group().split()[0] != "us" or may_mean(text, "US", "en") or not is_pronoun(folded, *found.span())
        for found in _OURS.finditer(folded)
    )


def is_pronoun(folded: str, start: int, end: int) -> bool:
    """Whether "us" is people: behind what is done to them, or before no noun."""
    after = _NEXT.match(folded, end)
    return bool(_DONE_TO.search(folded, 0, start)) or after is None or after[1] in _FUNCTION_WORDS
