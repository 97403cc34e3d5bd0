"""Designators of real titles are nested as their order in the files has it, by a reading of our own.

It knows nothing of costs: a number is the first of its kind right below the one before, or the next on a level that is
open. Where that allows one way to nest a section, the reader has it, and it does for nearly all.
"""

import re
from collections.abc import Iterator

import pytest
from lxml import etree

from retrieval.parsing.cfr.reader import read
from tests.retrieval.parsing.cfr.test_reader import TITLES

KINDS = ("letters", "digits", "numerals", "capitals", "digits in italics", "numerals in italics")  # outermost first
TENS, ONES = ("", "x", "xx", "xxx", "xl", "l"), ("", "i", "ii", "iii", "iv", "v", "vi", "vii", "viii", "ix")
NUMERALS = [ten + one for ten in TENS for one in ONES]
MARK = re.compile(r"\(\s*(<I>)?(\w{1,5})(?:</I>)?\s*\)(?:\s*[-–—]\s*\((?:<I>)?(\w{1,5})(?:</I>)?\))?\s*")
HEADING = re.compile(r"<I>[^<]*</I>[\s.:;,—–-]*(?=\()")  # "(b) Exceptions—(1) Coast Guard"
Mark = tuple[str, bool, bool, str]  # what is in parentheses, in italics, behind another, the end of a range


def marks_of(paragraph: etree._Element) -> Iterator[Mark]:
    """Those that a paragraph begins with, out of its XML."""
    xml = etree.tostring(paragraph, encoding="unicode", with_tail=False)
    xml, at, behind = re.sub(r"^<P[^>]*>\s*|</P>$", "", xml), 0, False
    while found := MARK.match(xml, at) or (behind and HEADING.match(xml, at)):
        at = found.end()
        if found.re is MARK:
            yield found[2], bool(found[1]), behind, found[3] or ""
            behind = True


def value(kind: str, mark: str, slanted: bool) -> int:
    """Which of its kind it is, from 1; 0 where it is none."""
    if kind.endswith("in italics") != slanted or not mark:
        return 0
    if kind.startswith("digits"):
        return int(mark) if mark.isdigit() else 0
    if kind.startswith("numerals"):
        return NUMERALS.index(mark) if mark in NUMERALS else 0
    same = mark.isalpha() and len(set(mark)) == 1 and mark.isupper() == (kind == "capitals")
    return ord(mark[0].lower()) - ord("a") + 1 + 26 * (len(mark) - 1) if same else 0


def ways_to_nest(marks: list[Mark]) -> list[list[str]]:
    """Every way: of each mark the path from the outermost level down to it."""
    alive: list[tuple[tuple, list[str]]] = [((), [])]
    for mark, slanted, behind, last in marks:
        grown = []
        for levels, before in alive:
            for level, kind in enumerate(KINDS):
                now = value(kind, mark, slanted)
                above = tuple(one for one in levels if one[0] < level)
                begins = now == 1 and (not levels or level == levels[-1][0] + 1)
                follows = not behind and any(one[0] == level and one[1] == now - 1 for one in levels)
                if now and (begins or follows):
                    path = (*above, (level, max(now, value(kind, last, slanted)), mark))
                    grown.append((path, [*before, "/".join(one[2] for one in path)]))
        alive = grown
    return [paths for _, paths in alive]


@pytest.mark.measuring_data
@pytest.mark.slow
@pytest.mark.parametrize("title", TITLES)
def test_every_designator_of_a_real_title_is_nested_as_its_order_has_it(measuring_data, title):
    path, numbered, unclear = measuring_data / f"cfr/ecfr/title-{title}.xml", 0, []
    nodes = {node.number: node for node in read(path).root.walk() if node.level == "section"}
    for section in etree.parse(path).iter("DIV8"):
        marks = [mark for paragraph in section.iterchildren("P") for mark in marks_of(paragraph)]
        numbered += bool(marks)
        ways = ways_to_nest(marks)
        if len(ways) == 1 and marks:
            node = nodes[section.get("N")]
            assert [each.locator.removeprefix(f"{node.locator}/") for each in node.anchors] == ways[0], node.number
        elif marks:
            unclear.append(section.get("N"))
    assert len(unclear) <= 1 + numbered // 40, unclear
