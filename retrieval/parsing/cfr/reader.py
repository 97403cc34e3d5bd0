"""Reads regulations into a tree from title to section and appendix.

An annual file holds one part, and names the title, chapter and subchapter above, or a volume: some parts of a title.
The eCFR's holds a whole title.
"""

import re
from calendar import month_name
from collections.abc import Iterator
from dataclasses import replace
from datetime import date
from io import BytesIO
from pathlib import Path

from lxml import etree

from retrieval.errors import SourceRefused, gettext_noop
from retrieval.parsing.cfr.content import Content, plain, write
from retrieval.parsing.designators import REGULATION, anchors_of
from retrieval.parsing.references import in_notes, in_regulation
from retrieval.parsing.tree import Node, SourceDocument, iso_day, unused_locator
from retrieval.parsing.uslm.elements import SAFELY, check_entities, hyphenated

LEVELS = {
    "TITLE": "title", "SUBTITLE": "subtitle", "CHAPTER": "chapter", "SUBCHAP": "subchapter", "PART": "part",
    "SUBPART": "subpart", "SUBJGRP": "subject group", "SECTION": "section", "APPENDIX": "appendix",
}  # fmt: skip
STEPS = {"title": "t", "subtitle": "st", "chapter": "ch", "subchapter": "sch", "part": "pt", "subpart": "spt"}
ROOTS = {"ECFR", "CFRGRANULE", "CFRDOC"}
DIVISIONS = {"title", "subtitle", "chapter", "subchapter"}  # volumes hold some of their parts
APART = {"REVTXT", "FMTR", "BMTR"}  # words to come, in a note; a volume's pages before and behind the law
LEAVES = {"section", "appendix"}
NAMED_BY = {"HEAD", "SECTNO", "SUBJECT", "RESERVED"}  # what names a level is no text of it

RESERVED = re.compile(r"\s*\[Reserved\]\s*", re.I)


def is_regulation(root: str) -> bool:
    return root in ROOTS


def read(source: Path | bytes) -> SourceDocument:
    """The title, or part of one, in a file. SourceRefused where it is not well-formed.

    Sections are turned into nodes as they end and their elements dropped, so memory grows with the text.
    """
    file = BytesIO(source) if isinstance(source, bytes) else str(source)
    events = etree.iterparse(file, ("start", "end"), **SAFELY)
    try:
        reader = read_sections(events)
    except etree.XMLSyntaxError as error:
        raise SourceRefused(
            gettext_noop("The file is not well-formed XML: %(why)s."), why=error.msg
        ) from error
    read_as = {"CFRGRANULE": annual, "CFRDOC": volume}.get(events.root.tag, current)
    document = read_as(events.root, reader)
    if not any(node.level in LEAVES or node.text for node in document.root.walk()):
        raise SourceRefused(gettext_noop("The file holds no sections."))
    return document


def read_sections(events: etree.iterparse) -> "Reader":
    """Reads the file to its end, its sections already into nodes; a note may quote a section, which is none."""
    reader, inside = None, 0
    for event, element in events:
        level = level_of(element)
        if event == "start":
            if element.getparent() is None:
                check_entities(element)
            inside += level == "section" or element.tag in APART
            if reader is None and (element.get("TYPE") == "TITLE" or element.tag == "PART"):
                reader = Reader(f"/us/cfr/t{title_number(element)}")
        elif level == "section" or element.tag in APART:
            inside -= 1
            if not inside and level == "section" and reader is not None:
                reader.done[element] = reader.node(element, reader.title)
                element.clear(keep_tail=True)
    if reader is None:
        raise SourceRefused(gettext_noop("The file holds no title and no part of one."))
    return reader


def title_number(element: etree._Element) -> str:
    """As the level says it, or what a part or a volume says of itself."""
    root = element.getroottree().getroot()
    said = element.get("N") or root.findtext("FDSYS/CFRTITLE") or root.findtext("FMTR/TITLEPG/TITLENUM") or ""
    if (number := re.search(r"\d+", said)) is None:
        raise SourceRefused(gettext_noop("The file does not say of which title it is."))
    return number[0]


