"""Where bodies of law are published, and which files a publisher's pages lead to. Reads fetched files; no other I/O.

Every publisher is walked in one way: its first page, what that leads to, and so on; then the files are ingested.
"""

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from urllib.parse import parse_qsl, urlencode, urljoin, urlsplit

from lxml import etree, html

from retrieval.errors import SourceRefused, gettext_noop
from retrieval.parsing.policy_manual import address_of, place_of

BEGINNINGS = {
    "zip": rb"PK\x03\x04",
    "xml": rb"\s*<(?!!doctype html|html)",
    "json": rb"\s*[{\[]",
    "html": rb"\s*<",
}


@dataclass(frozen=True, slots=True)
class Wanted:
    """A file of a publisher. `edition`: the day from which it holds, "" where it does not tell. A `leaf` is not looked
    into for what it leads to; what `leads` on is no source itself.
    """

    name: str
    url: str
    kind: str
    edition: str = ""
    leaf: bool = True
    leads: bool = False


@dataclass(frozen=True, slots=True)
class Asked:
    """What of a publisher is wanted: some titles, or all where none is named; cases decided since a day."""

    titles: tuple[str, ...] = ()
    since: str = ""


@dataclass(frozen=True, slots=True)
class Source:
    """What is ingested at once: a file or a folder. `whole`: all that the domain holds should be in it."""

    path: Path
    edition: str = ""
    whole: bool = False


class Publisher:
    """One file at its own address: what any domain's source may be."""

    narrowed_by = ""  # the field of Asked that it heeds
    crawls = False  # robots.txt is asked, and pages are kept to be asked for again

    def first(self, address: str, asked: Asked) -> Wanted:
        name = re.sub(r"[^\w.@-]+|^\.+", "_", Path(urlsplit(address).path).name) or "source"
        return Wanted(name, address, name.rpartition(".")[2].lower())

    def following(self, wanted: Wanted, content: bytes, asked: Asked) -> Iterator[Wanted]:
        """The files that a page leads to. Raises SourceRefused where it is no such page."""
        return iter(())

    def check(self, wanted: Wanted, content: bytes) -> None:
        """Raises SourceRefused for a page that is not the one asked for."""

    def sources(self, folder: Path, files: list[Wanted]) -> list[Source]:
        """What to ingest of the files that are new."""
        return [Source(folder / each.name, each.edition) for each in files if not each.leads]


class UsCode(Publisher):
    """The Office of the Law Revision Counsel: a page names the current release point and links its titles."""

    narrowed_by = "titles"
    RELEASE = re.compile(r"Public\s+Law\s+(\d+)-(\d+)\s*\((\d\d)/(\d\d)/(\d{4})\)")
    TITLE = re.compile(r"xml_usc(All|\d\d[Aa]?)@([\w-]+)\.zip$")

    def first(self, address: str, asked: Asked) -> Wanted:
        return Wanted("release.html", address, "html", leaf=False, leads=True)

    def following(self, wanted: Wanted, content: bytes, asked: Asked) -> Iterator[Wanted]:
        page = parsed(content)
        links = [
            (match[1], match[2], url)
            for url in links_of(page, wanted.url)
            if (match := self.TITLE.search(url))
        ]
        said = self.RELEASE.search(" ".join(page.text_content().split()))
        congress, law, month, day, year = said.groups() if said else ("",) * 5
        edition = f"{year}-{month}-{day}"
        if not links or not is_day(edition):
            raise SourceRefused(
                gettext_noop("The page of the US Code names no release point with files: its form has changed.")
            )
        chosen = {title.zfill(2 + title.lower().endswith("a")).lower() for title in asked.titles} or {"all"}
        found = {
            name.lower(): (name, url) for name, release, url in links if is_release(release, congress, law)
        }
        if lacking := chosen - found.keys():
            raise SourceRefused(
                gettext_noop("The release point %(congress)s-%(law)s has no title %(titles)s."),
                congress=congress,
                law=law,
                titles=", ".join(sorted(lacking)),
            )
        for name in sorted(chosen):
            yield Wanted(f"usc{found[name][0]}.zip", found[name][1], "zip", edition)

    def sources(self, folder: Path, files: list[Wanted]) -> list[Source]:
        named = super().sources(folder, files)
        return [Source(each.path, each.edition, whole="All" in each.path.name) for each in named]


