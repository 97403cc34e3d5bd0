"""What a text calls a place that it cites: the words beside the citation, or the act that it is a part of. Pure.

"section 1182 of this title (relating to inadmissible aliens)" gives "inadmissible aliens"; "the Clean Air Act (42
U.S.C. 7401 et seq.)" gives "Clean Air Act".
"""

import re

LONGEST = 160  # characters of a name or description; more is a sentence about something else
_AFTER = 260  # characters looked at behind a citation
_RELATING = re.compile(
    r"(?:[^().;\n]|\(\w{1,5}\)){0,70} ?\((?:relating|pertaining) to ([^()\n]{3,160})\)"
)
_WORD = r"(?:[A-Z][\w'’.-]*|of \d{4}|and|of|the|for|in|to|on|with|&)"
_PART = r"(?:(?:[Tt]itle|[Ss]ubtitle) (?P<part>[IVXLC]{1,6}|\d{1,2}) of (?:the |such )?)?"
_NAME = re.compile(
    rf"{_PART}(?P<name>[A-Z][\w'’.-]*(?:,? {_WORD}){{0,14}}?,? "
    r"(?:Act|Code|Law|Amendments|Compact)(?: Amendments)?(?: of \d{4}(?:-\d{4})?)?),? ?\(\Z"
)
_LEADING = re.compile(r"(?:The|In|Under|Such|An?|Section \S+ of the|Sections? \S+) ")


def named_act(text: str, start: int) -> str:
    """The act that the text names right before the citation in brackets at `start`, with the title of it that is
    cited: "title VII of the Civil Rights Act of 1964"; "" for none.
    """
    found = _NAME.search(text, max(0, start - LONGEST), start)
    if found is None:
        return ""
    name = _LEADING.sub("", found["name"])
    return f"title {found['part']} of the {name}" if found["part"] else name


def described(text: str, end: int) -> str:
    """What the text says in brackets that the place relates to whose citation ends there; "" where it does not."""
    found = _RELATING.match(text, end, end + _AFTER)
    return found[1].strip() if found else ""


def called(text: str, start: int, end: int) -> str:
    """What the text calls the place that it cites at `text[start:end]`; "" where it only cites it."""
    return described(text, end) or named_act(text, start)