def current(root: etree._Element, reader: "Reader") -> SourceDocument:
    """The eCFR's, as amended up to the day that its volumes name."""
    days = sorted(volume.get("AMDDATE") for volume in root.iter("VOLUME") if volume.get("AMDDATE"))
    edition = iso_day(days[-1]) if days else None
    title = next(reader.node(each, reader.title) for each in root if level_of(each))
    publication = f"eCFR, as amended to {edition}" if edition else "eCFR"
    return SourceDocument(
        title=title.heading, language="en", identifier=title.locator, root=title, publication=publication,
        edition=edition, source_url=f"https://www.ecfr.gov/current/title-{title.number}",
    )  # fmt: skip


def annual(root: etree._Element, reader: "Reader") -> SourceDocument:
    """A part as it stood on the day of its edition."""
    said = {each.tag: plain(each) for each in root.iterfind("FDSYS/*")}
    edition = iso_day(said.get("DATE"))
    whole = reader.node(root.find("PART"), reader.title)
    top = whole
    for above in reversed(above_part(root, reader.title)):
        top = replace(above, children=(top,))
    publication = f"Code of Federal Regulations, edition of {edition}" if edition else ""
    return SourceDocument(
        title=said.get("CFRTITLETEXT", ""), language="en", identifier=reader.title, root=top,
        publication=publication, edition=edition, scope=(whole.locator,),
    )  # fmt: skip


def volume(root: etree._Element, reader: "Reader") -> SourceDocument:
    """Parts of a title as they stood on the day of its edition. Of a part that is divided between volumes, "Part 60
    (Appendices)", it is whole in its sections and appendices alone, and its share is named as it names it.
    """
    page = {each.tag: plain(each) for each in reversed(root.findall("FMTR/TITLEPG/*"))}
    edition = spelled_day(page.get("REVISED") or page.get("DATE", ""))
    if (law := root.find("TITLE")) is None:
        raise SourceRefused(gettext_noop("The volume holds no title."))
    title, holds = named_above(reader.node(law, reader.title)), page.get("PARTS", "")
    divided = "(" in holds
    shares = tuple(f"{node.locator}/{holds}" for node in title.walk() if divided and node.level == "part")
    publication = f"Code of Federal Regulations, edition of {edition}" if edition else ""
    return SourceDocument(
        title=title.heading or page.get("SUBJECT", ""), language="en", identifier=reader.title, root=title,
        publication=publication, edition=edition, scope=tuple(whole_in(title, divided=divided)), shares=shares,
    )  # fmt: skip


def spelled_day(text: str) -> date | None:
    """ "Revised as of July 1, 2016"."""
    said = re.search(rf"\b({'|'.join(month_name[1:])}) (\d{{1,2}}), (\d{{4}})", text)
    return date(int(said[3]), [*month_name].index(said[1]), int(said[2])) if said else None


def named_above(node: Node) -> Node:
    """The levels above the parts of a volume, other parts of which are in others."""
    if node.level not in DIVISIONS:
        return node
    return replace(node, given=False, children=tuple(map(named_above, node.children)))


def whole_in(node: Node, *, divided: bool) -> Iterator[str]:
    """The places below which a volume is whole."""
    if node.level in DIVISIONS or (divided and node.level not in LEAVES):
        for child in node.children:
            yield from whole_in(child, divided=divided)
    else:
        yield node.locator


def above_part(root: etree._Element, identifier: str) -> list[Node]:
    """Title, chapter and subchapter as the file names them, outermost first."""
    found, locator = [], ""
    for parent in root.iterfind("FDSYS/ANCESTORS/PARENT"):
        word, _, number = (parent.get("HEADING") or "").partition(" ")
        level = LEVELS.get(word.upper().replace("SUBCHAPTER", "SUBCHAP"))
        if level is None:
            continue
        locator = identifier if level == "title" else f"{locator}/{STEPS[level]}{hyphenated(number)}"
        heading, number = plain(parent), hyphenated(number)
        found.append(Node(level=level, number=number, heading=heading, locator=locator, given=False))
    return found


def level_of(element: etree._Element) -> str:
    return LEVELS.get(element.get("TYPE", "") if re.fullmatch(r"DIV\d", element.tag) else element.tag, "")


