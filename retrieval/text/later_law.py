"""Sentences in which a summary of a decision tells that later law departed from it or limited it: "Brandenburg later
rejected that view". Pure.

What a decision did to earlier ones ("Adkins was overruled") is none of these.
"""

import re

from retrieval.text.sentences import sentences

_UNDONE = (
    "(?:overruled|overturned|abandoned|rejected|repudiated|discarded|disavowed|discredited|replaced|superseded|undid"
    "|undone|reversed|ended|forbade|forbidden|repealed|narrowed|confined|limited|restored|restated|departed)"
)
_NAMES = r"^(?:[A-Z][\w.'’&-]*\s|\(\d{4}\)\s|v\.\s|of\s|for\s|the\s)+"
_DEPARTS = re.compile(
    rf"""
      \b(?:has|have)\ssince\s(?:been\s)?(?:{_UNDONE}|authorized|held|allowed|permitted)\b
    | \b(?:has|have|was|were)\sbeen\s(?:repudiated|discredited|overruled|abandoned)\b
    | \blater\s(?:\w+\s)?{_UNDONE}\b
    | {_NAMES}later\s(?:held|set|treated)\b
    | ^The\s(?:later\s\w+\sAmendment|\w+\sAmendment,\sratified)\b
    | ^(?:Later|Subsequent|Modern|More\srecent)\b.{{0,60}}?\b(?:decisions?|cases?|law|statutes?|amendments?)\b.{{0,80}}?
      \b(?:{_UNDONE}|confine|narrow|reject|limit|declined?)\b
    | ^(?:Decisions?|Cases)\s(?:from|since|after)\b.{{0,80}}?\b{_UNDONE}\b
    | ^(?:It|This\s(?:decision|ruling|holding))\s(?:was|is)\s(?:later|no\slonger)\s(?:\w+\s)?
      (?:overruled|law|followed)\b
    | \b(?:was|is)\s(?:universally|widely|now)\sdiscredited\b
    | \b(?:was|were)\soverruled\s(?:by|in)\s[A-Z]
    | \bsaid\sthat\sit\shad\sabandoned\b
    """,
    re.VERBOSE,
)


def tells_of_departure(sentence: str) -> bool:
    return _DEPARTS.search(sentence.strip()) is not None


def departed_from(holding: str) -> bool:
    """Whether one of its sentences says so."""
    return any(tells_of_departure(holding[start:end]) for start, end in sentences(holding))