def is_release(label: str, congress: str, law: str) -> bool:
    """119-102not101 is release point 119-102 without one law."""
    return re.match(rf"{congress}-{law}(?!\d)", label) is not None


class Ecfr(Publisher):
    """The eCFR's versioner: a list of titles with the day of each one's last issue, and a title on a day."""

    narrowed_by = "titles"

    def first(self, address: str, asked: Asked) -> Wanted:
        return Wanted("titles.json", address, "json", leaf=False, leads=True)

    def following(self, wanted: Wanted, content: bytes, asked: Asked) -> Iterator[Wanted]:
        titles = {str(each["number"]): each for each in rows_of(content, "titles", ("number",))}
        if lacking := set(asked.titles) - titles.keys():
            raise SourceRefused(
                gettext_noop("The eCFR has no title %(titles)s."), titles=", ".join(sorted(lacking))
            )
        for number, title in titles.items():
            day = title.get("latest_issue_date") or title.get("up_to_date_as_of")
            if title.get("reserved") or not day or (asked.titles and number not in asked.titles):
                continue
            if title.get("processing_in_progress"):
                raise SourceRefused(
                    gettext_noop("The eCFR is about to publish title %(number)s: fetch it later."),
                    number=number,
                )
            if not is_day(day):
                raise unknown_form("latest_issue_date")
            url = urljoin(wanted.url, f"full/{day}/title-{number}.xml")
            yield Wanted(f"title-{number}.xml", url, "xml", day)


class CourtListener(Publisher):
    """The Free Law Project's API: pages of decided cases, and of each its opinions."""

    narrowed_by = "since"

    def first(self, address: str, asked: Asked) -> Wanted:
        place = urlsplit(address)
        query = dict(parse_qsl(place.query)) | ({"date_filed__gte": asked.since} if asked.since else {})
        url = place._replace(query=urlencode(query)).geturl()
        return Wanted("cases-1.json", url, "json", leaf=False, leads=True)

    def following(self, wanted: Wanted, content: bytes, asked: Asked) -> Iterator[Wanted]:
        for case in rows_of(content, "results", ("id", "sub_opinions")):
            if is_reported(case):
                for address in opinions_of(case):
                    number = re.sub(r"\D+", "", urlsplit(address).path.partition("/opinions/")[2])
                    url = urljoin(wanted.url, address)
                    yield Wanted(f"opinion-{number}.json", url, "json", leads=True)
        if following := json.loads(content).get("next"):
            count = int(re.sub(r"\D", "", wanted.name)) + 1
            yield Wanted(
                f"cases-{count}.json", urljoin(wanted.url, following), "json", leaf=False, leads=True
            )

    def sources(self, folder: Path, files: list[Wanted]) -> list[Source]:
        """A case a line, its opinions in place of their addresses."""
        path = folder / "cases.jsonl"
        with path.open("w", encoding="utf-8") as lines:
            for page in (each for each in files if not each.leaf):
                for case in json.loads((folder / page.name).read_bytes())["results"]:
                    if is_reported(case):
                        lines.write(json.dumps(with_opinions(case, folder)) + "\n")
        return [Source(path)] if path.stat().st_size else []


def is_reported(case: dict) -> bool:
    """Whether it has its page in the United States Reports, by which cases are placed."""
    said = (each for each in case.get("citations") or () if isinstance(each, dict))
    return any(str(each.get("reporter")) == "U.S." for each in said)


def opinions_of(case: dict) -> list[str]:
    return [each for each in case["sub_opinions"] if isinstance(each, str)]


def with_opinions(case: dict, folder: Path) -> dict:
    numbers = [
        re.sub(r"\D+", "", urlsplit(each).path.partition("/opinions/")[2]) for each in opinions_of(case)
    ]
    return case | {"sub_opinions": [json.loads((folder / f"opinion-{n}.json").read_bytes()) for n in numbers]}