class Reader:
    """One reading of one title."""

    def __init__(self, title: str):
        self.title = title
        self.used: set[str] = set()
        self.done: dict[etree._Element, Node] = {}

    def node(self, element: etree._Element, above: str) -> Node:
        if element in self.done:
            return self.done[element]
        level = level_of(element)
        number, heading = named(element, level)
        locator = unused_locator(self.locator(level, number, heading, above), self.used)
        content = Content()
        children = tuple(self.children(element, locator, content))
        text = content.text()
        is_reserved = bool(RESERVED.search(heading)) or is_marked_reserved(element)
        heading = RESERVED.sub("", heading).strip() or ("Reserved" if is_reserved else "")
        return Node(
            level=level,
            number=number,
            heading=heading,
            locator=locator,
            text=text,
            anchors=anchors_of(text, locator, REGULATION, content.designators())
            if level == "section"
            else (),
            refs=(*in_regulation(text, self.title), *in_notes(content.notes)),
            children=children,
            notes=tuple(content.notes),
            status="reserved" if is_reserved and not text else "",
        )

    def children(self, element: etree._Element, locator: str, content: Content) -> Iterator[Node]:
        """The levels below; what else there is goes to `content`."""
        heads = (each for each in element if each.tag in ("HEAD", "HD"))
        name = None if level_of(element) == "section" else next(heads, None)
        for child in element:
            if child in self.done or level_of(child):
                yield self.node(child, locator)
            elif child.tag not in NAMED_BY and child is not name:
                write(child, content)

    def locator(self, level: str, number: str, heading: str, above: str) -> str:
        """A section is found by its number alone, a part by its own, whatever the chapter."""
        part = re.match(rf"{self.title}/pt[^/]+", above)
        if level == "title":
            return self.title
        if level == "section":
            return f"{self.title}/s{number}"
        if level == "part":
            return f"{self.title}/pt{number}"
        if level == "appendix":
            subpart = re.search(r"\bto Subpart (\w+)\b", heading, re.I)
            within = part[0] if part else above
            return f"{within}{f'/spt{subpart[1]}' if subpart else ''}/app{number}"
        if level == "subject group":
            words = re.sub(r"[^a-z0-9]+", "-", heading.lower()).strip("-")[:60].strip("-")
            return f"{above}/sg-{words or 'other'}"
        return f"{above}/{STEPS[level]}{number}"


def is_marked_reserved(element: etree._Element) -> bool:
    return any(child.tag == "RESERVED" for child in element)


def named(element: etree._Element, level: str) -> tuple[str, str]:
    """The number and heading of a level."""
    if level == "section":
        return section_name(element)
    heads = [*(each for each in element if each.tag in ("HEAD", "HD")), *element.iterfind("TOC//HD")]
    heads += element.iterfind("CFRTITLE//HD")
    head = re.sub(r"\s*\(continued\)$", "", plain(heads[0]), flags=re.I) if heads else ""
    if level == "subject group":
        return "", head
    if level == "appendix":
        said = element.get("N") or head
        match = re.match(r"(?:Appendix|App\.)\s+([\w.-]+)\s+(?:to|of)\b", said, re.I)
        name = "" if match is None or match[1].lower() in ("to", "of") else match[1]
        return hyphenated(name), head
    match = re.match(r"\s*[A-Za-z]+s?\s+([\w.–-]+)\s*(?:—|-{2}|(?=\[)|$)\s*(.*)", head)
    number = element.get("N") or (match[1] if match else "")
    return hyphenated(number), match[2] if match else head


def section_name(element: etree._Element) -> tuple[str, str]:
    """ "§ 3.1 Definitions." is 3.1, Definitions."""
    head = next((plain(each) for each in element if each.tag == "HEAD"), "")
    if head:
        number = hyphenated(element.get("N") or "")
        heading = re.sub(r"^§+\s*[\w.–-]+(?:\s*(?:through|and|to)\s+[\w.–-]+)?\s*", "", head)
        return re.sub(r"^§+\s*", "", number), heading.rstrip(". ")
    said = next((plain(each) for each in element if each.tag == "SECTNO"), "")
    number = re.sub(r"[^\w.-]+", "-", hyphenated(re.sub(r"^§+\s*", "", said).replace("—", "-"))).strip("-.")
    subject = next((plain(each) for each in element if each.tag == "SUBJECT"), "")
    return number, (subject or ("[Reserved]" if is_marked_reserved(element) else "")).rstrip(". ")
