"""Reads the published pages of the USCIS Policy Manual: a volume, its parts and chapters, and their headed sections.

A page says by its own address which place it is: /policy-manual/volume-7-part-a-chapter-1. Footnotes stand as notes
beside the section that refers to them; lists of links are left out.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime

from lxml import etree, html

from retrieval.errors import SourceRefused, gettext_noop
from retrieval.parsing.files.blocks import Block, single_spaced
from retrieval.parsing.files.html import blocks_of, text_of
from retrieval.parsing.files.structure import slug
from retrieval.parsing.references import in_notes
from retrieval.parsing.tree import Node, SourceDocument, unused_locator

PREFIX = "/us/uscis-pm"
ADDRESS = re.compile(
    r"/policy-manual/(volume-(?P<volume>\d+)(?:-part-(?P<part>[a-z])(?:-chapter-(?P<chapter>\d+))?)?)(?=[\"'?#/]|$)"
)
OWN = re.compile(rb"<(?:link|meta)[^>]{0,300}(?:canonical|og:url)[^>]{0,300}>", re.I)
LINKED = re.compile(rb"/policy-manual/(volume-\d+-part-[a-z](?:-chapter-\d+)?)(?=[\"'?#])")
TITLE = re.compile(r"(?:Volume|Part|Chapter)\s+(\w+)\s*[-–—:]\s*(.+)", re.S)
NUMBERED = re.compile(r"([A-Z]|\d{1,2}|[a-z]|[ivx]{1,4})\.\s+(.+)", re.S)
MARK = re.compile(r"\[(\d{1,3})\]")
FOOTNOTE = re.compile(r"\[\^?\s*(\d{1,3})\]\s*(.+)", re.S)
CURRENT = re.compile(r"\b(?:current as of|last updated:?)\s+([A-Z][a-z]+ \d{1,2}, \d{4})", re.I)
EFFECTIVE = re.compile(r"(?:effective(?: date:?| as of| on)?)\s+([A-Z][a-z]+ \d{1,2}, \d{4})\.?", re.I)
BESIDE = {"resources", "updates", "related links", "legal authorities", "forms", "appendices", "history"}
LEVELS = ("volume", "part", "chapter")


@dataclass(frozen=True, slots=True)
class Page:
    """Where a page stands, from the outermost level, what is above it by name, and what it says."""

    place: tuple[str, ...]
    heading: str
    above: Mapping[str, str]
    blocks: tuple[Block, ...]
    current: date | None
    url: str


@dataclass(slots=True)
class Part:
    """A headed section while it is read."""

    level: int
    number: str
    heading: str
    locator: str
    lines: list[str] = field(default_factory=list)
    parts: list["Part"] = field(default_factory=list)


# -- Which pages there are


def place_of(content: bytes) -> tuple[str, ...]:
    """("7", "a", "1") by the page's own address; () for a page that is none of the manual's."""
    for tag in OWN.findall(content[: 2**18]):
        if match := ADDRESS.search(tag.decode(errors="replace")):
            return tuple(match[level] for level in LEVELS if match[level])
    return ()


def grouped(pages: Iterable[tuple[str, bytes]]) -> list[tuple[str, ...]]:
    """The names of pages that are one document: those of a volume that is whole, else each page by itself, in the
    order of the manual. What is no page of a place is left out.
    """
    places, linked = {}, {}
    for name, content in pages:
        if place := place_of(content):
            places[name] = place
            linked[place] = {found.decode() for found in LINKED.findall(content)}
    groups: list[tuple[str, ...]] = []
    for volume in sorted({place[0] for place in places.values()}, key=int):
        names = sorted(
            (n for n, place in places.items() if place[0] == volume), key=lambda n: in_order(places[n])
        )
        given = {address_of(places[name]) for name in names}
        wanted = {to for name in names for to in linked[places[name]] if re.match(rf"volume-{volume}\b", to)}
        whole = (volume,) in places.values() and wanted <= given
        groups += [tuple(names)] if whole else [(name,) for name in names]
    return groups


def in_order(place: tuple[str, ...]) -> tuple:
    """A volume, then its parts by letter, the chapters of each by number."""
    return (*place[:2], *(int(chapter) for chapter in place[2:]))


def address_of(place: Sequence[str]) -> str:
    return "-".join(f"{level}-{number}" for level, number in zip(LEVELS, place, strict=False))


def locator_of(place: Sequence[str]) -> str:
    steps = (("v", str), ("p", str.upper), ("ch", str))
    return "/".join(
        [PREFIX, *(f"{sign}{cased(each)}" for (sign, cased), each in zip(steps, place, strict=False))]
    )


# -- One page


def read_page(content: bytes) -> Page:
    """Raises SourceRefused for what is no page of the manual, or has no heading."""
    place = place_of(content)
    try:
        root = html.document_fromstring(text_of(content))
    except (etree.ParserError, etree.XMLSyntaxError, ValueError) as error:
        raise SourceRefused(gettext_noop("A page of the Policy Manual cannot be read as HTML.")) from error
    heading = next((single_spaced(each.text_content()) for each in root.iter("h1")), "")
    if not place or not heading:
        raise SourceRefused(
            gettext_noop("This is no page of the USCIS Policy Manual: it names no volume, or has no heading.")
        )
    said = single_spaced(root.text_content())
    above = {}
    for step in root.xpath("//*[contains(@class, 'breadcrumb')]//*[self::a or self::li or self::span]"):
        if match := TITLE.fullmatch(words := single_spaced(step.text_content())):
            above[words.split()[0].lower()] = match[2]
    day = CURRENT.search(said)
    body = next(iter(root.xpath("//main | //article | //*[@role='main']")), root.body)
    drop_links(body)
    blocks = blocks_of(html.tostring(body, encoding="unicode")).blocks
    title = TITLE.fullmatch(heading)
    first = next((n for n, each in enumerate(blocks) if each.text == heading), -1)
    url = f"https://www.uscis.gov/policy-manual/{address_of(place)}"
    return Page(
        place, title[2] if title else heading, above, blocks[first + 1 :], day and parsed_day(day[1]), url
    )


def drop_links(body: html.HtmlElement) -> None:
    """Takes out lists that only lead to other pages of the manual, and what crumbs lead here."""
    for crumbs in body.xpath(".//*[contains(@class, 'breadcrumb')]"):
        crumbs.drop_tree()
    for item in body.xpath(".//li[.//a[contains(@href, '/policy-manual/')]]"):
        links = "".join("".join(link.itertext()) for link in item.iter("a"))
        if single_spaced(item.text_content()) == single_spaced(links):
            item.drop_tree()


def parsed_day(said: str) -> date:
    try:
        return datetime.strptime(said, "%B %d, %Y").date()
    except ValueError as error:
        raise SourceRefused(gettext_noop("“%(words)s” is not a date."), words=said) from error


# -- Its sections


def node_of(page: Page, children: tuple[Node, ...] = ()) -> Node:
    """The place of a page with its headed sections, and the places below it."""
    body, footnotes = divided(page.blocks)
    effective = next((match for each in body[:4] if (match := EFFECTIVE.fullmatch(each.text))), None)
    top = Part(1, page.place[-1].upper(), page.heading, locator_of(page.place))
    fill(
        top,
        [each for each in body if not (effective and each.text == effective[0]) and not is_date(each.text)],
    )
    node = built(top, LEVELS[len(page.place) - 1], footnotes, page.url)
    if effective:
        node = dated(node, parsed_day(effective[1]))
    return replace(node, children=(*node.children, *children))


def dated(node: Node, day: date) -> Node:
    return replace(node, valid_from=day, children=tuple(dated(child, day) for child in node.children))


def is_date(text: str) -> bool:
    """Of the whole manual: no part of what a section says."""
    return CURRENT.fullmatch(text.rstrip(".")) is not None


def divided(blocks: Sequence[Block]) -> tuple[list[Block], dict[str, str]]:
    """The blocks of the text, and the footnotes by number; what stands beside them is left out."""
    body: list[Block] = []
    notes: dict[str, str] = {}
    where, last = "text", ""
    for block in blocks:
        title = block.text.casefold().rstrip(":")
        if block.level and (title == "footnotes" or title in BESIDE):
            where = "footnotes" if title == "footnotes" else "beside"
        elif where == "text":
            body.append(block)
        elif where == "footnotes" and (match := FOOTNOTE.fullmatch(block.text)):
            last = match[1]
            notes[last] = match[2]
        elif where == "footnotes" and last:
            notes[last] += f"\n{block.text}"
    return body, notes


def fill(top: Part, blocks: Iterable[Block]) -> None:
    """Puts each block under the heading above it; a heading opens below the last one of a higher level."""
    path, used = [top], {top.locator}
    for block in blocks:
        if not block.level:
            path[-1].lines.append(block.text)
            continue
        while len(path) > 1 and path[-1].level >= block.level:
            path.pop()
        heading = MARK.sub("", block.text).strip()
        match = NUMBERED.fullmatch(heading)
        number, name = (match[1], match[2]) if match else ("", heading)
        step = number or slug(name)[:40].strip("-.") or "section"
        part = Part(block.level, number, name, unused_locator(f"{path[-1].locator}/{step}", used))
        part.lines += [mark[0] for mark in MARK.finditer(block.text)]
        path[-1].parts.append(part)
        path.append(part)


def built(part: Part, level: str, footnotes: Mapping[str, str], url: str) -> Node:
    said = "\n".join(part.lines)
    notes = tuple(f"{n} {footnotes[n]}" for n in dict.fromkeys(MARK.findall(said)) if n in footnotes)
    reserved = bool(re.search(r"\[Reserved\]|^Reserved$", part.heading)) or said.strip() == "[Reserved]"
    return Node(
        level=level,
        heading=part.heading,
        locator=part.locator,
        number=part.number,
        text="\n".join(filter(None, (unmarked(line, footnotes) for line in part.lines))),
        children=tuple(built(each, "section", footnotes, url) for each in part.parts),
        refs=tuple(in_notes(notes)),
        notes=notes,
        source_url=url,
        status="reserved" if reserved and not part.parts else "",
    )


def unmarked(line: str, footnotes: Mapping[str, str]) -> str:
    """Without the marks of its footnotes, which would part words from their stops."""
    return MARK.sub(lambda mark: "" if mark[1] in footnotes else mark[0], line).strip()


# -- A volume


def read(contents: Sequence[bytes]) -> SourceDocument:
    """The pages of a whole volume, or one page of it. Raises SourceRefused."""
    pages = {page.place: page for page in map(read_page, contents)}
    (number,) = {place[0] for place in pages}
    whole = len(pages) > 1
    parts = sorted({place[:2] for place in pages if len(place) > 1})
    root = volume_of(pages, number, tuple(part_of(pages, place) for place in parts))
    title = f"USCIS Policy Manual, Volume {number}"
    days = [page.current for page in pages.values() if page.current]
    edition = max(days, default=None)
    return SourceDocument(
        title=f"{title}: {root.heading}" if root.heading else title,
        language="en",
        identifier=root.locator,
        root=root,
        source_url=f"https://www.uscis.gov/policy-manual/volume-{number}",
        publication=f"Current as of {edition:%B} {edition.day}, {edition.year}" if edition else "",
        scope=None if whole else tuple(locator_of(place) for place in pages if len(place) > 1),
        edition=edition,
    )


def volume_of(pages: Mapping[tuple, Page], number: str, parts: tuple[Node, ...]) -> Node:
    return node_of(pages[(number,)], parts) if (number,) in pages else standing_above(pages, (number,), parts)


def part_of(pages: Mapping[tuple, Page], place: tuple[str, ...]) -> Node:
    below = sorted((each for each in pages if len(each) == 3 and each[:2] == place), key=in_order)
    chapters = tuple(node_of(pages[each]) for each in below)
    return node_of(pages[place], chapters) if place in pages else standing_above(pages, place, chapters)


def standing_above(pages: Mapping[tuple, Page], place: tuple[str, ...], children: tuple[Node, ...]) -> Node:
    """A level whose own page is not given, named as the pages below it name it."""
    level = LEVELS[len(place) - 1]
    below = (page.above for each, page in pages.items() if each[: len(place)] == place)
    heading = next((above[level] for above in below if level in above), "")
    return Node(
        level=level,
        heading=heading,
        locator=locator_of(place),
        number=place[-1].upper(),
        children=children,
        given=False,
    )
