"""What a text calls a place that it cites: the words beside the citation, or the act that it is a part of. Pure.

"section 1182 of this title (relating to inadmissible aliens)" gives "inadmissible aliens"; "the Clean Air Act (42
U.S.C. 7401 et seq.)" gives "Clean Air Act", as do "section 7401 of title 42 (commonly known as the “Clean Air Act”)"
and "This chapter may be cited as the “Clean Air Act”".
"""

import re
from collections.abc import Iterator

LONGEST = 160  # characters of a name or description; more is a sentence about something else
_AFTER = 260  # characters looked at behind a citation
_RELATING = re.compile(
    r"(?:[^().;\n]|\(\w{1,5}\)){0,70} ?\((?:relating|pertaining) to ([^()\n]{3,160})\)"
)
_WORD = r"(?:[A-Z][\w'’.-]*|of \d{4}|and|of|the|for|in|to|on|with|&)"
_PART = (
    r"(?:(?P<kind>(?:[Tt]|[Ss]ubt)itle|(?:[Pp]|[Ss]ubp)art) (?P<part>[IVXLC]{1,6}|\d{1,2}|[A-Z]) of (?:the |such )?)?"
)
_NO_PART = r"(?!(?:[A-Z]|[IVXLC]{2,6})(?: of |, |,? (?:and|or|through) [A-Z]))"  # the "XVI" of "titles II and XVI of"
_NAME = re.compile(
    rf"{_PART}(?P<name>{_NO_PART}[A-Z][\w'’.-]*(?:,? {_WORD}){{0,14}}?,? "
    r"(?:Act|Code|Law|Amendments|Compact)(?: Amendments)?(?: of \d{4}(?:-\d{4})?)?),? ?\(\Z"
)
_ANOTHER = re.compile(r".*(?:, (?:and )?the (?=[A-Z])|[a-z]{3}[.;] )")  # what ends before the name begins
_QUOTED = r"(?:the )?[“\"]([^”\"\n]{3,160}?)[.,]?[”\"]"
_KNOWN = re.compile(
    rf"(?:[^().;\n]|\(\w{{1,5}}\)){{0,70}} ?\((?:also |commonly |popularly )?(?:known|referred to|cited) as {_QUOTED}\)"
)
_OWN = re.compile(rf" (?:may|shall) be (?:known and )?cited as {_QUOTED}")
_LEADING = re.compile(
    r"(?:(?:Notwithstanding|Pursuant to|See|For|By|To)(?: the)?|The|In|Under|Such|An?|Sections? \S+(?: of the)?) "
)

_SHORT_TITLE = re.compile(
    r"\b(This (title|subtitle|chapter|subchapter|part|subpart)) (?:may|shall) be (?:known and )?cited as"
)


def short_titles(text: str) -> Iterator[tuple[int, int, str]]:
    """Where a text names what it stands in: "This chapter", which "may be cited as the “Natural Gas Act”"."""
    for match in _SHORT_TITLE.finditer(text):
        yield *match.span(1), match[2]


def named_act(text: str, start: int) -> str:
    """The act that the text names right before the citation in brackets at `start`, with the title of it that is
    cited: "title VII of the Civil Rights Act of 1964"; "" for none.
    """
    found = _NAME.search(text, max(0, start - LONGEST), start)
    if found is None:
        return ""
    name = _LEADING.sub("", _ANOTHER.sub("", found["name"]))
    return f"{found['kind'].lower()} {found['part']} of the {name}" if found["part"] else name


def described(text: str, end: int) -> str:
    """What the text says in brackets that the place relates to, or is known as, whose citation ends there, or by what
    name it may be cited; "" where it does not.
    """
    matches = (pattern.match(text, end, end + _AFTER) for pattern in (_RELATING, _KNOWN, _OWN))
    return next((found[1].strip() for found in matches if found), "")


def called(text: str, start: int, end: int) -> str:
    """What the text calls the place that it cites at `text[start:end]`; "" where it only cites it."""
    return described(text, end) or named_act(text, start)
