"""Finds what a regulation cites without naming the title, because it means its own: § 1.136(a), part 3 of this chapter.
Pure.
"""

import re
from collections.abc import Iterator

from retrieval.parsing.tree import Ref
from retrieval.parsing.uslm.elements import hyphenated

_AND = r"(?:,? (?:and|or|through|to) |, ?|; ?)(?:§ ?)?"
_SECTION = r"\d+[a-z]{0,2}\.\d+[a-z]{0,2}(?:[-–]\d+[a-z]?)*(?:\([A-Za-z0-9]{1,5}\))*"
SECTIONS = re.compile(rf"§§? ?{_SECTION}(?:{_AND}{_SECTION})*")
SECTION = re.compile(_SECTION)
_PART = r"\d+[a-z]{0,2}\b(?!\.\d)"
PARTS = re.compile(rf"\bparts? {_PART}(?:{_AND}{_PART})* of this (?:title|chapter|subchapter)")
PART = re.compile(_PART)
OTHER_LAW = re.compile(r"(?:CFR|C\.F\.R\.|U\.S\.C\.|USC|FR)(?: (?:sections?|part \w+,))? ?$")


def references(text: str, title: str) -> Iterator[Ref]:
    """The sections and parts of a title ("/us/cfr/t37") that a text of it cites, with their places."""
    for many in SECTIONS.finditer(text):
        if OTHER_LAW.search(text, max(0, many.start() - 30), many.start()) is None:
            for one in SECTION.finditer(text, many.start(), many.end()):
                number, _, below = hyphenated(one[0]).partition("(")
                steps = "".join(f"/{step}" for step in re.findall(r"\w+", below))
                yield Ref(one[0], f"{title}/s{number}{steps}", one.start(), one.end())
    for many in PARTS.finditer(text):
        for one in PART.finditer(text, many.start(), many.end()):
            yield Ref(one[0], f"{title}/pt{one[0]}", one.start(), one.end())
