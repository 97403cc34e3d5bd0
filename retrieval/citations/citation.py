"""What a citation is, the text it is read from, and locators written as lawyers cite them. Pure."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from retrieval.citations import reporters
from retrieval.text.normalization import fold

SHORT_TITLE = 80  # characters of a title or heading in a citation
SIGNS = {
    "section": "§", "article": "art.", "chapter": "ch.", "part": "pt.", "title": "tit.", "clause": "cl.",
    "exhibit": "ex.", "schedule": "sched.", "appendix": "app.", "annex": "annex", "attachment": "attach.",
}  # fmt: skip

RULES = {  # of court, by their place in the appendices of the Code
    "28a/courtRules/Civil": "Civ. P.", "28a/courtRules/App": "App. P.", "28a/courtRules/Evid": "Evid.",
    "18a/courtRules/Crim": "Crim. P.", "11a/courtRules": "Bankr. P.",
}  # fmt: skip
_SECTION = r"/s(?P<section>[\w.()-]+)(?P<below>(?:/\w+)*)"
# A locator and its Bluebook form, in which what stands in brackets is written where its group is in the locator.
FORMS = [
    (re.compile(pattern), form)
    for pattern, form in (
        (r"/us/const/preamble", "U.S. Const. pmbl."),
        (
            r"/us/const/(?:article/(?P<article>\w+)|amendment/(?P<amendment>\w+))"
            r"(?:/section/(?P<section>\w+))?(?:/clause/(?P<clause>\w+))?",
            "U.S. Const.[ art. {article}][ amend. {amendment}][, § {section}][, cl. {clause}]",
        ),
        *(
            (rf"/us/usc/t{title}/rule(?P<rule>[\w.-]+)(?P<below>(?:/\w+)*)", f"Fed. R. {of} {{rule}}{{below}}")
            for title, of in RULES.items()
        ),
        (
            r"/us/usc/t(?P<title>\d+)a/pl/(?P<congress>\d+)/(?P<law>\d+)" + _SECTION,
            "Pub. L. No. {congress}-{law}, § {section}{below} ({title} U.S.C. app.)",
        ),
        (
            r"/us/usc/t(?P<title>\d+)a/reorgPlan/(?P<year>\d+)/(?P<plan>\w+)(?:/s(?P<section>\w+)(?P<below>(?:/\w+)*))?",
            "Reorg. Plan No. {plan} of {year}[, § {section}]{below} ({title} U.S.C. app.)",
        ),
        (r"/us/usc/t(?P<title>\d+)a", "{title} U.S.C. app."),
        (r"/us/usc/t(?P<title>\w+)" + _SECTION, "{title} U.S.C. § {section}{below}"),
        (r"/us/usc/t(?P<title>\w+)", "{title} U.S.C."),
        (r"/us/cfr/t(?P<title>\w+)" + _SECTION, "{title} C.F.R. § {section}{below}"),
        (r"/us/cfr/t(?P<title>\w+)", "{title} C.F.R."),
        (
            r"/us/cfr/t(?P<title>\w+)/pt(?P<part>[\w-]+)(?:/spt(?P<subpart>\w+))?(?:/app(?P<appendix>[\w-]*))?",
            "{title} C.F.R. pt. {part}[, subpt. {subpart}][, app. {appendix}]",
        ),
        (
            r"/us/uscis-pm/v(?P<volume>\w+)(?:/p(?P<part>\w))?(?:/ch(?P<chapter>\w+))?(?P<below>(?:/\w{1,4})*)",
            "{volume} USCIS-PM[ {part}][.{chapter}]{below}",
        ),
        (
            r"/us/scotus/(?P<volume>\d+)/(?P<page>\d+)(?:/opinion(?:/(?P<part>[a-z-]+)(?:~\d+)?)?)?",
            "{volume} U.S. {page}[ ({part})]",
        ),
        (
            r"/us/case/(?P<reporter>[a-z0-9-]+)/(?P<volume>[\w-]+)/(?P<page>\w+)"
            r"(?:/opinion(?:/(?P<part>[a-z-]+)(?:~\d+)?)?)?",
            "{volume} {reporter} {page}[ ({part})]",
        ),
        (r"/us/in-dec/(?P<volume>\d+)/(?P<page>\d+)", "{volume} I. & N. Dec. {page}"),
        (r"/us/pl/(?P<congress>\d+)/(?P<law>\d+)", "Pub. L. No. {congress}-{law}"),
        (
            r"/us/fr/(?P<volume>\d+)/(?:(?P<thousands>\d{2,3})(?=\d{3}$))?(?P<page>\d+)",
            "{volume} Fed. Reg. [{thousands},]{page}",
        ),
        (r"/us/stat/(?P<volume>\d+)/(?P<page>\d+)", "{volume} Stat. {page}"),
    )
]
_OPTIONAL = re.compile(r"\[([^\]]*\{(\w+)\}[^\]]*)\]")


def cite(locator: str) -> str:
    """The Bluebook form of a locator, or "" for a place of which it has none (a domain's own documents)."""
    for pattern, form in FORMS:
        if match := pattern.fullmatch(locator):
            written = _OPTIONAL.sub(lambda part: part[1] if match[part[2]] else "", form)  # noqa: B023
            said = match.groupdict(default="")
            if "reporter" in said:
                said["reporter"] = reporters.written(said["reporter"])
            cited = written.format_map(said | {"below": re.sub(r"/(\w+)", r"(\1)", said.get("below", ""))})
            return cited.replace("§ ", "§§ ").replace("...", "–") if "..." in cited else cited
    return ""


def cite_plain(title: str, level: str, number: str, heading: str) -> str:
    """A place in a document of no reporter: "Lease of 2020, § 4.2", or by its heading, "Lease of 2020, “Term”"."""
    short = title[:SHORT_TITLE].strip()
    if number:
        return f"{short}, {SIGNS.get(level, level)} {number}"
    return f"{short}, “{heading[:SHORT_TITLE].strip()}”" if heading and heading != title else short


_PLAIN = {code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F)} | dict.fromkeys(map(ord, "‐‑‒–—−"), "-")
_IGNORED = re.compile("[\u0300-\u036f\u00ad\u200b-\u200f\u2060\ufeff]")  # combining and invisible marks


