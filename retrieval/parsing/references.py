"""Finds what a title cites without naming itself: § 1.136(a), part 3 of this chapter, section 5 of this title. Pure."""

import re
from collections.abc import Iterable, Iterator

from retrieval.citations.finding import find_citations
from retrieval.parsing.tree import Ref
from retrieval.parsing.uslm.elements import hyphenated

_AND = r"(?:,? (?:and|or|through|to) |, ?|; ?)(?:§ ?|sections? )?"
_BELOW = r"(?:\([A-Za-z0-9]{1,5}\))*"
_RULE = rf"\d+[a-z]{{0,2}}\.\d+[a-z]{{0,2}}(?:[-–](?!\d+[a-z]{{0,2}}\.\d)\d+[a-z]?)*{_BELOW}"
_PART = r"\d+[a-z]{0,2}\b(?!\.\d)"
_STATUTE = rf"\d+[A-Za-z]{{0,4}}(?:[-–]\d+[a-z]{{0,2}})*{_BELOW}"
_MORE = rf"(?:{_STATUTE}|(?:paragraph )?\(\w{{1,5}}\){_BELOW})"  # 1101(a)(15)(T) or (U)
RULES = re.compile(rf"§§? ?{_RULE}(?:(?:{_AND}|[-–]){_RULE})*")
RULE = re.compile(_RULE)
PARTS = re.compile(rf"\bparts? {_PART}(?:{_AND}{_PART})* of this (?:title|chapter|subchapter)")
PART = re.compile(_PART)
STATUTES = re.compile(rf"\bsections? {_STATUTE}(?:{_AND}{_MORE})* of this title", re.I)
STATUTE = re.compile(_STATUTE)
OTHER_LAW = re.compile(r"(?:CFR|C\.F\.R\.|U\.S\.C\.|USC|FR)(?: (?:sections?|part \w+,))? ?$")


def in_regulation(text: str, title: str) -> Iterator[Ref]:
    """The sections and parts of a title ("/us/cfr/t37") that a text of it cites, with their places."""
    for many in RULES.finditer(text):
        if OTHER_LAW.search(text, max(0, many.start() - 30), many.start()) is None:
            for one in RULE.finditer(text, many.start(), many.end()):
                yield to_section(one, title)
    for many in PARTS.finditer(text):
        for one in PART.finditer(text, many.start(), many.end()):
            yield Ref(one[0], f"{title}/pt{one[0]}", one.start(), one.end())


def in_statute(text: str, title: str) -> Iterator[Ref]:
    """The sections of a title ("/us/usc/t8") that a text of it cites, with their places."""
    for many in STATUTES.finditer(text):
        for one in STATUTE.finditer(text, many.start(), many.end()):
            yield to_section(one, title)


def in_notes(notes: Iterable[str]) -> Iterator[Ref]:
    """What notes cite, which has no place in the text."""
    for note in notes:
        yield from (Ref(found.text, found.locator, -1, -1) for found in find_citations(note))


def to_section(one: re.Match[str], title: str) -> Ref:
    number, _, below = hyphenated(one[0]).partition("(")
    steps = "".join(f"/{step}" for step in re.findall(r"\w+", below))
    return Ref(one[0], f"{title}/s{number}{steps}", one.start(), one.end())
