"""Reads the opinions of a decided case of any court: CourtListener's and the Caselaw Access Project's JSON, text, HTML.

Syllabus and opinions are parts of the case, each with the reporter's pages, which pin cites name: in texts these are
stars, "*487". What is known of the case besides, its summary, is left as it is.
"""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date

from lxml import etree, html

from retrieval.citations.citation import Citation, cite
from retrieval.citations.finding import find_citations
from retrieval.citations.reporters import (
    CASE,
    SHORT_NAME,
    UNITED_STATES_REPORTS,
    best,
    cite_case,
    court_named,
)
from retrieval.errors import SourceRefused, gettext_noop
from retrieval.parsing.files import formats
from retrieval.parsing.files.plain import decoded
from retrieval.parsing.tree import Anchor, Node, PageStart, SourceDocument, iso_day, unused_locator

KINDS = (  # of CourtListener ("030concurrence") and CAP, and how a Justice's own opens; the first that fits
    (re.compile(r"syllabus|head", re.I), "syllabus"),
    (re.compile(r"concurr\w*in\W?part|concurring.*dissenting|partial", re.I), "concurrence in part"),
    (re.compile(r"dissent", re.I), "dissent"),
    (re.compile(r"concurr", re.I), "concurrence"),
    (re.compile(r"", re.I), "majority"),
)


@dataclass(frozen=True, slots=True)
class Opinion:
    """One part of a case: what it is, whose, and its text, in which stars begin pages."""

    kind: str
    author: str
    text: str


def is_opinion(row: object) -> bool:
    return isinstance(row, dict) and ("casebody" in row or "sub_opinions" in row)


def read(content: bytes, filename: str) -> SourceDocument:
    """The case in a file. Raises SourceRefused where it names no page of a reporter."""
    if filename.lower().endswith(".json"):
        try:
            row = json.loads(content)
        except ValueError as error:
            raise SourceRefused(gettext_noop("The file is not JSON.")) from error
        if not is_opinion(row):
            raise SourceRefused(gettext_noop("The file holds no case of CourtListener or the Caselaw Access Project."))
        return of_row(row)
    if filename.lower().endswith(".txt"):
        paragraphs = (" ".join(each.split()) for each in re.split(r"\n\s*\n", decoded(content)))
        return of_lines([each for each in paragraphs if each], "")
    blocks = formats.read(content, filename)
    return of_lines([block.text for block in blocks.blocks], blocks.title)


def of_row(row: dict) -> SourceDocument:
    """A case as the Caselaw Access Project or CourtListener gives it."""
    body = row.get("casebody")
    opinions = list(of_cap(body.get("data") or body) if body else of_courtlistener(row))
    name = row.get("name_abbreviation") or row.get("case_name") or row.get("name") or ""
    decided = row.get("decision_date") or row.get("date_filed") or ""
    url = str(row.get("absolute_url") or row.get("frontend_url") or "")
    if url.startswith("/"):
        url = f"https://www.courtlistener.com{url}"
    place, parallel = places_of(row)
    year = re.match(r"\d{4}", str(decided))
    known = Decided(place, court_of(row), int(year[0]) if year else None, day_of(decided), parallel)
    return case_of(name, known, opinions, url=url)


def places_of(row: dict) -> tuple[str, tuple[Citation, ...]]:
    """Where a case is placed, and its other citations."""
    cited = cases_in("; ".join(citation_of(each) for each in row.get("citations") or ()))
    place = best(one.locator for one in cited)
    if not place:
        raise SourceRefused(gettext_noop("The case names no page of a reporter, such as 347 U.S. 483 or 123 F.3d 456."))
    return place, tuple(one for one in cited if one.locator != place)


def cases_in(text: str) -> list[Citation]:
    return [one for one in find_citations(text) if one.locator.startswith((UNITED_STATES_REPORTS, CASE))]


def court_of(row: dict) -> str:
    """As it is cited: what the Caselaw Access Project calls it, or by CourtListener's name for it, which may be the end
    of an address and stand with the docket.
    """
    docket = row["docket"] if isinstance(row.get("docket"), dict) else {}
    for said in (row.get("court"), row.get("court_id"), docket.get("court"), docket.get("court_id")):
        if isinstance(said, dict):
            said = said.get("name_abbreviation") or said.get("citation_string") or said.get("id")
        said = str(said or "")
        if court := court_named(said) or (said if "." in said and "/" not in said else ""):
            return court
    return ""


