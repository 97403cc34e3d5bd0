"""Whether the sections of acts stand in the Code where the law itself says that they do: "section 212(a) of the
Immigration and Nationality Act (8 U.S.C. 1182(a))". The law keeps what it said when acts were elsewhere in the Code, so
people judge what differs. Pure.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from retrieval.citations.acts import Act, find_names
from retrieval.citations.citation import Source

_SUBS = r"(?: ?\(\w{1,5}\)){0,6}"
_ONE = r"\d{1,5}[A-Za-z]{0,4}(?:-\d{1,3}[a-z]?)?"
_LIST = rf"{_ONE}{_SUBS}(?:(?:,? and |,? or |, )(?:{_ONE}{_SUBS}|(?:\(\w{{1,5}}\)){{1,5}})){{0,8}}"
_STATED = re.compile(
    rf"\b[Ss]ections? (?P<own>{_LIST}) of (?:the |title [IVXLC]{{1,6}} of the )?(?P<act>[A-Z][^()\n;]{{2,110}}?),? "
    rf"[(\[](?P<title>\d{{1,2}}) U\.\s?S\.\s?C\. (?P<code>{_LIST})[)\],;]"
)
_SUB, _NUMBER = re.compile(r" ?\(\w{1,5}\)"), re.compile(_ONE)
_DASHES = str.maketrans(dict.fromkeys("–—‑", "-"))


@dataclass(frozen=True, slots=True)
class Difference:
    """A section of an act, where the table has it, and where the law says it is, with how often."""

    act: str
    number: str
    known: str | None
    stated: dict[str, int]


def stated(text: str) -> Iterator[tuple[Act, str, str]]:
    """The sections that a text gives both ways: act, its number, and the locator in the Code."""
    for match in _STATED.finditer(text.translate(_DASHES)):
        own, code = (dict.fromkeys(_NUMBER.findall(_SUB.sub("", match[of]))) for of in ("own", "code"))
        for named in find_names(Source.of(match["act"])) if len(own) == len(code) else ():
            if named.start == 0 and named.end == len(match["act"]):
                for number, section in zip(own, code, strict=True):
                    yield named.act, number, f"/us/usc/t{match['title']}/s{section}"


def compared(texts: Iterable[str]) -> tuple[int, list[Difference]]:
    """Of the sections that these texts give both ways, how many the table has in one of the places stated, and the
    others, those that it does not have among them.
    """
    found: dict[tuple[Act, str], Counter[str]] = {}
    for text in texts:
        for act, number, locator in stated(text):
            found.setdefault((act, number.upper()), Counter())[locator] += 1
    known = {(act, number): act.section(number) for act, number in found if act.sections}
    differ = [pair for pair, place in known.items() if place not in found[pair]]
    told = (Difference(act.name, number, known[act, number], dict(found[act, number])) for act, number in differ)
    return len(known) - len(differ), sorted(told, key=lambda each: (each.known is None, each.act, each.number))
