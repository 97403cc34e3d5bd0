"""Numbers and locators: taken from the file, or built from the place where the file gives none."""

from __future__ import annotations

import re

from lxml import etree

from retrieval.parsing.uslm.content import plain_text
from retrieval.parsing.uslm.elements import SourceError, children_named, hyphenated, name_of
from retrieval.parsing.uslm.names import LEVELS
from retrieval.parsing.uslm.writer import Place

MAX_LOCATOR = 300  # what a locator column holds
# How a locator goes on below a parent, where the file gives none: /us/usc/t8/ch12/schII, /us/usc/t8/s1101/a.
CODE_STEPS = {
    "title": "t",
    "subtitle": "st",
    "chapter": "ch",
    "subchapter": "sch",
    "part": "pt",
    "subpart": "spt",
    "division": "d",
    "article": "art",
    "section": "s",
}
CODES = ("/us/usc", "/us/cfr")
CODE_TITLE = re.compile(r"/us/(usc|cfr)/t[^/]+")


def number_of(element: etree._Element) -> str:
    """`num@value`, or what the number's text says without its marks: "§ 1101." is 1101, "[(e)" is e."""
    num = next(iter(children_named(element, "num")), None)
    if num is None:
        return ""
    return hyphenated(num.get("value") or bare_number(plain_text(num)))


def bare_number(text: str) -> str:
    word = re.sub(r"^[\[\s]*(?:[^\W\d_]{3,}\s+)*(?:§+\s*)?\(?", "", text)
    return word.rstrip("]:.—– ").removesuffix(")")


def level_of(element: etree._Element) -> str:
    return element.get("name") or name_of(element)


def locator_of(element: etree._Element) -> str:
    """The identifier, or one built from the parent's."""
    locator = hyphenated(element.get("identifier") or "").rstrip("/")
    if not locator:
        locator = built_locator(element)
    if len(locator) > MAX_LOCATOR:
        raise SourceError(f"An identifier is longer than {MAX_LOCATOR} characters.")
    return locator


def built_locator(element: etree._Element) -> str:
    parent = next((each for each in element.iterancestors() if is_place(each)), None)
    if parent is None:
        raise SourceError("The document has no identifier.")
    above, step = locator_of(parent), step_of(element, locator_of(parent))
    if step.startswith("/s") and name_of(element) == "section" and (title := CODE_TITLE.match(above)):
        above = title.group()  # a section of a code is found by its number alone, whatever its chapter
    return above + step


def is_place(element: etree._Element) -> bool:
    return bool(element.get("identifier")) or name_of(element) in LEVELS or element.getparent() is None


def place_of(element: etree._Element) -> Place | None:
    """The place that a level's element is; None where nothing names it."""
    number = number_of(element)
    named = number or element.get("identifier")
    return Place(level_of(element), number, locator_of(element)) if named else None


def step_of(element: etree._Element, parent: str) -> str:
    level, number = level_of(element), number_of(element).replace("/", "-")
    if not number:
        return f"/{level}"
    if not parent.startswith(CODES):
        return f"/{level}/{number}"
    if level == "section":
        return f"/s{number}"
    return f"/{CODE_STEPS.get(level, '')}{number}"