@dataclass(frozen=True, slots=True)
class Citation:
    """A reference to one provision, as written and as it resolves."""

    text: str  # as written
    start: int  # character offsets in the text it was read from
    end: int
    normalized: str  # Bluebook: "8 U.S.C. § 1158(a)(2)(B)"
    locator: str  # "/us/usc/t8/s1158/a/2/B"


@dataclass(frozen=True, slots=True)
class Item:
    """One provision of a match. ``start`` and ``end`` bound its number in the folded text. `normalized` is given where
    the locator does not tell it.
    """

    start: int
    end: int
    locator: str
    normalized: str = ""


@dataclass(frozen=True, slots=True)
class Found:
    """One match in the folded text: one provision, or the provisions of one list."""

    start: int
    end: int
    items: tuple[Item, ...]

    @classmethod
    def one(cls, start: int, end: int, locator: str, normalized: str = "") -> "Found":
        return cls(start, end, (Item(start, end, locator, normalized),))

    def spans(self) -> Iterator[tuple[int, int, Item]]:
        """The first item begins where the match does and the last ends where it ends."""
        last = len(self.items) - 1
        for place, item in enumerate(self.items):
            yield (item.start if place else self.start, self.end if place == last else item.end, item)


@dataclass(frozen=True, slots=True)
class Source:
    """A text, the characters of it that are read, the same folded, and the way back."""

    original: str
    visible: str  # without combining and invisible marks, dashes and letters of full width as plain ones
    folded: str  # ``visible`` in lower case without accents, character for character
    offsets: tuple[int, ...] | None  # position in these to position in ``original``; None: the same

    @classmethod
    def of(cls, text: str) -> "Source":
        if not _IGNORED.search(text):
            visible = text.translate(_PLAIN)
            return cls(text, visible, fold(visible), None)
        kept = [place for place, character in enumerate(text) if not _IGNORED.match(character)]
        visible = "".join(text[place] for place in kept).translate(_PLAIN)
        return cls(text, visible, fold(visible), (*kept, len(text)))

    def span(self, start: int, end: int) -> tuple[int, int]:
        if self.offsets is None:
            return start, end
        return self.offsets[start], self.offsets[end]

    def written(self, match: re.Match[str], group: str | int = 0) -> str:
        """A group of a match in ``folded``, in the case it was written in."""
        start, end = match.span(group)
        return self.visible[start:end]

    def citations(self, found: Found) -> Iterator[Citation]:
        for start, end, item in found.spans():
            first, last = self.span(start, end)
            written = item.normalized or cite(item.locator)
            yield Citation(self.original[first:last], first, last, written, item.locator)


def longest(found: Iterable[Found], length: int) -> list[Found]:
    """Those that do not overlap a longer one, in order. Of equals the first given stays."""
    taken, kept = bytearray(length), []
    for match in sorted(found, key=lambda match: match.start - match.end):
        if 1 not in taken[match.start : match.end]:
            taken[match.start : match.end] = b"\x01" * (match.end - match.start)
            kept.append(match)
    return sorted(kept, key=lambda match: match.start)
