"""Reads the opinions of a decided case: CourtListener's and the Caselaw Access Project's JSON, text and HTML.

Syllabus and opinions are parts of the case, each with the reporter's pages, which pin cites name: in texts these are
stars, "*487". What is known of the case besides, its summary, is left as it is.
"""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date

from lxml import etree, html

from retrieval.errors import SourceRefused
from retrieval.parsing.files import formats
from retrieval.parsing.files.plain import decoded
from retrieval.parsing.tree import Node, PageStart, SourceDocument, iso_day, unused_locator

REPORTER = re.compile(r"\b(\d{1,3})\s+U\.\s?S\.\s+(\d{1,4})\b")
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
    """The case in a file. Raises SourceRefused where it names no page of the United States Reports."""
    if filename.lower().endswith(".json"):
        try:
            row = json.loads(content)
        except ValueError as error:
            raise SourceRefused("The file is not JSON.") from error
        if not is_opinion(row):
            raise SourceRefused("The file holds no case of CourtListener or the Caselaw Access Project.")
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
    return case_of(name, locator_of(row), day_of(decided), opinions, url=url)


def locator_of(row: dict) -> str:
    return locator_in("; ".join(citation_of(each) for each in row.get("citations") or ()))


def citation_of(said: object) -> str:
    """CAP's "cite", CourtListener's volume, reporter and page, or what is written out."""
    if isinstance(said, dict):
        return said.get("cite") or " ".join(str(said.get(part)) for part in ("volume", "reporter", "page"))
    return str(said)


def locator_in(text: str) -> str:
    cited = REPORTER.search(text)
    if cited is None:
        raise SourceRefused("The case names no page of the United States Reports, such as 347 U.S. 483.")
    return f"/us/scotus/{cited[1]}/{cited[2]}"


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
            raise SourceRefused("An opinion of the case has no text: only its address is given.")
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
    name = REPORTER.split(name)[0].strip(" ,(")
    said = re.search(r"Decided:?\s+(\w+)\.?\s+(\d{1,2}),\s+(\d{4})", front)
    decided = spelled_day(said) if said else None
    return case_of(name[:300], locator_in(front), decided, list(divided(lines)))


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


def case_of(
    name: str, locator: str, decided: date | None, opinions: list[Opinion], *, url: str = ""
) -> SourceDocument:
    first = int(locator.rpartition("/")[2])
    used: set[str] = set()
    parts = tuple(
        part_of(each, f"{locator}/opinion", first, decided, used) for each in opinions if each.text.strip()
    )
    if not parts:
        raise SourceRefused("The case has no opinion with words.")
    whole = Node(
        level="opinion", heading="Opinions", locator=f"{locator}/opinion", children=parts, valid_from=decided
    )
    root = Node(
        level="case", heading=name, locator=locator, children=(whole,), valid_from=decided, given=False
    )
    return SourceDocument(
        title=name, language="en", identifier=locator, root=root, source_url=url, scope=(whole.locator,)
    )


def part_of(opinion: Opinion, above: str, first: int, decided: date | None, used: set[str]) -> Node:
    text, pages = paged(opinion.text, first)
    heading = opinion.kind.capitalize() + (f" ({author})" if (author := opinion.author.strip(" .,")) else "")
    return Node(
        level=opinion.kind,
        heading=heading[:300],
        locator=unused_locator(f"{above}/{opinion.kind.replace(' ', '-')}", used),
        text=text,
        pages=pages,
        valid_from=decided,
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