def citation_of(said: object) -> str:
    """CAP's "cite", CourtListener's volume, reporter and page, or what is written out."""
    if isinstance(said, dict):
        return said.get("cite") or " ".join(str(said.get(part)) for part in ("volume", "reporter", "page"))
    return str(said)


def day_of(said: str) -> date | None:
    """A day; older cases are dated by year or month alone, which is none."""
    return iso_day(said) if re.fullmatch(r"\d{4}-\d\d-\d\d", str(said)) else None


def of_cap(body: dict) -> Iterator[Opinion]:
    if head := body.get("head_matter"):
        yield Opinion("syllabus", "", starred(head))
    for each in body.get("opinions") or ():
        yield Opinion(
            kind_of(each.get("type") or ""), each.get("author") or "", starred(each.get("text") or "")
        )


TEXTS = (
    "html_with_citations", "xml_harvard", "html_columbia", "html_lawbox", "html_anon_2020", "html", "plain_text",
)  # fmt: skip


def of_courtlistener(row: dict) -> Iterator[Opinion]:
    if syllabus := row.get("syllabus") or row.get("headnotes"):
        yield Opinion("syllabus", "", starred(syllabus))
    for each in row["sub_opinions"]:
        text = next((each[name] for name in TEXTS if isinstance(each, dict) and each.get(name)), "")
        if not text:
            raise SourceRefused(gettext_noop("An opinion of the case has no text: only its address is given."))
        kind = kind_of(str(each.get("type") or ""))
        yield Opinion(kind, each.get("author_str") or "", starred(text))


def kind_of(said: str) -> str:
    return next(kind for pattern, kind in KINDS if pattern.search(said))


BLOCKS = {
    *("p", "div", "blockquote", "h1", "h2", "h3", "h4", "li", "tr", "br", "pre", "section"),
    *("author", "footnote", "opinion"),
}


def starred(text: str) -> str:
    """Plain text of what may be HTML: a line a paragraph, a star where a page begins."""
    if not re.search(r"<\w[^>]*>", text):
        return text
    parser = html.HTMLParser(no_network=True, remove_comments=True, remove_pis=True)
    root = html.fromstring(f"<div>{re.sub(r'<[?]xml[^>]*>', '', text)}</div>", parser=parser)
    return "".join(pieces(root))


def pieces(element: etree._Element) -> Iterator[str]:
    block = element.tag in BLOCKS
    label = element.get("label") or element.get("data-label")
    yield "\n" if block else ""
    if is_page(element) and label:
        yield f" *{label} "
    elif is_page(element):
        yield f" {''.join(element.itertext())} "
    else:
        yield " ".join((element.text or "").split("\n"))
        for child in element:
            yield from pieces(child)
            yield " ".join((child.tail or "").split("\n"))
    yield "\n" if block else ""


def is_page(element: etree._Element) -> bool:
    return element.tag == "page-number" or (element.get("class") or "") in ("star-pagination", "page-label")


_JUSTICE = r"(?:MR\. |MRS\. |MS\. )?(?:CHIEF )?JUSTICE [A-Z][\w'’-]+"
_DOES = r"(?:[^.]|\b\w{1,3}\.){0,200}?\b(?:delivered|announced|concurring|dissenting)\b"
OPENING = re.compile(rf"(?:{_JUSTICE}\b{_DOES}|PER CURIAM\b|Syllabus$)", re.I)


def of_lines(lines: list[str], title: str) -> SourceDocument:
    """A case from the lines of its text. Its front says name, citation and date; an opinion opens with its author."""
    front = "\n".join(lines[:30])
    name = next((line for line in (title, *lines[:30]) if re.search(r"\bv\.?\s", line)), title)
    said = re.search(r"Decided:?\s+(\w+)\.?\s+(\d{1,2}),\s+(\d{4})", front)
    decided = spelled_day(said) if said else None
    citing = next((line for line in lines[:30] if cases_in(line)), "")
    place, parallel = places_of({"citations": [citing]})
    cited = cases_in(citing)
    name = name.split(cited[0].text)[0].strip(" ,(")
    told = COURT_AND_YEAR.match(citing, cited[-1].end)
    court, year = (told["court"], int(told["year"])) if told else ("", decided.year if decided else None)
    return case_of(name[:300], Decided(place, court, year, decided, parallel), list(divided(lines)))


