"""Every citation in a brief, besides those of `retrieval.citations`: amendments and volumes that there never were,
cases named without their reporter, "Id.", and private documents by their titles. Pure.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from retrieval.briefs.quoting import is_capitalised
from retrieval.citations import constitution
from retrieval.citations.case_names import CaseNames
from retrieval.citations.citation import Citation, Source, cite
from retrieval.citations.finding import LAST_VOLUME, find_citations, unprinted
from retrieval.citations.titled import beside
from retrieval.text.sentences import sentences

CASES = "/us/scotus/"
# Volumes of the U.S. Reports, and about when their first decisions were made; the last is a guess.
PRINTED = (
    (2, 5, 14, 26, 42, 58, 78, 100, 140, 163, 200, 240, 280, 300, 340, 380, 420, 460, 500, 540, 580, 606, 700),
    (1791, 1801, 1816, 1828, 1843, 1855, 1871, 1879, 1891, 1896, 1906, 1916, 1930, 1937, 1950, 1965, 1975, 1983, 1991,
     2003, 2018, 2025, 2050),
)  # fmt: skip
MOST_YEARS = 5  # between these years and that of a decision
CHAMBERS = 1_300  # the page of a volume behind which only opinions of single Justices stand
NEAREST = 6  # citations before "that clause" among which it is looked for
_REPORTED = re.compile(r"/us/scotus/(\d+)/(\d+)")
_IN_CHAMBERS = re.compile(r"[^;]{0,80}\b(?:in chambers|Circuit Justice)\b")
_SHORTENED = re.compile(r"\b([A-Z][a-z]+(?:-[A-Z][a-z]+)?|\d{1,2}(?:st|nd|rd|d|th))\sAm\.(?!\s[A-Z])")
_ID = re.compile(
    r"\b(?:Id|Ibid|id|ibid)\.(?:,?\s(?:(?P<at>at\s\d+(?:[-–]\d+)?)|(?:at\s)?cl\.\s?(?P<clause>\d+)|"
    r"(?:at\s)?(?P<section>§+\s?\w+(?:[.-]\w+)*(?:\([A-Za-z0-9]{1,5}\))*)))?"
)
_AGAIN = re.compile(
    r"\b(?:(?:the|this|that|said)\s+(?:same\s+)?|(?:la|el|est[ae]|es[ae]|dich[ao])\s+(?:mism[ao]\s+)?)"
    r"(?P<kind>amendment|article|clause|section|enmienda|artículo|cláusula|sección)\b"
    r"(?!\s+(?:\d|[IVXLC]+\b|of\b|to\b|de\b|a\b))"
    r"|\b(?P<part>clause|section|cláusula|sección)\s+(?P<number>\d+\w?)(?P<subs>(?:\(\w{1,5}\))*)(?!\w|\s+(?:of|de)\b)"
    r"|(?<![\w.§-])(?P<bare>\d+\w?)(?P<below>(?:\(\w{1,5}\))+)",
    re.IGNORECASE,
)
_STEPS = {"am": "/amendment/", "en": "/amendment/", "ar": "/article/", "cl": "/clause/", "se": "/s"}
_CONST = re.compile(r"const\.?(?:itution|itucion)?(?:'s)?[\s,]*$")
_NAME = re.compile(
    r"(?:(?:[A-Z][\w.'’&-]*|of|the|and|for|de|ex|rel\.?|&)[,\s]\s?){1,12}?v\.?s?\.\s(?:[A-Z][\w.'’&-]*|of|the|and|for|de|&|\s|,(?=\s[A-Z]))+"
    r"|(?:In re|Ex parte)\s(?:[A-Z][\w.'’&-]*\s?)+"
)
# Behind a name: another reporter, the docket of another court, or that court.
_REPORTED_ELSEWHERE = re.compile(
    r"[\w\s.,&'’]{0,60}?(?:,\s*\d{1,4}\s[A-Z]|,\s*Nos?\.\s?\d[\w:-]*(?!.{0,40}\(U\.\s?S\.\s)"
    r"|\((?:[^()]{0,40}\s)?(?:Cir|[NSEWMCD]\.\s?)*(?:Cir|D|App|Ct|Dist|Bankr)\.[^()]{0,30}\b[12]\d{3}\))",
    re.DOTALL,
)
_YEAR = re.compile(
    r"(?:,\s?(?:at\s)?[0-9]{1,4}(?:\s?[-–&,]\s?[0-9]{1,4}){0,3}(?:\s?n\.\s?\d+)?)?\s{0,2}\((?:U\.\s?S\.\s)?(?P<year>1[789][0-9]{2}|20[0-9]{2})\)"
)
_OVERRULING = re.compile(
    r"\b(?:overrul|overturn|abrogat|supersed|repeal|no longer|rescind|derog|revoc|anul|sustitu|ya no|antigu|"
    r"disapproved|repudiated|bad law|sin efecto|"
    r"former(?:ly\b|\s(?:law|rule|statute|version|provision|text|section|test|standard))|"
    r"once\s(?:was|were|held|said|forbade|\w+ed)\b|used to|then in force|at the time\b(?! of)|at that time|"
    r"entonces)",
    re.IGNORECASE,
)
# What did not happen: "has never been overruled", "declined to overrule", but not "was not overruled until 1954".
_DENIED = re.compile(
    r"\b(?:not|never|no|nunca|jamás|declin\w+ to|refus\w+ to|without)\s(?:(?!longer\b)\w+\s){0,3}?"
    r"(?:overrul|overturn|abrogat|repeal|derog|revoc|anul)\w*(?!.{0,40}\b(?:until|hasta)\b)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Cited:
    """A citation as written, and what it leads to.

    `name` and `year` are the case's as the brief gives them beside its reporter; `page` says that only a page within
    the decision is given, `in_chambers` that one Justice decided, `again` that it names what was cited before: "that
    clause", `shared` that other documents are called so too, each of which is cited.
    """

    text: str
    start: int
    end: int
    normalized: str
    locator: str
    name: str = ""
    year: int | None = None
    page: bool = False
    in_chambers: bool = False
    again: bool = False
    shared: bool = False

    @property
    def is_misprinted(self) -> bool:
        """Whether the volume of the U.S. Reports that is cited was not printed near that year, or has no decision of
        the Court on that page: no such decision.
        """
        reported = _REPORTED.fullmatch(self.locator)
        if not reported:
            return False
        volume, page = map(int, reported.groups())
        if volume > LAST_VOLUME:
            return True
        misdated = self.year is not None and abs(np.interp(volume, *PRINTED) - self.year) > MOST_YEARS
        return bool(misdated or (page > CHAMBERS and not self.page and not self.in_chambers))


@dataclass(frozen=True, slots=True)
class Titled:
    """A document that may be cited by its title alone."""

    title: str
    locator: str


def cited_in(
    text: str, names: CaseNames | None, titled: Iterable[Titled] = (), own: Sequence[Citation] = ()
) -> list[Cited]:
    """All in order, none within another. `own`: what is cited of documents that the site made itself."""
    cited = beside([*find_citations(text), *unprinted(text)], own)
    law = (Cited(c.text, c.start, c.end, c.normalized, c.locator) for c in cited if c.text)
    found = list(_with_first_pages(_with_case(text, cited) for cited in law))
    called = list(_titled(text, titled))
    for more in (_absent(text), _shortened(text), called, _named(text, names)):
        taken = [(c.start, c.end) for c in found]
        found += [c for c in more if all(c.end <= a or b <= c.start for a, b in taken)]
    times = Counter((c.start, c.end) for c in (*own, *called) if c.text)
    found = [replace(c, shared=times[c.start, c.end] > 1) for c in found]
    found = list(_with_id(text, sorted(found, key=lambda c: c.start)))
    return sorted([*found, *_again(text, found)], key=lambda c: c.start)


def admits(sentence: str) -> bool:
    """Whether it says itself that what it cites no longer stands."""
    return _OVERRULING.search(_DENIED.sub("", sentence)) is not None


def _with_case(text: str, cited: Cited) -> Cited:
    """With the name before it and the year behind it."""
    if not cited.locator.startswith(CASES):
        return cited
    before = text[max(0, cited.start - 160) : cited.start]
    named = next((m for m in _NAME.finditer(before) if before[m.end() :].strip(" ,\n") == ""), None)
    year = _YEAR.match(text, cited.end)
    return replace(
        cited,
        name=named[0].strip(" ,\n") if named else "",
        year=int(year["year"]) if year else None,
        page=bool(re.search(r"\bat\b", cited.text)),
        in_chambers=_IN_CHAMBERS.match(text, cited.end) is not None,
    )


def _with_first_pages(found: Iterable[Cited]) -> Iterator[Cited]:
    """ "384 U.S. at 444" cites the decision of that volume that was cited before and begins before that page."""
    begun: dict[str, set[int]] = {}
    for cited in found:
        if not cited.locator.startswith(CASES):
            yield cited
            continue
        volume, _, page = cited.locator.rpartition("/")
        first = max((known for known in begun.get(volume, ()) if known <= int(page)), default=None)
        if cited.page and first is not None:
            cited = replace(
                cited, locator=f"{volume}/{first}", normalized=cite(f"{volume}/{first}"), page=False
            )
        elif not cited.page:
            begun.setdefault(volume, set()).add(int(page))
        yield cited


def _absent(text: str) -> Iterator[Cited]:
    """Articles alone may be those of another law."""
    source = Source.of(text)
    for start, end, locator in constitution.all_absent(source.folded):
        if "/amendment/" in locator or _CONST.search(source.folded, max(0, start - 40), start):
            first, last = source.span(start, end)
            yield Cited(text[first:last], first, last, cite(locator), locator)


def _shortened(text: str) -> Iterator[Cited]:
    """ "3d Am.", but not "First Am. Compl."."""
    for match in _SHORTENED.finditer(text):
        for found in find_citations(f"{match[1]} Amendment"):
            yield Cited(match[0], *match.span(), found.normalized, found.locator)


def _titled(text: str, titled: Iterable[Titled]) -> Iterator[Cited]:
    """Only as titles are written."""
    for document in titled:
        for match in re.finditer(rf"(?<!\w)(?i:{re.escape(document.title)})(?!\w)", text):
            if is_title(match[0], document.title):
                yield Cited(match[0], *match.span(), document.title, document.locator)


def is_title(written: str, title: str) -> bool:
    """As it is, or with capitals. A single word is none: "Complaint allegations are taken as true"."""
    return not title.isalpha() and (written == title or is_capitalised(written))


def _named(text: str, names: CaseNames | None) -> Iterator[Cited]:
    """Cases by name, where the reporter does not follow."""
    if not names:
        return
    for start, end in sentences(text):
        for found in names.find(source := Source.of(text[start:end])):
            a, b = source.span(found.start, found.end)
            locator = found.items[0].locator
            if not _REPORTED_ELSEWHERE.match(text[start + b : end]):
                yield Cited(text[start + a : start + b], start + a, start + b, cite(locator), locator)


def _with_id(text: str, found: Sequence[Cited]) -> Iterator[Cited]:
    """With "Id.", which cites what was cited last."""
    rest, last = list(found), None
    for match in _ID.finditer(text):
        while rest and rest[0].start < match.start():
            yield (last := rest.pop(0))
        if last is None or match.start() < last.end:
            continue
        again = last
        if match["section"]:
            again = within(last, match["section"])
        elif match["clause"]:
            again = _clause(last, match["clause"]) or last
        narrowed = match["at"] or match["section"] or match["clause"]
        end = match.end() if narrowed else match.start() + match[0].index(".") + 1
        last = replace(
            again, text=text[match.start() : end], start=match.start(), end=end, name="", year=None
        )
        yield last
    yield from rest


def _again(text: str, found: Sequence[Cited]) -> Iterator[Cited]:
    """ "The same amendment", "that clause", "Clause 2" of what was cited last, "2244(b)(2)" of a title cited before."""
    for match in _AGAIN.finditer(text):
        start, end = match.span()
        if any(cited.start < end and start < cited.end for cited in found):
            continue
        before = [c for c in found if c.end <= start and c.locator.startswith(("/us/const/", "/us/usc/"))]
        number = match["number"] or match["bare"]
        step = _STEPS[(match["kind"] or match["part"] or "section")[:2].lower()]
        place = f"{number}{match['subs'] or match['below'] or ''}"
        for cited in reversed(before[-NEAREST:]):
            if not number:
                known = cited if step in cited.locator else None
            elif step == "/clause/":
                known = _clause(cited, number)
            else:
                same = f"/s{number}/" in f"{cited.locator}/" or (
                    "/const/" in cited.locator and len(place) == 1
                )
                known = within(cited, f"§ {place}") if same else None
            if known:
                yield replace(known, text=match[0], start=start, end=end, name="", year=None, again=True)
                break


def _clause(cited: Cited, number: str) -> Cited | None:
    """Another clause of the section or article of the Constitution that is cited."""
    whole, _, old = cited.locator.partition("/clause/")
    locator = f"{whole}/clause/{number}"
    return replace(cited, locator=locator, normalized=cite(locator)) if old else None


def within(cited: Cited, section: str) -> Cited:
    """Another section of the title, or of the amendment or article, that is cited."""
    const = "/const/" in cited.locator
    whole = cite("/".join(cited.locator.split("/")[: 5 if const else 4]))
    found = find_citations(f"{whole}{',' * const} {section}")
    return replace(cited, locator=found[0].locator, normalized=found[0].normalized) if found else cited