class PolicyManual(Publisher):
    """The USCIS Policy Manual: pages that link volumes, their parts and chapters."""

    narrowed_by = "titles"
    crawls = True
    PAGE = re.compile(r"/policy-manual(/volume-\d+(-part-[a-z](-chapter-\d+)?)?)?$")

    def first(self, address: str, asked: Asked) -> Wanted:
        return Wanted("policy-manual.html", address, "html", leaf=False)

    def following(self, wanted: Wanted, content: bytes, asked: Asked) -> Iterator[Wanted]:
        place = urlsplit(wanted.url)
        pages = [
            urlsplit(url)._replace(query="", fragment="") for url in links_of(parsed(content), wanted.url)
        ]
        known = (page for page in pages if page.netloc == place.netloc and self.PAGE.search(page.path))
        found = {page.geturl() for page in known}
        if not wanted.leaf and "volume" not in wanted.name and not any("/volume-" in url for url in found):
            raise SourceRefused(gettext_noop("The page of the Policy Manual links no volumes: its form has changed."))
        volumes = [f"/volume-{title}" for title in asked.titles]
        for url in sorted(found):
            path = urlsplit(url).path
            if not volumes or any(re.search(rf"{volume}(?!\d)", path) for volume in volumes):
                yield Wanted(f"{Path(path).name}.html", url, "html", leaf="-chapter-" in path)

    def check(self, wanted: Wanted, content: bytes) -> None:
        said = address_of(place_of(content))
        if "volume" in wanted.name and f"{said}.html" != wanted.name:
            raise SourceRefused(
                gettext_noop("%(address)s is not that page of the Policy Manual: nothing was changed."),
                address=wanted.url,
            )

    def sources(self, folder: Path, files: list[Wanted]) -> list[Source]:
        return [Source(folder)] if files else []


PUBLISHERS = {
    "us_code": UsCode(),
    "code_of_federal_regulations": Ecfr(),
    "supreme_court_cases": CourtListener(),
    "uscis_policy": PolicyManual(),
}


def check_kind(wanted: Wanted, beginning: bytes) -> None:
    """Raises SourceRefused for what is empty, or of another kind than asked for: most often a page that says why."""
    if not beginning.strip():
        raise SourceRefused(gettext_noop("%(name)s is empty: nothing was changed."), name=wanted.name)
    pattern = BEGINNINGS.get(wanted.kind)
    if pattern and not re.match(pattern, beginning.removeprefix(b"\xef\xbb\xbf"), re.I):
        raise SourceRefused(
            gettext_noop("%(name)s is not %(kind)s: the publisher sent something else."),
            name=wanted.name,
            kind=wanted.kind.upper(),
        )


def parsed(content: bytes) -> etree._Element:
    try:
        return html.document_fromstring(content, parser=html.HTMLParser(no_network=True, encoding="utf-8"))
    except (etree.ParserError, etree.XMLSyntaxError, ValueError) as error:
        raise SourceRefused(gettext_noop("The publisher's page cannot be read.")) from error


def links_of(page: etree._Element, address: str) -> Iterator[str]:
    return (urljoin(address, link) for link in page.xpath("//a/@href"))


def rows_of(content: bytes, name: str, fields: Iterable[str]) -> list[dict]:
    """The rows of an answer in JSON. Raises SourceRefused for one in another form, or without any."""
    try:
        rows = json.loads(content)[name]
        if all(field in row for row in rows for field in fields):
            return list(rows)
    except (ValueError, KeyError, TypeError):
        pass
    raise unknown_form(name)


def unknown_form(name: str) -> SourceRefused:
    return SourceRefused(
        gettext_noop("The publisher's answer holds no %(name)s of the form that is known."), name=name
    )


def is_day(written: object) -> bool:
    try:
        return date.fromisoformat(written).isoformat() == written
    except (TypeError, ValueError):
        return False