COURT_AND_YEAR = re.compile(r"[^()\n]{0,80}\((?P<court>[^()\d]*(?:\d+\w+ Cir\.)?[^()\d]*?)\s?(?P<year>\d{4})\)")
MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")


def spelled_day(said: re.Match[str]) -> date | None:
    month = said[1][:3].lower()
    return date(int(said[3]), MONTHS.index(month) + 1, int(said[2])) if month in MONTHS else None


def divided(lines: list[str]) -> Iterator[Opinion]:
    """What stands before the first opinion is the syllabus."""
    kind, author, held = "syllabus", "", []
    for line in lines:
        if opening := OPENING.match(line.strip()):
            if held:
                yield Opinion(kind, author, "\n".join(held))
            kind, author, held = kind_of(opening[0]), author_of(opening[0]), []
        held.append(line)
    yield Opinion(kind, author, "\n".join(held))


def author_of(opening: str) -> str:
    justice = re.match(_JUSTICE, opening, re.I)
    return justice[0] if justice else ""


@dataclass(frozen=True, slots=True)
class Decided:
    """Where a case stands, by whom and when it was decided, and its other citations."""

    locator: str
    court: str
    year: int | None
    day: date | None
    parallel: tuple[Citation, ...] = ()

    def cited(self, name: str, part: str = "") -> str:
        """Cases of the United States Reports are cited by their locators alone."""
        if self.locator.startswith(UNITED_STATES_REPORTS):
            return ""
        whole = cite_case(name[:SHORT_NAME].strip(), cite(self.locator), self.court, self.year)
        return f"{whole} ({part})" if part else whole


def case_of(name: str, known: Decided, opinions: list[Opinion], *, url: str = "") -> SourceDocument:
    """Its other citations are places in its opinions, so that they lead to it."""
    locator, used = known.locator, set()
    parts = tuple(part_of(name, each, known, used) for each in opinions if each.text.strip())
    if not parts:
        raise SourceRefused(gettext_noop("The case has no opinion with words."))
    whole = Node(
        level="opinion", heading="Opinions", locator=f"{locator}/opinion", children=parts, valid_from=known.day,
        anchors=tuple(Anchor(one.locator, one.normalized, "parallel", 0, 0) for one in known.parallel),
        citation=known.cited(name),
    )  # fmt: skip
    root = Node(
        level="case", heading=name, locator=locator, children=(whole,), valid_from=known.day, given=False,
        citation=known.cited(name),
    )  # fmt: skip
    court = "" if locator.startswith(UNITED_STATES_REPORTS) else known.court
    return SourceDocument(
        title=name, language="en", identifier=locator, root=root, source_url=url, scope=(whole.locator,),
        court=court, year=known.year,
    )  # fmt: skip


def part_of(name: str, opinion: Opinion, known: Decided, used: set[str]) -> Node:
    text, pages = paged(opinion.text, int(known.locator.rpartition("/")[2]))
    heading = opinion.kind.capitalize() + (f" ({author})" if (author := opinion.author.strip(" .,")) else "")
    return Node(
        level=opinion.kind,
        heading=heading[:300],
        locator=unused_locator(f"{known.locator}/opinion/{opinion.kind.replace(' ', '-')}", used),
        text=text,
        pages=pages,
        valid_from=known.day,
        citation=known.cited(name, opinion.kind),
    )


STAR = re.compile(r"\s*\[?\*\s?(\d{1,4})\b\]?\s*")


def paged(text: str, first: int) -> tuple[str, tuple[PageStart, ...]]:
    """The text without its stars, and where each page begins. A number that does not follow is no page."""
    lines = (" ".join(line.split()) for line in text.split("\n"))
    marked = "\n".join(line for line in lines if line)
    written, pages, page, done = "", [(0, first)], first, 0
    for star in STAR.finditer(marked):
        number = int(star[1])
        if not page <= number <= page + 20:
            continue
        written += marked[done : star.start()]
        gap = "\n" if "\n" in star[0] else " "
        written += gap if written else ""
        if pages[-1][0] == len(written):
            pages.pop()
        pages.append((len(written), number))
        page, done = number, star.end()
    return written + marked[done:], tuple(pages)
